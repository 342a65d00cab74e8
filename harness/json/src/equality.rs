//! When two values are the same JSON.

use super::{Json, JsonString, Object};

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = Vec::new();
        equal_but_for(self, other, &mut pairs) && all_equal(pairs)
    }
}

impl Eq for Json {}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = Vec::new();
        pair_members(self, other, &mut pairs) && all_equal(pairs)
    }
}

impl Eq for Object {}

/// Two values that must be equal for those that contain them to be. They wait in a list, not on the stack.
type Pair<'v> = (&'v Json, &'v Json);

fn all_equal(mut pairs: Vec<Pair<'_>>) -> bool {
    while let Some((one, other)) = pairs.pop() {
        if !equal_but_for(one, other, &mut pairs) {
            return false;
        }
    }
    true
}

/// Whether two values are equal if the pairs that this adds are.
fn equal_but_for<'v>(one: &'v Json, other: &'v Json, pairs: &mut Vec<Pair<'v>>) -> bool {
    match (one, other) {
        (Json::Null, Json::Null) => true,
        (Json::Bool(one), Json::Bool(other)) => one == other,
        (Json::Number(one), Json::Number(other)) => one == other,
        (Json::String(one), Json::String(other)) => one == other,
        (Json::Array(one), Json::Array(other)) => {
            pairs.extend(one.iter().zip(other));
            one.len() == other.len()
        }
        (Json::Object(one), Json::Object(other)) => pair_members(one, other, pairs),
        _ => false,
    }
}

/// Whether two objects have the same keys, each as often, and so are equal if the pairs that this adds are.
fn pair_members<'v>(one: &'v Object, other: &'v Object, pairs: &mut Vec<Pair<'v>>) -> bool {
    if one.len() != other.len() {
        return false;
    }
    // Mostly both write the same keys in the same order.
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

    /// The members with this key, in their order.
    pub(super) fn group(&self, key: &JsonString) -> &[Member<'o>] {
        let start = self.0.partition_point(|(other, _)| *other < key);
        let length = self.0[start..].partition_point(|(other, _)| *other == key);
        &self.0[start..start + length]
    }
}
