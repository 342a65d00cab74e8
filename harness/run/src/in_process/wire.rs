//! One end of a byte stream in memory, as one value that reads and writes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use mcp_compat_drive::{End, PipeReader, PipeWriter};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What a peer in this process speaks over: newline-delimited messages, as over stdio. It both reads and writes; where an
/// SDK wants two halves, `tokio::io::split` gives them. Dropping it closes the connection.
#[derive(Debug)]
pub struct Wire {
    reader: PipeReader,
    writer: PipeWriter,
}

impl From<End> for Wire {
    fn from(End { reader, writer }: End) -> Self {
        Self { reader, writer }
    }
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.reader).poll_read(cx, buf)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.writer).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(cx)
    }
}
