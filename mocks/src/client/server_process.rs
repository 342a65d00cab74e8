//! A server that the client starts itself, as the leader of a process group that ends with it.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::client::stream_wire::{ByteStream, Connector};
use crate::client::wire::BoxFuture;

/// Time that a server may take to exit after its input has ended, and again after it was asked to terminate.
const LEAVING: Duration = Duration::from_secs(5);

/// Reason why a server could not be started.
#[derive(Debug, thiserror::Error)]
enum StartError {
    #[error("the server's command is empty")]
    Empty,
    #[error("starting the server {program:?} failed: {error}")]
    Refused {
        /// Program that was to be started.
        program: String,
        /// Reason of the failure.
        error: std::io::Error,
    },
}

/// A server that is started for each connection.
pub(crate) struct ServerProcess<'a> {
    command: &'a [String],
    env: &'a BTreeMap<String, String>,
    running: Option<Process>,
}

impl<'a> ServerProcess<'a> {
    /// A server that is not running yet.
    pub(crate) const fn new(command: &'a [String], env: &'a BTreeMap<String, String>) -> Self {
        Self { command, env, running: None }
    }

    /// Waits for the server to exit, and kills it if it does not. Its input must be closed before.
    pub(crate) async fn stop(&mut self) {
        if let Some(mut process) = self.running.take() {
            process.stop().await;
        }
    }
}

impl Connector for ServerProcess<'_> {
    fn connect(&mut self) -> BoxFuture<'_, Result<ByteStream<'static>, String>> {
        Box::pin(async move {
            self.stop().await;
            let server = start(self.command, self.env).map_err(|error| error.to_string())?;
            self.running = Some(server.process);
            Ok(ByteStream::new(server.stdout, server.stdin))
        })
    }
}

/// A running server.
struct Server {
    process: Process,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

/// A process and whatever it has started. Nothing of it survives this value.
struct Process {
    child: Child,
    /// The process group, until it is gone.
    group: Option<u32>,
}

/// Starts a server. What it writes to its standard error goes where the client's own goes.
///
/// # Errors
/// When it cannot be started.
fn start(command: &[String], env: &BTreeMap<String, String>) -> Result<Server, StartError> {
    let (program, arguments) = command.split_first().ok_or(StartError::Empty)?;
    let refused = |error| StartError::Refused { program: program.clone(), error };
    let mut command = Command::new(program);
    command.args(arguments).envs(env).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().map_err(refused)?;
    let group = child.id();
    match (child.stdin.take(), child.stdout.take()) {
        (Some(stdin), Some(stdout)) => Ok(Server { process: Process { child, group }, stdin, stdout }),
        (None, _) | (_, None) => Err(refused(std::io::Error::other("no pipes to the process"))),
    }
}

impl Process {
    /// Waits for the server to exit, asks it to terminate if it does not, and kills it at last. Its input must be closed
    /// before. <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio>
    async fn stop(&mut self) {
        if timeout(LEAVING, self.child.wait()).await.is_err() {
            self.signal_group(Ending::Terminate);
            let _ = timeout(LEAVING, self.child.wait()).await;
        }
        self.kill_group();
        let _ = timeout(LEAVING, self.child.wait()).await;
    }

    fn kill_group(&mut self) {
        self.signal_group(Ending::Kill);
        self.group = None;
        let _ = self.child.start_kill();
    }

    #[cfg(unix)]
    fn signal_group(&self, ending: Ending) {
        use nix::sys::signal::{Signal, killpg};
        let signal = match ending {
            Ending::Terminate => Signal::SIGTERM,
            Ending::Kill => Signal::SIGKILL,
        };
        if let Some(group) = self.group.and_then(|group| i32::try_from(group).ok()) {
            // It fails when nothing of the group is left, which is what is wanted.
            let _ = killpg(nix::unistd::Pid::from_raw(group), signal);
        }
    }

    #[cfg(not(unix))]
    fn signal_group(&self, _: Ending) {}
}

/// Ways to end a process.
#[derive(Clone, Copy)]
enum Ending {
    Terminate,
    Kill,
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.group.is_some() {
            self.kill_group();
        }
    }
}
