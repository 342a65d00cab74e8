//! Messages that are too large to be read: they are nobody's violation.

use std::fmt;

use mcp_compat_json::MAX_DEPTH;

/// In what a message is larger than mcp-compat reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// It nests deeper than [`MAX_DEPTH`].
    Depth,
    /// It has more bytes than this.
    Length(u64),
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Depth => write!(f, "nests deeper than {MAX_DEPTH} levels"),
            Self::Length(limit) => write!(f, "is longer than {limit} bytes"),
        }
    }
}
