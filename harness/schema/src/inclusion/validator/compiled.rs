//! Compiled schemas.

use std::sync::{Arc, Mutex, PoisonError};

use crate::validator::{
    Options, PatternDialect, RefusedPattern, Retriever, Validator, ViolationKind, Violations, is_too_large,
    refused_pattern,
};
use mcp_compat_json::Json;
use mcp_compat_model::excerpt::{excerpt, quoted};
use serde_json::Value;

use super::{Conformance, Validity};
use crate::inclusion::document::dialect;

/// A compiled schema, or the reason for which it cannot be compiled.
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
        if is_too_deep(schema) {
            return undecided(format!("it is nested more than {} deep", DEPTH));
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
        let options =
            Options { draft: Some(dialect.draft()), formats: Some(formats), patterns, retriever, ..Options::default() };
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
                let message = unknown_type(schema, &error.instance_pointer).unwrap_or(message);
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
        if let Self::Elsewhere { address, .. } = self { Some(address.clone()) } else { None }
    }

    pub(crate) fn check(&self, value: &Json) -> Conformance {
        match self.ready(value) {
            Ok((validator, value)) => conformance(validator, &value),
            Err(undecided) => undecided,
        }
    }

    /// Returns the first violations of a value, at most `most`, and their number.
    pub(super) fn violations(&self, value: &Json, most: usize) -> Violations {
        self.ready(value)
            .map_or_else(|_| Violations::default(), |(validator, value)| validator.violations(&value, most))
    }

    /// Returns true if a value conforms. `None` if that is undecided.
    pub(crate) fn takes(&self, value: &Json) -> Option<bool> {
        let (validator, value) = self.ready(value).ok()?;
        validator.is_valid(&value).ok()
    }

    /// Returns the validator and the value to check, or why it is undecided.
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
        if is_too_deep(value) {
            return undecided(format!("the value is nested more than {} deep", DEPTH), false);
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

/// Refuses every document that the validator asks for, and keeps the first address.
#[derive(Clone, Debug, Default)]
struct Outside(Arc<Mutex<Option<String>>>);

impl Outside {
    /// The first address that was asked for.
    fn first(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the retriever for the validator.
    fn retriever(&self) -> Retriever {
        let outside = self.clone();
        Box::new(move |address| {
            outside.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| address.to_owned());
            Err(format!("{address} is outside the schema, and mcp-compat fetches nothing"))
        })
    }
}

/// Depth up to which a schema or value may be nested. The validator follows it on the stack.
const DEPTH: usize = 128;

/// Returns true if a value is nested deeper than [`DEPTH`].
fn is_too_deep(value: &Json) -> bool {
    is_deeper(value, DEPTH)
}

fn is_deeper(value: &Json, limit: usize) -> bool {
    match value {
        Json::Array(elements) => limit == 0 || elements.iter().any(|element| is_deeper(element, limit - 1)),
        Json::Object(object) => limit == 0 || object.iter().any(|(_, member)| is_deeper(member, limit - 1)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

/// The message about a `type` that JSON Schema does not have. The meta-schema says only that it is none of several schemas.
fn unknown_type(schema: &Json, pointer: &str) -> Option<String> {
    let named = schema.pointer(pointer).filter(|_| pointer.ends_with("/type"))?.as_str()?;
    Some(format!("JSON Schema has no type {}", quoted(named)))
}
