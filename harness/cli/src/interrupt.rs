//! Interruptions: Ctrl-C, and the signals with which CI systems and closing terminals mean the same.

use std::time::Duration;

use anstream::eprintln;
use mcp_compat::HostError;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::exit::Exit;

/// How long what is still running may take to go once a command has its result.
pub(crate) const LAST_MOMENTS: Duration = Duration::from_secs(2);

/// Listens for interruptions, from its making on.
pub(crate) struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Interrupts {
    /// From here on an interruption no longer ends the process by itself.
    pub(crate) fn listen() -> Result<Self, HostError> {
        let listen = |kind| signal(kind).map_err(|error| HostError::System { what: "its signals", error });
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for two of them: the first one tells `stop` to end in good order, after the second one nobody waits.
    pub(crate) async fn twice(mut self, stop: watch::Sender<bool>, say: impl Fn(&str)) {
        self.next().await;
        say("interrupted: ending what is running; once more ends at once");
        stop.send_replace(true);
        self.next().await;
    }

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// Works until the end, or until somebody interrupts: then what was started ends, with all that it started.
pub(crate) fn interruptible(work: impl Future<Output = anyhow::Result<Exit>>) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| HostError::System { what: "threads", error })?;
    let exit = runtime.block_on(async {
        let mut interrupts = Interrupts::listen()?;
        tokio::select! {
            exit = work => exit,
            () = interrupts.next() => {
                eprintln!("interrupted: what was finished stays, and the same command goes on from there");
                Ok(Exit::Interrupted)
            }
        }
    });
    runtime.shutdown_timeout(LAST_MOMENTS);
    exit
}
