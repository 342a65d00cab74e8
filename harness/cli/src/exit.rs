//! Exit statuses, and the message that is printed before each.

use std::collections::BTreeSet;
use std::fmt;
use std::io::ErrorKind;
use std::process::ExitCode;

use mcp_compat_audit::client_audit::ClientAuditError;
use mcp_compat_audit::probe::ProbeError;
use mcp_compat_audit::server::AuditError;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::glob::{NothingMatches, SelectError};
use mcp_compat_run::request::RequestError;
use mcp_compat_run::store::StoreError;
use mcp_compat_scenario::Diagnostics;

use crate::output::{self, eprint, eprintln};
use crate::terminal;

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
            eprintln!("error: {}", message(nothing));
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
    let of_client_audit = matches!(error.downcast_ref(), Some(ClientAuditError::Host(_)));
    let of_probe = matches!(of_probe(error), Some(ProbeError::Host(_)));
    let of_store = matches!(error.downcast_ref(), Some(StoreError::Write { error, .. }) if is_of_machine(error));
    let of_machine = of_store || error.chain().any(|cause| cause.downcast_ref().is_some_and(is_of_machine));
    error.is::<HarnessError>() || error.is::<HarnessFailed>() || of_probe || of_audit || of_client_audit || of_machine
}

/// Returns whether the machine has no room or no descriptor left, which no argument of a command can change.
fn is_of_machine(error: &std::io::Error) -> bool {
    let kinds = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::OutOfMemory, ErrorKind::WouldBlock];
    // EMFILE and ENFILE have no kind.
    kinds.contains(&error.kind()) || matches!(error.raw_os_error(), Some(23 | 24))
}

fn nothing_matches(error: &anyhow::Error) -> Option<&NothingMatches> {
    if let Some(RequestError::Select(SelectError::Nothing(nothing))) = error.downcast_ref() {
        return Some(nothing);
    }
    if let Some(SelectError::Nothing(nothing)) = error.downcast_ref() { Some(nothing) } else { error.downcast_ref() }
}

/// Number of names that are listed one by one.
const MOST_NAMES: usize = 40;

/// Width of the lines with names.
const WIDTH: usize = 78;

/// Returns the message for a name that matches nothing: the pattern, the nearest name, and the known names, or patterns
/// for them if there are many.
fn message(nothing: &NothingMatches) -> String {
    let NothingMatches { kind, pattern, known, .. } = nothing;
    let first = nothing.what();
    if known.is_empty() {
        return first;
    }
    let (names, note) = if known.len() > MOST_NAMES && known.iter().any(|name| name.contains('/')) {
        let listed = if *kind == "scenario" { "; `mcp-compat show scenarios` names them" } else { "" };
        (classes(known), format!(" ({}{listed})", known.len()))
    } else {
        (known.clone(), String::new())
    };
    // The members of a family that was read from a file begin with the name of the file.
    let is_known = known.iter().any(|name| name.starts_with(pattern));
    let is_file = *kind == "scenario" && pattern.ends_with(".toml") && !is_known;
    let file = if is_file { "\na file is given with --scenarios, and --scenario chooses from it by name" } else { "" };
    format!("{first}{file}\nthere are{note}:\n{}", in_columns(&names))
}

/// Replaces the names in a class by a pattern such as `root-type/*`; names without a class stay.
fn classes(names: &[String]) -> Vec<String> {
    let class = |name: &String| name.split_once('/').map_or_else(|| name.clone(), |(class, _)| format!("{class}/*"));
    names.iter().map(class).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Lays names out in as many columns as fit, filled downwards.
fn in_columns(names: &[String]) -> String {
    let column = names.iter().map(String::len).max().unwrap_or(0) + 2;
    let rows = names.len().div_ceil((WIDTH / column).max(1));
    let row = |row: usize| {
        let names = names.iter().skip(row).step_by(rows);
        let line: String = names.map(|name| format!("  {name:<width$}", width = column - 2)).collect();
        line.trim_end().to_owned()
    };
    (0..rows).map(row).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(kind: &'static str, known: &[String]) -> NothingMatches {
        NothingMatches { kind, pattern: "x.toml".to_owned(), nearest: None, known: known.to_vec(), family: None }
    }

    #[test]
    fn a_full_disk_is_no_mistake_of_the_user() {
        let error = |kind: ErrorKind| anyhow::Error::from(std::io::Error::from(kind)).context("cannot write report.md");
        assert!(is_ours(&error(ErrorKind::StorageFull)));
        assert!(!is_ours(&error(ErrorKind::PermissionDenied)));
        assert!(is_ours(&std::io::Error::from_raw_os_error(24).into()));
    }

    #[test]
    fn a_few_names_are_told_in_columns() {
        let known: Vec<String> = (1..=5).map(|number| format!("mock/a-name-of-some-length-{number}")).collect();
        let expected = "no client matches \"x.toml\"\nthere are:\n\
                        \x20 mock/a-name-of-some-length-1  mock/a-name-of-some-length-4\n\
                        \x20 mock/a-name-of-some-length-2  mock/a-name-of-some-length-5\n\
                        \x20 mock/a-name-of-some-length-3";
        assert_eq!(message(&nothing("client", &known)), expected);
    }

    #[test]
    fn many_names_are_told_by_the_patterns_that_take_them() {
        let many = (0..60).map(|number| format!("class-{}/{number}", number % 2));
        let known: Vec<String> = many.chain(["own".to_owned()]).collect();
        let expected = "no scenario matches \"x.toml\"\n\
                        a file is given with --scenarios, and --scenario chooses from it by name\n\
                        there are (61; `mcp-compat show scenarios` names them):\n\
                        \x20 class-0/*  class-1/*  own";
        assert_eq!(message(&nothing("scenario", &known)), expected);
    }

    #[test]
    fn a_family_in_a_file_that_was_read_needs_no_other_option() {
        let known = ["x.toml[a]", "x.toml[b]"].map(str::to_owned);
        assert!(!message(&nothing("scenario", &known)).contains("--scenarios"));
    }
}
