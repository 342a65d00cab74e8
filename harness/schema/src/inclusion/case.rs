//! A conjunction of schemas, taken apart: what holds of every value, branch by branch.
//!
//! A case may allow more values than the schemas that it comes from, never fewer: a value of all the schemas is a value of
//! one of the cases. Keywords that are not understood are left out, and so is a choice that would make too many cases.

use std::collections::BTreeSet;

use mcp_compat_json::Json;

use crate::inclusion::document::Node;
use crate::inclusion::types::{Type, Types};

/// Number of cases into which a conjunction is taken apart.
const MANY: usize = 24;

/// Number of schemas that may hold side by side.
const WIDE: usize = 64;

/// Schemas that all hold of a value, and some that do not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case<'d> {
    /// Schemas that hold, with the targets of their references and the branches of `allOf`.
    pub(crate) holds: Vec<Node<'d>>,
    /// Schemas that do not hold.
    pub(crate) denied: Vec<Node<'d>>,
    /// One of each of these holds; not yet followed.
    choices: Vec<Vec<Choice<'d>>>,
}

/// A branch of a choice.
#[derive(Clone, Debug)]
struct Choice<'d> {
    holds: Vec<Node<'d>>,
    denied: Vec<Node<'d>>,
}

impl<'d> Case<'d> {
    /// The cases of a conjunction.
    pub(crate) fn of(premises: &[Node<'d>]) -> Vec<Self> {
        let mut whole = Self::default();
        premises.iter().for_each(|premise| whole.add(premise));
        whole.settle()
    }

    /// The cases in which these hold, or do not, as well.
    pub(crate) fn with(&self, holds: &[Node<'d>], denied: &[Node<'d>]) -> Vec<Self> {
        let mut whole = self.clone();
        holds.iter().for_each(|node| whole.add(node));
        whole.denied.extend_from_slice(denied);
        whole.settle()
    }

    fn add(&mut self, node: &Node<'d>) {
        if node.truth() == Some(true) || self.has(node) || self.holds.len() >= WIDE {
            return;
        }
        self.holds.push(node.clone());
        if let Some(target) = node.target() {
            self.add(&target);
        }
        node.list("allOf").iter().for_each(|part| self.add(part));
        self.denied.extend(node.part("not"));
        // A choice of more than that is never followed.
        let any = node.list("anyOf");
        if !any.is_empty() && any.len() <= MANY {
            self.choices
                .push(any.into_iter().map(|branch| Choice { holds: vec![branch], denied: Vec::new() }).collect());
        }
        let one = node.list("oneOf");
        if !one.is_empty() && one.len() <= MANY {
            let others = |at: usize| {
                one.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, node)| node.clone()).collect()
            };
            let branch = |(at, branch): (usize, &Node<'d>)| Choice { holds: vec![branch.clone()], denied: others(at) };
            self.choices.push(one.iter().enumerate().map(branch).collect());
        }
        if let Some(condition) = node.part("if") {
            let met = [Some(condition.clone()), node.part("then")].into_iter().flatten().collect();
            let unmet = node.part("else").into_iter().collect();
            self.choices.push(vec![
                Choice { holds: met, denied: Vec::new() },
                Choice { holds: unmet, denied: vec![condition] },
            ]);
        }
    }

    /// Returns true if this very schema is known to hold.
    pub(crate) fn has(&self, node: &Node<'d>) -> bool {
        node.json() != &Json::Bool(false) && self.holds.iter().any(|known| known.address() == node.address())
    }

    /// Follows the choices.
    fn settle(self) -> Vec<Self> {
        let mut open = vec![self];
        let mut settled = Vec::new();
        while let Some(mut case) = open.pop() {
            if case.types() == Types::NONE {
                continue;
            }
            let Some(choices) = case.choices.pop() else {
                settled.push(case);
                continue;
            };
            if open.len() + settled.len() + choices.len() > MANY {
                // Left out: the case then says less.
                open.push(case);
                continue;
            }
            for Choice { holds, denied } in choices.into_iter().rev() {
                let mut branch = case.clone();
                holds.iter().for_each(|node| branch.add(node));
                branch.denied.extend(denied);
                open.push(branch);
            }
        }
        settled
    }

    /// The types that a value can have.
    pub(crate) fn types(&self) -> Types {
        self.holds.iter().fold(Types::ALL, |types, node| types.and(types_of(node)))
    }

    /// All values of that type that there can be, where they are few and known: some of them may not conform.
    pub(crate) fn values(&self, of: Type) -> Option<Vec<Json>> {
        let listed = self.holds.iter().find_map(listed);
        match (listed, of) {
            (Some(values), _) => Some(values.iter().filter(|value| Type::of(value) == of).cloned().collect()),
            (None, Type::Null) => Some(vec![Json::Null]),
            (None, Type::Boolean) => Some(vec![false.into(), true.into()]),
            (None, Type::Integer | Type::Fraction | Type::String | Type::Array | Type::Object) => None,
        }
    }

    /// Returns the schemas of the element at a place.
    pub(crate) fn element(&self, place: usize) -> Vec<Node<'d>> {
        let part = |node: &Node<'d>| {
            let (first, rest) = node.elements();
            first.get(place).cloned().or(rest)
        };
        self.holds.iter().filter_map(part).collect()
    }

    /// The members that must be there.
    pub(crate) fn required(&self) -> BTreeSet<&'d str> {
        let listed = self.holds.iter().filter_map(|node| node.get("required")?.as_array());
        listed.flatten().filter_map(Json::as_str).collect()
    }

    pub(crate) fn names(&self) -> BTreeSet<&'d str> {
        self.holds.iter().flat_map(|node| node.named("properties")).map(|(name, _)| name).collect()
    }

    /// The greatest value of a keyword that counts.
    pub(crate) fn most(&self, keyword: &str) -> Option<u64> {
        self.holds.iter().filter_map(|node| node.count(keyword)).max()
    }

    /// The least value of a keyword that counts.
    pub(crate) fn least(&self, keyword: &str) -> Option<u64> {
        self.holds.iter().filter_map(|node| node.count(keyword)).min()
    }
}

/// The values that a schema lists.
fn listed<'d>(node: &Node<'d>) -> Option<&'d [Json]> {
    match node.get("const") {
        Some(value) => Some(std::slice::from_ref(value)),
        None => node.get("enum")?.as_array(),
    }
}

fn types_of(node: &Node<'_>) -> Types {
    if node.truth() == Some(false) {
        return Types::NONE;
    }
    let named = node.get("type").map_or(Types::ALL, Types::named);
    listed(node).map_or(named, |values| named.and(Types::of_values(values)))
}
