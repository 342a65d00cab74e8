//! Why not all of the planned steps were begun.

use std::fmt;

/// Why a session, or the audit, ended before all of its steps were begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedEarly {
    /// The time of the audit was over.
    TimeOver,
    /// The results of the session had too many bytes together.
    TooManyBytes,
    /// The user ended the audit.
    Interrupted,
}

impl fmt::Display for EndedEarly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimeOver => "the time of the audit was over",
            Self::TooManyBytes => "the results before it have more than 8 MB together",
            Self::Interrupted => "the audit was interrupted",
        })
    }
}
