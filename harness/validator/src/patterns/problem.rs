//! Why a pattern cannot be used.

/// Why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternProblem {
    /// It is no regular expression of the dialect.
    Invalid(String),
    /// It is valid, but the engine of the validator cannot run it.
    Unsupported(String),
}

pub(super) fn invalid<T>(reason: impl Into<String>) -> Result<T, PatternProblem> {
    Err(PatternProblem::Invalid(reason.into()))
}

pub(super) fn unsupported<T>(reason: impl Into<String>) -> Result<T, PatternProblem> {
    Err(PatternProblem::Unsupported(reason.into()))
}
