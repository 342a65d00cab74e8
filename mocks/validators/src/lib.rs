//! What the validators of SDKs make of a schema and a value.
//!
//! A real client passes a schema to a library, and the library decides whether the user gets the value. The libraries differ
//! from JSON Schema and from each other: Ajv compiles a schema and does not check it, Python's `jsonschema` checks it and
//! resolves a reference only when a value comes to it. So each is imitated here, keyword by keyword, as its source has it.
//!
//! ```text
//! schema ─ Library::compile ─> Compiled ─ check(value) ─> valid, or a Refusal
//! ```
//!
//! | module | imitates |
//! |---|---|
//! | `ajv` | Ajv 8.20 with ajv-formats 3.0, with the options of the TypeScript SDK |
//! | `jsonschema` | jsonschema 4.26 with referencing 0.37, for Python |
//!
//! Only outcomes are imitated, not messages. Members are read in the order of their names.

mod ajv;
mod json;
mod jsonschema;
mod limits;
mod patterns;
mod refusal;
mod stack;
mod uri;

use mcp_compat_validator::PatternDialect;
use serde_json::Value;

pub use self::ajv::Class;
use self::patterns::Patterns;
pub use self::refusal::Refusal;
use self::stack::{is_shallow, with_room};

/// A library that validates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Library {
    /// Ajv, in JavaScript.
    Ajv(Class),
    /// `jsonschema`, in Python.
    Jsonschema,
}

/// A schema that the library has taken.
#[derive(Debug)]
pub struct Compiled {
    library: Library,
    schema: Value,
    patterns: Patterns,
    is_shallow: bool,
}

impl Library {
    /// Hands a schema to the library, as an SDK does before it has a value.
    ///
    /// # Errors
    /// When the library refuses the schema at that moment.
    pub fn compile(self, schema: Value) -> Result<Compiled, Refusal> {
        let dialect = match self {
            Self::Ajv(_) => PatternDialect::Ecma262,
            Self::Jsonschema => PatternDialect::Python,
        };
        let is_shallow = is_shallow(&schema);
        let compiled = Compiled { library: self, schema, patterns: Patterns::new(dialect), is_shallow };
        with_room(is_shallow, || match self {
            Self::Ajv(class) => ajv::compile(class, &compiled.schema, &compiled.patterns),
            Self::Jsonschema => jsonschema::check_schema(&compiled.schema, &compiled.patterns),
        })?;
        Ok(compiled)
    }
}

impl Compiled {
    /// Validates a value.
    ///
    /// # Errors
    /// When the library refuses the value, fails, or does not end.
    pub fn check(&self, value: &Value) -> Result<(), Refusal> {
        with_room(self.is_shallow, || match self.library {
            Library::Ajv(class) => ajv::check(class, &self.schema, value, &self.patterns),
            Library::Jsonschema => jsonschema::check(&self.schema, value, &self.patterns),
        })
    }
}
