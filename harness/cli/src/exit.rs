//! Exit statuses, and the message that is printed before each.

use std::fmt;
use std::io::ErrorKind;
use std::process::ExitCode;

use mcp_compat_audit::probe::ProbeError;
use mcp_compat_audit::server::AuditError;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::glob::{NothingMatches, SelectError};
use mcp_compat_run::request::RequestError;
use mcp_compat_scenario::Diagnostics;

use crate::inputs::no_match;
use crate::output::{self, eprint, eprintln};
use crate::terminal;

/// Exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
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
    /// Status of the server that this program stands in for: a mock server, or one that is recorded.
    OfServer(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}

impl Exit {
    /// Returns the exit status of the process.
    pub fn status(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Breaks => 1,
            Self::Usage => 2,
            Self::Harness => 3,
            Self::Interrupted => 130,
            Self::OfServer(status) => status,
        }
    }

    /// Returns `Harness` if the results could not be printed, otherwise this status.
    ///
    /// A closed pipe is no failure: a reader such as `head` ends when it has what it wanted.
    pub fn if_printed(self) -> Self {
        let Some(error) = output::failure().filter(|error| error.kind() != ErrorKind::BrokenPipe) else { return self };
        eprintln!("error: cannot write the result to standard output: {error}");
        Self::Harness
    }

    /// Prints an error with its next step, and returns the status for it.
    pub fn from_error(error: anyhow::Error) -> Self {
        if let Some(mistakes) = error.downcast_ref::<Diagnostics>() {
            // The mistakes are shown with their excerpts, not with the chain of causes.
            eprint!("error: {error}\n\n{}", mistakes.render_within(terminal::width_of_errors(), true));
        } else if let Some(nothing) = nothing_matches(&error) {
            eprintln!("error: {}", no_match::message(nothing));
        } else {
            eprintln!("error: {error:#}");
        }
        if let Some(obstacle) = of_probe(&error).and_then(ProbeError::obstacle) {
            eprintln!("{}", obstacle.next_step());
        }
        if is_ours(&error) { Self::Harness } else { Self::Usage }
    }
}

/// Notice that an interrupted command still reports its partial result.
pub const ENDING: &str = "interrupted: ending all processes; a second interrupt ends at once";

/// Notice that an interrupted command can be repeated.
pub const RESUMABLE: &str = "interrupted: what was finished stays, and the same command continues from there";

/// Step at which the harness failed although its input was valid; the context of an error.
#[derive(Clone, Copy, Debug)]
pub struct HarnessFailed(pub &'static str);

impl fmt::Display for HarnessFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mcp-compat itself failed at {}", self.0)
    }
}

/// Returns the error of a server that could not be probed, if it is one.
fn of_probe(error: &anyhow::Error) -> Option<&ProbeError> {
    if let Some(AuditError::Probe(error)) = error.downcast_ref() { Some(error) } else { error.downcast_ref() }
}

/// Returns whether the harness failed, rather than its input.
fn is_ours(error: &anyhow::Error) -> bool {
    let of_audit = matches!(error.downcast_ref(), Some(AuditError::Host(_) | AuditError::StandIn(_)));
    let of_probe = matches!(of_probe(error), Some(ProbeError::Host(_)));
    error.is::<HarnessError>() || error.is::<HarnessFailed>() || of_probe || of_audit
}

fn nothing_matches(error: &anyhow::Error) -> Option<&NothingMatches> {
    if let Some(RequestError::Select(SelectError::Nothing(nothing))) = error.downcast_ref() {
        return Some(nothing);
    }
    if let Some(SelectError::Nothing(nothing)) = error.downcast_ref() { Some(nothing) } else { error.downcast_ref() }
}
