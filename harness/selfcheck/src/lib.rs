//! What only mcp-compat itself needs: that its own parts are right.
//!
//! - [`likeness`]: a profile compared with the SDK release that it emulates.
//! - [`rulebook`]: each rule with the scenarios that break it.
//! - [`schema_suite`]: the JSON Schema Test Suite in place of scenarios.
//! - [`schemas`]: the JSON Schemas that are published.

pub mod likeness;
pub mod rulebook;
pub mod schema_suite;
pub mod schemas;
