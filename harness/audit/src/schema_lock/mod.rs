//! The schema lock: the tools of a server as they are listed, and which clients a later version of them breaks.
//!
//! ```text
//! ProbedServer ─ from_probe ─ Lock ─ lock_file ─> mcp-compat.lock.json
//! Lock, Lock ─ compare ─ tool by tool ─ differences ─ classify ─> Comparison
//! ```
//!
//! `differences` lists what is different between two schemas. Keywords that take the place of one another are one
//! difference; `moved` finds them. `classify` finds the effect of each difference: it applies the difference alone to the old
//! schema, and asks `mcp_compat_schema::inclusion` whether one schema includes the other. `witnesses` finds a value that shows the
//! break when all the other differences are made, too. The effect on the whole is that of the old and the new schema as they
//! are. For inputs, `declared_inputs` gives the values that callers send under the old schema. Changes that inclusion does not
//! show, such as formats, are compared in both schemas.

mod classify;
mod compare;
mod declared_inputs;
mod differences;
mod formats;
mod from_probe;
mod keywords;
mod lock;
mod lock_file;
mod moved;
mod witnesses;

pub use compare::{CompareError, compare};
pub use from_probe::{ListingError, lock_of};
pub use lock::{LOCK_VERSION, Listing, Lock, LockError, LockedTool, NotALock};
pub use lock_file::{DEFAULT_LOCK, LockFileError, read, save};

#[cfg(test)]
mod tests;
