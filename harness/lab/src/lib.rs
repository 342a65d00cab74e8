//! Internal: checks of mcp-compat itself, which its users do not need.
//!
//! - [`fidelity`]: a profile compared with the SDK release that it emulates.
//! - [`fuzz`]: targets for a fuzzer.
//! - [`generated`]: random scenarios from a seed.
//! - [`rulebook`]: the scenarios that violate each rule.
//! - [`schemas`]: the JSON Schemas of formats.
//! - [`spec_statements`]: the requirements of the specification, and how each is judged.

pub mod fidelity;
pub mod fuzz;
pub mod generated;
pub mod rulebook;
pub mod schemas;
pub mod spec_statements;
