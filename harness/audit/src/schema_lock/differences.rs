//! The differences between two schemas, by location.
//!
//! Each difference can be made alone in the old schema, and undone in the new one.

use std::collections::{HashMap, HashSet};

use mcp_compat_json::{Json, JsonString, Object, pointer_token};
use mcp_compat_model::comparison::ChangeKind;

use crate::schema_lock::keywords::{LISTED, NAMED, NESTED, change, kind, shown};
use crate::schema_lock::moved::{Keyword, Moved};

/// Number of differences between two schemas that are listed.
pub(crate) const MANY: usize = 100;

/// Depth up to which schemas are compared.
const DEPTH: usize = 100;

/// Number of pairs of values that are compared one by one.
const COMPARED: usize = 1_000_000;

/// A difference between two schemas.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// JSON Pointer of its place.
    pub(crate) pointer: String,
    pub(crate) kind: ChangeKind,
    pub(crate) what: String,
    /// The old schema with this difference alone.
    pub(crate) alone: Json,
    /// Edits of the new schema that undo it.
    undo: Vec<(Vec<String>, Option<Json>)>,
}

impl Difference {
    /// The new schema with every difference but this one.
    pub(crate) fn undone_in(&self, new: &Json) -> Json {
        edited(new, self.undo.iter().map(|(path, was)| (path.as_slice(), was.as_ref())))
    }
}

/// A difference that was found: the places that it changes. The old schema with the difference is made when it is asked for,
/// since a hundred of them would take much memory.
#[derive(Debug)]
pub(crate) struct Found {
    pointer: String,
    kind: ChangeKind,
    what: String,
    edits: Vec<Edit>,
}

impl Found {
    /// The difference, with the old schema that it is made in.
    pub(crate) fn made_in(self, old: &Json) -> Difference {
        let Self { pointer, kind, what, edits } = self;
        let alone = edited(old, edits.iter().map(|edit| (edit.path.as_slice(), edit.make.as_ref())));
        let undo = edits.into_iter().map(|edit| (edit.path, edit.undo)).collect();
        Difference { pointer, kind, what, alone, undo }
    }
}

/// The differences between two schemas.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    /// The first ones, in the order of the old schema.
    pub(crate) listed: Vec<Found>,
    /// Number of further differences.
    pub(crate) more: usize,
}

/// The differences of a new schema from an old one.
pub(crate) fn differences(old: &Json, new: &Json) -> Differences {
    let mut walk = Walk { old, new, path: Vec::new(), found: Differences::default() };
    walk.schemas(old, new);
    walk.found
}

struct Walk<'s> {
    old: &'s Json,
    new: &'s Json,
    path: Vec<String>,
    found: Differences,
}

struct Around<'s> {
    before: &'s Object,
    after: &'s Object,
    /// The keywords that are reported together.
    moved: Moved<'s>,
}

impl<'s> Around<'s> {
    /// Returns the names that are no longer required because their property was removed: that is one change.
    fn are_gone(&self) -> HashSet<&'s str> {
        if self.moved.has("properties") || self.moved.has("required") {
            return HashSet::new();
        }
        let gone = |before: HashSet<&'s str>, after: HashSet<&'s str>| before.difference(&after).copied().collect();
        let properties: HashSet<&str> = gone(declares(self.before), declares(self.after));
        let required: HashSet<&str> = gone(requires(self.before), requires(self.after));
        properties.intersection(&required).copied().collect()
    }
}

impl<'s> Walk<'s> {
    fn schemas(&mut self, old: &'s Json, new: &'s Json) {
        if old == new || self.path.len() > DEPTH {
            return;
        }
        let (Json::Object(before), Json::Object(after)) = (old, new) else {
            let what = || format!("{} became {}", shown(old), shown(new));
            return self.add(ChangeKind::Keyword, what, Some(old), Some(new));
        };
        let keywords = by_name(Some(before), Some(after));
        let around = Around { before, after, moved: Moved::among(&keywords, [self.old, self.new]) };
        self.moved(&around.moved);
        for (key, old, new) in keywords {
            if old != new && !around.moved.has(key) {
                self.path.push(key.to_owned());
                self.keyword((key, old, new), &around);
                self.path.pop();
            }
        }
    }

    /// Adds the keywords that are reported together.
    fn moved(&mut self, moved: &Moved<'_>) {
        if moved.gone.is_empty() {
            return;
        }
        let edits = |path: &[String]| {
            let at = |key: &str| path.iter().cloned().chain([key.to_owned()]).collect();
            let gone =
                moved.gone.iter().map(|(key, was)| Edit { path: at(key), make: None, undo: Some((*was).clone()) });
            let come = moved.come.iter().map(|(key, is)| Edit { path: at(key), make: Some((*is).clone()), undo: None });
            gone.chain(come).collect()
        };
        self.add_edits(moved.kind(self.path.is_empty()), || moved.what(), edits);
    }

    fn keyword(&mut self, (key, old, new): Keyword<'s>, around: &Around<'s>) {
        let is_root = self.path.len() == 1;
        match (key, old, new) {
            (key, Some(old @ Json::Object(_)), Some(new @ Json::Object(_))) if NESTED.contains(&key) => {
                self.schemas(old, new);
            }
            (key, _, _) if NAMED.contains(&key) => self.named(key, around),
            (key, Some(Json::Array(old)), Some(Json::Array(new))) if LISTED.contains(&key) => {
                self.listed(key, old, new)
            }
            ("required", old, new) => self.required(old, new, &around.are_gone()),
            ("enum", Some(Json::Array(before)), Some(Json::Array(after))) => self.values(before, after, (old, new)),
            _ => {
                self.add(kind(key, is_root, old, new), || change(key, old, new), old, new);
            }
        }
    }

    fn named(&mut self, key: &str, around: &Around<'s>) {
        let members = |schema: &'s Object| schema.get(key).and_then(Json::as_object);
        let required = requires(around.after);
        let gone = if key == "properties" { around.are_gone() } else { HashSet::new() };
        for (name, old, new) in by_name(members(around.before), members(around.after)) {
            self.path.push(name.to_owned());
            let quoted = || shown(&name.into());
            match (old, new) {
                (Some(old), Some(new)) => self.schemas(old, new),
                (None, Some(_)) if key == "properties" => {
                    // A new entry in `required` is a change of its own.
                    let how = if required.contains(name) { "" } else { "optional " };
                    self.add(ChangeKind::PropertyAdded, || format!("{how}property {} added", quoted()), None, new);
                }
                (Some(_), None) if key == "properties" => {
                    let what = || format!("property {} removed", quoted());
                    let edits = |path: &[String]| {
                        let property = Edit { path: path.to_vec(), make: None, undo: old.cloned() };
                        let required = gone.contains(name).then(|| no_longer_required(path, name, around));
                        std::iter::once(property).chain(required).collect()
                    };
                    self.add_edits(ChangeKind::PropertyRemoved, what, edits);
                }
                (old, new) => {
                    let done = if new.is_some() { "added" } else { "removed" };
                    if old != new {
                        self.add(ChangeKind::Keyword, || format!("{} {done} in `{key}`", quoted()), old, new);
                    }
                }
            }
            self.path.pop();
        }
    }

    fn listed(&mut self, key: &str, before: &'s [Json], after: &'s [Json]) {
        let list = |list: &[Json]| Some(Json::from(list.to_vec()));
        // A branch that only moved has not changed.
        let gone: Vec<usize> = missing(after, before);
        let come: Vec<usize> = missing(before, after);
        if key != "prefixItems" && gone.is_empty() != come.is_empty() {
            let (kind, done, which) = if come.is_empty() {
                (ChangeKind::BranchRemoved, "removed from", shown(&before[gone[0]]))
            } else {
                (ChangeKind::BranchAdded, "added to", shown(&after[come[0]]))
            };
            let what = || format!("{which} {done} `{key}`");
            return self.add(kind, what, list(before).as_ref(), list(after).as_ref());
        }
        for (at, (old, new)) in before.iter().zip(after).enumerate() {
            self.path.push(at.to_string());
            self.schemas(old, new);
            self.path.pop();
        }
        if before.len() != after.len() {
            // As long as the other one, and otherwise as it is.
            let resized = |one: &[Json], other: &[Json]| {
                let both = one.len().min(other.len());
                Json::from([&one[..both], &other[both..]].concat())
            };
            let (kind, done) = if before.len() < after.len() {
                (ChangeKind::BranchAdded, "longer")
            } else {
                (ChangeKind::BranchRemoved, "shorter")
            };
            let what = || format!("`{key}` is {done}: {} in place of {}", after.len(), before.len());
            self.add(kind, what, Some(&resized(after, before)), Some(&resized(before, after)));
        }
    }

    /// Compares which properties are required. `reported`: those that are reported with their property.
    fn required(&mut self, old: Option<&'s Json>, new: Option<&'s Json>, reported: &HashSet<&str>) {
        let list = |list: Option<&'s Json>| list.and_then(Json::as_array).unwrap_or_default();
        let (before, after) = (list(old), list(new));
        for name in missing(after, before).into_iter().map(|at| &before[at]) {
            if !name.as_str().is_some_and(|name| reported.contains(name)) {
                let what = || format!("{} is no longer required", shown(name));
                self.add(ChangeKind::RequiredRemoved, what, Some(&with(after, name)), Some(&without(before, name)));
            }
        }
        for name in missing(before, after).into_iter().map(|at| &after[at]) {
            let what = || format!("{} is required", shown(name));
            self.add(ChangeKind::RequiredAdded, what, Some(&without(after, name)), Some(&with(before, name)));
        }
    }

    fn values(&mut self, before: &[Json], after: &[Json], (old, new): (Option<&Json>, Option<&Json>)) {
        let some = |of: &[Json], places: Vec<usize>| -> Vec<String> {
            places.into_iter().take(5).map(|at| shown(&of[at])).collect()
        };
        let (come, gone) = (some(after, missing(before, after)), some(before, missing(after, before)));
        let (kind, what) = match (come.is_empty(), gone.is_empty()) {
            // Only their order.
            (true, true) => (ChangeKind::Words, "the order of `enum` changed".to_owned()),
            (false, true) => (ChangeKind::EnumWidened, format!("enum widened by {}", come.join(", "))),
            (true, false) => (ChangeKind::EnumNarrowed, format!("enum narrowed by {}", gone.join(", "))),
            (false, false) => {
                (ChangeKind::EnumChanged, format!("enum has {} in place of {}", come.join(", "), gone.join(", ")))
            }
        };
        self.add(kind, || what, old, new);
    }

    fn add(&mut self, kind: ChangeKind, what: impl FnOnce() -> String, old: Option<&Json>, new: Option<&Json>) {
        let edit = |path: &[String]| vec![Edit { path: path.to_vec(), make: new.cloned(), undo: old.cloned() }];
        self.add_edits(kind, what, edit);
    }

    fn add_edits(
        &mut self,
        kind: ChangeKind,
        what: impl FnOnce() -> String,
        edits: impl FnOnce(&[String]) -> Vec<Edit>,
    ) {
        if self.found.listed.len() >= MANY {
            self.found.more += 1;
            return;
        }
        let pointer = self.path.iter().map(|token| format!("/{}", pointer_token(token))).collect();
        self.found.listed.push(Found { pointer, kind, what: what(), edits: edits(&self.path) });
    }
}

/// The members of two objects: those of the first in its order, then those that only the second has.
fn by_name<'o>(before: Option<&'o Object>, after: Option<&'o Object>) -> Vec<Keyword<'o>> {
    let members = |object: Option<&'o Object>| object.into_iter().flat_map(Object::iter);
    let index = |object: Option<&'o Object>| -> HashMap<&'o str, &'o Json> {
        members(object).filter_map(|(name, value)| Some((name.as_str()?, value))).collect()
    };
    let (old, new) = (index(before), index(after));
    let mut seen = HashSet::new();
    let names = members(before).chain(members(after)).filter_map(|(name, _)| name.as_str());
    let names = names.filter(|name| seen.insert(*name));
    names.map(|name| (name, old.get(name).copied(), new.get(name).copied())).collect()
}

/// The places of the values in `of` that are not in `from`.
fn missing(from: &[Json], of: &[Json]) -> Vec<usize> {
    // A string is only equal to the same string. Few values are of another kind, unless somebody wants to see how long
    // it takes to compare them; then those that are written alike count as equal.
    let texts: HashSet<&JsonString> = from.iter().filter_map(string).collect();
    let others: Vec<&Json> = from.iter().filter(|value| string(value).is_none()).collect();
    let written: HashSet<String> = if others.len().saturating_mul(of.len()) > COMPARED {
        others.iter().map(|value| value.to_compact()).collect()
    } else {
        HashSet::new()
    };
    let has = |value: &Json| match string(value) {
        Some(text) => texts.contains(text),
        None if written.is_empty() => others.contains(&value),
        None => written.contains(&value.to_compact()),
    };
    (0..of.len()).filter(|at| !has(&of[*at])).collect()
}

fn string(value: &Json) -> Option<&JsonString> {
    match value {
        Json::String(text) => Some(text),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

fn requires(schema: &Object) -> HashSet<&str> {
    required(schema).iter().filter_map(Json::as_str).collect()
}

fn required(schema: &Object) -> &[Json] {
    schema.get("required").and_then(Json::as_array).unwrap_or_default()
}

fn declares(schema: &Object) -> HashSet<&str> {
    let properties = schema.get("properties").and_then(Json::as_object);
    properties.into_iter().flat_map(Object::iter).filter_map(|(name, _)| name.as_str()).collect()
}

/// Edit by which the property at a path is no longer required.
fn no_longer_required(property: &[String], name: &str, around: &Around<'_>) -> Edit {
    let schema = &property[..property.len().saturating_sub(2)];
    let name = name.into();
    Edit {
        path: schema.iter().cloned().chain(["required".to_owned()]).collect(),
        make: Some(without(required(around.before), &name)),
        undo: Some(with(required(around.after), &name)),
    }
}

/// A place that a difference changes: the value in the old schema that makes it, and the one in the new schema that undoes it.
#[derive(Debug)]
struct Edit {
    path: Vec<String>,
    make: Option<Json>,
    undo: Option<Json>,
}

/// The value with those at paths replaced, one after the other.
fn edited<'e>(value: &Json, edits: impl Iterator<Item = (&'e [String], Option<&'e Json>)>) -> Json {
    let mut edited = None;
    for (path, with) in edits {
        edited = Some(replaced(edited.as_ref().unwrap_or(value), path, with));
    }
    edited.unwrap_or_else(|| value.clone())
}

/// The value with the one at a path replaced, or removed if there is no new one.
fn replaced(value: &Json, path: &[String], with: Option<&Json>) -> Json {
    let Some((first, rest)) = path.split_first() else { return with.unwrap_or(value).clone() };
    match value {
        Json::Object(members) => {
            let mut changed = Object::new();
            for (key, member) in members.iter() {
                if *key != **first {
                    changed.push(key.clone(), member.clone());
                } else if !rest.is_empty() || with.is_some() {
                    changed.push(key.clone(), replaced(member, rest, with));
                }
            }
            if !members.contains_key(first) && with.is_some() {
                // If the keyword is new, so is the path below it.
                changed.push(first.as_str(), replaced(&Object::new().into(), rest, with));
            }
            changed.into()
        }
        Json::Array(elements) => {
            let at = |(at, element): (usize, &Json)| {
                if at.to_string() == *first { replaced(element, rest, with) } else { element.clone() }
            };
            elements.iter().enumerate().map(at).collect::<Vec<_>>().into()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value.clone(),
    }
}

/// The list and one value more.
fn with(list: &[Json], value: &Json) -> Json {
    list.iter().chain([value]).cloned().collect::<Vec<_>>().into()
}

fn without(list: &[Json], value: &Json) -> Json {
    list.iter().filter(|other| *other != value).cloned().collect::<Vec<_>>().into()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// A difference that is the only one is all there is to make and to undo.
    #[rstest]
    #[case::changed(r#"{"properties":{"a":{"minimum":1}}}"#, r#"{"properties":{"a":{"minimum":2}}}"#)]
    #[case::added("{}", r#"{"title":"A"}"#)]
    #[case::removed(r#"{"title":"A"}"#, "{}")]
    #[case::schema_that_is_true(r#"{"items":{"title":"A"}}"#, r#"{"items":true}"#)]
    #[case::property_added(r#"{"properties":{}}"#, r#"{"properties":{"a":{}}}"#)]
    #[case::property_removed_and_not_required(
        r#"{"properties":{"a":{},"b~/":{}},"required":["a","b~/"]}"#,
        r#"{"properties":{"a":{}},"required":["a"]}"#
    )]
    #[case::required_added(r#"{"required":["a"]}"#, r#"{"required":["a","b"]}"#)]
    #[case::required_removed(r#"{"required":["a","b"]}"#, r#"{"required":["a"]}"#)]
    #[case::value(r#"{"enum":[1]}"#, r#"{"enum":[1,2]}"#)]
    #[case::branch_added(r#"{"anyOf":[{"const":1}]}"#, r#"{"anyOf":[{"const":2},{"const":1}]}"#)]
    #[case::place_removed(r#"{"prefixItems":[{"const":1},{"const":2}]}"#, r#"{"prefixItems":[{"const":1}]}"#)]
    #[case::moved(
        r#"{"items":{"type":"string","minLength":1}}"#,
        r#"{"items":{"anyOf":[{"type":"string","minLength":2},{"type":"null"}]}}"#
    )]
    #[case::moved_at_the_root(r#"{"title":"A","const":1}"#, r#"{"title":"A","enum":[1,2]}"#)]
    fn a_difference_is_made_and_undone(#[case] old: &str, #[case] new: &str) {
        let [old, new] = [old, new].map(|schema| Json::parse(schema).unwrap());
        for (old, new) in [(&old, &new), (&new, &old)] {
            let Ok([found]) = <[Found; 1]>::try_from(differences(old, new).listed) else { continue };
            let difference = found.made_in(old);
            assert_eq!((&difference.alone, &difference.undone_in(new)), (new, old), "{difference:?}");
        }
        assert_eq!(differences(&old, &new).listed.len(), 1);
    }
}
