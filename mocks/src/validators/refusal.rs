//! Reasons for which a library refuses a schema or a value.

use mcp_compat_schema::validator::{Violation, ViolationKind};

/// Limit of a schema whose pattern the engine here cannot run.
pub(crate) const NOT_COMPILED: &str = "has a pattern that the mock's engine cannot compile";

/// Reason for which a library refuses a schema or a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The schema cannot be used.
    #[error("the schema cannot be used: {0}")]
    Schema(String),
    /// The value violates a keyword.
    #[error("the value violates the schema: {0}")]
    Value(String),
    /// The answer of the library is not known, because the validator here has a limit that the library does not have.
    #[error("it is not known what the validator does: the schema {0}")]
    BeyondTheMock(&'static str),
    /// The validation takes longer than anybody waits.
    #[error("the validation does not end")]
    Endless,
}

impl Refusal {
    pub(crate) fn schema<T>(reason: impl Into<String>) -> Result<T, Self> {
        Err(Self::Schema(reason.into()))
    }

    /// Refusal of a schema that the validator here does not compile.
    pub(crate) fn of_schema(violation: Violation) -> Self {
        match violation.kind {
            ViolationKind::PatternUnsupported | ViolationKind::PatternTooSlow => Self::BeyondTheMock(NOT_COMPILED),
            ViolationKind::TooCostly => Self::BeyondTheMock("takes the mock too much memory or work to compile"),
            ViolationKind::Keyword | ViolationKind::Pattern | ViolationKind::Reference => {
                Self::Schema(violation.message)
            }
        }
    }

    /// Refusal of a value that the validator here does not accept.
    pub(crate) fn of_value(violation: Violation) -> Self {
        match violation.kind {
            ViolationKind::PatternUnsupported | ViolationKind::PatternTooSlow => {
                Self::BeyondTheMock("has a pattern that takes the mock's engine too much work with this value")
            }
            ViolationKind::TooCostly => Self::Endless,
            ViolationKind::Keyword | ViolationKind::Pattern | ViolationKind::Reference => {
                Self::Value(violation.message)
            }
        }
    }
}
