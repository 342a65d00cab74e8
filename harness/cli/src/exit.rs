//! Exit statuses, and what is said before each.

use std::process::ExitCode;

use anstream::eprintln;
use mcp_compat::HostError;

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: nothing unexpected.
    Success,
    /// 1: a new break, a stale baseline entry, or a peer that could not take part.
    Breaks,
    /// 2: the user's input is wrong.
    Usage,
    /// 3: the harness itself failed.
    Harness,
    /// 130: interrupted; what was measured is reported.
    Interrupted,
    /// Whatever a scenario tells a mock server to end with.
    AsScripted(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::Breaks => 1,
            Exit::Usage => 2,
            Exit::Harness => 3,
            Exit::Interrupted => 130,
            Exit::AsScripted(status) => status,
        })
    }
}

impl Exit {
    /// Says what went wrong, and whose turn it is.
    pub(crate) fn from_error(error: anyhow::Error) -> Self {
        eprintln!("error: {error:#}");
        if error.downcast_ref::<HostError>().is_some() { Self::Harness } else { Self::Usage }
    }
}

