//! What a server promises, kept: its tools as they are listed, and what a later version of them breaks.
//!
//! ```text
//! Survey ─ listed ─ Lock ─ lock_file ─> mcp-compat.lock.json
//! Lock, Lock ─ compare ─ a tool at a time ─ differences ─ weigh ─> Comparison
//! ```
//!
//! `differences` names what is different between two schemas, and `weigh` says what each difference comes to: it is made
//! to the old schema alone, and the two are put to `mcp_compat_judge::schema::inclusion`. The verdict on a schema is that
//! of the old and the new one as they are.

mod compare;
mod differences;
mod listed;
mod lock;
mod lock_file;
mod weigh;

pub use compare::{CompareError, compare};
pub use listed::{ListingError, lock_of};
pub use lock::{LOCK_VERSION, Listing, Lock, LockError, LockedTool, NotALock, ServerName};
pub use lock_file::{DEFAULT_LOCK, LockFileError, read, save};

#[cfg(test)]
mod tests;
