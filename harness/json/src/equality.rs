//! Equality of JSON values.

use super::{Json, JsonString, Number, Object};

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        all_equal(vec![(self, other)], Number::eq)
    }
}

impl Eq for Json {}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = Vec::new();
        pair_members(self, other, &mut pairs) && all_equal(pairs, Number::eq)
    }
}

impl Eq for Object {}

impl Json {
    /// Returns whether `found` is this value for a reader that reads numbers as doubles, as RFC 8259 section 6 expects
    /// of JSON: the two are equal, except that a number that is exactly a double may have another text of the same
    /// double.
    ///
    /// ```
    /// use mcp_compat_json::Json;
    ///
    /// let kept = |sent: &str, found: &str| Json::parse(sent).unwrap().is_kept_in(&Json::parse(found).unwrap());
    /// // 2^60, and how JavaScript writes it.
    /// assert!(kept("[1152921504606846976]", "[1152921504606847000]"));
    /// // 2^53 + 1 is no double.
    /// assert!(!kept("9007199254740993", "9007199254740992"));
    /// ```
    pub fn is_kept_in(&self, found: &Self) -> bool {
        all_equal(vec![(self, found)], Number::is_kept_in)
    }
}

/// Test for two numbers to count as the same.
pub(super) type SameNumber = fn(&Number, &Number) -> bool;

/// Two values whose equality decides that of their containers. They wait in a list, not on the stack.
type Pair<'v> = (&'v Json, &'v Json);

fn all_equal(mut pairs: Vec<Pair<'_>>, numbers: SameNumber) -> bool {
    while let Some((one, other)) = pairs.pop() {
        if !equal_but_for(one, other, &mut pairs, numbers) {
            return false;
        }
    }
    true
}

/// Returns whether two values are equal, provided that the pairs that it adds are.
fn equal_but_for<'v>(one: &'v Json, other: &'v Json, pairs: &mut Vec<Pair<'v>>, numbers: SameNumber) -> bool {
    match (one, other) {
        (Json::Null, Json::Null) => true,
        (Json::Bool(one), Json::Bool(other)) => one == other,
        (Json::Number(one), Json::Number(other)) => numbers(one, other),
        (Json::String(one), Json::String(other)) => one == other,
        (Json::Array(one), Json::Array(other)) => {
            pairs.extend(one.iter().zip(other));
            one.len() == other.len()
        }
        (Json::Object(one), Json::Object(other)) => pair_members(one, other, pairs),
        _ => false,
    }
}

/// Returns whether two objects have the same keys, each as often. They are equal if the added pairs are, too.
fn pair_members<'v>(one: &'v Object, other: &'v Object, pairs: &mut Vec<Pair<'v>>) -> bool {
    if one.len() != other.len() {
        return false;
    }
    // Usually both have the same keys in the same order.
    if one.iter().zip(other.iter()).all(|((key, _), (other_key, _))| key == other_key) {
        pairs.extend(one.iter().zip(other.iter()).map(|((_, value), (_, other_value))| (value, other_value)));
        return true;
    }
    let (one, other) = (ByKey::new(one).0, ByKey::new(other).0);
    pairs.extend(one.iter().zip(&other).map(|((_, value), (_, other_value))| (*value, *other_value)));
    one.iter().zip(&other).all(|((key, _), (other_key, _))| key == other_key)
}

type Member<'o> = (&'o JsonString, &'o Json);

/// The members of an object sorted by key. Members of one key keep their order, so that two objects are equal if
/// and only if these lists are equal, and the values of one key stand together.
pub(super) struct ByKey<'o>(Vec<Member<'o>>);

impl<'o> ByKey<'o> {
    pub(super) fn new(object: &'o Object) -> Self {
        let mut members: Vec<_> = object.iter().collect();
        members.sort_by_key(|(key, _)| *key);
        Self(members)
    }

    /// Returns the members with this key, in their order.
    pub(super) fn group(&self, key: &JsonString) -> &[Member<'o>] {
        let start = self.0.partition_point(|(other, _)| *other < key);
        let length = self.0[start..].partition_point(|(other, _)| *other == key);
        &self.0[start..start + length]
    }
}
