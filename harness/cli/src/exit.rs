//! Exit statuses, and what is said before each.

use std::fmt;
use std::io::ErrorKind;
use std::process::ExitCode;

use crate::inputs::nothing_there;
use mcp_compat_audit::probe::ProbeError;
use mcp_compat_audit::server::AuditError;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::glob::{NothingMatches, SelectError};
use mcp_compat_run::request::RequestError;
use mcp_compat_scenario::Diagnostics;

use crate::output::{self, eprint, eprintln};
use crate::terminal;

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: nothing unexpected.
    Success,
    /// 1: a new break, a stale baseline entry, a peer that could not be installed, or time that ran out.
    Breaks,
    /// 2: the user's input is wrong.
    Usage,
    /// 3: the harness itself failed.
    Harness,
    /// 130: interrupted; what was measured is reported.
    Interrupted,
    /// The status of a server in whose place this program is: a mock server, or one that is recorded.
    OfServer(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}

impl Exit {
    /// The exit status of the process.
    pub(crate) fn status(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Breaks => 1,
            Self::Usage => 2,
            Self::Harness => 3,
            Self::Interrupted => 130,
            Self::OfServer(status) => status,
        }
    }

    /// The end of a command, with regard to whether its results could be printed.
    ///
    /// If the reader of a pipe has gone, as `head` goes, it has what it wanted: the end is as if all had been read.
    pub(crate) fn if_printed(self) -> Self {
        let Some(error) = output::failure().filter(|error| error.kind() != ErrorKind::BrokenPipe) else { return self };
        eprintln!("error: cannot write the result to standard output: {error}");
        Self::Harness
    }

    /// Says what went wrong, and whose turn it is.
    pub(crate) fn from_error(error: anyhow::Error) -> Self {
        if let Some(mistakes) = error.downcast_ref::<Diagnostics>() {
            // The mistakes are shown with their excerpts, not with the chain of causes.
            eprint!("error: {error}\n\n{}", mistakes.render_within(terminal::width_of_errors(), true));
        } else if let Some(nothing) = nothing_matches(&error) {
            eprintln!("error: {}", nothing_there::told(nothing));
        } else {
            eprintln!("error: {error:#}");
        }
        if let Some(obstacle) = of_probe(&error).and_then(ProbeError::obstacle) {
            eprintln!("{}", obstacle.next_step());
        }
        if is_ours(&error) { Self::Harness } else { Self::Usage }
    }
}

/// Announces that an interrupted command still reports what it has.
pub(crate) const ENDING: &str = "interrupted: ending all processes; a second interrupt ends at once";

/// Announces that an interrupted command can be given again.
pub(crate) const RESUMABLE: &str = "interrupted: what was finished stays, and the same command continues from there";

/// What the harness could not do, though nothing was wrong with its input; the context of an error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HarnessFailed(pub(crate) &'static str);

impl fmt::Display for HarnessFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mcp-compat itself failed at {}", self.0)
    }
}

/// Returns the reason why a server could not be probed, if that is the error.
fn of_probe(error: &anyhow::Error) -> Option<&ProbeError> {
    match error.downcast_ref() {
        Some(AuditError::Probe(error)) => Some(error),
        Some(
            AuditError::Select(_)
            | AuditError::Destructive { .. }
            | AuditError::CalledInTwoWays { .. }
            | AuditError::Arguments { .. }
            | AuditError::NoRealClient(_)
            | AuditError::Interrupted
            | AuditError::Host(_)
            | AuditError::StandIn(_),
        )
        | None => error.downcast_ref(),
    }
}

/// Returns whether it is the harness that failed, and not what it was given.
fn is_ours(error: &anyhow::Error) -> bool {
    let of_audit = matches!(error.downcast_ref(), Some(AuditError::Host(_) | AuditError::StandIn(_)));
    let of_probe = matches!(of_probe(error), Some(ProbeError::Host(_)));
    error.is::<HarnessError>() || error.is::<HarnessFailed>() || of_probe || of_audit
}

fn nothing_matches(error: &anyhow::Error) -> Option<&NothingMatches> {
    match error.downcast_ref::<RequestError>() {
        Some(RequestError::Select(SelectError::Nothing(nothing))) => Some(nothing),
        Some(RequestError::Select(SelectError::Bad(_)) | RequestError::Empty(_) | RequestError::Baseline(_)) | None => {
            match error.downcast_ref::<SelectError>() {
                Some(SelectError::Nothing(nothing)) => Some(nothing),
                Some(SelectError::Bad(_)) | None => error.downcast_ref(),
            }
        }
    }
}
