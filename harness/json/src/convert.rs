//! Conversions: to and from `serde_json::Value`, which other crates take, if that is exact; serde and schemars, which keep
//! lexemes.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::pointer::{Step, to_pointer};
use super::{Json, JsonString, Number, Object};

/// The deepest nesting that `serde_json` reads.
const MAX_VALUE_DEPTH: usize = 127;

/// A value that `serde_json::Value` would change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", if pointer.is_empty() { "the value" } else { pointer })]
pub struct Inexact {
    /// Place of the value that would change, as a JSON Pointer; empty for the whole value.
    pub pointer: String,
    pub reason: InexactReason,
}

/// Reason why `serde_json::Value` cannot hold a value as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InexactReason {
    #[error("a number that neither 64 bits nor a double hold exactly")]
    Number,
    #[error("a string with a lone surrogate")]
    LoneSurrogate,
    #[error("a key that is given more than once")]
    DuplicateKey,
    /// The value nests deeper than `serde_json` reads. Code that takes a `Value` relies on this limit: a validator that
    /// follows a deeper one would exhaust the stack.
    #[error("an array or object nested deeper than {MAX_VALUE_DEPTH} levels")]
    TooDeep,
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(Number::from_valid_lexeme(&number.to_string())),
            Value::String(text) => text.as_str().into(),
            Value::Array(elements) => Self::Array(elements.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(key, value)| (key.as_str(), Self::from(value))).collect())
            }
        }
    }
}

impl Json {
    /// Converts the value for crates that take a `serde_json::Value`.
    ///
    /// A number is exact if writing the `Value` gives an equal number again: `0.1` is exact, while 2⁶⁴, which would
    /// come back as 18446744073709552000, is not. Two values that are not equal never give the same `Value`.
    ///
    /// # Errors
    /// The first thing that would be changed, by the order of the value.
    pub fn to_value(&self) -> Result<Value, Inexact> {
        let mut path = Vec::new();
        to_value(&mut path, self).map_err(|reason| Inexact { pointer: to_pointer(&path), reason })
    }
}

/// Converts a value. On an error `path` leads to its place.
fn to_value<'v>(path: &mut Vec<Step<'v>>, json: &'v Json) -> Result<Value, InexactReason> {
    match json {
        Json::Null => Ok(Value::Null),
        Json::Bool(value) => Ok(Value::Bool(*value)),
        Json::Number(number) => number_to_value(number),
        Json::String(string) => text(string).map(Value::String),
        Json::Array(_) | Json::Object(_) if path.len() == MAX_VALUE_DEPTH => Err(InexactReason::TooDeep),
        Json::Array(elements) => array_to_value(path, elements),
        Json::Object(object) => object_to_value(path, object),
    }
}

fn array_to_value<'v>(path: &mut Vec<Step<'v>>, elements: &'v [Json]) -> Result<Value, InexactReason> {
    let mut values = Vec::with_capacity(elements.len());
    for (at, element) in elements.iter().enumerate() {
        path.push(Step::Index(at));
        values.push(to_value(path, element)?);
        path.pop();
    }
    Ok(Value::Array(values))
}

fn object_to_value<'v>(path: &mut Vec<Step<'v>>, object: &'v Object) -> Result<Value, InexactReason> {
    let mut members = serde_json::Map::new();
    for (key, value) in object.iter() {
        path.push(Step::Key(key));
        let name = text(key)?;
        if members.contains_key(&name) {
            return Err(InexactReason::DuplicateKey);
        }
        members.insert(name, to_value(path, value)?);
        path.pop();
    }
    Ok(Value::Object(members))
}

fn text(string: &JsonString) -> Result<String, InexactReason> {
    string.as_str().map(str::to_owned).ok_or(InexactReason::LoneSurrogate)
}

/// Converts a number as `serde_json` reads it, if that is exact: with a point or an exponent as a double, else as an
/// integer; as the other, if only that is exact.
fn number_to_value(number: &Number) -> Result<Value, InexactReason> {
    let integer = || number.as_i64().map(Into::into).or_else(|| number.as_u64().map(Into::into));
    let double = || {
        let double = serde_json::Number::from_f64(number.lexeme().parse().ok()?)?;
        (Number::from_valid_lexeme(&double.to_string()) == *number).then_some(double)
    };
    let as_double_first = number.lexeme().contains(['.', 'e', 'E']);
    let exact = if as_double_first { double().or_else(integer) } else { integer().or_else(double) };
    exact.map(Value::Number).ok_or(InexactReason::Number)
}

/// Only `serde_json` keeps the text; another format gets its own form of a [`RawValue`].
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.to_compact()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// Works only from `serde_json`, and not through a buffer of serde's: not inside an `untagged` or internally tagged
/// enum, nor a `flatten`ed struct. Those would have rounded the numbers already, so serde refuses the raw text.
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Json::parse(raw.get()).map_err(D::Error::custom)
    }
}

impl JsonSchema for Json {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AnyJson".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        true.into()
    }
}
