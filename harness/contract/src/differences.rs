//! The differences between two schemas, by location.
//!
//! Each difference comes with the old schema in which only this difference is applied.

use std::collections::{HashMap, HashSet};

use mcp_compat_json::{Json, JsonString, Object, pointer_token};
use mcp_compat_model::comparison::ChangeKind;

/// How many differences between two schemas are listed.
pub(crate) const MANY: usize = 100;

/// How deeply schemas are compared.
const DEPTH: usize = 100;

/// How many pairs of values are compared with one another.
const COMPARED: usize = 1_000_000;

/// How many characters of a value are shown in a sentence.
const SHOWN: usize = 60;

/// A difference between two schemas.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// Where, as a JSON Pointer.
    pub(crate) pointer: String,
    pub(crate) kind: ChangeKind,
    /// A description.
    pub(crate) what: String,
    /// The old schema with this difference alone.
    pub(crate) alone: Json,
}

/// The keywords whose members are schemas by name.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// The keywords whose elements are schemas.
const LISTED: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// The keywords that are one schema.
const NESTED: [&str; 11] = [
    "additionalProperties",
    "unevaluatedProperties",
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
];

/// The keywords that are only documentation.
const WORDS: [&str; 7] = ["title", "description", "$comment", "examples", "deprecated", "readOnly", "writeOnly"];

/// The differences between two schemas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Differences {
    /// The first ones, in the order of the old schema.
    pub(crate) listed: Vec<Difference>,
    /// How many more there are.
    pub(crate) more: usize,
}

/// The differences of a new schema from an old one.
pub(crate) fn differences(old: &Json, new: &Json) -> Differences {
    let mut walk = Walk { root: old, path: Vec::new(), found: Differences::default() };
    walk.schemas(old, new);
    walk.found
}

struct Walk<'s> {
    root: &'s Json,
    path: Vec<String>,
    found: Differences,
}

impl Walk<'_> {
    fn schemas(&mut self, old: &Json, new: &Json) {
        if old == new || self.path.len() > DEPTH {
            return;
        }
        let (Json::Object(before), Json::Object(after)) = (old, new) else {
            let what = || format!("{} became {}", shown(old), shown(new));
            return self.add(ChangeKind::Keyword, what, Some(new));
        };
        for (key, old, new) in by_name(before, after) {
            if old != new {
                self.path.push(key.to_owned());
                self.keyword(key, old, new, after);
                self.path.pop();
            }
        }
    }

    /// Compares a keyword that changed. `after` is the new schema around it.
    fn keyword<'j>(&mut self, key: &str, old: Option<&'j Json>, new: Option<&'j Json>, after: &Object) {
        let is_root = self.path.len() == 1;
        match (key, old, new) {
            (key, Some(old @ Json::Object(_)), Some(new @ Json::Object(_))) if NESTED.contains(&key) => {
                self.schemas(old, new);
            }
            (key, old, new) if NAMED.contains(&key) => {
                let none = Object::new();
                let members = |value: Option<&'j Json>| value.and_then(Json::as_object);
                self.named(key, members(old).unwrap_or(&none), members(new).unwrap_or(&none), after);
            }
            (key, Some(Json::Array(old)), Some(Json::Array(new))) if LISTED.contains(&key) => {
                self.listed(key, old, new)
            }
            ("required", old, new) => self.required(old, new),
            ("enum", Some(Json::Array(before)), Some(Json::Array(after))) => self.values(before, after, new),
            _ => {
                self.add(kind(key, is_root, old, new), || change(key, old, new), new);
            }
        }
    }

    fn named(&mut self, key: &str, before: &Object, after: &Object, schema: &Object) {
        let required = requires(schema);
        for (name, old, new) in by_name(before, after) {
            self.path.push(name.to_owned());
            let quoted = || shown(&name.into());
            match (old, new) {
                (Some(old), Some(new)) => self.schemas(old, new),
                (None, Some(new)) if key == "properties" => {
                    // That it has to be there is told beside it, or was so before.
                    let how = if required.contains(name) { "" } else { "optional " };
                    self.add(ChangeKind::PropertyAdded, || format!("{how}property {} added", quoted()), Some(new));
                }
                (Some(_), None) if key == "properties" => {
                    self.add(ChangeKind::PropertyRemoved, || format!("property {} removed", quoted()), None);
                }
                (old, new) => {
                    let done = if new.is_some() { "added" } else { "removed" };
                    if old != new {
                        self.add(ChangeKind::Keyword, || format!("{} {done} in `{key}`", quoted()), new);
                    }
                }
            }
            self.path.pop();
        }
    }

    fn listed(&mut self, key: &str, before: &[Json], after: &[Json]) {
        // A branch that only moved has not changed.
        let gone: Vec<usize> = missing(after, before);
        let come: Vec<usize> = missing(before, after);
        if key != "prefixItems" && gone.is_empty() != come.is_empty() {
            let (kind, done, which) = match come.is_empty() {
                true => (ChangeKind::BranchRemoved, "removed from", shown(&before[gone[0]])),
                false => (ChangeKind::BranchAdded, "added to", shown(&after[come[0]])),
            };
            return self.add(kind, || format!("{which} {done} `{key}`"), Some(&after.to_vec().into()));
        }
        for (at, (old, new)) in before.iter().zip(after).enumerate() {
            self.path.push(at.to_string());
            self.schemas(old, new);
            self.path.pop();
        }
        if before.len() != after.len() {
            let mut alone = before.to_vec();
            alone.truncate(after.len());
            alone.extend_from_slice(&after[alone.len().min(after.len())..]);
            let (kind, done) = if before.len() < after.len() {
                (ChangeKind::BranchAdded, "longer")
            } else {
                (ChangeKind::BranchRemoved, "shorter")
            };
            let what = || format!("`{key}` is {done}: {} in place of {}", after.len(), before.len());
            self.add(kind, what, Some(&alone.into()));
        }
    }

    fn required(&mut self, old: Option<&Json>, new: Option<&Json>) {
        let list = |list: Option<&Json>| list.and_then(Json::as_array).unwrap_or_default().to_vec();
        let (before, after) = (list(old), list(new));
        for at in missing(&after, &before) {
            let what = || format!("{} is no longer required", shown(&before[at]));
            let left = || before.iter().filter(|other| **other != before[at]).cloned().collect::<Vec<_>>();
            self.add_made(ChangeKind::RequiredRemoved, what, || Some(left().into()));
        }
        for at in missing(&before, &after) {
            let what = || format!("{} is required", shown(&after[at]));
            let more = || before.iter().chain([&after[at]]).cloned().collect::<Vec<_>>();
            self.add_made(ChangeKind::RequiredAdded, what, || Some(more().into()));
        }
    }

    fn values(&mut self, before: &[Json], after: &[Json], new: Option<&Json>) {
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
        self.add(kind, || what, new);
    }

    fn add(&mut self, kind: ChangeKind, what: impl FnOnce() -> String, value: Option<&Json>) {
        self.add_made(kind, what, || value.cloned());
    }

    fn add_made(&mut self, kind: ChangeKind, what: impl FnOnce() -> String, value: impl FnOnce() -> Option<Json>) {
        if self.found.listed.len() >= MANY {
            self.found.more += 1;
            return;
        }
        let pointer = self.path.iter().map(|token| format!("/{}", pointer_token(token))).collect();
        let alone = replaced(self.root, &self.path, value().as_ref());
        self.found.listed.push(Difference { pointer, kind, what: what(), alone });
    }
}

/// The members of two objects: those of the first in its order, then those that only the second has.
fn by_name<'o>(before: &'o Object, after: &'o Object) -> Vec<(&'o str, Option<&'o Json>, Option<&'o Json>)> {
    let index = |object: &'o Object| -> HashMap<&'o str, &'o Json> {
        object.iter().filter_map(|(name, value)| Some((name.as_str()?, value))).collect()
    };
    let (old, new) = (index(before), index(after));
    let mut seen = HashSet::new();
    let names = before.iter().chain(after.iter()).filter_map(|(name, _)| name.as_str());
    let names = names.filter(|name| seen.insert(*name));
    names.map(|name| (name, old.get(name).copied(), new.get(name).copied())).collect()
}

/// The places of the values in `of` that are not in `from`.
fn missing(from: &[Json], of: &[Json]) -> Vec<usize> {
    // A string is only equal to the same string. Few values are of another kind, unless somebody wants to see how long
    // it takes to compare them; then those that are written alike count as equal.
    let texts: HashSet<&JsonString> = from.iter().filter_map(string).collect();
    let others: Vec<&Json> = from.iter().filter(|value| string(value).is_none()).collect();
    let written: HashSet<String> = match others.len().saturating_mul(of.len()) > COMPARED {
        true => others.iter().map(|value| value.to_compact()).collect(),
        false => HashSet::new(),
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

fn kind(key: &str, is_root: bool, old: Option<&Json>, new: Option<&Json>) -> ChangeKind {
    // A schema is more open than `false` and less open than none.
    let openness = |value: Option<&Json>| match value {
        Some(Json::Bool(false)) => 0,
        None | Some(Json::Bool(true)) => 2,
        Some(_) => 1,
    };
    match key {
        key if WORDS.contains(&key) => ChangeKind::Words,
        "type" if is_root => ChangeKind::RootType,
        "type" => ChangeKind::Type,
        "additionalProperties" | "unevaluatedProperties" if openness(new) < openness(old) => {
            ChangeKind::AdditionalPropertiesClosed
        }
        "additionalProperties" | "unevaluatedProperties" => ChangeKind::AdditionalPropertiesOpened,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength"
        | "minItems" | "maxItems" | "uniqueItems" | "minProperties" | "maxProperties" | "minContains"
        | "maxContains" => ChangeKind::Limit,
        "pattern" => ChangeKind::Pattern,
        "format" => ChangeKind::Format,
        "default" => ChangeKind::Default,
        "$schema" => ChangeKind::Dialect,
        "$ref" | "$dynamicRef" | "$id" | "$anchor" => ChangeKind::Reference,
        _ => ChangeKind::Keyword,
    }
}

fn change(key: &str, old: Option<&Json>, new: Option<&Json>) -> String {
    match (old, new) {
        (_, _) if WORDS.contains(&key) => format!("`{key}` changed"),
        (Some(old), Some(new)) => format!("`{key}` changed from {} to {}", shown(old), shown(new)),
        (None, Some(new)) => format!("`{key}` added: {}", shown(new)),
        (Some(old), None) => format!("`{key}` removed: it was {}", shown(old)),
        (None, None) => format!("`{key}` changed"),
    }
}

/// A value, short enough for a sentence.
pub(crate) fn shown(value: &Json) -> String {
    let text = value.to_compact();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn requires(schema: &Object) -> HashSet<&str> {
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    required.iter().filter_map(Json::as_str).collect()
}
