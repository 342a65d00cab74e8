//! Types and equality, as Python has them.

use std::cmp::Ordering;

use serde_json::Value;

use super::draft::Draft;
use crate::json::{compare, equal, is_whole};
use crate::refusal::Refusal;

/// Whether a value is of a type.
///
/// # Errors
/// When there is no such type.
pub(super) fn is_type(draft: Draft, value: &Value, name: &str) -> Result<bool, Refusal> {
    Ok(match name {
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" => match value {
            Value::Number(number) if draft == Draft::Four => number.is_i64() || number.is_u64(),
            Value::Number(number) => is_whole(number),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => false,
        },
        "null" => value.is_null(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        _ => return Refusal::failure(format!("unknown type {name}")),
    })
}

/// Whether two values are equal.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    equal(one, other, &|one, other| compare(one, other) == Some(Ordering::Equal))
}
