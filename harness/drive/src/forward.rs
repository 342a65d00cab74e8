//! Stands in for a server: forwards everything between a client and the real server, and records it.
//!
//! ```text
//!   client ── our stdin ──> tap ──> the server's stdin
//!   client <── our stdout ── tap <── the server's stdout
//! ```
//!
//! When one side ends, the other gets some time to finish. Then the process ends with everything it started.

use std::time::Duration;

use mcp_compat_model::Role;
use mcp_compat_model::transcript::Event;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use crate::pipe::carry;
use crate::process::PeerProcess;
use crate::tap::Tap;

/// How long the rest of the output of an ended process may take: a child that it left behind may hold it open.
const DRAIN_TIME: Duration = Duration::from_millis(250);

/// Forwards bytes between a client, given as (what it writes, what it reads), and a server whose streams were not taken
/// yet, until one of them ends or `stopped` completes. The server then has `grace` for each step of its end.
pub async fn forward<R, W>(
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
                let _ = timeout(DRAIN_TIME, down).await;
                tap.event(Role::Server, Event::Exited { how: exit.to_string() });
            }
            () = &mut up => {
                // The server's input is closed. It may still answer earlier requests.
                tokio::select! {
                    _ = timeout(grace, down) => {}
                    () = &mut stopped => {}
                }
            }
        }
        // The writers are dropped here, which closes the server's input.
    }
    server.stop(grace).await;
}
