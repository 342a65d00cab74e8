//! A scenario file as it is written: every key with its place, nothing filled in, nothing compared.
//!
//! `syntax` turns text into a TOML tree, `table` takes keys out of it, and each type here says how it is read:
//!
//! ```text
//! File                                  document
//!   Tool, Definition, JsonObject, …     tool, reply, definition, payload, part
//!   Step                                step
//!   Answer, AlsoExpect, ArgsFrom        besides
//!   Outcome, Revision, Count, …         vocabulary, stance, whole
//!   Case = File + Tool, overriding      document
//! ```
//!
//! The same types give the JSON Schema of the format: the comments on their fields are what an editor shows.

pub(crate) mod besides;
pub(crate) mod definition;
pub(crate) mod document;
pub(crate) mod part;
pub(crate) mod payload;
pub(crate) mod reply;
pub(crate) mod stance;
pub(crate) mod step;
pub(crate) mod syntax;
pub(crate) mod table;
pub(crate) mod tool;
pub(crate) mod vocabulary;
pub(crate) mod whole;
