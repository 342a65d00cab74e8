//! Inclusion of one schema in another: every value of the first is a value of the second.
//!
//! ```text
//! (a, b) ─ document ─ prove ──────────────────────────> Included: by reasoning that never guesses
//!                       └ doubt ─ sample ─ validator ─> Excluded: by a value that a takes and b refuses
//!                                                └────> Unknown: where neither was found
//! ```
//!
//! The two halves are independent. A proof rests on the meaning of the keywords alone; a witness on the validator alone,
//! which is asked about it for both schemas. Schemas of strangers may be hostile: both halves work within a budget, and
//! what exceeds it is unknown.
//!
//! `document` knows a schema's dialect and what its references lead to, `endless` finds references that lead back to
//! themselves, `case` takes a conjunction of schemas apart, `prove` and the files below it reason about one type of value
//! each, `member` evaluates one value, and `sample` makes values up.

use mcp_compat_json::Json;
use mcp_compat_model::excerpt::excerpt;

use crate::inclusion::budget::{CHECKED, compiling, parts, size};
use crate::inclusion::document::Document;
use crate::inclusion::prove::{Doubt, Prover};
use crate::inclusion::sample;
use crate::inclusion::validator::{Conformance, Schemas, Validity};

/// Answer about the values of two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inclusion {
    /// Every value of the first schema is proven to be a value of the second.
    Included,
    /// A value of the first schema is none of the second.
    Excluded {
        /// A value that the first schema takes and the second refuses, by the validator.
        witness: Json,
        /// JSON Pointer of the place in the second schema.
        pointer: String,
        /// Message of the validator about that place.
        message: String,
    },
    /// Neither was found, or a schema has no meaning: a reference leads back to itself at the same value.
    Unknown {
        /// JSON Pointer of the place in the second schema that was not proven.
        pointer: String,
        why: String,
    },
}

/// Number of values that the validator checks.
const TRIALS: usize = 1_500;

/// Reason of an unknown answer when no steps are left.
const SPENT: &str = "the work for this comparison is used up";

/// Number of values on which the validator may give up, since each of them can take long.
const GIVEN_UP: usize = 8;

impl Schemas {
    /// Decides whether every value of `a` is a value of `b`.
    pub fn inclusion(&self, a: &Json, b: &Json) -> Inclusion {
        self.inclusion_of([("first", a), ("second", b)])
    }

    /// Decides whether every value of the first schema is a value of the second. Messages call them by these names.
    pub fn inclusion_of(&self, named: [(&str, &Json); 2]) -> Inclusion {
        let [(_, a), (_, b)] = named;
        // What a schema means depends on nothing but its text, whatever it refers to.
        if a == b {
            return Inclusion::Included;
        }
        if self.budget.is_spent() {
            return Inclusion::Unknown { pointer: String::new(), why: SPENT.to_owned() };
        }
        for (which, schema) in named {
            self.budget.take(compiling(schema));
            let why = match self.validity(schema) {
                Validity::Valid => continue,
                Validity::Invalid { pointer, message } => {
                    format!("the {which} schema is not valid at {pointer:?}: {message}")
                }
                Validity::ForeignPattern(refused) => {
                    format!(
                        "the {which} schema has a pattern that is not valid at {:?}: {}",
                        refused.pointer, refused.reason
                    )
                }
                Validity::Endless { reference } => {
                    let reference = excerpt(&reference);
                    format!("the {which} schema has the reference {reference:?}, which leads back to itself")
                }
                Validity::Dangling { reason } | Validity::Undecided { reason } => {
                    format!("of the {which} schema: {reason}")
                }
            };
            return Inclusion::Unknown { pointer: String::new(), why };
        }
        let (first, second) = (Document::new(a), Document::new(b));
        let doubt = match self.proof(&first, &second) {
            Ok(()) => return Inclusion::Included,
            Err(doubt) => doubt,
        };
        let candidates = sample::candidates(self, &first, &second);
        self.witness(a, b, &candidates).unwrap_or(Inclusion::Unknown { pointer: doubt.pointer, why: doubt.why })
    }

    fn proof(&self, first: &Document<'_>, second: &Document<'_>) -> Result<(), Doubt> {
        if let Some(why) = first.why_not_reasoned_about().or_else(|| second.why_not_reasoned_about()) {
            return Err(Doubt { pointer: String::new(), why: why.to_owned() });
        }
        Prover::new(self).includes(&first.root(), &second.root())
    }

    /// The first of the values that the validator takes for a value of `a` and not of `b`.
    fn witness(&self, a: &Json, b: &Json, candidates: &[Json]) -> Option<Inclusion> {
        let (first, second) = (self.compiled(a), self.compiled(b));
        let mut given_up = 0;
        let schemas = parts(a) + parts(b);
        for value in candidates.iter().take(TRIALS) {
            if !self.budget.take(1 + schemas / CHECKED + size(value)) {
                return None;
            }
            match (second.check(value), first.check(value)) {
                (Conformance::Violates { schema_pointer: pointer, message, .. }, Conformance::Conforms) => {
                    return Some(Inclusion::Excluded { witness: value.clone(), pointer, message });
                }
                (Conformance::Undecided { .. }, _) | (_, Conformance::Undecided { .. }) => given_up += 1,
                (
                    Conformance::Conforms | Conformance::Violates { .. },
                    Conformance::Conforms | Conformance::Violates { .. },
                ) => {}
            }
            if given_up > GIVEN_UP {
                return None;
            }
        }
        None
    }
}

/// Decides one pair like [`Schemas::inclusion`].
pub fn inclusion(a: &Json, b: &Json) -> Inclusion {
    Schemas::default().inclusion(a, b)
}
