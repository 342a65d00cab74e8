//! Sample values for a schema: one that conforms, and one that nearly does. Results with the former stand in for those of
//! tools that were not called.
//!
//! Both are guesses. Only a value that the validator confirms is returned.

use mcp_compat_json::{Json, Object, text_at};
use mcp_compat_scenario::write::{Answer, DraftTool};
use mcp_compat_schema::inclusion::{Conformance, check};

use super::captured::{CapturedCall, CapturedTool};

/// Depth to which a schema is followed.
const DEPTH: usize = 8;

/// Number of changes that are tried to make a value that violates a schema.
const TRIES: usize = 64;

/// A value that conforms to the schema, if one is found.
pub fn conforming(schema: &Json) -> Option<Json> {
    let guess = guess(schema, schema, DEPTH);
    let plain =
        [Json::Object(Object::new()), Json::Array(Vec::new()), "".into(), 0_i64.into(), true.into(), Json::Null];
    std::iter::once(guess).chain(plain).find(|value| check(schema, value) == Conformance::Conforms)
}

/// A value as near to the given one as possible that violates the schema, if one is found.
pub fn violating(schema: &Json, value: &Json) -> Option<Json> {
    let mut tried = 0;
    let mut found = None;
    changed(value, &mut |candidate| {
        tried += 1;
        if found.is_none() && tried <= TRIES && matches!(check(schema, &candidate), Conformance::Violates { .. }) {
            found = Some(candidate);
        }
        found.is_none() && tried < TRIES
    });
    found
}

fn guess(schema: &Json, root: &Json, depth: usize) -> Json {
    let Some(depth) = depth.checked_sub(1) else { return Json::Null };
    let referred = schema.get("$ref").and_then(Json::as_str).and_then(|reference| reference.strip_prefix('#'));
    if let Some(target) = referred.and_then(|pointer| root.pointer(pointer)) {
        return guess(target, root, depth);
    }
    let first = |key: &str| schema.get(key).and_then(Json::as_array).and_then(|all| all.first());
    if let Some(value) = schema.get("const").or_else(|| first("enum")).or_else(|| first("examples")) {
        return value.clone();
    }
    if let Some(part) = first("anyOf").or_else(|| first("oneOf")).or_else(|| first("allOf")) {
        return guess(part, root, depth);
    }
    let kind = schema.get("type").and_then(|kind| kind.as_str().or_else(|| kind.as_array()?.first()?.as_str()));
    match kind {
        Some("array") => {
            let least = schema.get("minItems").and_then(Json::as_number).and_then(|least| least.as_i64()).unwrap_or(1);
            let item = schema.get("items").map(|items| guess(items, root, depth));
            Json::Array(item.into_iter().cycle().take(usize::try_from(least.clamp(0, 8)).unwrap_or(0)).collect())
        }
        Some("string") => "text".into(),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| 1_i64.into()),
        Some("boolean") => true.into(),
        Some("null") => Json::Null,
        Some(_) | None => {
            let properties = schema.get("properties").and_then(Json::as_object);
            let members = properties.into_iter().flat_map(Object::iter);
            Json::Object(members.map(|(key, part)| (key.clone(), guess(part, root, depth))).collect())
        }
    }
}

/// Offers the value with one change at a time, innermost first, until `offer` returns `false`.
fn changed(value: &Json, offer: &mut dyn FnMut(Json) -> bool) -> bool {
    let inner = match value {
        Json::Array(elements) => elements.iter().enumerate().all(|(at, element)| {
            changed(element, &mut |other| {
                let mut elements = elements.clone();
                elements[at] = other;
                offer(Json::Array(elements))
            })
        }),
        Json::Object(object) => (0..object.len()).all(|at| {
            let exchanged = |other: Option<&Json>| {
                let members = object.iter().enumerate().filter_map(|(index, (key, member))| match other {
                    Some(other) if index == at => Some((key.clone(), other.clone())),
                    None if index == at => None,
                    Some(_) | None => Some((key.clone(), member.clone())),
                });
                Json::Object(members.collect())
            };
            let Some((_, member)) = object.iter().nth(at) else { return true };
            changed(member, &mut |other| offer(exchanged(Some(&other)))) && offer(exchanged(None))
        }),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    };
    let other_kind = || match value {
        Json::String(_) => 0_i64.into(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => "wrong".into(),
    };
    inner && offer(other_kind()) && offer(Json::Null)
}

/// A call of a tool with a result that conforms to its schema, or with a text if none is found.
pub fn placeholder_call(tool: &CapturedTool, stage: usize) -> CapturedCall {
    let schema = text_at(&tool.definition, "/outputSchema").and_then(|schema| Json::parse(schema).ok());
    let result = match schema.and_then(|schema| conforming(&schema)) {
        Some(value) => {
            let value = value.to_compact();
            let text = Json::from(value.as_str()).to_compact();
            format!(r#"{{"structuredContent":{value},"content":[{{"type":"text","text":{text}}}]}}"#)
        }
        None => r#"{"content":[{"type":"text","text":"…"}]}"#.to_owned(),
    };
    CapturedCall {
        stage,
        tool: tool.name.clone(),
        arguments: None,
        answer: Answer::Returns(result),
        without: Vec::new(),
    }
}

pub fn mark_placeholder(tool: &mut DraftTool) {
    if let Some(answer) = &mut tool.answer {
        answer.note = Some("This result is a placeholder: replace it by what the tool really returns.".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn a_value_is_made_for_the_schemas_of_real_tools() {
        for (schema, value) in [
            (
                r#"{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}}}}"#,
                r#"[{"id":"text"}]"#,
            ),
            (r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"enum":[7]}}}"##, r#"{"a":7}"#),
            (r#"{"type":["integer","null"],"minimum":5}"#, "5"),
            (r#"{"anyOf":[{"type":"boolean"},{"type":"null"}]}"#, "true"),
            ("true", "{}"),
        ] {
            assert_eq!(conforming(&json(schema)), Some(json(value)), "{schema}");
        }
    }

    #[test]
    fn nothing_is_made_up_where_the_guess_does_not_conform() {
        for schema in ["false", r#"{"type":"string","pattern":"^[A-Z]{9}$"}"#, r##"{"$ref":"#/nowhere"}"##] {
            assert_eq!(conforming(&json(schema)), None, "{schema}");
        }
    }

    #[test]
    fn a_violation_changes_as_little_as_it_can() {
        let schema = json(
            r#"{"type":"array","items":{"type":"object","required":["id"],"properties":{"n":{"type":"integer"}}}}"#,
        );
        assert_eq!(violating(&schema, &json(r#"[{"n":1,"id":2}]"#)), Some(json(r#"[{"n":"wrong","id":2}]"#)));
        assert_eq!(violating(&schema, &json(r#"[{"id":2}]"#)), Some(json("[{}]")));
        assert_eq!(violating(&schema, &json("[]")), Some(json("\"wrong\"")));
    }

    #[test]
    fn a_schema_that_allows_everything_has_no_violation() {
        assert_eq!(violating(&json("{}"), &json(r#"{"a":[1,2,{"b":"c"}]}"#)), None);
    }
}
