//! Regular expressions, in the dialect of whoever reads the schema.
//!
//! JSON Schema says that a `pattern` is an ECMA-262 regular expression, to be read with the `u` flag. Ajv does that; Python's
//! `jsonschema` compiles the same text with `re`. Both refuse what the other takes. The validator has one engine, so a pattern
//! is first checked by the rules of its dialect, then written in the syntax of that engine with the same meaning.
//!
//! What is approximate: a group that is captured in one turn of a loop keeps its text in the next, which ECMA-262 clears;
//! matching that ignores case folds as Unicode does; an escape for half a surrogate pair matches nothing.

mod ecma;
mod literal;
mod problem;
mod python;
mod scanner;

pub use self::problem::PatternProblem;

/// The rules by which a regular expression is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PatternDialect {
    /// ECMA-262 with the `u` flag, as JSON Schema recommends and Ajv reads. The crate `regress` says what is valid, by the
    /// current edition: older engines do not know its modifiers (`(?i:a)`) yet.
    #[default]
    Ecma262,
    /// Python's `re`, as of 3.11.
    Python,
}

/// Patterns longer than this are not read.
const LENGTH: usize = 20_000;

impl PatternDialect {
    /// What a pattern of the dialect is, in words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Ecma262 => "an ECMA-262 regular expression",
            Self::Python => "a regular expression of Python",
        }
    }

    /// Whether a pattern is valid.
    ///
    /// # Errors
    /// When it is not, with the reason.
    pub fn check(self, pattern: &str) -> Result<(), String> {
        match self.translate(pattern) {
            Ok(_) | Err(PatternProblem::Unsupported(_)) => Ok(()),
            Err(PatternProblem::Invalid(reason)) => Err(reason),
        }
    }

    /// The pattern in the syntax of the validator's engine.
    ///
    /// # Errors
    /// When it is invalid, or the engine has nothing that means the same.
    pub(crate) fn translate(self, pattern: &str) -> Result<String, PatternProblem> {
        if pattern.len() > LENGTH {
            return Err(PatternProblem::Unsupported(format!("the pattern has more than {LENGTH} bytes")));
        }
        match self {
            Self::Ecma262 => ecma::translate(pattern),
            Self::Python => python::translate(pattern),
        }
    }
}

#[cfg(test)]
mod tests;
