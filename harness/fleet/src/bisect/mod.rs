//! Bisecting: which release of an SDK changed the outcome of a scenario.
//!
//! ```text
//! registry ── ReleaseRange ──> releases between two ── Search: which next? ──> TrialSetup: install, play ──> CellRecord
//!                                                        ^                                                  │
//!                                                        └─────────────────── outcome, rating ──────────────┘
//! ```
//!
//! [`Search`] and [`ReleaseRange`] only decide. A [`TrialSetup`] installs releases and plays the scenario, as a run would.
//! If a release cannot be tried, a neighbour is tried instead.

mod range;
mod search;
mod trial;
mod variant;

pub use range::{InvalidRange, ReleaseRange};
pub use search::{Change, Search, Step};
pub use trial::{CannotTry, TrialSetup, Tried};
pub use variant::{NoPeer, Variant};
