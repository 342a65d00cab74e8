//! Accepts the connections of relays: one listener for all, and a ticket for each client that will start one.
//!
//! A relay sends the token of its ticket as its first line. Its streams then go to the owner of that ticket.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::relay::{RELAY_ADDRESS_VARIABLE, RELAY_TOKEN_VARIABLE};
use crate::token;

/// A whole program, in Rust and with nothing but its standard library, that relays as its arguments or its environment
/// say.
pub const RELAY_SOURCE: &str = concat!(
    include_str!("relay.rs"),
    "\nfn main() -> std::process::ExitCode {\n",
    "    match relay_as_told(&std::env::args().skip(1).collect::<Vec<_>>()) {\n",
    "        Ok(()) => std::process::ExitCode::SUCCESS,\n",
    "        Err(error) => {\n",
    "            eprintln!(\"relay: {error}\");\n",
    "            std::process::ExitCode::FAILURE\n",
    "        }\n",
    "    }\n",
    "}\n",
);

/// Longest time that a caller may take to say who it is.
const INTRODUCTION: Duration = Duration::from_secs(5);

/// Number of callers that may be about to say who they are.
const INTRODUCTIONS: usize = 64;

/// Number of connections that may wait on one ticket.
const WAITING: usize = 8;

/// Name of the socket in its folder.
const SOCKET: &str = "relay";

/// A stream to a relay: what the client writes, and what it reads.
pub type RelayStream = (OwnedReadHalf, OwnedWriteHalf);

/// Listens for relays at a Unix socket that only this user can reach. Dropping it ends the listening; what was accepted lives on.
#[derive(Debug)]
pub struct RelayHub {
    /// The folder of the socket.
    folder: TempDir,
    expected: Arc<Expected>,
    listening: JoinHandle<()>,
}

/// Tickets by their tokens.
#[derive(Debug, Default)]
struct Expected {
    tickets: Mutex<HashMap<String, mpsc::Sender<RelayStream>>>,
}

/// Reason why there is no ticket.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    #[error(
        "cannot listen for relays at a socket in the folder for temporary files: {0}; check the limit of open files, and that the path of that folder is short"
    )]
    Listen(#[source] io::Error),
    #[error("cannot draw a token for a relay: {0}")]
    Token(#[source] io::Error),
}

impl RelayHub {
    /// Begins to listen.
    ///
    /// # Errors
    /// When no socket can be opened.
    #[expect(clippy::unused_async, reason = "a socket needs the runtime")]
    pub async fn start() -> Result<Self, RelayError> {
        let folder = tempfile::Builder::new().prefix("mcp-compat-").tempdir().map_err(RelayError::Listen)?;
        let listener = UnixListener::bind(folder.path().join(SOCKET)).map_err(RelayError::Listen)?;
        let expected = Arc::new(Expected::default());
        let listening = tokio::spawn(listen(listener, expected.clone()));
        Ok(Self { folder, expected, listening })
    }

    /// A ticket for one client that will be told to start a relay.
    ///
    /// # Errors
    /// When no token can be drawn.
    pub fn expect(&self) -> Result<RelayTicket, RelayError> {
        let token = token::draw().map_err(RelayError::Token)?;
        let (sender, connections) = mpsc::channel(WAITING);
        self.expected.tickets().insert(token.clone(), sender);
        let env = BTreeMap::from([
            (RELAY_ADDRESS_VARIABLE.to_owned(), self.folder.path().join(SOCKET).display().to_string()),
            (RELAY_TOKEN_VARIABLE.to_owned(), token.clone()),
        ]);
        Ok(RelayTicket { env, token, expected: self.expected.clone(), connections })
    }
}

impl Drop for RelayHub {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// The right of one client's relays to call in. Dropping it withdraws the right.
pub struct RelayTicket {
    env: BTreeMap<String, String>,
    token: String,
    expected: Arc<Expected>,
    connections: mpsc::Receiver<RelayStream>,
}

impl RelayTicket {
    /// The variables that the relay has to be started with.
    pub fn env(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    /// The arguments with which the relay does not need these variables.
    pub fn arguments(&self) -> [String; 2] {
        [RELAY_ADDRESS_VARIABLE, RELAY_TOKEN_VARIABLE].map(|name| self.env.get(name).cloned().unwrap_or_default())
    }

    /// Waits for the next relay of this client. A client may start its server more than once: to find out what it
    /// speaks, and again to speak with it. Never ends of itself.
    pub async fn accept(&mut self) -> RelayStream {
        match self.connections.recv().await {
            Some(stream) => stream,
            None => std::future::pending().await,
        }
    }
}

impl Drop for RelayTicket {
    fn drop(&mut self) {
        self.expected.tickets().remove(&self.token);
    }
}

impl fmt::Debug for RelayTicket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayTicket").finish_non_exhaustive()
    }
}

impl Expected {
    fn tickets(&self) -> MutexGuard<'_, HashMap<String, mpsc::Sender<RelayStream>>> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admit(&self, token: &str, stream: UnixStream) {
        let Some(ticket) = self.tickets().get(token).cloned() else {
            tracing::warn!("a connection to the relay listener had an unknown token");
            return;
        };
        if ticket.try_send(stream.into_split()).is_err() {
            tracing::warn!("a client starts relays that nobody accepts");
        }
    }
}

async fn listen(listener: UnixListener, expected: Arc<Expected>) {
    let introductions = Arc::new(Semaphore::new(INTRODUCTIONS));
    loop {
        let Ok(permit) = introductions.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let expected = expected.clone();
                tokio::spawn(async move {
                    let _permit = permit;
                    match timeout(INTRODUCTION, introduce(stream)).await {
                        Ok(Ok((token, stream))) => expected.admit(&token, stream),
                        Ok(Err(error)) => tracing::debug!(%error, "a relay did not introduce itself"),
                        Err(_) => tracing::debug!("a relay took too long to introduce itself"),
                    }
                });
            }
            Err(error) => {
                // Most likely, no file descriptors are left: wait until some are closed.
                tracing::warn!(%error, "accepting a relay");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

/// Reads the token line, and not a byte more.
async fn introduce(mut stream: UnixStream) -> io::Result<(String, UnixStream)> {
    let mut line = [0; token::LENGTH + 1];
    stream.read_exact(&mut line).await?;
    match line.split_last() {
        Some((b'\n', token)) => Ok((String::from_utf8_lossy(token).into_owned(), stream)),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
