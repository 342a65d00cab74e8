//! JSON Schema: whether a value conforms to a schema, and whether every value of one schema is a value of another.
//!
//! ```text
//! (schema, value)    ─ validator ────────────────────────────> Conforms | Violates | Undecided
//! (schema, schema)   ─ document ─ prove ─────────────────────> Included: proven from the keywords alone
//!                        └ not proven ─ sample ─ validator ──> Excluded: a value that the first takes and the second refuses
//!                                                        └───> Unknown: no proof and no such value
//! ```
//!
//! The two halves of `inclusion` share nothing but the dialects. A proof follows from the meaning of the keywords; a
//! witness is a value that the validator accepted by one schema and refused by the other. Schemas come from strangers
//! and may be hostile, so both halves have a budget, and what exceeds it is unknown.
//!
//! Validation is below the proofs, because both halves and the judge ask it. It uses the module
//! [`validator`](crate::validator).
//!
//! ```
//! # use mcp_compat_schema::inclusion::{Inclusion, inclusion};
//! # use mcp_compat_json::Json;
//! let integer = Json::parse(r#"{"type":"integer"}"#)?;
//! let number = Json::parse(r#"{"type":"number"}"#)?;
//! assert_eq!(inclusion(&integer, &number), Inclusion::Included);
//! assert!(matches!(inclusion(&number, &integer), Inclusion::Excluded { .. }));
//! # Ok::<(), mcp_compat_json::JsonError>(())
//! ```

mod budget;
mod case;
mod decide;
mod document;
mod endless;
mod member;
mod prove;
mod sample;
mod types;
mod validator;

pub use crate::validator::RefusedPattern;
pub use decide::{Inclusion, inclusion};
pub use document::{Dialect, dialect};
pub use endless::endless_reference;
pub use validator::{Conformance, Schemas, Validity, check, check_with_formats, further_violations, schema_is_valid};
