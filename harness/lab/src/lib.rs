//! Internal: checks of mcp-compat itself, which its users do not need.
//!
//! - [`selftest`]: the corpus against mocks with deliberate bugs.
//! - [`fidelity`]: a profile compared with the SDK release that it emulates.
//! - [`sweep`]: the releases of an SDK with the main scenarios, for the support data.
//! - [`projection`]: what servers sent to clients of each era.
//! - [`rulebook`]: the scenarios that violate each rule, and the statements of the specification.
//! - [`generated`]: random scenarios from a seed.
//! - [`fuzz`]: targets for a fuzzer.

pub mod fidelity;
pub mod fuzz;
pub mod generated;
pub mod projection;
pub mod rulebook;
pub mod selftest;
pub mod sweep;
