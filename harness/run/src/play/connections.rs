//! The connections that a client opens to a server over standard streams. Each is to a new process.

use std::pin::Pin;

use mcp_compat_drive::{End, PipeReader, PipeWriter, RelayTicket, plain_link};
use mcp_compat_mocks::client::{ByteStream, Connector};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;

/// What a client connects to, one connection after the other.
pub(super) trait Connections: Send {
    type Read: AsyncRead + Unpin + Send;
    type Write: AsyncWrite + Unpin + Send;

    /// Waits for the next connection. Never ends of itself.
    fn next(&mut self) -> impl Future<Output = (Self::Read, Self::Write)> + Send;
}

impl Connections for RelayTicket {
    type Read = OwnedReadHalf;
    type Write = OwnedWriteHalf;

    async fn next(&mut self) -> (OwnedReadHalf, OwnedWriteHalf) {
        self.accept().await
    }
}

impl Connections for mpsc::Receiver<End> {
    type Read = PipeReader;
    type Write = PipeWriter;

    async fn next(&mut self) -> (PipeReader, PipeWriter) {
        match self.recv().await {
            Some(End { reader, writer }) => (reader, writer),
            None => std::future::pending().await,
        }
    }
}

/// A way for a client of this process to start its server, and the connections that it opens so.
pub(super) fn connector() -> (InProcessConnector, mpsc::Receiver<End>) {
    let (to_server, connections) = mpsc::channel(1);
    (InProcessConnector { to_server }, connections)
}

/// How a client of this process starts its server.
pub(super) struct InProcessConnector {
    to_server: mpsc::Sender<End>,
}

impl Connector for InProcessConnector {
    fn connect(&mut self) -> Pin<Box<dyn Future<Output = Result<ByteStream<'static>, String>> + Send + '_>> {
        Box::pin(async move {
            let (up, down) = plain_link();
            let over = |_| "the cell is over".to_owned();
            self.to_server.send(down).await.map_err(over)?;
            Ok(ByteStream::new(up.reader, up.writer))
        })
    }
}
