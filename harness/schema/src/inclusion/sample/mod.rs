//! Values of a schema, made up to be refused by another one.
//!
//! A schema is followed down to its leaves. There stand values at the edge of what either of the two schemas names:
//! bounds and their neighbours, constants, lengths, names. Every place is varied alone, the rest being as plain as it
//! may, so that a difference anywhere shows in some value. What is made up need not conform: the validator is asked.

mod hints;

use std::collections::{BTreeSet, HashSet};

use mcp_compat_json::{Json, Object};

use self::hints::Hints;
use crate::inclusion::budget::size;
use crate::inclusion::case::Case;
use crate::inclusion::document::{Document, Node};
use crate::inclusion::prove::Prover;
use crate::inclusion::types::Type;
use crate::inclusion::validator::Schemas;

/// Depth of the values.
const DEPTH: usize = 7;

/// Number of values that are kept at the root. It halves with each level, down to [`FEW`].
const KEPT: usize = 640;
const FEW: usize = 24;

/// Number of places in which a value is varied.
const PLACES: usize = 40;

/// Number of values in all.
const MADE: usize = 60_000;

/// Number of values in all values together: large ones take time and memory.
const ROOM: u64 = 400_000;

/// Values of the first schema, the plainest first, that the second may refuse.
pub(super) fn candidates<'d>(schemas: &'d Schemas, first: &'d Document<'d>, second: &'d Document<'d>) -> Vec<Json> {
    let (root, other) = (first.root(), second.root());
    let hints = Hints::of([root.json(), other.json()]);
    let mut known = HashSet::new();
    add_listed(other.json(), &mut known);
    let mut sampler = Sampler { prover: Prover::new(schemas), hints, known, left: MADE, room: ROOM };
    let mut values = sampler.values(&[root], DEPTH);
    values.sort_by_cached_key(|value| {
        let text = value.to_compact();
        (text.len(), text)
    });
    values
}

/// Returns true if a schema accepts every value.
fn says_nothing(node: &Node<'_>) -> bool {
    node.truth() == Some(true)
        || node.keywords().iter().all(|(keyword, _)| ["title", "description"].contains(keyword))
            && node.truth().is_none()
}

/// Adds the values that a schema lists, wherever it does.
fn add_listed(schema: &Json, known: &mut HashSet<String>) {
    match schema {
        Json::Object(members) => {
            for (key, member) in members.iter() {
                match (key.as_str(), member) {
                    (Some("enum"), Json::Array(values)) => known.extend(values.iter().map(Json::to_compact)),
                    (Some("const"), value) => drop(known.insert(value.to_compact())),
                    (_, member) => add_listed(member, known),
                }
            }
        }
        Json::Array(elements) => elements.iter().for_each(|element| add_listed(element, known)),
        Json::String(_) | Json::Number(_) | Json::Bool(_) | Json::Null => {}
    }
}

struct Sampler<'d> {
    prover: Prover<'d>,
    hints: Hints,
    /// The values that the second schema lists.
    known: HashSet<String>,
    left: usize,
    room: u64,
}

impl<'d> Sampler<'d> {
    /// Returns true if there is room for a value.
    fn has_room(&mut self, value: &Json) -> bool {
        let needed = size(value);
        let has_room = self.room >= needed && self.prover.schemas.budget.take(needed);
        self.room = if has_room { self.room - needed } else { 0 };
        has_room
    }

    /// Values that may conform to all of the schemas.
    fn values(&mut self, premises: &[Node<'d>], depth: usize) -> Vec<Json> {
        if premises.iter().all(|premise| says_nothing(premise)) {
            return self.hints.anything();
        }
        let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
        let kept = (KEPT >> (DEPTH - 1 - depth)).max(FEW);
        let mut seen = BTreeSet::new();
        let mut values = Vec::new();
        for case in Case::of(premises) {
            for of in case.types().iter() {
                for value in self.of_type(&case, of, depth) {
                    if values.len() >= kept || self.left == 0 || self.prover.schemas.is_spent() {
                        return values;
                    }
                    self.left -= 1;
                    let refused = case.holds.iter().any(|node| self.prover.takes(node, &value) == Some(false));
                    if !refused && self.has_room(&value) && seen.insert(value.to_compact()) {
                        values.push(value);
                    }
                }
            }
        }
        values
    }

    fn of_type(&mut self, case: &Case<'d>, of: Type, depth: usize) -> Vec<Json> {
        if let Some(values) = case.values(of) {
            // Of a list longer than what is kept, those that the second schema does not name matter most. The first that it
            // names fills the places that are not varied.
            let (known, unknown): (Vec<Json>, Vec<Json>) =
                values.into_iter().partition(|value| self.known.contains(&value.to_compact()));
            let mut known = known.into_iter();
            return known.next().into_iter().chain(unknown).chain(known).collect();
        }
        match of {
            Type::Null | Type::Boolean => Vec::new(),
            Type::Integer | Type::Fraction => {
                self.hints.numbers().filter(|number| Type::of(number) == of).cloned().collect()
            }
            Type::String => self.hints.strings().cloned().collect(),
            Type::Array => self.arrays(case, depth),
            Type::Object => self.objects(case, depth),
        }
    }

    fn arrays(&mut self, case: &Case<'d>, depth: usize) -> Vec<Json> {
        let places: usize = 4;
        let choices: Vec<Vec<Json>> = (0..places).map(|place| self.values(&case.element(place), depth)).collect();
        let choice = |place: usize| choices.get(place).or(choices.last()).map(Vec::as_slice).unwrap_or_default();
        let mut arrays = Vec::new();
        for length in self.hints.lengths(case.most("minItems")) {
            let plain: Option<Vec<Json>> = (0..length).map(|place| choice(place).first().cloned()).collect();
            // Different ones, where all must be.
            let various: Option<Vec<Json>> =
                (0..length).map(|place| choice(place).get(place % choice(place).len().max(1)).cloned()).collect();
            let Some(plain) = plain else { continue };
            for place in 0..length.min(places) {
                for value in choice(place) {
                    let mut varied = plain.clone();
                    varied[place] = value.clone();
                    let varied = varied.into();
                    if !self.has_room(&varied) {
                        return arrays;
                    }
                    arrays.push(varied);
                }
            }
            arrays.push(plain.into());
            arrays.extend(various.map(Json::from));
        }
        arrays
    }

    fn objects(&mut self, case: &Case<'d>, depth: usize) -> Vec<Json> {
        let required = case.required();
        let mut named: Vec<String> = required.iter().map(|name| (*name).to_owned()).collect();
        named.extend(case.names().into_iter().filter(|name| !required.contains(name)).map(ToOwned::to_owned));
        let must = required.len();
        named.extend(self.hints.names(&named));
        named.truncate(must + PLACES);
        let choices: Vec<Vec<Json>> = named
            .iter()
            .map(|name| {
                let known = self.prover.member(case, name);
                self.values(&known, depth)
            })
            .collect();
        let object = |chosen: &dyn Fn(usize) -> Option<Json>| -> Json {
            let members = named.iter().enumerate().filter_map(|(at, name)| Some((name.as_str(), chosen(at)?)));
            members.collect::<Object>().into()
        };
        let first = |at: usize| choices.get(at).and_then(|choices| choices.first()).cloned();
        let least = |at: usize| if at < must { first(at) } else { None };
        let known = case.names().len().max(must).min(named.len());
        let full = |at: usize| if at < known { first(at) } else { None };
        let mut objects = vec![object(&least), object(&full)];
        for (place, values) in choices.iter().enumerate() {
            let without = object(&|at| if at == place { None } else { full(at) });
            let varied = |value: &Json| object(&|at| if at == place { Some(value.clone()) } else { least(at) });
            for made in std::iter::once(without).chain(values.iter().map(varied)) {
                if !self.has_room(&made) {
                    return objects;
                }
                objects.push(made);
            }
        }
        // As many members as some count asks for.
        let further = self.prover.member(case, "m1");
        let filler = self.values(&further, depth).first().cloned();
        for count in self.hints.counts().filter(|count| *count > must) {
            let known = named.iter().take(count).enumerate();
            let mut members: Object = known.filter_map(|(at, name)| Some((name.as_str(), first(at)?))).collect();
            for (at, filler) in (members.len()..count).zip(filler.iter().cycle()) {
                members.push(format!("m{at}"), filler.clone());
            }
            objects.push(members.into());
        }
        // A choice among the members may ask for more of them than it names.
        for (place, values) in choices.iter().enumerate().take(known) {
            for value in values.iter().skip(1).take(6) {
                let made = object(&|at| if at == place { Some(value.clone()) } else { full(at) });
                if !self.has_room(&made) {
                    return objects;
                }
                objects.push(made);
            }
        }
        objects
    }
}
