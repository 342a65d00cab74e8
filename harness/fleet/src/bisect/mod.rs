//! Bisecting: which release of an SDK changed the outcome of a scenario.
//!
//! ```text
//! registry's list ── Span ──> releases between two ── Search: which next? ──> Bench: set up, play ──> CellRecord
//!                                                        ^                                              │
//!                                                        └───────────────── outcome, rating ────────────┘
//! ```
//!
//! [`Search`] and [`Span`] decide and touch nothing; a [`Bench`] sets releases up and plays the scenario, as a run would.
//! A release that cannot be tried is left aside, and another one near it is tried in its place.

mod bench;
mod manner;
mod search;
mod span;

pub use bench::{Bench, CannotTry, Tried};
pub use manner::{Manner, NoPeer};
pub use search::{Change, Search, Step};
pub use span::{NoSpan, Span};
