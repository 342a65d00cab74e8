//! Interruptions: Ctrl-C, and the signals with which CI systems and closing terminals mean the same.

use tokio::signal::unix::{Signal, SignalKind, signal};

use mcp_compat::HostError;

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

    /// Waits for the next one.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}
