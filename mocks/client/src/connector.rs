//! Byte streams to a server, and ways to open one again.

use std::fmt;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::wire::BoxFuture;

/// The two directions of a connection to a server.
pub struct ByteStream<'s> {
    pub(crate) read: Box<dyn AsyncRead + Unpin + Send + 's>,
    pub(crate) write: Box<dyn AsyncWrite + Unpin + Send + 's>,
}

impl<'s> ByteStream<'s> {
    /// A connection: `read` is what the server writes, `write` what it reads.
    pub fn new(read: impl AsyncRead + Unpin + Send + 's, write: impl AsyncWrite + Unpin + Send + 's) -> Self {
        Self { read: Box::new(read), write: Box::new(write) }
    }
}

impl fmt::Debug for ByteStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteStream").finish_non_exhaustive()
    }
}

/// Opens connections to a server. Each connection is to a new instance of the server, and the one before it is over.
pub trait Connector: Send {
    /// Connects to the server.
    ///
    /// # Errors
    /// Why the server cannot be reached.
    fn connect(&mut self) -> BoxFuture<'_, Result<ByteStream<'static>, String>>;
}
