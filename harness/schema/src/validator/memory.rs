//! Estimate of the memory that a schema takes once it is compiled.
//!
//! Each schema in it and each of its keywords becomes an object that holds its own place as a text. So a schema takes ten to
//! two hundred times the memory of its text, the more the deeper it is and the longer its names are.

use serde_json::Value;

/// Memory that a schema may take, in bytes. While it is compiled it takes twice as much.
const MOST: u64 = 60 << 20;

/// Message about a schema that takes more.
pub(crate) const TOO_LARGE: &str = "it would take more than 60 MB of memory";

/// Memory of a keyword or a schema, and of each byte of its JSON Pointer, since several copies of it are made.
const PART: u64 = 500;
const PLACE: u64 = 6;

/// Memory of a text in a list, beside its own bytes, which are held three times.
const LISTED: u64 = 100;
const COPIES: u64 = 3;

/// Memory of a piece of a pattern: as measured, a pattern of some characters has 9 to 16 kB of automata.
const PIECE: u64 = 160;

/// Returns true if a schema takes more memory than `MOST`, so that it is not compiled.
pub fn is_too_large(schema: &Value) -> bool {
    bytes(schema, 0) > MOST
}

/// Returns the memory of a compiled schema whose patterns have so many pieces, in bytes.
pub(crate) fn compiled(schema: &Value, pieces: u64) -> u64 {
    bytes(schema, 0).saturating_add(pieces.saturating_mul(PIECE))
}

/// Returns the memory of a value at a place whose JSON Pointer has so many bytes. Data in a schema counts as well.
fn bytes(value: &Value, place: u64) -> u64 {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| {
                let name = name.len() as u64;
                let place = place.saturating_add(1 + name);
                part(place).saturating_add(COPIES * name).saturating_add(bytes(member, place))
            })
            .fold(part(place), u64::saturating_add),
        Value::Array(elements) => {
            // Its index.
            let place = place.saturating_add(4);
            elements.iter().map(|element| LISTED.saturating_add(bytes(element, place))).fold(0, u64::saturating_add)
        }
        Value::Bool(_) => part(place),
        Value::String(text) => COPIES * text.len() as u64,
        Value::Null | Value::Number(_) => 0,
    }
}

fn part(place: u64) -> u64 {
    PART.saturating_add(place.saturating_mul(PLACE))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn named(count: usize, schema: &Value) -> Value {
        json!({"properties": (0..count).map(|at| (format!("p{at}"), schema.clone())).collect::<serde_json::Map<_, _>>()})
    }

    fn nested(levels: usize) -> Value {
        let twice = |inner: Value, _| json!({"anyOf": [{"properties": {"a": inner}}, {"properties": {"b": inner}}]});
        (0..levels).fold(json!({"type": "number"}), twice)
    }

    #[rstest]
    #[case::many_properties(named(50_000, &json!({"type": "integer"})))]
    #[case::booleans_below_a_long_name(json!({"properties": {"x".repeat(100_000): named(25_000, &json!(true))}}))]
    #[case::schemas_at_a_place_of_no_keyword(json!({"x": vec![json!({}); 120_000], "$ref": "#/x/0"}))]
    #[case::many_names(json!({"required": (0..700_000).map(|at| at.to_string()).collect::<Vec<_>>()}))]
    #[case::alternatives_in_alternatives(nested(13))]
    fn a_schema_is_too_large(#[case] schema: Value) {
        assert!(is_too_large(&schema));
    }

    #[rstest]
    #[case::many_properties(named(15_000, &json!({"type": "integer"})))]
    #[case::a_long_name(json!({"properties": {"x".repeat(100_000): true}}))]
    #[case::many_values(json!({"enum": (0..100_000).map(|at| at.to_string()).collect::<Vec<_>>()}))]
    #[case::alternatives_in_alternatives(nested(11))]
    fn a_schema_is_not_too_large(#[case] schema: Value) {
        assert!(!is_too_large(&schema));
    }
}
