//! How large a schema is once it is compiled: it takes about a hundred times the memory of its text.

use serde_json::Value;

/// How many parts a schema may have. A compiled part takes up to four kilobytes, so such a schema takes up to 120 MB.
pub(crate) const MOST: u64 = 30_000;

/// What is wrong with a schema that has more.
pub(crate) const TOO_MANY: &str = "it has more than 30,000 parts";

/// How many parts a schema has: objects, their members, and booleans. What is data in it counts as well, except for texts and
/// numbers in arrays, of which lists of allowed values have many.
pub(crate) fn parts(schema: &Value) -> u64 {
    match schema {
        Value::Object(members) => members.values().map(|member| parts(member).max(1)).sum::<u64>() + 1,
        Value::Array(elements) => elements.iter().map(parts).sum(),
        Value::Bool(_) => 1,
        Value::Null | Value::Number(_) | Value::String(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_members_and_booleans_are_parts() {
        let schema = json!({
            "type": "object",
            "properties": {"a": {"enum": ["x", "y", 1]}, "b": true},
            "anyOf": [{}, true, false],
        });
        // The schema 1, `type` 1, `properties` 1 with `a` 2 and `b` 1, and 3 alternatives.
        assert_eq!(parts(&schema), 9);
    }

    #[test]
    fn parts_count_wherever_they_are() {
        assert_eq!(parts(&json!({"x": [{}, {}, {}], "$ref": "#/x/0"})), 5);
        assert!(TOO_MANY.contains("30,000") && MOST == 30_000);
    }
}
