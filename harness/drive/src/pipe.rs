//! The tapped byte link: carries the streams of a client and a server to each other and records each line.
//!
//! Bytes pass unchanged and at once, also lines that are not JSON, lines that exceed the limit, and a last line without
//! a newline. Only the tap splits them into lines.

use std::time::Duration;

use mcp_compat_model::Role;
use mcp_compat_model::transcript::Event;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::lines::LineSplitter;
use crate::memory::record;
use crate::tap::Tap;

/// Number of bytes that are read at once.
const CHUNK: usize = 16 << 10;

/// Carries bytes between client and server, each given as (what it writes, what it reads), until both have ended, or
/// for `linger` longer than the first of them. Returns which one that was.
///
/// When one side ends its output, the other side's input is closed. Dropping the future closes everything.
pub async fn tapped_link<CR, CW, SR, SW>(tap: Tap, client: (CR, CW), server: (SR, SW), linger: Duration) -> Role
where
    CR: AsyncRead + Unpin + Send,
    CW: AsyncWrite + Unpin + Send,
    SR: AsyncRead + Unpin + Send,
    SW: AsyncWrite + Unpin + Send,
{
    let (from_client, to_client) = client;
    let (from_server, to_server) = server;
    let up = carry(&tap, Role::Client, from_client, to_server);
    let down = carry(&tap, Role::Server, from_server, to_client);
    tokio::pin!(up, down);
    // A side that does not end when the other has is left to the owner of its process.
    let (first, other) = tokio::select! {
        () = &mut up => (Role::Client, timeout(linger, down).await),
        () = &mut down => (Role::Server, timeout(linger, up).await),
    };
    if other.is_err() {
        tracing::debug!(%first, ?linger, "one side of a link has ended, and the other has not");
    }
    first
}

/// Carries one direction to its end, and closes it for the other side.
async fn carry(tap: &Tap, from: Role, mut source: impl AsyncRead + Unpin, target: impl AsyncWrite + Unpin) {
    let mut lines = LineSplitter::new(tap.limits().message_bytes);
    let mut chunk = vec![0; CHUNK];
    // A side that no longer reads must not stop the other one from having its output recorded.
    let mut target = Some(target);
    loop {
        let read = match source.read(&mut chunk).await {
            Ok(0) => break,
            Ok(read) => &chunk[..read],
            Err(error) => {
                tracing::debug!(%from, %error, "reading from a peer");
                break;
            }
        };
        // First the tap, then the other side: it cannot answer what is not recorded yet.
        lines.push(read, |line| record(tap, from, line));
        if let Some(open) = &mut target
            && let Err(error) = write_through(open, read).await
        {
            tracing::debug!(%from, %error, "writing to the other peer");
            target = None;
        }
    }
    lines.finish(|line| record(tap, from, line));
    tap.event(from, Event::Closed {});
    if let Some(mut open) = target
        && let Err(error) = open.shutdown().await
    {
        tracing::debug!(%from, %error, "closing the other peer's input");
    }
}

async fn write_through(target: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> std::io::Result<()> {
    target.write_all(bytes).await?;
    target.flush().await
}
