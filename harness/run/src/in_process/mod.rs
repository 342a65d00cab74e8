//! Peers that run in the test's own process: anything that speaks over `AsyncRead + AsyncWrite`.
//!
//! ```text
//! ServerPeer::in_process   Fn(Script, Wire) -> Future     one session: the tools of the script, over the wire
//! ClientPeer::in_process   Client -> ClientSession        one session: list and call, as the user of the API does
//! ```
//!
//! # Which features are measured
//!
//! A peer in this process is compiled with the features that Cargo unifies over the whole test: those of every
//! dev-dependency, this crate's among them. `serde_json/raw_value` and `serde_json/float_roundtrip` are on for certain,
//! and with them an SDK may read and write other bytes than it does for its users. What is at stake there is to be tested
//! with `cargo_bin`, which keeps them out.
//!
//! # What goes wrong
//!
//! Each session has a thread and a runtime of its own. A panic is an outcome, `crashed`, and so is an error that is
//! returned; a session that hangs is given up when its time is over, even where it blocks its thread.

mod client;
mod thread;

use std::error::Error;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use mcp_compat_drive::{End as StreamEnd, PipeReader, PipeWriter, plain_link};
use mcp_compat_model::Role;
use mcp_compat_model::observation::End;
use mcp_compat_model::peer_contract::Script;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

pub(crate) use client::ClientProgram;
pub use client::{CallAnswer, Client, ClientSession, ServerAt};

pub(crate) use thread::panic_message;
use thread::{Session, begin};

/// Wire of a peer in this process: newline-delimited messages, as over stdio. It both reads and writes; where an
/// SDK wants two halves, `tokio::io::split` gives them. Dropping it closes the connection.
#[derive(Debug)]
pub struct Wire {
    reader: PipeReader,
    writer: PipeWriter,
}

impl From<StreamEnd> for Wire {
    fn from(StreamEnd { reader, writer }: StreamEnd) -> Self {
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

/// The client's end of a byte stream to a server.
pub struct Streams {
    /// Output of the server.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// Input of the server.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl fmt::Debug for Streams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streams").finish_non_exhaustive()
    }
}

/// Whatever a peer's own code fails with.
pub type AnyError = Box<dyn Error + Send + Sync>;

/// Says that a peer cannot do what a scenario asks: return it as the error. The cell is skipped, and no break.
///
/// ```
/// use mcp_compat_run::in_process::{AnyError, Unsupported};
///
/// fn only_results(is_result: bool) -> Result<(), AnyError> {
///     if is_result { Ok(()) } else { Err(Unsupported::new("this SDK writes no raw bytes").into()) }
/// }
/// # assert!(only_results(false).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(String);

impl Unsupported {
    /// With the reason, for the report.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Unsupported {}

type Serving = Pin<Box<dyn Future<Output = Result<(), AnyError>> + Send>>;

/// A server of this process, whatever it is made of.
#[derive(Clone)]
pub struct ServerProgram(Arc<dyn Fn(Script, Wire) -> Serving + Send + Sync>);

impl fmt::Debug for ServerProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerProgram")
    }
}

impl ServerProgram {
    pub(crate) fn new<F, S>(serve: F) -> Self
    where
        F: Fn(Script, Wire) -> S + Send + Sync + 'static,
        S: Future<Output = Result<(), AnyError>> + Send + 'static,
    {
        Self(Arc::new(move |script, wire| Box::pin(serve(script, wire))))
    }

    /// A server that asks for no script.
    pub fn unscripted<F, S>(serve: F) -> Self
    where
        F: Fn(Wire) -> S + Send + Sync + 'static,
        S: Future<Output = Result<(), AnyError>> + Send + 'static,
    {
        Self::new(move |_, wire| serve(wire))
    }

    /// Begins a session of a server that asks for no script: the client's end of it, which the session lives as long as.
    pub fn connect(&self) -> Streams {
        let (up, down) = plain_link();
        let (program, script) = (self.0.clone(), Script::without_tools("none"));
        // Without a thread there is nobody at the other end, which the client finds out.
        let session = begin("mcp-compat server", move || program(script, down.into())).ok();
        Streams { reader: Box::new(Attended { reader: up.reader, _session: session }), writer: Box::new(up.writer) }
    }

    /// Serves one session, until it ends or is dropped. Gives an end where it was the server that ended it wrongly.
    pub(crate) async fn serve(&self, script: Script, wire: Wire) -> Option<End> {
        let program = self.0.clone();
        let session = match begin("mcp-compat server", move || program(script, wire)) {
            Ok(session) => session,
            Err(error) => return Some(no_thread(&error)),
        };
        ended(Role::Server, session).await.err()
    }
}

/// The client's end of what a server says, and the session of that server.
struct Attended {
    reader: PipeReader,
    _session: Option<Session<Result<(), AnyError>>>,
}

impl AsyncRead for Attended {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.reader).poll_read(cx, buf)
    }
}

/// Result of a session, or the end of its cell.
async fn ended<T>(who: Role, session: Session<Result<T, AnyError>>) -> Result<T, End> {
    match session.await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(match error.downcast_ref::<Unsupported>() {
            Some(Unsupported(reason)) => End::Unsupported { by: who, reason: reason.clone() },
            None => End::Crashed { who, how: format!("it ended with an error: {error}") },
        }),
        Err(panic) => Err(End::Crashed { who, how: format!("it panicked: {panic}") }),
    }
}

fn no_thread(error: &io::Error) -> End {
    End::HarnessFailed { why: format!("the system gives no thread for a session: {error}") }
}
