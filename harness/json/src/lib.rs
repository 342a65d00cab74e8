//! Exact JSON: what was on the wire, without a bit of it rounded, merged or repaired.
//!
//! The harness decides whether a value survived a client and a server, so its own reading of a value must not
//! lose anything. `serde_json::Value` would: it keeps one of two duplicate keys, rounds integers beyond 64 bits,
//! refuses `1e400` and lone surrogates. [`Json`] keeps all of that:
//!
//! - a [`Number`] is its lexeme, and compares by mathematical value, whatever the exponent;
//! - a [`JsonString`] is a sequence of UTF-16 code units, lone surrogates included;
//! - an [`Object`] is its members in order, duplicates kept.
//!
//! ```
//! use mcp_compat_json::Json;
//!
//! let sent = Json::parse(r#"{"id": 9007199254740993, "ratio": 1.0}"#)?;
//! let seen = Json::parse(r#"{"ratio": 1, "id": 9007199254740992}"#)?;
//! let difference = sent.first_difference(&seen).expect("one digit is wrong");
//! assert_eq!(difference.to_string(), "/id is 9007199254740992, not 9007199254740993");
//! # Ok::<(), mcp_compat_json::JsonError>(())
//! ```
//!
//! ```text
//! text ── reader (the grammar, as events) ── parse ──> Json ── write ──> text
//! Json ── equality, difference, pointer: two values compared, a place in a value
//! Json ── convert (serde_json::Value, where that is exact; serde and schemars)
//! text ── tokens (each as it is spelt), layout ──> the same tokens with other white space
//! text ── text: the part at a pointer, strings replaced, every other byte kept
//! ```

mod convert;
mod decimal;
mod difference;
mod equality;
mod layout;
mod number;
mod parse;
mod pointer;
mod reader;
mod string;
mod text;
mod tokens;
mod value;
mod write;

pub use convert::{Inexact, InexactReason};
pub use difference::{Difference, DifferenceKind};
pub use layout::{Layout, lay_out};
pub use number::Number;
pub use parse::{JsonError, JsonErrorKind};
pub use pointer::pointer_token;
pub use reader::{MAX_DEPTH, MAX_VALUES};
pub use string::JsonString;
pub use text::{Place, elements, first_value, map_numbers, map_strings, members, text_at};
pub use tokens::{lexemes, minify, tokens};
pub use value::{Json, Object};
