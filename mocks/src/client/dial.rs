//! Byte streams to a server that can be had more than once.

use std::future::Future;

use tokio::io::{AsyncRead, AsyncWrite};

/// A way to a server. Each time that it is gone, the server is a new one, and the old one is over.
pub trait Dial: Send {
    /// What the server writes.
    type Read: AsyncRead + Unpin + Send;
    /// What the server reads.
    type Write: AsyncWrite + Unpin + Send;

    /// Connects to the server, or says why it cannot be had.
    fn dial(&mut self) -> impl Future<Output = Result<(Self::Read, Self::Write), String>> + Send;
}
