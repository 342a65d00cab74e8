//! The value itself, and the questions one asks it.

use super::{JsonString, Number, Object};

/// Any JSON value, exactly as it was written, but for white space and the spelling of strings.
///
/// Equality is JSON equality: numbers by mathematical value (`1`, `1.0` and `1e0` are equal, and so are `-0` and
/// `0`), strings by code units, objects without regard to the order of different keys. Where a key is given more
/// than once, the values under it must be as many, and pairwise equal in their order.
///
/// Values that were read nest at most [`MAX_DEPTH`](super::MAX_DEPTH) deep. Copying, writing and dropping go down
/// the nesting on the stack, which that leaves room for; keep to it in values built by hand.
#[derive(Clone)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number of any size and precision.
    Number(Number),
    /// A string.
    String(JsonString),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Object),
}

impl Json {
    /// The name of the value's kind, as JSON Schema calls it: `null`, `boolean`, `number`, `string`, `array` or
    /// `object`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// The member `key` of an object: the last one, if there are several.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The truth value, if this is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The number, if this is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// The text, if this is a string of valid Unicode. A string with lone surrogates is only to be had as
    /// [`JsonString`].
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(string) = self { string.as_str() } else { None }
    }

    /// The elements, if this is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Json]> {
        if let Self::Array(elements) = self { Some(elements) } else { None }
    }

    /// The object, if this is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Number> for Json {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Self::Number(value.into())
    }
}

impl From<JsonString> for Json {
    fn from(string: JsonString) -> Self {
        Self::String(string)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<Vec<Json>> for Json {
    fn from(elements: Vec<Json>) -> Self {
        Self::Array(elements)
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}
