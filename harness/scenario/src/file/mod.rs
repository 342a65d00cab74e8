//! A scenario file as written: every key with its place, no defaults, no cross-checks.
//!
//! `table` turns text into a TOML tree and takes keys out of it; each type here implements how it is read:
//!
//! ```text
//! File                                  document
//!   Tool, Definition, JsonObject, …     tool, payload, part
//!   Step                                step
//!   Answer, AlsoExpect, ArgsFrom        extras
//!   Outcome, Revision, Count, …         vocabulary
//!   Case = File + Tool, overriding      document
//! ```
//!
//! The same types give the JSON Schema of the format: the comments on their fields are what an editor shows.

pub(crate) mod document;
pub(crate) mod extras;
pub(crate) mod part;
pub(crate) mod payload;
pub(crate) mod step;
pub(crate) mod table;
pub(crate) mod tool;
pub(crate) mod vocabulary;
