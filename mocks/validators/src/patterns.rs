//! Regular expressions, compiled once for a schema.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_compat_validator::{Options, PatternDialect, Validator, ViolationKind};
use serde_json::{Value, json};

use crate::refusal::Refusal;

/// How many patterns are kept.
const KEPT: usize = 256;

/// Regular expressions of one dialect.
#[derive(Debug)]
pub(crate) struct Patterns {
    dialect: PatternDialect,
    known: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Patterns {
    pub(crate) fn new(dialect: PatternDialect) -> Self {
        Self { dialect, known: Mutex::default() }
    }

    /// Checks that a pattern is valid.
    ///
    /// # Errors
    /// When it is not.
    pub(crate) fn require(&self, pattern: &str) -> Result<(), Refusal> {
        self.dialect.check(pattern).map_err(|reason| Refusal::Schema(format!("{pattern:?}: {reason}")))
    }

    /// Whether a pattern is found in a text.
    ///
    /// # Errors
    /// When the pattern is invalid, or takes too long.
    pub(crate) fn matches(&self, pattern: &str, text: &str) -> Result<bool, Refusal> {
        let validator = self.compiled(pattern)?;
        match validator.validate(&Value::String(text.to_owned())) {
            Ok(()) => Ok(true),
            Err(violation) => match violation.kind {
                ViolationKind::PatternTooSlow | ViolationKind::TooCostly => Err(Refusal::Endless),
                ViolationKind::Keyword
                | ViolationKind::Pattern
                | ViolationKind::PatternUnsupported
                | ViolationKind::Reference => Ok(false),
            },
        }
    }

    fn compiled(&self, pattern: &str) -> Result<Arc<Validator>, Refusal> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(pattern) {
            return Ok(known.clone());
        }
        let options = Options { patterns: Some(self.dialect), ..Options::default() };
        let compiled =
            options.compile(&json!({ "pattern": pattern })).map_err(|error| Refusal::Failure(error.message))?;
        let compiled = Arc::new(compiled);
        let mut known = lock();
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(pattern.to_owned(), compiled.clone());
        Ok(compiled)
    }
}
