//! A schema made ready for values, or why it cannot be.

use mcp_compat_json::Json;
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_validator::{
    Options, PatternDialect, RefusedPattern, Validator, ViolationKind, Violations, is_too_large, refused_pattern,
};
use serde_json::Value;

use super::answer::{Conformance, Validity};
use super::depth;
use super::outside::Outside;
use crate::dialect::dialect;

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
        is_costly: bool,
    },
    /// A reference in it leads nowhere, so that no validator can use it.
    Dangling {
        reason: String,
    },
    /// A part of it is at another address, and nothing is fetched.
    Elsewhere {
        reason: String,
        address: String,
    },
}

impl Compiled {
    pub(super) fn with(schema: &Json, formats: bool) -> Self {
        let undecided = |reason: String| Self::Undecided { reason, is_costly: false };
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
        if is_too_large(&value) {
            return undecided("it is too large to be compiled".to_owned());
        }
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
                    return Self::Undecided { reason: error.message, is_costly: true };
                }
                if error.kind == ViolationKind::PatternUnsupported {
                    return undecided(format!("a pattern in it is beyond the engine: {message}"));
                }
                if error.kind == ViolationKind::Reference {
                    let reason = format!("a reference in it cannot be resolved: {message}");
                    return match outside.first() {
                        Some(address) => Self::Elsewhere { reason, address },
                        None => Self::Dangling { reason },
                    };
                }
                Self::Invalid { pointer: error.instance_pointer, message }
            }
        }
    }

    pub(super) fn validity(&self) -> Validity {
        match self {
            Self::Ready(_) => Validity::Valid,
            Self::Invalid { pointer, message } => {
                Validity::Invalid { pointer: pointer.clone(), message: message.clone() }
            }
            Self::ForeignPattern(refused) => Validity::ForeignPattern(refused.clone()),
            Self::Dangling { reason } => Validity::Dangling { reason: reason.clone() },
            Self::Undecided { reason, .. } | Self::Elsewhere { reason, .. } => {
                Validity::Undecided { reason: reason.clone() }
            }
        }
    }

    /// The address of another schema that this one refers to.
    pub(super) fn elsewhere(&self) -> Option<String> {
        match self {
            Self::Elsewhere { address, .. } => Some(address.clone()),
            Self::Ready(_)
            | Self::Invalid { .. }
            | Self::ForeignPattern(_)
            | Self::Undecided { .. }
            | Self::Dangling { .. } => None,
        }
    }

    pub(crate) fn check(&self, value: &Json) -> Conformance {
        match self.ready(value) {
            Ok((validator, value)) => conformance(validator, &value),
            Err(undecided) => undecided,
        }
    }

    /// What a value violates: at most so many, and their number.
    pub(super) fn violations(&self, value: &Json, most: usize) -> Violations {
        self.ready(value)
            .map_or_else(|_| Violations::default(), |(validator, value)| validator.violations(&value, most))
    }

    /// Whether a value conforms, if that can be said.
    pub(crate) fn takes(&self, value: &Json) -> Option<bool> {
        let (validator, value) = self.ready(value).ok()?;
        validator.is_valid(&value).ok()
    }

    /// What a value is checked with, or why it cannot be.
    fn ready(&self, value: &Json) -> Result<(&Validator, Value), Conformance> {
        let undecided = |reason: String, is_costly| Err(Conformance::Undecided { reason, is_costly });
        let validator = match self {
            Self::Ready(validator) => validator,
            Self::Invalid { message, .. } => return undecided(format!("the schema is not valid: {message}"), false),
            Self::ForeignPattern(RefusedPattern { pattern, reason, .. }) => {
                let (pattern, dialect) = (excerpt(pattern), PatternDialect::Ecma262.about());
                return undecided(format!("the pattern {pattern} is not {dialect}: {reason}"), false);
            }
            Self::Undecided { reason, is_costly } => return undecided(format!("of the schema: {reason}"), *is_costly),
            Self::Dangling { reason } | Self::Elsewhere { reason, .. } => {
                return undecided(format!("of the schema: {reason}"), false);
            }
        };
        if depth::is_too_deep(value) {
            return undecided(format!("the value is nested more than {} deep", depth::DEPTH), false);
        }
        match value.to_value() {
            Ok(value) => Ok((validator, value)),
            Err(inexact) => undecided(format!("the validator cannot hold the value exactly: {inexact}"), false),
        }
    }
}

fn conformance(validator: &Validator, value: &Value) -> Conformance {
    let Err(error) = validator.validate(value) else { return Conformance::Conforms };
    let message = excerpt(&error.message);
    match error.kind {
        ViolationKind::TooCostly => Conformance::Undecided { reason: error.message, is_costly: true },
        ViolationKind::PatternTooSlow => {
            Conformance::Undecided { reason: "a pattern takes too long".to_owned(), is_costly: true }
        }
        ViolationKind::Reference => {
            Conformance::Undecided { reason: format!("a reference cannot be resolved: {message}"), is_costly: false }
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
