//! Why a compact run cannot be written or read.

use std::io;

/// Why a compact run cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CompactError {
    /// It is no compact run at all.
    #[error("it is not a compact run of mcp-compat: {0}")]
    Foreign(String),
    /// It was written by a later version.
    #[error("it is of format {found}; this version of mcp-compat reads up to {}: update mcp-compat", super::VERSION)]
    Newer {
        /// Its format.
        found: u32,
    },
    /// It is cut off, or a byte of it has changed.
    #[error("it is cut off or damaged ({0}): copy it again")]
    Damaged(io::Error),
    /// Its content is not what was written.
    #[error("it is damaged: its content does not have the digest that its first line states. Copy it again")]
    Digest,
    /// It has something after its end.
    #[error("it is damaged: something follows its end. Copy it again")]
    Trailing,
    /// It is larger than any run.
    #[error("it has too many {0} for a run")]
    TooLarge(&'static str),
    /// Its content is not that of a run.
    #[error("its content is not that of a run: {0}")]
    Syntax(serde_json::Error),
    /// A cell names something that is not there.
    #[error("cell {} has the {what} {number}, which does not exist", .cell + 1)]
    NoValue {
        /// What it names.
        what: &'static str,
        /// The cell, from 0.
        cell: usize,
        /// The number of the value.
        number: u32,
    },
    /// The run contradicts itself.
    #[error("the run contradicts itself: {0}")]
    Unsound(String),
}
