//! Runs a command to its end and returns what it printed, within bounds of size and time.

use std::path::Path;
use std::time::Duration;

use crate::exit::Exit;
use crate::process::{Launch, PeerProcess};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

/// How much of the output is read.
const BYTES: u64 = 16 << 20;

/// How much of the errors is kept.
const ERROR_BYTES: usize = 8 << 10;

/// What a command printed, and how it ended.
#[derive(Debug)]
pub struct Output {
    /// What it wrote to standard output, up to 16 MiB.
    pub stdout: String,
    /// The end of what it wrote to standard error.
    pub stderr: String,
    /// How it ended.
    pub exit: Exit,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// It could not be started.
    #[error("could not be started: {0}")]
    NotStarted(String),
    /// It took too long, and was killed.
    #[error("did not end within {0:?}")]
    TookTooLong(Duration),
}

/// Runs a command to its end, with empty standard input.
///
/// # Errors
/// When it cannot be started, or does not end within `patience`.
pub async fn output(words: &[String], folder: &Path, patience: Duration) -> Result<Output, OutputError> {
    let (program, arguments) = words.split_first().map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let launch = Launch::new(program).args(arguments).cwd(folder);
    let mut process =
        PeerProcess::spawn(&launch, ERROR_BYTES).map_err(|error| OutputError::NotStarted(error.reason))?;
    drop(process.take_stdin());
    let read = async {
        let mut bytes = Vec::new();
        if let Some(stdout) = process.take_stdout() {
            let _ = stdout.take(BYTES).read_to_end(&mut bytes).await;
        }
        let exit = process.wait().await;
        (String::from_utf8_lossy(&bytes).into_owned(), exit)
    };
    let (stdout, exit) = timeout(patience, read).await.map_err(|_| OutputError::TookTooLong(patience))?;
    Ok(Output { stdout, stderr: process.log_tail(), exit })
}
