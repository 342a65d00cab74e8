//! A server under test without the engine: the installed program `mcp-compat` audits it, and its JSON becomes tests.
//!
//! ```text
//! ServerUnderTest ── mcp-compat audit --json --tests rust ──> named tests ──> Report | one named test a cell
//! ```
//!
//! This module needs two crates from the registry, so a test that uses it compiles in seconds. The program is the one
//! that `MCP_COMPAT_PROGRAM` names, or the one in `PATH`. It must have the version of this crate.

mod launch;
mod named;
mod program;
mod server;

pub use launch::{Launch, cargo_bin};
pub use named::Report;
pub use server::ServerUnderTest;

use std::fmt;

/// Reason why a server could not be tested. A loss of a client is never an error; it is in the report.
///
/// Its `Debug` output is the message, because that is what a test which returns it prints.
#[derive(Clone, PartialEq, Eq)]
pub struct SuiteError(String);

impl SuiteError {
    fn new(text: impl Into<String>) -> Self {
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
