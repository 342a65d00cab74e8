//! Shrinking: from a scenario that breaks to the smallest one that still breaks the same way.
//!
//! ```text
//! scenario ── moves ──> candidate ── smaller? (size) ── means the same? (relation) ── can be written? (draft)
//!                ^                                                                              │
//!                └── keep it, if so ── breaks the same way? (sameness) <── verdict <── pairing <┘
//! ```
//!
//! The reduction is delta debugging on the JSON of the scenario, from the outside in: whole tools and steps first, then
//! at each level of a definition or an answer ever smaller runs of members, then what is left of strings and numbers.
//! [`reduce`] is pure: what a candidate does is asked of a [`Trial`]. [`shrink`] asks two peers.
//!
//! - **It ends.** A candidate is taken only if its [`size()`], a natural number, is less; see there.
//! - **It never changes the break.** A candidate is taken only if the trial says that it breaks the same way; what that
//!   means is said at [`Breakage`].
//! - **Same input, same steps, same bytes.** The moves come in the order of the text, and no clock or chance chooses.

mod descent;
mod draft;
#[cfg(test)]
mod example;
mod mirror;
mod moves;
mod pairing;
mod reduce;
mod relation;
mod sameness;
mod search;
mod site;
mod size;
mod thin;
mod things;
mod tree;

pub use draft::{NotWritable, drafted};
pub use pairing::{Pairing, Progress, Watcher, shrink};
pub use reduce::{Ending, Halt, Reduced, Step, Trial, reduce};
pub use sameness::Breakage;
pub use search::{first_break, look_in_order};
pub use size::size;
