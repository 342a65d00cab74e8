//! Arguments for a call, from the values that an `inputSchema` offers: examples, defaults, constants, enum values.
//!
//! No value is invented. A tool would reject an invented path or name, and a rejected call shows nothing about results.

use mcp_compat_inclusion::{Conformance, check};
use mcp_compat_json::{Json, Object};

/// Why a schema gives no arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoArguments {
    /// It offers no value for these required properties.
    MissingValues(Vec<String>),
    /// The values that it offers do not conform to it.
    Inconsistent(String),
}

/// How deeply nested objects are filled in.
const DEPTH: usize = 4;

/// The arguments that a definition offers, as a JSON object.
///
/// # Errors
/// When a required property offers no value, or the offered values do not conform.
pub(super) fn offered(definition: &Json) -> Result<Json, NoArguments> {
    let empty = Json::Object(Object::new());
    let Some(schema) = definition.get("inputSchema").filter(|schema| schema.as_object().is_some()) else {
        return Ok(empty);
    };
    if let Some(example) = examples(schema).find(|example| conforms(schema, example)) {
        return Ok(example.clone());
    }
    let mut missing = Vec::new();
    let arguments = filled(schema, DEPTH, "", &mut missing);
    match check(schema, &arguments) {
        _ if !missing.is_empty() => Err(NoArguments::MissingValues(missing)),
        Conformance::Violates { message, .. } => Err(NoArguments::Inconsistent(message)),
        // If that is undecided, the server decides.
        Conformance::Conforms | Conformance::Undecided { .. } => Ok(arguments),
    }
}

fn examples(schema: &Json) -> impl Iterator<Item = &Json> {
    let examples = schema.get("examples").and_then(Json::as_array).unwrap_or_default();
    // OpenAPI's spelling, which many generators of schemas write.
    examples.iter().chain(schema.get("example"))
}

fn conforms(schema: &Json, value: &Json) -> bool {
    value.as_object().is_some() && !matches!(check(schema, value), Conformance::Violates { .. })
}

/// An object with every required property that offers a value. Adds the names of the others to `missing`.
fn filled(schema: &Json, depth: usize, within: &str, missing: &mut Vec<String>) -> Json {
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    let mut object = Object::new();
    for name in required.iter().filter_map(Json::as_str) {
        let property = schema.get("properties").and_then(|properties| properties.get(name));
        let place = if within.is_empty() { name.to_owned() } else { format!("{within}.{name}") };
        match property.and_then(|property| value_of(property, depth, &place, missing)) {
            Some(value) => object.push(name, value),
            None => missing.push(place),
        }
    }
    Json::Object(object)
}

/// The value that a property offers.
fn value_of(property: &Json, depth: usize, place: &str, missing: &mut Vec<String>) -> Option<Json> {
    let first = |key: &str| property.get(key).and_then(Json::as_array).and_then(|values| values.first());
    let kind = property.get("type").and_then(Json::as_str);
    let offered = examples(property)
        .next()
        .or_else(|| property.get("default"))
        .or_else(|| property.get("const"))
        .or(first("enum"));
    match (offered, kind) {
        (Some(value), _) => Some(value.clone()),
        (None, Some("object")) if depth > 0 => Some(filled(property, depth - 1, place, missing)),
        (None, Some("null")) => Some(Json::Null),
        (None, Some(_) | None) => None,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn of(schema: &str) -> Result<String, NoArguments> {
        let definition = Json::parse(&format!(r#"{{"name":"a","inputSchema":{schema}}}"#)).unwrap();
        offered(&definition).map(|arguments| arguments.to_compact())
    }

    #[rstest]
    #[case::nothing_is_required(r#"{"type":"object","properties":{"n":{"type":"string"}}}"#, "{}")]
    #[case::an_example_of_all(r#"{"type":"object","required":["n"],"examples":[{"n":1}]}"#, r#"{"n":1}"#)]
    #[case::an_example_of_one(
        r#"{"type":"object","required":["n"],"properties":{"n":{"type":"string","examples":["x"]}}}"#,
        r#"{"n":"x"}"#
    )]
    #[case::a_default(r#"{"type":"object","required":["n"],"properties":{"n":{"default":7}}}"#, r#"{"n":7}"#)]
    #[case::a_constant(r#"{"type":"object","required":["n"],"properties":{"n":{"const":null}}}"#, r#"{"n":null}"#)]
    #[case::the_first_of_a_few(
        r#"{"type":"object","required":["n"],"properties":{"n":{"enum":["a","b"]}}}"#,
        r#"{"n":"a"}"#
    )]
    #[case::within_an_object(
        r#"{"type":"object","required":["o"],"properties":{"o":{"type":"object","required":["n"],"properties":{"n":{"default":1}}}}}"#,
        r#"{"o":{"n":1}}"#
    )]
    fn what_a_schema_offers_is_taken(#[case] schema: &str, #[case] arguments: &str) {
        assert_eq!(of(schema), Ok(arguments.to_owned()));
    }

    #[test]
    fn nothing_is_made_up() {
        let path = r#"{"type":"object","required":["path","o"],"properties":{"path":{"type":"string"},
            "o":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}}}"#;
        assert_eq!(of(path), Err(NoArguments::MissingValues(vec!["path".to_owned(), "o.id".to_owned()])));
        let undescribed = r#"{"type":"object","required":["n"]}"#;
        assert_eq!(of(undescribed), Err(NoArguments::MissingValues(vec!["n".to_owned()])));
        let wrong = r#"{"type":"object","required":["n"],"properties":{"n":{"type":"string","default":7}}}"#;
        assert!(matches!(of(wrong), Err(NoArguments::Inconsistent(_))));
        let example = r#"{"type":"object","required":["n"],"examples":[{"m":1}],"properties":{"n":{"default":7}}}"#;
        assert_eq!(of(example), Ok(r#"{"n":7}"#.to_owned()), "an example that does not conform is not used");
    }
}
