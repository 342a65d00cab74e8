//! Runs over months: their compact form, and the folder that keeps them.
//!
//! ```text
//! Record ── encode ──> DIR/runs/<time>.mcpc.gz        130 KB for 7,900 cells
//!        <── decode ──
//!        ── History::add, entries, prune ──> DIR       a folder that keeps runs, and the evidence of the newest breaks
//! path ──── open ────> OpenedRun { record, evidence }  a folder of a run, its run.json, or a compact run
//! ```
//!
//! [`open`] is how every command that takes a run opens it: `report`, `show`, `diff` and `site` take a compact run where
//! they need no evidence.

pub mod compact;
mod evidence;
mod folder;
mod keep;
mod open;

pub use compact::{CompactError, decode, encode};
pub use folder::{Added, Adding, Entry, History, HistoryError, Pruned};
pub use keep::Retention;
pub use open::{ENDING, OpenError, OpenedRun, is_compact, open, open_verdicts};
