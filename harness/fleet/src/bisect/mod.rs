//! Bisecting: which release of an SDK changed the outcome of a scenario.
//!
//! ```text
//! registry's list ── ReleaseRange ──> releases between two ── Search: which next? ──> TrialSetup: set up, play ──> CellRecord
//!                                                        ^                                              │
//!                                                        └───────────────── outcome, rating ────────────┘
//! ```
//!
//! [`Search`] and [`ReleaseRange`] decide and touch nothing; a [`TrialSetup`] sets releases up and plays the scenario, as a run would.
//! A release that cannot be tried is left aside, and another one near it is tried in its place.

mod range;
mod search;
mod trial;
mod variant;

pub use range::{InvalidRange, ReleaseRange};
pub use search::{Change, Search, Step};
pub use trial::{CannotTry, TrialSetup, Tried};
pub use variant::{NoPeer, Variant};
