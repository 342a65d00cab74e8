//! A server under test without the engine: the installed program `mcp-compat` audits it, and its JSON becomes tests.
//!
//! ```text
//! ServerUnderTest ── mcp-compat audit --json --tests rust ──> named tests ──> Report | one named test a cell
//! ```
//!
//! This module needs three crates from the registry, so a test that uses it compiles in seconds. The program is the one that
//! `MCP_COMPAT_PROGRAM` names, or the one in `PATH`. It must have the version of this crate.

mod error;
mod launch;
mod named;
mod program;
mod server;

pub use error::SuiteError;
pub use launch::{Launch, cargo_bin};
pub use named::Report;
pub use server::ServerUnderTest;
