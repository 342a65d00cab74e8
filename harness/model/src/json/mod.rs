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
//! use mcp_compat_model::json::Json;
//!
//! let sent = Json::parse(r#"{"id": 9007199254740993, "ratio": 1.0}"#)?;
//! let seen = Json::parse(r#"{"ratio": 1, "id": 9007199254740992}"#)?;
//! let difference = sent.first_difference(&seen).expect("one digit is wrong");
//! assert_eq!(difference.to_string(), "/id is 9007199254740992, not 9007199254740993");
//! # Ok::<(), mcp_compat_model::json::JsonError>(())
//! ```
//!
//! From text to value: `reader` (the grammar, as events), `parse` (events to a tree), `minify` (white space only).
//! On values: `equality`, `difference`, `pointer`. And back: `write`, `convert` (`serde_json::Value`, where that
//! is exact) and `serial` (serde and schemars). `text` works on JSON that must stay as it is spelt: it finds values in
//! it, and exchanges strings.

mod convert;
mod decimal;
mod difference;
mod equality;
mod error;
mod minify;
mod number;
mod object;
mod parse;
mod pointer;
mod reader;
mod serial;
mod string;
mod text;
mod value;
mod write;

pub use convert::{Inexact, InexactReason};
pub use difference::{Difference, DifferenceKind};
pub use error::{JsonError, JsonErrorKind};
pub use minify::minify;
pub use number::Number;
pub use object::Object;
pub use pointer::pointer_token;
pub use reader::MAX_DEPTH;
pub use string::JsonString;
pub use text::{Place, first_value, map_numbers, map_strings, text_at};
pub use value::Json;
