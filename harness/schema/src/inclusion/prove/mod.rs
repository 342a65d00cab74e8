//! Proofs that whatever conforms to some schemas conforms to another.
//!
//! The *premises* are schemas that are known to hold of a value, the *goal* is one that is to be shown. Premises are
//! taken apart into cases and types, the goal into its keywords, and each keyword is shown by the files beside this one.
//! Every step may forget something of the premises, and none of the goal: so what is shown is true, and what is true
//! may not be shown.
//!
//! A proof about a value may use, of the values inside it, what is being shown of the value itself: JSON values are
//! finite, so this is induction. It is how schemas that refer to themselves are compared.

mod array;
mod number;
mod object;

use mcp_compat_json::Json;
use mcp_compat_model::excerpt::excerpt;

use crate::inclusion::case::Case;
use crate::inclusion::document::{Dialect, Node};
use crate::inclusion::member::Parts;
use crate::inclusion::types::{Type, Types};
use crate::inclusion::validator::Schemas;

/// Gap in a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// JSON Pointer of the place in the document of the goal.
    pub(crate) pointer: String,
    pub(crate) why: String,
}

pub(crate) type Proof = Result<(), Doubt>;

/// Returns the gap at a keyword of a goal.
fn doubt(goal: &Node<'_>, keyword: Option<&str>, why: &str) -> Proof {
    let pointer = keyword.map_or_else(|| goal.pointer.to_string(), |keyword| goal.place(keyword));
    Err(Doubt { pointer, why: why.to_owned() })
}

/// Returns true if keywords of 2020-12 count in a dialect.
const fn is_2020(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Draft202012)
}

/// Number of steps that a proof may take.
const STEPS: u32 = 20_000;

/// Depth of a proof, which uses the stack.
const DEPTH: u32 = 60;

/// Shows what can be shown.
#[derive(Debug)]
pub(super) struct Prover<'d> {
    pub(super) schemas: &'d Schemas,
    steps: u32,
    depth: u32,
    /// Premises and goals of the values around the current one, by their addresses.
    being_shown: Vec<(Vec<usize>, usize)>,
    /// The parts of schemas that the validator was asked about, compiled.
    pub(super) parts: Parts,
}

/// The keywords that stand for themselves: where one has the same value in the premises and in the goal, it holds. The
/// meaning of any other depends on its neighbours.
const ALONE: [&str; 14] = [
    "type",
    "enum",
    "const",
    "multipleOf",
    "pattern",
    "required",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "propertyNames",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
];

impl<'d> Prover<'d> {
    pub(super) fn new(schemas: &'d Schemas) -> Self {
        Self { schemas, steps: STEPS, depth: 0, being_shown: Vec::new(), parts: Parts::default() }
    }

    /// Shows that every value of `premise` is one of `goal`.
    pub(super) fn includes(&mut self, premise: &Node<'d>, goal: &Node<'d>) -> Proof {
        self.entails(std::slice::from_ref(premise), goal)
    }

    /// Takes a step, if there are any left.
    pub(super) fn may_go_on(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0 && self.schemas.budget.take(1)
    }

    /// Shows a goal for a value inside the current one. The proofs of the values around it may be used.
    fn entails_inside(&mut self, premises: &[Node<'d>], goal: &Node<'d>) -> Proof {
        let mut known: Vec<usize> = premises.iter().map(Node::address).collect();
        known.sort_unstable();
        known.dedup();
        let shown = (known, goal.address());
        if goal.truth().is_none() && self.being_shown.contains(&shown) {
            return Ok(());
        }
        self.being_shown.push(shown);
        let proof = self.entails(premises, goal);
        self.being_shown.pop();
        proof
    }

    fn entails(&mut self, premises: &[Node<'d>], goal: &Node<'d>) -> Proof {
        if goal.truth() == Some(true) || premises.iter().any(|premise| Self::is_same(premise, goal)) {
            return Ok(());
        }
        let cases = Case::of(premises);
        self.schemas.budget.take(cases.iter().map(|case| case.holds.len() as u64).sum());
        cases.iter().try_for_each(|case| self.entails_in_every_type(case, goal))
    }

    fn entails_in_every_type(&mut self, case: &Case<'d>, goal: &Node<'d>) -> Proof {
        for of in case.types().iter() {
            let proof = self.entails_in(case, of, goal);
            if proof.is_err() && !self.is_empty(case, of) {
                return proof;
            }
        }
        Ok(())
    }

    /// The step from which all others are made: a goal for the values of one type in one case.
    fn entails_in(&mut self, case: &Case<'d>, of: Type, goal: &Node<'d>) -> Proof {
        match goal.truth() {
            Some(true) => return Ok(()),
            Some(false) => return doubt(goal, None, "no further value is allowed here"),
            None => {}
        }
        if case.has(goal) || case.holds.iter().any(|known| Self::is_same(known, goal)) {
            return Ok(());
        }
        if self.depth >= DEPTH || !self.may_go_on() {
            return doubt(goal, None, "to decide it would take too long");
        }
        self.depth += 1;
        let proof = match case.values(of) {
            Some(values) => values.iter().try_for_each(|value| {
                if self.schemas.budget.is_spent() {
                    return doubt(goal, None, "to decide it would take too long");
                }
                if self.is_ruled_out(case, value) || self.takes(goal, value) == Some(true) {
                    return Ok(());
                }
                doubt(goal, None, &format!("{} may not be allowed here", excerpt(&value.to_compact())))
            }),
            None => goal.keywords().iter().try_for_each(|(keyword, _)| self.keyword(case, of, goal, keyword)),
        };
        self.depth -= 1;
        proof
    }

    /// Returns true if a value is certainly none of a case.
    fn is_ruled_out(&mut self, case: &Case<'d>, value: &Json) -> bool {
        case.holds.iter().any(|node| self.takes(node, value) == Some(false))
            || case.denied.iter().any(|node| self.takes(node, value) == Some(true))
    }

    /// Shows one keyword of a goal.
    fn keyword(&mut self, case: &Case<'d>, of: Type, goal: &Node<'d>, keyword: &str) -> Proof {
        if ALONE.contains(&keyword) && stands_as_well(case, goal, keyword) {
            return Ok(());
        }
        let unshown = |why: &str| doubt(goal, Some(keyword), why);
        match keyword {
            "type" => {
                let named = goal.get("type").map(Types::named);
                if named.is_some_and(|types| types.has(of)) { Ok(()) } else { unshown("it may be of another type") }
            }
            "const" | "enum" => unshown("it may be a value that is not listed"),
            "$ref" => match goal.target() {
                Some(target) => self.entails_in(case, of, &target),
                None => unshown("the reference cannot be followed"),
            },
            "allOf" => goal.list("allOf").iter().try_for_each(|part| self.entails_in(case, of, part)),
            "anyOf" => match goal.list("anyOf").iter().any(|branch| self.entails_in(case, of, branch).is_ok()) {
                true => Ok(()),
                false => unshown("no single branch could be shown to hold"),
            },
            "oneOf" => self.one_of(case, of, goal),
            "not" => match goal.part("not") {
                Some(denied) if self.excludes(case, of, &denied) => Ok(()),
                Some(_) | None => unshown("it may be what must not be"),
            },
            "if" => self.conditional(case, of, goal),
            "$dynamicRef" => unshown("dynamic references are not reasoned about"),
            _ => match of {
                Type::Integer | Type::Fraction => number::keyword(case, of, goal, keyword),
                Type::String => string_keyword(case, goal, keyword),
                Type::Array => self.array_keyword(case, goal, keyword),
                Type::Object => self.object_keyword(case, goal, keyword),
                // Their values are all known, and have been looked at.
                Type::Null | Type::Boolean => Ok(()),
            },
        }
    }

    fn one_of(&mut self, case: &Case<'d>, of: Type, goal: &Node<'d>) -> Proof {
        let branches = goal.list("oneOf");
        for (at, branch) in branches.iter().enumerate() {
            if self.entails_in(case, of, branch).is_err() {
                continue;
            }
            let mut others = branches.iter().enumerate().filter(|(other, _)| *other != at);
            return match others.all(|(_, other)| self.excludes(case, of, other)) {
                true => Ok(()),
                false => doubt(goal, Some("oneOf"), "more than one branch may hold"),
            };
        }
        doubt(goal, Some("oneOf"), "no single branch could be shown to hold")
    }

    fn conditional(&mut self, case: &Case<'d>, of: Type, goal: &Node<'d>) -> Proof {
        let Some(condition) = goal.part("if") else { return Ok(()) };
        let branches = [
            (goal.part("then"), vec![condition.clone()], Vec::new()),
            (goal.part("else"), Vec::new(), vec![condition.clone()]),
        ];
        for (branch, met, unmet) in branches {
            let Some(branch) = branch else { continue };
            for case in case.with(&met, &unmet) {
                if case.types().has(of) {
                    let proof = self.entails_in(&case, of, &branch);
                    if proof.is_err() && !self.is_empty(&case, of) {
                        return proof;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns true if certainly no value of a case is one of a schema.
    fn excludes(&mut self, case: &Case<'d>, of: Type, node: &Node<'d>) -> bool {
        let both = case.with(std::slice::from_ref(node), &[]);
        both.iter().all(|case| !case.types().has(of) || self.is_empty(case, of))
    }

    /// Returns true if certainly no value conforms to all of the schemas.
    fn is_void(&mut self, premises: &[Node<'d>]) -> bool {
        Case::of(premises).iter().all(|case| case.types().iter().all(|of| self.is_empty(case, of)))
    }

    /// Returns true if certainly no value of that type is one of the case.
    fn is_empty(&mut self, case: &Case<'d>, of: Type) -> bool {
        if self.depth >= DEPTH || !self.may_go_on() {
            return false;
        }
        self.depth += 1;
        let is_empty = match case.values(of) {
            Some(values) => values.iter().all(|value| self.is_ruled_out(case, value)),
            None => self.is_denied(case, of) || self.contradicts(case, of),
        };
        self.depth -= 1;
        is_empty
    }

    /// Returns true if the schemas that hold entail one that does not.
    fn is_denied(&mut self, case: &Case<'d>, of: Type) -> bool {
        (0..case.denied.len()).any(|at| {
            let mut rest = case.clone();
            let denied = rest.denied.swap_remove(at);
            self.entails_in(&rest, of, &denied).is_ok()
        })
    }

    fn contradicts(&mut self, case: &Case<'d>, of: Type) -> bool {
        match of {
            Type::Integer | Type::Fraction => number::contradicts(case, of),
            Type::String => string_contradicts(case),
            Type::Array => self.array_contradicts(case),
            Type::Object => self.object_contradicts(case),
            Type::Null | Type::Boolean => false,
        }
    }
}

/// Returns true if a keyword with the same value is known to hold.
fn stands_as_well(case: &Case<'_>, goal: &Node<'_>, keyword: &str) -> bool {
    let Some(value) = goal.get(keyword) else { return false };
    let same = |known: &Node<'_>| known.dialect() == goal.dialect() && known.get(keyword) == Some(value);
    goal.has_whole(value) && case.holds.iter().any(same)
}

/// Shows a keyword of a goal for strings.
fn string_keyword(case: &Case<'_>, goal: &Node<'_>, keyword: &str) -> Proof {
    let unshown = |why: &str| doubt(goal, Some(keyword), why);
    match keyword {
        "minLength"
            if goal.count(keyword) != Some(0)
                && goal.count(keyword).is_none_or(|least| case.most("minLength") < Some(least)) =>
        {
            unshown("the string may be shorter")
        }
        "maxLength"
            if goal.count(keyword).is_none_or(|most| case.least("maxLength").is_none_or(|known| known > most)) =>
        {
            unshown("the string may be longer")
        }
        // That one pattern implies another is not decided, only that they are the same.
        "pattern" => unshown("the string may not match"),
        // In 2020-12 they are annotations.
        "contentEncoding" | "contentMediaType" if goal.dialect() == Dialect::Draft7 => {
            unshown("the content may be of another kind")
        }
        _ => Ok(()),
    }
}

/// Returns true if no string can have such a length.
fn string_contradicts(case: &Case<'_>) -> bool {
    matches!((case.most("minLength"), case.least("maxLength")), (Some(least), Some(most)) if least > most)
}
