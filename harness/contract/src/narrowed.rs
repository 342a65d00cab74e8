//! Two schemas that differ in one property, without the other properties.
//!
//! A tool may have thousands of properties, and each of its changes is looked at alone. Where nothing in the schema relates
//! one property to another, the properties that are neither changed nor required can be left out of both schemas: a value
//! that shows the difference shows it without them, too.

use mcp_compat_json::{Json, Object};

/// From how many properties on it is worth the work.
const LARGE: usize = 16;

/// The keywords that relate no property to another.
const PLAIN: [&str; 13] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "title",
    "description",
    "$comment",
    "examples",
    "deprecated",
    "default",
    "$schema",
    "$defs",
    "definitions",
];

/// Both schemas with that property and those that are required. `None` if that could mean something else.
pub(crate) fn narrowed(promised: &Json, alone: &Json, pointer: &str) -> Option<(Json, Json)> {
    let token = pointer.strip_prefix("/properties/")?.split('/').next()?;
    let name = token.replace("~1", "/").replace("~0", "~");
    Some((only(promised, &name)?, only(alone, &name)?))
}

fn only(schema: &Json, name: &str) -> Option<Json> {
    let members = schema.as_object().filter(|members| !members.has_duplicates())?;
    let properties = members.get("properties").and_then(Json::as_object)?;
    let is_plain = members.iter().all(|(key, _)| key.as_str().is_some_and(|key| PLAIN.contains(&key)));
    if properties.len() < LARGE || properties.has_duplicates() || !is_plain || refers_to_properties(schema) {
        return None;
    }
    let required: std::collections::HashSet<&str> =
        members.get("required").and_then(Json::as_array).unwrap_or_default().iter().filter_map(Json::as_str).collect();
    let kept: Object = properties
        .iter()
        .filter(|(key, _)| key.as_str().is_none_or(|key| key == name || required.contains(key)))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let narrowed = |(key, value): (_, &Json)| match key == "properties" {
        true => kept.clone().into(),
        false => value.clone(),
    };
    let narrowed: Object =
        members.iter().filter_map(|(key, value)| Some((key.as_str()?, narrowed((key.as_str()?, value))))).collect();
    Some(narrowed.into())
}

/// Whether a reference leads to the whole schema, or to one of its properties.
fn refers_to_properties(schema: &Json) -> bool {
    match schema {
        Json::Object(members) => members.iter().any(|(key, value)| {
            let is_reference = key.as_str().is_none_or(|key| {
                ["$ref", "$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor"].contains(&key)
            });
            let is_definition = || {
                value.as_str().is_some_and(|text| text.starts_with("#/$defs/") || text.starts_with("#/definitions/"))
            };
            (is_reference && !is_definition()) || refers_to_properties(value)
        }),
        Json::Array(elements) => elements.iter().any(refers_to_properties),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(changed: &str, more: &str) -> Json {
        let many: Vec<String> = (0..20).map(|at| format!(r#""p{at}":{{"type":"string"}}"#)).collect();
        let text = format!(
            r#"{{"type":"object",{more}"properties":{{"a/b":{changed},{}}},"required":["p3"]}}"#,
            many.join(",")
        );
        Json::parse(&text).unwrap()
    }

    #[test]
    fn the_changed_and_the_required_properties_are_left() {
        let (promised, alone) = narrowed(&schema("{}", ""), &schema("true", ""), "/properties/a~1b/type").unwrap();
        let expected = r#"{"type":"object","properties":{"a/b":{},"p3":{"type":"string"}},"required":["p3"]}"#;
        assert_eq!(promised, Json::parse(expected).unwrap());
        assert_eq!(alone, Json::parse(&expected.replace("{},", "true,")).unwrap());
    }

    #[test]
    fn a_schema_that_relates_properties_is_left_alone() {
        for more in [
            r#""minProperties":2,"#,
            r#""dependentRequired":{"p1":["p2"]},"#,
            r#""patternProperties":{"^p":true},"#,
            r#""anyOf":[{"required":["p1"]}],"#,
        ] {
            assert_eq!(narrowed(&schema("{}", more), &schema("true", more), "/properties/a~1b"), None, "{more}");
        }
        let refers = schema(r##"{"$ref":"#/properties/p1"}"##, "");
        assert_eq!(narrowed(&refers, &schema("{}", ""), "/properties/a~1b"), None);
        assert_eq!(narrowed(&schema("{}", ""), &schema("true", ""), "/required"), None);
    }
}
