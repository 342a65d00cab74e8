//! From a record to something that is read: pure functions from a [`Record`] to text.
//!
//! ```text
//! Record -> view (totals, matrix, causes) -> terminal | markdown | junit
//! CellRecord + Evidence -> cell           what `show` prints
//! Explained -> rule                       what `explain` prints
//! ```
//!
//! Whatever a peer put into a record is hostile here: every format neutralises it in its own way. Colours are ANSI
//! sequences that the caller asks for; nothing here knows of a terminal.

pub mod cell;
pub mod junit;
pub mod markdown;
pub mod rule;
mod style;
pub mod terminal;
mod text;
pub mod view;

pub use mcp_compat_model::record::Record;
pub use style::Style;
