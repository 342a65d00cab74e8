//! Runs a client that is only a command: one process for one session. All that is known of it is its exit status, its
//! output, and what the proxy recorded.

use std::process::Stdio;
use std::time::Duration;

use mcp_compat_model::Role;
use mcp_compat_model::transcript::Event;
use tokio::time::timeout;

use crate::log::Log;
use crate::process::{Exit, Launch, PeerProcess, SpawnError};
use crate::tap::Tap;

/// Longest time that such a process may take to end once it is asked to.
const GRACE: Duration = Duration::from_millis(300);

/// Longest time that its output may stay open after its end.
const OUTPUT_TIMEOUT: Duration = Duration::from_millis(100);

/// End of a client that is only a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandEnd {
    /// `None` if the harness had to end it.
    pub exit: Option<Exit>,
    /// The end of what it wrote to its standard error, or to its standard output where that is empty.
    pub words: String,
    /// The end of what it wrote to its standard output.
    pub output: String,
}

/// Most bytes of the standard output that are kept.
const OUTPUT_BYTES: usize = 1 << 20;

/// Runs a client until it ends, at most for `time_limit`, and records its end in the tap. Its whole process group ends
/// with it.
///
/// # Errors
/// When the system cannot start it.
pub async fn run_client(launch: &Launch, tap: &Tap, time_limit: Duration) -> Result<CommandEnd, SpawnError> {
    let kept = tap.limits().stderr_bytes;
    let mut process = PeerProcess::spawn_reading(launch, kept, Stdio::null())?;
    // A full pipe would keep it from ending.
    let mut output = process.take_stdout().map(|output| Log::of(output, OUTPUT_BYTES, None));
    let exit = match timeout(time_limit, process.wait()).await {
        Ok(exit) => {
            tap.event(Role::Client, Event::Exited { how: exit.to_string() });
            Some(exit)
        }
        Err(_) => {
            let stage = process.stop(GRACE).await;
            tap.event(Role::Client, Event::Stopped { stage });
            None
        }
    };
    let output = match &mut output {
        Some(output) => {
            output.settle(OUTPUT_TIMEOUT).await;
            output.tail()
        }
        None => String::new(),
    };
    let log = process.log_tail();
    let words = if log.trim().is_empty() { end_of(&output, kept).to_owned() } else { log };
    Ok(CommandEnd { exit, words, output })
}

/// The end of a text, of at most this many bytes.
fn end_of(text: &str, bytes: usize) -> &str {
    let start = text.len().saturating_sub(bytes);
    let start = (start..=text.len()).find(|place| text.is_char_boundary(*place)).unwrap_or(text.len());
    &text[start..]
}
