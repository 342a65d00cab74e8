//! Why a library refuses a schema or a value.

/// Why a library refuses a schema or a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The schema cannot be used.
    #[error("the schema cannot be used: {0}")]
    Schema(String),
    /// The value violates a keyword.
    #[error("the value violates {0}")]
    Value(String),
    /// The library fails with an error of its own.
    #[error("the validator fails: {0}")]
    Failure(String),
    /// It is not known what the library does: the engine that stands in for its regular expressions has a limit of its own.
    /// What is said of the schema.
    #[error("it is not known what the validator does: the schema {0}")]
    BeyondTheMock(&'static str),
    /// The validation takes longer than anybody waits.
    #[error("the validation does not end")]
    Endless,
}

impl Refusal {
    pub(crate) fn failure<T>(reason: impl Into<String>) -> Result<T, Self> {
        Err(Self::Failure(reason.into()))
    }

    pub(crate) fn schema<T>(reason: impl Into<String>) -> Result<T, Self> {
        Err(Self::Schema(reason.into()))
    }
}
