//! The place of a schema that most likely made a validation too costly.

use std::convert::Infallible;

use serde_json::{Map, Value};

use crate::validator::meter::Work;
use crate::validator::references::REFERENCES;
use crate::validator::subschemas::each_schema;

/// Returns the place that most likely took the work, as a JSON Pointer; empty for the whole schema.
pub(crate) fn costly_place(schema: &mut Value, work: Work) -> String {
    let mut worst = (0, String::new());
    let Ok(()) = each_schema(schema, &mut |pointer, members| -> Result<(), Infallible> {
        for keyword in members.keys() {
            let weight = weight(keyword, members, work);
            // Inner schemas come first, and the outermost of several that weigh the same is the one to name.
            if weight > 0 && weight >= worst.0 {
                worst = (weight, format!("{pointer}/{keyword}"));
            }
        }
        Ok(())
    });
    worst.1
}

/// Returns the weight of a keyword for some kind of work.
fn weight(keyword: &str, members: &Map<String, Value>, work: Work) -> usize {
    let value = &members[keyword];
    match (work, keyword) {
        (Work::Comparison, "enum") => size(value),
        (Work::Comparison, "const") => size(value) / 2,
        (Work::Comparison, "uniqueItems") => 8,
        (Work::Name, "patternProperties" | "propertyNames") => size(value),
        (Work::Name, "properties" | "required") => 1,
        (Work::Text, "pattern") => value.as_str().map_or(0, str::len),
        (Work::Text, "patternProperties") => size(value),
        (Work::Visit, "unevaluatedProperties" | "unevaluatedItems") => 1 + references(value),
        (Work::Visit, "allOf" | "anyOf" | "oneOf") => {
            let branches = value.as_array().map_or(0, Vec::len);
            // Branches multiply where they refer to others.
            branches * (1 + 16 * references(value))
        }
        (Work::Visit, "not" | "if" | "then" | "else" | "contains" | "dependentSchemas") => references(value),
        _ => 0,
    }
}

/// Counts the values in a value, with itself.
pub(crate) fn size(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

fn references(value: &Value) -> usize {
    match value {
        Value::Array(elements) => elements.iter().map(references).sum(),
        Value::Object(members) => {
            let own = REFERENCES.iter().filter(|keyword| members.contains_key(**keyword)).count();
            own + members.values().map(references).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case(Work::Comparison, "/properties/list/items/enum")]
    #[case(Work::Name, "/patternProperties")]
    #[case(Work::Text, "/properties/text/pattern")]
    #[case(Work::Visit, "/$defs/a/allOf")]
    fn the_place_goes_with_the_work(#[case] work: Work, #[case] expected: &str) {
        let mut schema = json!({
            "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}},
            "properties": {"list": {"items": {"enum": [[1], [2], [3]]}}, "text": {"pattern": "^aaaaaaaaaa*$"}},
            "patternProperties": {"^x": {"anyOf": [true, false]}},
        });
        assert_eq!(costly_place(&mut schema, work), expected);
    }
}
