//! The answers about a value and a schema.

use mcp_compat_validator::RefusedPattern;

/// Whether a value conforms to a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conformance {
    /// It does.
    Conforms,
    /// It does not.
    Violates {
        /// Where in the value, as a JSON Pointer.
        instance_pointer: String,
        /// Where in the schema, as a JSON Pointer.
        schema_pointer: String,
        /// The keyword that says no.
        keyword: String,
        /// What the keyword wants, in words.
        message: String,
    },
    /// It cannot be said.
    Undecided {
        /// Why not.
        reason: String,
        /// Whether the work has no end in sight: other validators may work on it as long.
        is_costly: bool,
    },
}

/// Whether a schema is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    /// It is valid by its dialect.
    Valid,
    /// It is not.
    Invalid {
        /// Where in the schema, as a JSON Pointer.
        pointer: String,
        /// What is wrong, in words.
        message: String,
    },
    /// It is, but for a pattern that is no ECMA-262 regular expression, which JSON Schema asks for and does not demand.
    ForeignPattern(RefusedPattern),
    /// A reference in it leads nowhere, so that no validator can use it.
    Dangling {
        /// Which, in words.
        reason: String,
    },
    /// It cannot be said.
    Undecided {
        /// Why not.
        reason: String,
    },
}
