//! Runs a command to its end and returns what it printed, within bounds of size and time.

use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use crate::process::{Exit, Launch, PeerProcess};
use tokio::io::{AsyncReadExt as _, copy, sink};
use tokio::time::{Instant, interval_at, timeout};

/// Largest part of the output that is kept.
const BYTES: u64 = 16 << 20;

/// Largest part of the errors that is kept.
const ERROR_BYTES: usize = 8 << 10;

/// Output of a command, and its end.
#[derive(Debug)]
pub struct Output {
    /// Standard output, up to 16 MiB.
    pub stdout: String,
    /// The end of what it wrote to standard error.
    pub stderr: String,
    pub exit: Exit,
}

/// Reason why there is none.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error("could not be started: {0}")]
    NotStarted(String),
    #[error("did not end within {0:?}")]
    TookTooLong(Duration),
}

/// Reports that a command is still running.
pub struct OutputReport<'r> {
    /// Interval between reports.
    pub every: Duration,
    /// Function to call with the running time of the command and the last line of its standard error, which may be
    /// empty.
    pub to: &'r (dyn Fn(Duration, &str) + Sync),
}

/// Runs a command to its end, with empty standard input.
///
/// # Errors
/// When it cannot be started, or does not end within `time_limit`.
pub async fn output(words: &[String], folder: &Path, time_limit: Duration) -> Result<Output, OutputError> {
    // The command ends before the first report.
    let report = OutputReport { every: time_limit.max(Duration::from_millis(1)) * 2, to: &|_, _| {} };
    output_with_reports(words, folder, time_limit, report).await
}

/// Runs a command to its end as [`output`] does, and reports on it as long as it runs.
///
/// # Errors
/// When it cannot be started, or does not end within `time_limit`.
pub async fn output_with_reports(
    words: &[String],
    folder: &Path,
    time_limit: Duration,
    report: OutputReport<'_>,
) -> Result<Output, OutputError> {
    let (program, arguments) = words.split_first().map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let launch = Launch::new(program).args(arguments).cwd(folder);
    let mut process =
        PeerProcess::spawn(&launch, ERROR_BYTES).map_err(|error| OutputError::NotStarted(error.reason))?;
    drop(process.take_stdin());
    let read = async {
        let began = Instant::now();
        let mut reports = interval_at(began + report.every, report.every);
        let mut bytes = Vec::new();
        if let Some(stdout) = process.take_stdout() {
            // Excess output is read and discarded: a command whose pipe is closed would end.
            let mut reading = pin!(async {
                let mut stdout = stdout;
                let kept = (&mut stdout).take(BYTES).read_to_end(&mut bytes).await;
                kept.and(copy(&mut stdout, &mut sink()).await)
            });
            loop {
                tokio::select! {
                    _ = &mut reading => break,
                    _ = reports.tick() => {
                        let log = process.log_tail();
                        (report.to)(began.elapsed(), log.lines().next_back().unwrap_or_default().trim());
                    }
                }
            }
        }
        let exit = process.wait().await;
        (String::from_utf8_lossy(&bytes).into_owned(), exit)
    };
    let (stdout, exit) = timeout(time_limit, read).await.map_err(|_| OutputError::TookTooLong(time_limit))?;
    Ok(Output { stdout, stderr: process.log_tail(), exit })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[tokio::test]
    async fn a_command_that_prints_too_much_ends_well() {
        let words = ["sh", "-c", "head -c 20000000 /dev/zero && echo written >&2"].map(ToOwned::to_owned);
        let ran = output(&words, Path::new("/"), Duration::from_secs(60)).await.unwrap();
        assert_eq!((ran.stdout.len() as u64, ran.exit.is_success()), (BYTES, true));
        assert_eq!(ran.stderr.trim(), "written");
    }

    #[tokio::test]
    async fn a_command_is_reported_on_as_long_as_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        let script = "echo Compiling it >&2; while test ! -e go; do sleep 0.02; done; echo done";
        let words = ["sh", "-c", script].map(ToOwned::to_owned);
        let seen = Mutex::new(Vec::new());
        let report = |elapsed: Duration, line: &str| {
            assert!(elapsed >= Duration::from_millis(20));
            let mut seen = seen.lock().unwrap();
            seen.push(line.to_owned());
            if line == "Compiling it" {
                std::fs::write(folder.path().join("go"), "").unwrap();
            }
        };
        let report = OutputReport { every: Duration::from_millis(20), to: &report };
        let ran = output_with_reports(&words, folder.path(), Duration::from_secs(30), report).await.unwrap();
        assert_eq!(ran.stdout, "done\n");
        assert!(seen.lock().unwrap().iter().any(|line| line == "Compiling it"));
    }
}
