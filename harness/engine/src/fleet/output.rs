//! What a command prints, for whoever wants to know it: bounded, and not for ever.

use std::path::Path;
use std::time::Duration;

use mcp_compat_drive::{Exit, Launch, PeerProcess};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

/// How much of the output is read.
const BYTES: u64 = 16 << 20;

/// How much of the errors is kept.
const ERROR_BYTES: usize = 8 << 10;

/// What a command printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: Exit,
}

/// Why there is none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutputError {
    #[error("could not be started: {0}")]
    NotStarted(String),
    #[error("did not end within {0:?}")]
    TookTooLong(Duration),
}

/// Runs a command to its end.
pub(crate) async fn output(words: &[String], folder: &Path, patience: Duration) -> Result<Output, OutputError> {
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
