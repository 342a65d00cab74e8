//! JSON Schema: bounded validation, and whether every value of one schema is a value of another.
//!
//! ```text
//! validator   the `jsonschema` crate behind functions that are not generic, with a budget; dialects of patterns
//! inclusion   conformance of a value, and inclusion of one schema in another
//! ```
//!
//! Nothing in this crate knows MCP.

pub mod inclusion;
pub mod validator;
