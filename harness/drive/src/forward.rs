//! Stands in for a server: forwards everything between a client and the real server, and records it.
//!
//! ```text
//!   client ── our stdin ──> tap ──> the server's stdin
//!   client <── our stdout ── tap <── the server's stdout
//! ```
//!
//! When one side ends, the other gets some time to finish. Then the process ends with everything it started. A signal is
//! passed on.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use mcp_compat_model::Role;
use mcp_compat_model::transcript::{Event, StopStage};
use nix::sys::signal::Signal;
use tokio::time::timeout;

use crate::carrier::{Carrier, Stop};
use crate::process::{Exit, PeerProcess};
use crate::tap::Tap;

/// Longest time that the rest of the output of an ended process may take: a child that it left behind may hold it open.
const DRAIN_TIME: Duration = Duration::from_millis(250);

/// Longest time that each step of the end may take after a signal: whoever sent it does not wait for long.
const SIGNALLED_GRACE: Duration = Duration::from_millis(400);

/// Forwards bytes between a client, given as (what it writes, what it reads), and a server whose streams were not taken
/// yet, until one of them ends or `signalled` completes with a signal, which the server gets. The server then has `grace`
/// for each step of its end. Returns how it ended, unless it had to be pressed.
///
/// # Errors
/// When the system gives no threads or pipes.
pub async fn forward(
    tap: &Tap,
    client: (OwnedFd, OwnedFd),
    mut server: PeerProcess,
    signalled: impl Future<Output = Signal> + Send,
    mut grace: Duration,
) -> io::Result<Exit> {
    let (Some(to_server), Some(from_server)) = (server.take_stdin(), server.take_stdout()) else {
        return Ok(Exit::Unknown);
    };
    let mut signal = None;
    {
        // Dropped at the end of this block, which closes the server's input.
        let (_stop, stopped) = Stop::new()?;
        let mut up = Carrier::new(tap, Role::Client, &stopped)?.start(client.0, to_server.into_owned_fd()?)?;
        let mut down = Carrier::new(tap, Role::Server, &stopped)?.start(from_server.into_owned_fd()?, client.1)?;
        tokio::pin!(signalled);
        tokio::select! {
            _ = &mut down => {}
            by = &mut signalled => signal = Some(by),
            exit = server.wait() => {
                // What it wrote before its end is still in the pipe.
                let _ = timeout(DRAIN_TIME, down).await;
                tap.event(Role::Server, Event::Exited { how: exit.to_string() });
            }
            _ = &mut up => {
                // The server's input is closed. It may still answer earlier requests.
                tokio::select! {
                    _ = timeout(grace, down) => {}
                    by = &mut signalled => signal = Some(by),
                }
            }
        }
        if let Some(signal) = signal {
            server.signal(signal);
            grace = SIGNALLED_GRACE;
        }
    }
    let stage = server.stop(grace).await;
    // The exit of a process that was forced to end says nothing.
    let is_own = stage == StopStage::InputClosed || signal.is_some();
    Ok(if is_own { server.try_exit().unwrap_or(Exit::Unknown) } else { Exit::Unknown })
}
