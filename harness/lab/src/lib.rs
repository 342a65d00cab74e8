//! Checks of mcp-compat itself, which its users do not need.
//!
//! - [`fidelity`]: a profile compared with the SDK release that it emulates.
//! - [`generated`]: scenarios made by chance from a seed.
//! - [`rulebook`]: the scenarios that violate each rule.
//! - [`schemas`]: the JSON Schemas of formats.

pub mod fidelity;
pub mod fuzz;
pub mod generated;
pub mod rulebook;
pub mod schemas;
pub mod spec_statements;
