//! Random schemas, and random values for them.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::keywords::Keywords;

/// Placeholder for a schema in an argument of `keywords.json`.
const SCHEMA: &str = "SCHEMA";

/// Placeholder for an object of schemas.
const PROPERTIES: &str = "PROPERTIES";

/// Returns a random schema, nested at most `depth` levels deep.
pub(super) fn schema(keywords: &Keywords, rng: &mut Rng, depth: u8) -> Value {
    if depth == 0 && rng.u8(..8) == 0 {
        return json!(rng.bool());
    }
    let mut members = Map::new();
    let name = Keywords::any_type(rng);
    match rng.u8(..10) {
        0 => {}
        1 => {
            members.insert("type".to_owned(), json!([name, Keywords::any_type(rng)]));
        }
        _ => {
            members.insert("type".to_owned(), json!(name));
        }
    }
    for _ in 0..rng.u8(..4) {
        let chosen = if rng.u8(..4) == 0 { keywords.general(rng) } else { keywords.of_type(rng, name) };
        if let Some((keyword, argument)) = chosen {
            members.insert(keyword.to_owned(), filled(keywords, rng, argument, depth));
        }
    }
    if rng.u8(..12) == 0
        && let Some((keyword, argument)) = keywords.malformed(rng)
    {
        members.insert(keyword.to_owned(), argument.clone());
    }
    Value::Object(members)
}

/// Adds the targets of references to a root schema, and sometimes a dialect.
pub(super) fn finish_root(keywords: &Keywords, rng: &mut Rng, root: &mut Value) {
    let refers = root.to_string().contains("Ref\"") || root.to_string().contains("$ref");
    let Some(members) = root.as_object_mut() else { return };
    if rng.u8(..4) == 0 {
        members.insert("$schema".to_owned(), keywords.dialect(rng));
    }
    if refers || rng.u8(..12) == 0 {
        let place = if rng.u8(..4) == 0 { "definitions" } else { "$defs" };
        let defined = json!({ "x": schema(keywords, rng, 1), "loop": { "$ref": format!("#/{place}/loop") } });
        members.entry(place).or_insert(defined);
    }
}

/// Replaces the placeholders in an argument by random schemas.
fn filled(keywords: &Keywords, rng: &mut Rng, argument: &Value, depth: u8) -> Value {
    let below = depth.saturating_sub(1);
    match argument {
        Value::String(text) if text == SCHEMA => schema(keywords, rng, below),
        Value::String(text) if text == PROPERTIES => {
            let names = ["a", "b", "é"];
            let of = |name: &str, rng: &mut Rng| (name.to_owned(), schema(keywords, rng, below));
            let count = rng.usize(1..=names.len());
            Value::Object(names[..count].iter().map(|name| of(name, rng)).collect())
        }
        Value::Array(items) => items.iter().map(|item| filled(keywords, rng, item, depth)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), filled(keywords, rng, value, depth))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => argument.clone(),
    }
}

/// Largest number of items of an array.
const ITEMS: usize = 3;

/// Returns a random value for the schema, which it may violate.
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
