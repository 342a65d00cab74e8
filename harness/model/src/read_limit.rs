//! Limits of reading: larger messages are not read.

use mcp_compat_json::{JsonErrorKind, MAX_DEPTH, MAX_VALUES};

use crate::Role;
use crate::count::thousands;

/// In what a message is larger than mcp-compat reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadLimit {
    /// It nests deeper than [`MAX_DEPTH`].
    Depth,
    /// It has more than [`MAX_VALUES`] values.
    Values,
    /// It has more bytes than this.
    Length(u64),
    /// With all before it, its sender sent more bytes than this.
    Together(u64),
    /// With all before it, its sender sent more than [`MAX_VALUES_TOGETHER`] values.
    ValuesTogether,
    /// With all before it, its sender sent more than [`MAX_MESSAGES`] messages.
    Messages,
}

/// The most values that are read of one side of a session, in all its messages. Read, they take from forty
/// to a hundred bytes each.
pub const MAX_VALUES_TOGETHER: usize = 2 * MAX_VALUES;

/// The most messages that are read of one side of a session. A batch may have one for every two bytes.
pub const MAX_MESSAGES: usize = 200_000;

impl ReadLimit {
    /// The excess that keeps a text from being read as JSON. `None` where it is no JSON.
    #[must_use]
    pub fn of_json(kind: JsonErrorKind) -> Option<Self> {
        if kind == JsonErrorKind::TooDeep {
            Some(Self::Depth)
        } else if kind == JsonErrorKind::TooManyValues {
            Some(Self::Values)
        } else {
            None
        }
    }

    /// Returns true if all messages of its sender are too much together.
    #[must_use]
    pub const fn is_of_all(self) -> bool {
        matches!(self, Self::Together(_) | Self::ValuesTogether | Self::Messages)
    }

    /// Sentence about what was too large: subject and predicate.
    #[must_use]
    pub fn of(self, from: Role) -> String {
        match self {
            Self::Depth => format!("a message of the {from} nests deeper than {MAX_DEPTH} levels"),
            Self::Values => format!("a message of the {from} has more than {} values", thousands(MAX_VALUES as u64)),
            Self::Length(limit) => format!("a message of the {from} is longer than {}", size(limit)),
            Self::Together(limit) => format!("the messages of the {from} have more than {} together", size(limit)),
            Self::ValuesTogether => {
                let most = thousands(MAX_VALUES_TOGETHER as u64);
                format!("the messages of the {from} have more than {most} values together")
            }
            Self::Messages => format!("the {from} sent more than {} messages", thousands(MAX_MESSAGES as u64)),
        }
    }
}

/// A limit in bytes, in megabytes where it is a whole number of them.
fn size(bytes: u64) -> String {
    match bytes % (1 << 20) {
        0 => format!("{} MB", bytes >> 20),
        _ => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_named_with_its_limit() {
        assert_eq!(ReadLimit::Depth.of(Role::Client), "a message of the client nests deeper than 1024 levels");
        assert_eq!(ReadLimit::Values.of(Role::Server), "a message of the server has more than 1,000,000 values");
        assert_eq!(ReadLimit::Length(1_000).of(Role::Server), "a message of the server is longer than 1000 bytes");
        let together = ReadLimit::Together(64 << 20).of(Role::Server);
        assert_eq!(together, "the messages of the server have more than 64 MB together");
        let values = ReadLimit::ValuesTogether.of(Role::Client);
        assert_eq!(values, "the messages of the client have more than 2,000,000 values together");
        assert_eq!(ReadLimit::Messages.of(Role::Server), "the server sent more than 200,000 messages");
    }
}
