//! Turns cells into named tests, which `cargo test` and nextest list, filter and run like any other.

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

/// Runs a named test for each cell of `subject`, or the single test that rewrites its baseline.
pub(crate) fn main<S: Send + 'static>(
    renews: bool,
    subject: S,
    run: fn(S) -> Result<Report, SuiteError>,
    trials: fn(S) -> Result<Vec<Trial>, SuiteError>,
) -> ExitCode {
    let arguments = Arguments::from_args();
    // Ignores the selection: an error must not pass, and a baseline is made from all cells.
    let all = || Arguments {
        filter: None,
        skip: Vec::new(),
        // nextest does not run a test that is listed as ignored.
        ignored: arguments.ignored && arguments.list,
        ..arguments.clone()
    };
    if renews {
        let renew = move || {
            let report = run(subject).map_err(|error| Failed::from(error.to_string()))?;
            if let Some(renewal) = report.renewal() {
                // A failure to print is ignored, because the file shows the same.
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

/// Returns whether this run rewrites its baseline.
pub(crate) fn renews(baseline: Option<&Path>) -> bool {
    baseline.is_some_and(|path| BaselineFile::open(path).is_ok_and(|file| file.renews()))
}

/// Returns the command that runs a named test again.
pub(crate) fn by_name(name: &str) -> String {
    format!("cargo test -- --exact {}", shell_word(name))
}

/// Converts a test of a server for its runner.
pub(crate) fn trial(NamedTest { name, result, text, .. }: NamedTest) -> Trial {
    Trial::ignorable_test(name, move || match result {
        TestResult::Passed => Ok(Completion::Completed),
        TestResult::Skipped => Ok(Completion::ignored_with(text)),
        TestResult::Failed => Err(text.into()),
    })
}

/// Returns the result of a cell as a test; `describe` returns the text of a break.
pub(crate) fn conclude(
    cell: &mut CellRecord,
    baseline: &Baseline,
    describe: impl Fn(&CellRecord) -> String,
) -> Result<Completion, Failed> {
    if let Some(stale) = baseline.settle_cells(std::slice::from_mut(cell)).first() {
        return Err(failure::of_stale(&stale.to_string()).into());
    }
    match cell.rating {
        Rating::Skipped => Ok(Completion::ignored_with(cell.reason.clone())),
        Rating::Breaks if cell.known.is_none() => Err(describe(cell).into()),
        Rating::Works | Rating::Degraded | Rating::Breaks => Ok(Completion::Completed),
    }
}
