//! Members of the requests and results of `initialize`, `tools/list` and `tools/call`, of the result of `server/discover` and
//! of the definition of a tool: the members, what each holds, and since when.
//!
//! ```text
//! official ─ INITIALIZE, TOOL, … ─┐
//! definition, result, block ──────┼─ read ─> Mismatch…
//! Reader: what it takes ──────────┘
//! ```
//!
//! The official schema of a revision is one reader, [`Official`]. An SDK is another: it decodes the same members into the
//! types of its language, so it takes more of some and less of others. [`mismatches`] holds a value against a shape as a
//! reader has it.
//!
//! The names of tools, the schemas of results, `content` and `structuredContent` are not looked at: what they may be is
//! what scenarios are about, and has rules and readers of its own.

mod member;
mod official;
mod read;

pub use member::{Kind, Member, Shape};
pub use official::{
    CALL_REQUEST, DISCOVER, INITIALIZE, INITIALIZE_REQUEST, LIST, LIST_REQUEST, Official, RESULT, TOOL, block,
    later_member,
};
pub use read::{Mismatch, Problem, Reader, mismatches};
