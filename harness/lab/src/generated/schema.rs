//! Schemas by chance.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::keywords::Keywords;

/// Where another schema stands in an argument of `keywords.json`.
const SCHEMA: &str = "SCHEMA";

/// Where an object of schemas stands.
const PROPERTIES: &str = "PROPERTIES";

/// A schema that nests so deep at most.
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

/// Gives a root what belongs there: what references lead to, and at times a dialect.
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

/// The argument with a schema in every place for one.
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
