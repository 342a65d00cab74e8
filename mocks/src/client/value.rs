//! Values as the validator needs them: a tree of the nearest values that it can hold.
//!
//! The tree is used for validation only. The user gets the text that arrived.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

/// Values nested deeper than this cannot be validated.
const DEPTH: usize = 256;

/// A value longer than this is parsed in the ordinary way or not at all.
const LENGTH: usize = 1024 * 1024;

/// Reason why a value cannot be validated.
#[derive(Debug, thiserror::Error)]
#[error("the value cannot be checked: {0}")]
pub(crate) struct Unreadable(String);

/// Parses a value. A number beyond the validator's range becomes the largest one in the range, and half a surrogate pair the
/// replacement character: JSON allows both, so neither is a reason to reject the value.
///
/// # Errors
/// When the value is nested too deeply, or too long to be parsed piece by piece.
pub(crate) fn readable(raw: &RawValue) -> Result<Value, Unreadable> {
    serde_json::from_str(raw.get()).or_else(|error| {
        if raw.get().len() > LENGTH { Err(Unreadable(error.to_string())) } else { nearest(raw.get(), 0) }
    })
}

fn nearest(text: &str, depth: usize) -> Result<Value, Unreadable> {
    if depth > DEPTH {
        return Err(Unreadable(format!("it is nested deeper than {DEPTH}")));
    }
    let unreadable = |error: serde_json::Error| Unreadable(error.to_string());
    match text.as_bytes().first() {
        Some(b'{') => {
            let members: Members<'_> = serde_json::from_str(text).map_err(unreadable)?;
            let mut object = Map::new();
            for (name, value) in members.0 {
                object.insert(name, nearest(value.get(), depth + 1)?);
            }
            Ok(Value::Object(object))
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text).map_err(unreadable)?;
            items.into_iter().map(|item| nearest(item.get(), depth + 1)).collect::<Result<_, _>>().map(Value::Array)
        }
        Some(b'"') => serde_json::from_str::<Lossy>(text).map(|text| Value::String(text.0)).map_err(unreadable),
        Some(b'-' | b'0'..=b'9') => Ok(Value::Number(nearest_number(text))),
        Some(_) | None => serde_json::from_str(text).map_err(unreadable),
    }
}

fn nearest_number(text: &str) -> Number {
    serde_json::from_str(text).unwrap_or_else(|_| {
        let largest = if text.starts_with('-') { f64::MIN } else { f64::MAX };
        Number::from_f64(largest).unwrap_or_else(|| Number::from(0))
    })
}

/// The members of an object. Of equal names, the last one counts.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<Lossy, &'de RawValue>()? {
                    members.push((name.0, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Read)
    }
}

/// A string with replacement characters for everything that a Rust string cannot hold.
struct Lossy(String);

impl<'de> Deserialize<'de> for Lossy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Lossy;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Lossy(text.to_owned()))
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Lossy(String::from_utf8_lossy(bytes).into_owned()))
            }
        }
        // As bytes, because serde_json refuses half of a surrogate pair in a string, but not in bytes.
        deserializer.deserialize_bytes(Read)
    }
}

/// The text of a JSON string. `None` for anything else.
pub(crate) fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str(raw.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn what_the_validator_cannot_hold_becomes_the_nearest_that_it_can() {
        let value =
            readable(&raw(r#"{"\ud800k":"a\udfffb","n":[1e400,-1e400,123456789012345678901234567890]}"#)).unwrap();
        let object = value.as_object().unwrap();
        assert!(object.keys().any(|name| name.ends_with('k')) && object.len() == 2);
        assert_eq!(object["n"][0].as_f64(), Some(f64::MAX));
        assert_eq!(object["n"][1].as_f64(), Some(f64::MIN));
        assert!(object.values().any(|value| value.as_str().is_some_and(|text| text.starts_with('a'))));
    }

    #[test]
    fn deep_values_are_read_up_to_a_bound() {
        let nested = |depth: usize| raw(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        assert!(readable(&nested(200)).is_ok());
        assert!(readable(&nested(5000)).is_err());
    }
}
