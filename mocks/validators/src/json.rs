//! What both languages do with JSON values.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// The characters of a text.
pub(crate) fn length(text: &str) -> f64 {
    size(text.chars().count())
}

/// A count as a number to compare with.
#[expect(clippy::cast_precision_loss, reason = "a value has fewer parts than 2^53")]
pub(crate) fn size(count: usize) -> f64 {
    count as f64
}

/// Whether a number is an integer by its value, as `1.0` is.
pub(crate) fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// Compares numbers. Integers are compared exactly.
pub(crate) fn compare(one: &Number, other: &Number) -> Option<Ordering> {
    let integer = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// Whether two values are equal, with a comparison for numbers.
pub(crate) fn equal(one: &Value, other: &Value, numbers: &impl Fn(&Number, &Number) -> bool) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => numbers(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other, numbers))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(name, value)| other.get(name).is_some_and(|other| equal(value, other, numbers));
            one.len() == other.len() && one.iter().all(same)
        }
        (one, other) => one == other,
    }
}
