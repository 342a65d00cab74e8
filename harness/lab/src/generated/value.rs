//! Values by chance, for a schema: more often than not of a type that it names.

use fastrand::Rng;
use serde_json::{Map, Value};

use super::keywords::Keywords;

/// How many items an array gets at most.
const ITEMS: usize = 3;

/// A value for the schema, which need not be valid by it.
pub(super) fn value(keywords: &Keywords, rng: &mut Rng, schema: &Value) -> Value {
    if rng.u8(..5) == 0 {
        return keywords.value(rng);
    }
    let member = |name: &str| schema.get(name);
    if let Some(constant) = member("const") {
        return constant.clone();
    }
    if let Some(choices) = member("enum").and_then(Value::as_array).filter(|choices| !choices.is_empty()) {
        return choices[rng.usize(..choices.len())].clone();
    }
    let named = match member("type") {
        Some(Value::Array(names)) if !names.is_empty() => names[rng.usize(..names.len())].as_str(),
        other => other.and_then(Value::as_str),
    };
    match named {
        Some("object") => object(keywords, rng, schema),
        Some("array") => {
            let items = member("items").cloned().unwrap_or_default();
            (0..rng.usize(..=ITEMS)).map(|_| value(keywords, rng, &items)).collect()
        }
        Some("string") => keywords.value_where(rng, Value::is_string),
        Some("number") => keywords.value_where(rng, Value::is_number),
        Some("integer") => keywords.value_where(rng, |value| value.is_i64() || value.is_u64()),
        Some("boolean") => Value::Bool(rng.bool()),
        Some("null") => Value::Null,
        Some(_) | None => keywords.value(rng),
    }
}

fn object(keywords: &Keywords, rng: &mut Rng, schema: &Value) -> Value {
    let mut members = Map::new();
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        for (name, property) in properties {
            if rng.u8(..4) > 0 {
                members.insert(name.clone(), value(keywords, rng, property));
            }
        }
    }
    if rng.u8(..4) == 0 {
        members.insert("extra".to_owned(), keywords.value(rng));
    }
    Value::Object(members)
}
