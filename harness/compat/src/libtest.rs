//! Cells as named tests: `cargo test` and nextest list, filter and run them as any others.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use mcp_compat_drive::shell_word;
use mcp_compat_model::audit::{NamedTest, TestResult};
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::Rating;

use crate::error::SuiteError;
use crate::report::Report;
use mcp_compat_reports::failure;
use mcp_compat_run::baseline::Baseline;
use mcp_compat_run::baseline_file::BaselineFile;

/// Runs one named test a cell of what `subject` is; or the one that makes its baseline anew.
pub(crate) fn main<S: Send + 'static>(
    renews: bool,
    subject: S,
    run: fn(S) -> Result<Report, SuiteError>,
    trials: fn(S) -> Result<Vec<Trial>, SuiteError>,
) -> ExitCode {
    let arguments = Arguments::from_args();
    // Whatever was selected: what cannot be run must not pass, and a baseline is made of all that there is.
    let all = || Arguments {
        filter: None,
        skip: Vec::new(),
        // What is listed as ignored is not run by nextest.
        ignored: arguments.ignored && arguments.list,
        ..arguments.clone()
    };
    if renews {
        let renew = move || {
            let report = run(subject).map_err(|error| Failed::from(error.to_string()))?;
            if let Some(renewal) = report.renewal() {
                // That nobody can be told is no reason to fail: the file says it too.
                let _ = writeln!(std::io::stderr(), "the baseline: {renewal}");
            }
            Ok(())
        };
        return libtest_mimic::run(&all(), vec![Trial::test("baseline", renew)]).exit_code();
    }
    match trials(subject) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            let refuse = move || Err(Failed::from(error.to_string()));
            libtest_mimic::run(&all(), vec![Trial::test("mcp-compat", refuse)]).exit_code()
        }
    }
}

/// Returns whether there is a baseline that this run makes anew.
pub(crate) fn renews(baseline: Option<&Path>) -> bool {
    baseline.is_some_and(|path| BaselineFile::open(path).is_ok_and(|file| file.renews()))
}

/// The command that runs a named test again.
pub(crate) fn by_name(name: &str) -> String {
    format!("cargo test -- --exact {}", shell_word(name))
}

/// A test of a server, as its runner runs it.
pub(crate) fn trial(NamedTest { name, result, text, .. }: NamedTest) -> Trial {
    Trial::ignorable_test(name, move || match result {
        TestResult::Passed => Ok(Completion::Completed),
        TestResult::Skipped => Ok(Completion::ignored_with(text)),
        TestResult::Failed => Err(text.into()),
    })
}

/// What a cell comes to as a test; `tell` gives the text of a break.
pub(crate) fn conclude(
    cell: &mut CellRecord,
    baseline: &Baseline,
    tell: impl Fn(&CellRecord) -> String,
) -> Result<Completion, Failed> {
    if let Some(stale) = baseline.settle_cells(std::slice::from_mut(cell)).first() {
        return Err(failure::of_stale(stale).into());
    }
    match cell.rating {
        Rating::Skipped => Ok(Completion::ignored_with(cell.reason.clone())),
        Rating::Breaks if cell.known.is_none() => Err(tell(cell).into()),
        Rating::Works | Rating::Degraded | Rating::Breaks => Ok(Completion::Completed),
    }
}
