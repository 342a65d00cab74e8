//! Scenario files: from TOML text to checked scenarios.

pub mod scenario;
pub use scenario::Scenario;
