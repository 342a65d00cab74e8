//! Why records cannot be joined.

use mcp_compat_model::CellId;
use mcp_compat_model::verdict::Outcome;

/// Why records cannot be joined; each names the records as they were given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There is no record.
    #[error("name the records of the shards to merge")]
    Nothing,
    /// A record is that of a whole run, or of a version that did not note the shard.
    #[error(
        "cannot merge {name}: the record is not marked as a shard. A run without --shard wrote it, or an earlier version of \
         mcp-compat. Play each part with `mcp-compat run --shard K/N`"
    )]
    NotAPart {
        /// The record.
        name: String,
    },
    /// A record contradicts itself.
    #[error("{name} cannot be right: {why}")]
    Unsound {
        /// The record.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// Two records are not of the same run.
    #[error(
        "{} and {} are not parts of one run, they differ in {what}: {} has {}, {} has {}",
        .one.0, .other.0, .one.0, .one.1, .other.0, .other.1
    )]
    Differ {
        /// What differs.
        what: &'static str,
        /// A record, and what it has.
        one: (String, String),
        /// The other one.
        other: (String, String),
    },
    /// A cell that two records have came out differently.
    #[error(
        "{cell} has different outcomes: it is `{}` in {} and `{}` in {}; `mcp-compat show` gives the reason, with --out for each",
        .one.1, .one.0, .other.1, .other.0
    )]
    Disagree {
        /// The cell.
        cell: CellId,
        /// A record, and what the cell is in it.
        one: (String, Outcome),
        /// The other one.
        other: (String, Outcome),
    },
}
