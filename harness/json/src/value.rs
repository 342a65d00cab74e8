//! Values: [`Json`], and [`Object`], whose members keep their order and their duplicates.

use super::{JsonString, Number};
use std::collections::HashSet;

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
    String(JsonString),
    Array(Vec<Json>),
    Object(Object),
}

impl Json {
    /// Returns the name of the value's kind, as JSON Schema calls it: `null`, `boolean`, `number`, `string`, `array` or
    /// `object`.
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

    /// Returns the number of values in this one, itself included.
    pub fn count_values(&self) -> usize {
        match self {
            Self::Array(items) => 1 + items.iter().map(Self::count_values).sum::<usize>(),
            Self::Object(object) => 1 + object.iter().map(|(_, member)| member.count_values()).sum::<usize>(),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => 1,
        }
    }

    /// Returns the member `key` of an object: the last one, if there are several.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    /// Returns whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// Returns the text, if this is a string of valid Unicode. A string with lone surrogates is available only as
    /// [`JsonString`].
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(string) = self { string.as_str() } else { None }
    }

    /// Returns the elements, if this is an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        if let Self::Array(elements) = self { Some(elements) } else { None }
    }

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

/// The members of a JSON object, in order, duplicates kept.
///
/// Equality ignores the order of different keys and respects the order of the values under one key.
#[derive(Clone, Default)]
pub struct Object {
    members: Vec<(JsonString, Json)>,
}

impl Object {
    /// Creates an object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member at the end, whether or not the key is there already.
    pub fn push(&mut self, key: impl Into<JsonString>, value: impl Into<Json>) {
        self.members.push((key.into(), value.into()));
    }

    /// Returns the members in the order they were written.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&JsonString, &Json)> + ExactSizeIterator + Clone {
        self.members.iter().map(|(key, value)| (key, value))
    }

    /// Returns the value of `key`: the last one if there are several, which is the one that most parsers keep.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Returns every value of `key`, in order.
    pub fn get_all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Json> {
        self.iter().filter(move |(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Returns whether there is a member `key`.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Returns the number of members; a key given twice counts twice.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns whether a key is given more than once.
    pub fn has_duplicates(&self) -> bool {
        self.first_duplicate().is_some()
    }

    /// Returns the first key that repeats an earlier one.
    pub fn first_duplicate(&self) -> Option<&JsonString> {
        let mut seen = HashSet::with_capacity(self.len());
        self.iter().map(|(key, _)| key).find(|key| !seen.insert(*key))
    }
}

impl<K: Into<JsonString>> FromIterator<(K, Json)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, Json)>>(members: I) -> Self {
        Self { members: members.into_iter().map(|(key, value)| (key.into(), value)).collect() }
    }
}

impl IntoIterator for Object {
    type Item = (JsonString, Json);
    type IntoIter = std::vec::IntoIter<(JsonString, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}
