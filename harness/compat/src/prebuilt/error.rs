//! Why a server could not be tested.

use std::fmt;

/// Reason why a server could not be tested. What a client loses is never an error; it is in the report.
///
/// A test that returns it shows what a person reads.
#[derive(Clone, PartialEq, Eq)]
pub struct SuiteError(String);

impl SuiteError {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SuiteError {}
