//! Shrinks a scenario that breaks to the smallest one that still breaks the same way.
//!
//! ```text
//! scenario ─ draft ─> file ─ tree ─> candidate ─ loads? smaller? means what it says? ─> oracle ─> verdict
//!    ^                                                                                               │
//!    └──────────────────── take it, if it is the same_failure <──────────────────────────────────────┘
//! ```
//!
//! The reduction is delta debugging on the tree of the scenario's file, from the outside in. Members and elements are
//! removed in ever smaller runs, a value gives way to one of its parts, texts and numbers are shortened. The tree knows
//! little of the format: the loader refuses what is not a scenario, [`lint`](crate::lint) refuses an answer that does not do
//! what its tool means, a value goes on to conform to its schema or to violate it, and playing decides about the rest.
//! [`reduce()`] is pure and asks a [`Trial`] about each candidate.
//! [`shrink`] plays the candidates between two peers.
//!
//! - **It ends.** A candidate is accepted only if its [`size()`], a natural number, is smaller.
//! - **It never changes the failure.** A candidate is accepted only if the trial says that it breaks the same way;
//!   [`Breakage`] defines what that means.
//! - **It is deterministic.** Candidates follow the order of the file, and neither clock nor chance chooses. Only its end
//!   can depend on the time that it may take.

mod draft;
mod oracle;
mod reduce;
mod same_failure;
mod size;
mod tree;

pub use draft::{NotWritable, drafted};
pub use oracle::{Limits, PeerPair, Progress, Watcher, first_break, look_in_order, shrink};
pub use reduce::{Ending, Halt, Reduced, Step, Trial, reduce};
pub use same_failure::Breakage;
pub use size::size;
