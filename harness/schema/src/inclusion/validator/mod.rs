//! Validation of a value by a schema. No other module of the harness validates.
//!
//! There are three answers. The answer is `Undecided` where the validator could be wrong (a number that it cannot hold, a
//! key given twice), would have to fetch something, does not know the dialect, or would take too long. Nothing is ever
//! retrieved: a reference that leaves the schema is recorded and not resolved.

mod compiled;
mod further;
mod kept;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::validator::RefusedPattern;
use mcp_compat_json::Json;

pub(crate) use self::compiled::Compiled;
pub use self::further::further_violations;
use crate::inclusion::budget::Budget;
use crate::inclusion::document::dialect;

/// Reason for which a question has no answer once nobody waits for it.
const UNASKED: &str = "nobody waits for the answer";

/// Answer about a value and a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conformance {
    /// The value conforms to the schema.
    Conforms,
    /// The value violates the schema.
    Violates {
        /// JSON Pointer of the place in the value.
        instance_pointer: String,
        /// JSON Pointer of the place in the schema.
        schema_pointer: String,
        keyword: String,
        message: String,
    },
    /// The validator cannot decide it.
    Undecided {
        reason: String,
        /// Set if the check takes too much work: other validators may take long, too.
        is_costly: bool,
    },
}

/// Answer about a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    /// It is valid by its dialect.
    Valid,
    /// It is not valid.
    Invalid {
        /// JSON Pointer of the place in the schema.
        pointer: String,
        message: String,
    },
    /// It is, but for a pattern that is no ECMA-262 regular expression, which JSON Schema asks for and does not demand.
    ForeignPattern(RefusedPattern),
    /// A reference in it leads nowhere, so that no validator can use it.
    Dangling {
        /// Message about the reference.
        reason: String,
    },
    /// A reference in it leads back to itself without descending into the value: validation need not end.
    Endless { reference: String },
    /// The validator cannot decide it.
    Undecided { reason: String },
}

pub fn check(schema: &Json, value: &Json) -> Conformance {
    kept::checked(schema, value, false)
}

/// Checks one value like [`check`], with `format` as an assertion. Current dialects leave that to the validator.
pub fn check_with_formats(schema: &Json, value: &Json) -> Conformance {
    kept::checked(schema, value, true)
}

/// Checks a schema by the dialect that it names, or else by 2020-12.
pub fn schema_is_valid(schema: &Json) -> Validity {
    kept::known(schema).validity.clone()
}

/// Questions about schemas, with a budget for those about inclusion.
#[derive(Default)]
pub struct Schemas {
    pub(crate) budget: Budget,
    is_over: Option<Box<dyn Fn() -> bool + Send + Sync>>,
    /// Set if a question was not answered.
    left_out: AtomicBool,
}

impl fmt::Debug for Schemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schemas").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl Schemas {
    /// Returns a set of questions with a number of steps for all questions of [`Schemas::inclusion`] together. When they are spent, every
    /// further answer is *unknown*.
    pub fn with_budget(steps: u64) -> Self {
        Self { budget: Budget::of(steps), ..Self::default() }
    }

    /// Answers no question about a value or the validity of a schema any more once `is_over` says that nobody waits for it.
    /// [`Schemas::left_out`] then says so, and what was answered means nothing.
    pub fn until(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { is_over: Some(Box::new(is_over)), ..Self::default() }
    }

    /// Returns true if a question was not answered because nobody waited for it.
    pub fn left_out(&self) -> bool {
        self.left_out.load(Ordering::Relaxed)
    }

    fn is_over(&self) -> bool {
        let is_over = self.is_over.as_ref().is_some_and(|is_over| is_over());
        self.left_out.fetch_or(is_over, Ordering::Relaxed);
        is_over
    }

    /// Returns true if the steps are spent.
    pub fn is_spent(&self) -> bool {
        self.budget.is_spent()
    }

    /// Checks one value like [`check`].
    pub fn check(&self, schema: &Json, value: &Json) -> Conformance {
        if self.is_over() {
            return Conformance::Undecided { reason: UNASKED.to_owned(), is_costly: false };
        }
        check(schema, value)
    }

    /// Checks a schema like [`schema_is_valid`].
    pub fn validity(&self, schema: &Json) -> Validity {
        if self.is_over() { Validity::Undecided { reason: UNASKED.to_owned() } } else { schema_is_valid(schema) }
    }

    /// Returns true if a schema in a known dialect cannot be used without a document on the network.
    pub fn needs_the_network(&self, schema: &Json) -> bool {
        !self.is_over() && kept::known(schema).elsewhere.as_deref().is_some_and(is_on_network)
    }

    /// The address that a schema refers to and that does not stand in it, if it has one: of another schema, or of a
    /// dialect that is not known. Without fetching it, nobody can say which values conform.
    pub fn outside(&self, schema: &Json) -> Option<String> {
        if self.is_over() {
            return None;
        }
        let known = kept::known(schema);
        let of_dialect = || {
            let is_unknown = matches!(known.validity, Validity::Undecided { .. }) && dialect(schema).is_none();
            if is_unknown { schema.get("$schema").and_then(Json::as_str).map(ToOwned::to_owned) } else { None }
        };
        known.elsewhere.clone().or_else(of_dialect)
    }

    /// The first pattern of a schema that Python refuses: the clients that validate are of TypeScript and of Python.
    pub fn refused_by_python(&self, schema: &Json) -> Option<RefusedPattern> {
        let is_asked = mentions_pattern(schema) && !self.is_over();
        if is_asked { kept::known(schema).refused_by_python(schema) } else { None }
    }

    pub(crate) fn compiled(&self, schema: &Json) -> Arc<Compiled> {
        kept::compiled(schema, false)
    }
}

/// Returns true if a schema may have a pattern. Most schemas have none, and need not be converted.
fn mentions_pattern(schema: &Json) -> bool {
    match schema {
        Json::Object(members) => members
            .iter()
            .any(|(key, value)| *key == "pattern" || *key == "patternProperties" || mentions_pattern(value)),
        Json::Array(items) => items.iter().any(mentions_pattern),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

/// Returns true if an address is on the network.
fn is_on_network(address: &str) -> bool {
    ["http:", "https:"].iter().any(|scheme| address.starts_with(scheme))
}

#[cfg(test)]
mod tests;
