//! From a record to something that is read: pure functions from a [`Record`] to text.
//!
//! ```text
//! Record -> view (totals, matrix, causes, missed revisions) -> terminal | markdown | junit
//! CellRecords           -> baseline       the known breaks of a run, by cause
//! Audit                 -> audit          what `audit` prints of a server
//! Comparison            -> contract       what `contract check` prints of two versions of a server
//! Diff                  -> diff           what `diff` prints of two runs
//! ClientAudit           -> client_audit   what `audit --client` prints of a client
//! Fidelity              -> fidelity       what `fidelity` prints of a profile and a real peer
//! CellRecord + Evidence -> cell           what `show` prints of a cell
//! Sheet                 -> scenario       what `show` prints of a scenario
//! Round                 -> round          what `run --watch` prints
//! Selection             -> selection      what `show --where` prints
//! Trial, Ending         -> bisection      what `bisect` prints
//! Explained             -> rule           what `explain` prints
//! Support               -> support        what `support` prints
//! Rulebook              -> rulebook       what `show rules --markdown` prints
//! Record + Story          -> failure        what a failed test prints
//! names and titles      -> list           what `list` prints
//! ```
//!
//! Whatever a peer put into a record is hostile here: every format neutralises it in its own way (`text`,
//! `markdown::escape`). Colours are ANSI sequences that the caller asks for with a [`Style`]; nothing here knows of a
//! terminal. Every text ends with one newline, and no line of it ends with a blank.

pub mod audit;
pub mod baseline;
pub mod bisection;
pub mod cell;
pub mod client_audit;
pub mod command;
pub mod compare;
pub mod contract;
pub mod diff;
pub mod failure;
pub mod fidelity;
pub mod findings;
pub mod headline;
#[cfg(feature = "junit")]
pub mod junit;
pub mod list;
pub mod markdown;
mod message;
pub mod missed;
mod page;
pub mod reach;
pub mod round;
pub mod rule;
pub mod rulebook;
pub mod scenario;
pub mod selection;
#[cfg(feature = "site")]
pub mod site;
#[cfg(test)]
mod specimen;
mod style;
pub mod support;
pub mod terminal;
pub mod text;
pub mod triangle;
pub mod view;
pub mod wording;

pub use mcp_compat_model::record::Record;
pub use style::Style;
