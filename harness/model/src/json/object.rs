//! Objects: members in the order they were written, with nothing merged.

use super::{Json, JsonString};
use std::collections::HashSet;

/// The members of a JSON object, in order, duplicates kept.
///
/// Equality ignores the order of different keys and respects the order of the values under one key.
#[derive(Clone, Default)]
pub struct Object {
    members: Vec<(JsonString, Json)>,
}

impl Object {
    /// An object without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member at the end, whether or not the key is there already.
    pub fn push(&mut self, key: impl Into<JsonString>, value: impl Into<Json>) {
        self.members.push((key.into(), value.into()));
    }

    /// The members in the order they were written.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&JsonString, &Json)> + ExactSizeIterator + Clone {
        self.members.iter().map(|(key, value)| (key, value))
    }

    /// The value of `key`: the last one if there are several, which is what most parsers keep.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Every value of `key`, in order.
    pub fn get_all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a Json> {
        self.iter().filter(move |(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Whether there is a member `key`.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The number of members; a key given twice counts twice.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether a key is given more than once.
    #[must_use]
    pub fn has_duplicates(&self) -> bool {
        self.first_duplicate().is_some()
    }

    /// The first key that repeats an earlier one.
    #[must_use]
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
