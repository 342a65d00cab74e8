//! What a validator reports.

use std::fmt;

/// What is wrong with a schema or a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The kind.
    pub kind: ViolationKind,
    /// The place in the value, as a JSON Pointer. For an invalid schema, the place in the schema.
    pub instance_pointer: String,
    /// The place in the schema that the value violates, as a JSON Pointer.
    pub schema_pointer: String,
    /// The keyword that is violated.
    pub keyword: String,
    /// The validator's message.
    pub message: String,
}

/// What a value violates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// The first violations.
    pub first: Vec<Violation>,
    /// How many violations there are; at least so many, if `is_complete` is false.
    pub number: usize,
    /// Whether the value was checked to its end.
    pub is_complete: bool,
}

/// The kind of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// A keyword is violated.
    Keyword,
    /// A pattern takes too long, so that the value cannot be checked.
    PatternTooSlow,
    /// A pattern of the schema is no regular expression of its dialect.
    Pattern,
    /// A pattern of the schema cannot be run here.
    PatternUnsupported,
    /// A reference cannot be resolved.
    Reference,
    /// To check it takes too much work. `schema_pointer` is the place in the schema, as far as it is known.
    TooCostly,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Violation {}
