//! Whether a value conforms to a schema: the only module of the harness that validates.
//!
//! There are three answers. The answer is `Undecided` where the validator could be wrong (a number that it cannot hold, a
//! key given twice), would have to fetch something, does not know the dialect, or would take too long. Nothing is ever
//! retrieved: a reference that leaves the schema is recorded and not resolved.

mod answer;
mod compiled;
mod depth;
mod further;
mod kept;
mod outside;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_compat_json::Json;
use mcp_compat_validator::RefusedPattern;

pub use self::answer::{Conformance, Validity};
pub(crate) use self::compiled::Compiled;
pub use self::further::further_violations;
use crate::budget::Budget;
use crate::dialect::dialect;

/// Why a question has no answer that is asked when nobody waits for it any more.
const UNASKED: &str = "nobody waits for the answer";

/// Checks one value by one schema.
#[must_use]
pub fn check(schema: &Json, value: &Json) -> Conformance {
    kept::checked(schema, value, false)
}

/// As [`check`], for a validator that takes `format` for an assertion. The dialects of this time leave that open.
#[must_use]
pub fn check_with_formats(schema: &Json, value: &Json) -> Conformance {
    kept::checked(schema, value, true)
}

/// Whether a schema is valid by the dialect that it names, or else by 2020-12.
#[must_use]
pub fn schema_is_valid(schema: &Json) -> Validity {
    kept::known(schema).validity.clone()
}

/// Questions about schemas, with a budget for those about inclusion.
#[derive(Default)]
pub struct Schemas {
    pub(crate) budget: Budget,
    is_over: Option<Box<dyn Fn() -> bool + Send + Sync>>,
    /// Whether a question was asked in vain.
    left_out: AtomicBool,
}

impl fmt::Debug for Schemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schemas").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl Schemas {
    /// The same, with a number of steps for all questions of [`Schemas::inclusion`] together. When they are spent, every
    /// further answer is *unknown*.
    #[must_use]
    pub fn with_budget(steps: u64) -> Self {
        Self { budget: Budget::of(steps), ..Self::default() }
    }

    /// Answers no question about a value or the validity of a schema any more once `is_over` says that nobody waits for it.
    /// [`Schemas::left_out`] then says so, and what was answered means nothing.
    #[must_use]
    pub fn until(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { is_over: Some(Box::new(is_over)), ..Self::default() }
    }

    /// Whether a question was not answered, because it was over.
    #[must_use]
    pub fn left_out(&self) -> bool {
        self.left_out.load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        let is_over = self.is_over.as_ref().is_some_and(|is_over| is_over());
        self.left_out.fetch_or(is_over, Ordering::Relaxed);
        is_over
    }

    /// Whether the steps are spent.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.budget.is_spent()
    }

    /// As [`check`].
    #[must_use]
    pub fn check(&self, schema: &Json, value: &Json) -> Conformance {
        if self.is_over() {
            return Conformance::Undecided { reason: UNASKED.to_owned(), is_costly: false };
        }
        check(schema, value)
    }

    /// As [`schema_is_valid`].
    #[must_use]
    pub fn validity(&self, schema: &Json) -> Validity {
        if self.is_over() { Validity::Undecided { reason: UNASKED.to_owned() } } else { schema_is_valid(schema) }
    }

    /// Whether a schema in a known dialect cannot be used without what lies outside of it.
    #[must_use]
    pub fn needs_the_network(&self, schema: &Json) -> bool {
        !self.is_over() && kept::known(schema).elsewhere.as_deref().is_some_and(is_on_network)
    }

    /// The address that a schema refers to and that does not stand in it, if it has one: of another schema, or of a
    /// dialect that is not known. Without fetching it, nobody can say which values conform.
    #[must_use]
    pub fn outside(&self, schema: &Json) -> Option<String> {
        if self.is_over() {
            return None;
        }
        let known = kept::known(schema);
        let of_dialect = || match known.validity {
            Validity::Undecided { .. } if dialect(schema).is_none() => {
                schema.get("$schema").and_then(Json::as_str).map(ToOwned::to_owned)
            }
            Validity::Valid
            | Validity::Invalid { .. }
            | Validity::ForeignPattern(_)
            | Validity::Dangling { .. }
            | Validity::Undecided { .. } => None,
        };
        known.elsewhere.clone().or_else(of_dialect)
    }

    /// The first pattern of a schema that Python refuses: the clients that validate are of TypeScript and of Python.
    #[must_use]
    pub fn refused_by_python(&self, schema: &Json) -> Option<RefusedPattern> {
        let is_asked = mentions_pattern(schema) && !self.is_over();
        if is_asked { kept::known(schema).refused_by_python(schema) } else { None }
    }

    pub(crate) fn compiled(&self, schema: &Json) -> Arc<Compiled> {
        kept::compiled(schema, false)
    }
}

/// Whether a schema may have a pattern. Most have none, and are not converted only to find that out.
fn mentions_pattern(schema: &Json) -> bool {
    match schema {
        Json::Object(members) => members
            .iter()
            .any(|(key, value)| *key == "pattern" || *key == "patternProperties" || mentions_pattern(value)),
        Json::Array(items) => items.iter().any(mentions_pattern),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

/// Whether an address is on the network.
fn is_on_network(address: &str) -> bool {
    ["http:", "https:"].iter().any(|scheme| address.starts_with(scheme))
}

#[cfg(test)]
mod tests;
