//! End of a process: an exit status or a signal.

use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use mcp_compat_model::peer_contract::UNSUPPORTED_STATUS;
use nix::sys::signal::Signal;

/// End of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Exit status of the process.
    Status(i32),
    Signal(i32),
    /// The harness ended it, because it took more than so many bytes of memory.
    TooMuchMemory {
        limit: u64,
    },
    /// Unknown end: the system did not report it.
    Unknown,
}

impl Exit {
    /// The status that a shell gives it: its own, or 128 and the number of the signal. `None` if it is unknown.
    #[must_use]
    pub fn shell_status(self) -> Option<u8> {
        match self {
            Self::Status(status) => u8::try_from(status).ok(),
            Self::Signal(number) => u8::try_from(number.checked_add(128)?).ok(),
            Self::TooMuchMemory { .. } => u8::try_from(128 + Signal::SIGKILL as i32).ok(),
            Self::Unknown => None,
        }
    }

    /// Returns whether the status is the one that means success.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Status(0)
    }

    /// Returns whether the status is the one with which a peer says that it does not support what it was asked to be.
    #[must_use]
    pub fn says_unsupported(self) -> bool {
        self == Self::Status(UNSUPPORTED_STATUS)
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Status(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Status(status) => write!(f, "exit status {status}"),
            Self::Signal(number) => match Signal::try_from(number) {
                Ok(signal) => write!(f, "signal {number} ({signal})"),
                Err(_) => write!(f, "signal {number}"),
            },
            Self::TooMuchMemory { limit } => {
                write!(f, "it took more than {} MB of memory, so it was ended (see --peer-memory)", limit >> 20)
            }
            Self::Unknown => f.write_str("an unknown exit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_is_told_in_words() {
        assert_eq!(Exit::Status(3).to_string(), "exit status 3");
        assert_eq!(Exit::Signal(9).to_string(), "signal 9 (SIGKILL)");
    }

    #[test]
    fn only_status_127_says_unsupported() {
        assert!(Exit::Status(127).says_unsupported());
        assert!(!Exit::Status(1).says_unsupported());
        assert!(!Exit::Signal(15).says_unsupported());
    }
}
