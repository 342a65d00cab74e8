//! Whether a value conforms to a schema: the only module of the harness that validates.
//!
//! There are three answers. The answer is `Undecided` where the validator could be wrong (a number that it cannot hold, a
//! key given twice), would have to fetch something, does not know the dialect, or would take too long. Nothing is ever
//! retrieved: a reference that leaves the schema is recorded and not resolved.

mod depth;
mod kept;
mod outside;

use std::sync::Arc;

use mcp_compat_json::Json;
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_validator::{Options, PatternDialect, RefusedPattern, Validator, ViolationKind, refused_pattern};
use serde_json::Value;

use self::outside::Outside;
use crate::budget::Budget;
use crate::dialect::dialect;

/// Whether a value conforms to a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conformance {
    /// It does.
    Conforms,
    /// It does not.
    Violates {
        /// Where in the value, as a JSON Pointer.
        instance_pointer: String,
        /// Where in the schema, as a JSON Pointer.
        schema_pointer: String,
        /// The keyword that says no.
        keyword: String,
        /// What the keyword wants, in words.
        message: String,
    },
    /// It cannot be said.
    Undecided {
        /// Why not.
        reason: String,
    },
}

/// Whether a schema is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    /// It is valid by its dialect.
    Valid,
    /// It is not.
    Invalid {
        /// Where in the schema, as a JSON Pointer.
        pointer: String,
        /// What is wrong, in words.
        message: String,
    },
    /// It is, but for a pattern that is no ECMA-262 regular expression, which JSON Schema asks for and does not demand.
    ForeignPattern(RefusedPattern),
    /// It cannot be said.
    Undecided {
        /// Why not.
        reason: String,
    },
}

/// Checks one value by one schema.
#[must_use]
pub fn check(schema: &Json, value: &Json) -> Conformance {
    kept::compiled(schema, false).check(value)
}

/// As [`check`], for a validator that takes `format` for an assertion. The dialects of this time leave that open.
#[must_use]
pub fn check_with_formats(schema: &Json, value: &Json) -> Conformance {
    kept::compiled(schema, true).check(value)
}

/// Whether a schema is valid by the dialect that it names, or else by 2020-12.
#[must_use]
pub fn schema_is_valid(schema: &Json) -> Validity {
    kept::compiled(schema, false).validity()
}

/// Questions about schemas, with a budget for those about inclusion.
#[derive(Debug, Default)]
pub struct Schemas {
    pub(crate) budget: Budget,
}

impl Schemas {
    /// The same, with a number of steps for all questions of [`Schemas::inclusion`] together. When they are spent, every
    /// further answer is *unknown*.
    #[must_use]
    pub fn with_budget(steps: u64) -> Self {
        Self { budget: Budget::of(steps) }
    }

    /// Whether the steps are spent.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.budget.is_spent()
    }

    /// As [`check`].
    #[must_use]
    pub fn check(&self, schema: &Json, value: &Json) -> Conformance {
        self.compiled(schema).check(value)
    }

    /// As [`schema_is_valid`].
    #[must_use]
    pub fn validity(&self, schema: &Json) -> Validity {
        self.compiled(schema).validity()
    }

    /// Whether a schema in a known dialect cannot be used without what lies outside of it.
    #[must_use]
    pub fn needs_the_network(&self, schema: &Json) -> bool {
        matches!(&*self.compiled(schema), Compiled::Elsewhere { address, .. } if is_on_network(address))
    }

    /// The address that a schema refers to and that does not stand in it, if it has one: of another schema, or of a
    /// dialect that is not known. Without fetching it, nobody can say which values conform.
    #[must_use]
    pub fn outside(&self, schema: &Json) -> Option<String> {
        match &*self.compiled(schema) {
            Compiled::Elsewhere { address, .. } => Some(address.clone()),
            Compiled::Undecided { .. } if dialect(schema).is_none() => {
                schema.get("$schema").and_then(Json::as_str).map(ToOwned::to_owned)
            }
            Compiled::Ready(_)
            | Compiled::Invalid { .. }
            | Compiled::ForeignPattern(_)
            | Compiled::Undecided { .. } => None,
        }
    }

    /// The first pattern of a schema that Python refuses: the clients that validate are of TypeScript and of Python.
    #[must_use]
    pub fn refused_by_python(&self, schema: &Json) -> Option<RefusedPattern> {
        refused_pattern(&schema.to_value().ok()?, PatternDialect::Python)
    }

    pub(crate) fn compiled(&self, schema: &Json) -> Arc<Compiled> {
        kept::compiled(schema, false)
    }
}

/// A schema made ready, or why it cannot be.
#[derive(Debug)]
pub(crate) enum Compiled {
    Ready(Validator),
    Invalid {
        pointer: String,
        message: String,
    },
    ForeignPattern(RefusedPattern),
    Undecided {
        reason: String,
    },
    /// A part of it is at another address, and nothing is fetched.
    Elsewhere {
        reason: String,
        address: String,
    },
}

impl Compiled {
    fn with(schema: &Json, formats: bool) -> Self {
        let undecided = |reason: String| Self::Undecided { reason };
        if !matches!(schema, Json::Object(_) | Json::Bool(_)) {
            return Self::Invalid { pointer: String::new(), message: format!("a schema is no JSON {}", schema.kind()) };
        }
        let Some(dialect) = dialect(schema) else {
            let named = schema.get("$schema").map(Json::to_compact).unwrap_or_default();
            return undecided(format!("its dialect is not known: {}", excerpt(&named)));
        };
        if depth::is_too_deep(schema) {
            return undecided(format!("it is nested more than {} deep", depth::DEPTH));
        }
        let value = match schema.to_value() {
            Ok(value) => value,
            Err(inexact) => return undecided(format!("the validator cannot hold it exactly: {inexact}")),
        };
        let outside = Outside::default();
        let patterns = Some(PatternDialect::Ecma262);
        let retriever = Some(outside.retriever());
        let options = Options { draft: Some(dialect.draft()), formats: Some(formats), patterns, retriever };
        if let Some(refused) = refused_pattern(&value, PatternDialect::Ecma262) {
            return Self::ForeignPattern(refused);
        }
        match options.compile(&value) {
            Ok(validator) => Self::Ready(validator),
            Err(error) => {
                let message = excerpt(&error.message);
                if error.kind == ViolationKind::TooCostly {
                    return undecided(error.message);
                }
                if error.kind == ViolationKind::PatternUnsupported {
                    return undecided(format!("a pattern in it is beyond the engine: {message}"));
                }
                if error.kind == ViolationKind::Reference {
                    let reason = format!("a reference in it cannot be resolved: {message}");
                    return match outside.first() {
                        Some(address) => Self::Elsewhere { reason, address },
                        None => undecided(reason),
                    };
                }
                Self::Invalid { pointer: error.instance_pointer, message }
            }
        }
    }

    fn validity(&self) -> Validity {
        match self {
            Self::Ready(_) => Validity::Valid,
            Self::Invalid { pointer, message } => {
                Validity::Invalid { pointer: pointer.clone(), message: message.clone() }
            }
            Self::ForeignPattern(refused) => Validity::ForeignPattern(refused.clone()),
            Self::Undecided { reason } | Self::Elsewhere { reason, .. } => {
                Validity::Undecided { reason: reason.clone() }
            }
        }
    }

    pub(crate) fn check(&self, value: &Json) -> Conformance {
        match self.ready(value) {
            Ok((validator, value)) => conformance(validator, &value),
            Err(reason) => Conformance::Undecided { reason },
        }
    }

    /// Whether a value conforms, if that can be said.
    pub(crate) fn takes(&self, value: &Json) -> Option<bool> {
        let (validator, value) = self.ready(value).ok()?;
        validator.is_valid(&value).ok()
    }

    /// What a value is checked with, or why it cannot be.
    fn ready(&self, value: &Json) -> Result<(&Validator, Value), String> {
        let validator = match self {
            Self::Ready(validator) => validator,
            Self::Invalid { message, .. } => return Err(format!("the schema is not valid: {message}")),
            Self::ForeignPattern(RefusedPattern { pattern, reason, .. }) => {
                let (pattern, dialect) = (excerpt(pattern), PatternDialect::Ecma262.about());
                return Err(format!("the pattern {pattern} is not {dialect}: {reason}"));
            }
            Self::Undecided { reason } | Self::Elsewhere { reason, .. } => {
                return Err(format!("of the schema: {reason}"));
            }
        };
        if depth::is_too_deep(value) {
            return Err(format!("the value is nested more than {} deep", depth::DEPTH));
        }
        let inexact = |inexact| format!("the validator cannot hold the value exactly: {inexact}");
        Ok((validator, value.to_value().map_err(inexact)?))
    }
}

/// Whether an address is on the network.
fn is_on_network(address: &str) -> bool {
    ["http:", "https:"].iter().any(|scheme| address.starts_with(scheme))
}

fn conformance(validator: &Validator, value: &Value) -> Conformance {
    let Err(error) = validator.validate(value) else { return Conformance::Conforms };
    let message = excerpt(&error.message);
    match error.kind {
        ViolationKind::TooCostly => Conformance::Undecided { reason: error.message },
        ViolationKind::PatternTooSlow => Conformance::Undecided { reason: "a pattern takes too long".to_owned() },
        ViolationKind::Reference => {
            Conformance::Undecided { reason: format!("a reference cannot be resolved: {message}") }
        }
        // What is wrong with the schema itself was found when it was compiled.
        ViolationKind::Keyword | ViolationKind::Pattern | ViolationKind::PatternUnsupported => Conformance::Violates {
            instance_pointer: error.instance_pointer,
            schema_pointer: error.schema_pointer,
            keyword: error.keyword,
            message,
        },
    }
}

#[cfg(test)]
mod tests;
