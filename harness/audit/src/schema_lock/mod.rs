//! What a server promises, kept: its tools as they are listed, and what a later version of them breaks.
//!
//! ```text
//! ProbedServer ─ listed ─ Lock ─ lock_file ─> mcp-compat.lock.json
//! Lock, Lock ─ compare ─ a tool at a time ─ differences ─ classify ─> Comparison
//! ```
//!
//! `differences` names what is different between two schemas, and `classify` says what each difference comes to: it is made
//! to the old schema alone, and the two are put to `mcp_compat_inclusion`. The verdict on a schema is that
//! of the old and the new one as they are; of inputs, `sent` says what callers send by the old one. What no inclusion shows,
//! as a format, is looked for in both schemas.

mod classify;
mod compare;
mod declared_inputs;
mod differences;
mod formats;
mod from_probe;
mod hints;
mod lock;
mod lock_file;

pub use compare::{CompareError, compare};
pub use from_probe::{ListingError, lock_of};
pub use lock::{LOCK_VERSION, Listing, Lock, LockError, LockedTool, NotALock, ServerName};
pub use lock_file::{DEFAULT_LOCK, LockFileError, read, save};

#[cfg(test)]
mod tests;
