//! A passage: this program in the place of a server, with the real one behind it, and the tap between.
//!
//! ```text
//!   client ── our stdin ──> tap ──> the server's stdin
//!   client <── our stdout ── tap <── the server's stdout
//! ```
//!
//! Whichever side ends first, the other is given the time to say what it still has to; then the process is ended with
//! all that it started.

use std::time::Duration;

use mcp_compat_model::Role;
use mcp_compat_model::transcript::Event;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use crate::pipe::carry;
use crate::process::PeerProcess;
use crate::tap::Tap;

/// How long the rest of the output of an ended process may take: something that it left behind may hold it open.
const AFTERMATH: Duration = Duration::from_millis(250);

/// Carries bytes between a client, given as (what it writes, what it reads), and a server whose streams nobody has
/// taken, until one of them ends or `stopped` does. A server whose client has gone, and one that is stopped, has
/// `grace` for each step of its end.
pub async fn passage<R, W>(
    tap: &Tap,
    client: (R, W),
    mut server: PeerProcess,
    stopped: impl Future<Output = ()> + Send,
    grace: Duration,
) where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    let (Some(to_server), Some(from_server)) = (server.take_stdin(), server.take_stdout()) else { return };
    {
        let up = carry(tap, Role::Client, client.0, to_server);
        let down = carry(tap, Role::Server, from_server, client.1);
        tokio::pin!(up, down, stopped);
        tokio::select! {
            () = &mut down => {}
            () = &mut stopped => {}
            exit = server.wait() => {
                // What it wrote before its end is still in the pipe.
                let _ = timeout(AFTERMATH, down).await;
                tap.event(Role::Server, Event::Exited { how: exit.to_string() });
            }
            () = &mut up => {
                // Its input is closed: what it was asked before, it may still answer.
                tokio::select! {
                    _ = timeout(grace, down) => {}
                    () = &mut stopped => {}
                }
            }
        }
        // Here the writers go, and with them the server's input.
    }
    server.stop(grace).await;
}
