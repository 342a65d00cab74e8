//! Types and equality, as JavaScript has them.

use serde_json::{Map, Value};

use super::class::is_truthy;
use crate::json::equal;
use crate::refusal::Refusal;

/// The types that a schema admits, with what `nullable` says: `getSchemaTypes`.
///
/// # Errors
/// When a type is unknown, or `nullable` contradicts it.
pub(super) fn schema_types(schema: &Map<String, Value>) -> Result<Vec<&str>, Refusal> {
    let named: Vec<&Value> = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().collect(),
        Some(kind) if is_truthy(kind) => vec![kind],
        Some(_) | None => Vec::new(),
    };
    let known = ["string", "number", "integer", "boolean", "null", "object", "array"];
    let mut types = Vec::with_capacity(named.len());
    for kind in named {
        match kind.as_str().filter(|kind| known.contains(kind)) {
            Some(kind) => types.push(kind),
            None => return Refusal::schema(format!("type must be JSONType or JSONType[]: {kind}")),
        }
    }
    let nullable = schema.get("nullable");
    if types.contains(&"null") {
        if nullable == Some(&Value::Bool(false)) {
            return Refusal::schema("type: null contradicts nullable: false");
        }
    } else if nullable.is_some() && types.is_empty() {
        return Refusal::schema("\"nullable\" cannot be used without \"type\"");
    } else if nullable == Some(&Value::Bool(true)) {
        types.push("null");
    }
    Ok(types)
}

/// Whether a value is of a type.
pub(super) fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number % 1.0 == 0.0),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "object" => value.is_object(),
        _ => value.is_array(),
    }
}

/// What `typeof` says, with arrays told apart.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether two values are equal. All numbers are doubles.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    equal(one, other, &|one, other| one.as_f64() == other.as_f64())
}

/// Whether an object has a property. Those that every object inherits count.
pub(super) fn has(object: &Map<String, Value>, name: &str) -> bool {
    let inherited = [
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
    ];
    object.contains_key(name) || inherited.contains(&name)
}

/// The name of a property as JavaScript makes it of any value.
pub(super) fn property_name(value: &Value) -> String {
    match value {
        Value::String(name) => name.clone(),
        other @ Value::Null
        | other @ Value::Bool(_)
        | other @ Value::Number(_)
        | other @ Value::Array(_)
        | other @ Value::Object(_) => other.to_string(),
    }
}
