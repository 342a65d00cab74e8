//! Shrinking: from a scenario that breaks to the smallest one that still breaks the same way.
//!
//! ```text
//! scenario ── passes ──> candidate ── smaller? (size) ── invariants kept? ── can be written? (draft)
//!                ^                                                              │
//!                └── keep it, if so ── same_failure? <── verdict <── oracle <───┘
//! ```
//!
//! The reduction is delta debugging on the JSON of the scenario, from the outside in: whole tools and steps first, then
//! at each level of a definition or an answer ever smaller runs of members, then what is left of strings and numbers.
//! [`reduce`] is pure and asks a [`Trial`] about each candidate. [`shrink`] plays the candidates between two peers.
//!
//! - **It ends.** A candidate is accepted only if its [`size()`], a natural number, is smaller.
//! - **It never changes the failure.** A candidate is accepted only if the trial says that it breaks the same way;
//!   [`Breakage`] defines what that means.
//! - **It is deterministic.** The passes follow the order of the text, and neither clock nor chance chooses. Only its end
//!   can depend on the time that it may take.

mod ddmin;
mod draft;
#[cfg(test)]
mod example;
mod invariants;
mod location;
mod oracle;
mod passes;
mod reduce;
mod reducer;
mod same_failure;
mod search;
mod size;
mod text_fallback;
mod tree;

pub use draft::{NotWritable, drafted};
pub use oracle::{Limits, PeerPair, Progress, Watcher, shrink};
pub use reduce::{Ending, Reduced, reduce};
pub use reducer::{Halt, Step, Trial};
pub use same_failure::Breakage;
pub use search::{first_break, look_in_order};
pub use size::size;
