//! Regular expressions, compiled once in a process: many schemas have the same formats.

use std::sync::{Arc, LazyLock};

use mcp_compat_validator::{Kept, Options, PatternDialect, Validator, ViolationKind};
use serde_json::{Value, json};

use crate::refusal::Refusal;

/// How much memory the patterns take that are kept compiled, in bytes, and as much again.
const BYTES: usize = 16 << 20;

/// What is said of a schema with a pattern that the engine here has no room for.
const NOT_COMPILED: &str = "has a pattern that the mock's engine cannot compile";

/// What is said of a schema with a pattern that the engine here needs too long for, where another may not.
const TOO_MUCH_WORK: &str = "has a pattern that takes the mock's engine too much work with this value";

/// A pattern as it is compiled, or why it cannot be.
type Compiled = Result<Arc<Validator>, Refusal>;

static COMPILED: LazyLock<Kept<(PatternDialect, String), Compiled>> = LazyLock::new(|| Kept::new(BYTES));

/// Regular expressions of one dialect.
#[derive(Debug)]
pub(crate) struct Patterns {
    dialect: PatternDialect,
}

impl Patterns {
    pub(crate) const fn new(dialect: PatternDialect) -> Self {
        Self { dialect }
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
    /// When the pattern is invalid, takes too long, or cannot be run here.
    pub(crate) fn matches(&self, pattern: &str, text: &str) -> Result<bool, Refusal> {
        let validator = self.compiled(pattern)?;
        match validator.validate(&Value::String(text.to_owned())) {
            Ok(()) => Ok(true),
            Err(violation) => match violation.kind {
                ViolationKind::PatternTooSlow | ViolationKind::TooCostly => Err(Refusal::BeyondTheMock(TOO_MUCH_WORK)),
                ViolationKind::Keyword
                | ViolationKind::Pattern
                | ViolationKind::PatternUnsupported
                | ViolationKind::Reference => Ok(false),
            },
        }
    }

    fn compiled(&self, pattern: &str) -> Compiled {
        let compile = || {
            let options = Options { patterns: Some(self.dialect), ..Options::default() };
            let compiled = options.compile(&json!({ "pattern": pattern }));
            compiled.map(Arc::new).map_err(|error| match error.kind {
                ViolationKind::PatternUnsupported | ViolationKind::PatternTooSlow | ViolationKind::TooCostly => {
                    Refusal::BeyondTheMock(NOT_COMPILED)
                }
                ViolationKind::Keyword | ViolationKind::Pattern | ViolationKind::Reference => {
                    Refusal::Failure(error.message)
                }
            })
        };
        let bytes = |compiled: &Compiled| compiled.as_ref().map_or(pattern.len(), |it| it.bytes());
        COMPILED.find_or((self.dialect, pattern.to_owned()), bytes, compile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_compiled_once_for_all_schemas() {
        let [one, other] = [PatternDialect::Ecma262, PatternDialect::Ecma262].map(Patterns::new);
        assert!(Arc::ptr_eq(&one.compiled("^a+$").unwrap(), &other.compiled("^a+$").unwrap()));
        let python = Patterns::new(PatternDialect::Python);
        assert!(!Arc::ptr_eq(&one.compiled("^a+$").unwrap(), &python.compiled("^a+$").unwrap()));
    }
}
