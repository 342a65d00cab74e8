//! Serving streamable HTTP: one listener on loopback, many scripts, each at its own path.
//!
//! ```text
//! listener -> connection -> guard (local requests only) -> dispatch (finds the era) -> endpoint of the path
//!                                                             modern   headers repeat the body; listeners
//!                                                             legacy   sessions, the GET stream, DELETE
//! ```

mod answered_calls;
mod body;
mod dispatch;
mod endpoint;
pub(super) mod guard;
mod headers;
mod legacy;
mod modern;
mod param_headers;
mod sessions;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use mcp_compat_model::peer_contract::Script;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use self::body::{Body, ConnectionAborted};
use self::endpoint::Endpoint;
use crate::server::compiled_script::{BadScript, CompiledScript};
use crate::server::spec::ServerSpec;

/// Pause after the system refused to accept a connection.
const ACCEPT_RETRY: Duration = Duration::from_millis(10);

/// A listener that serves scripts, each at its own path, until it is dropped; its connections end with it.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    paths: Arc<Paths>,
    accepting: JoinHandle<Infallible>,
}

/// Reason why a script cannot be served at a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    #[error("{0:?} is not a path to serve at: it has to begin with `/` and must not contain `?` or `#`")]
    Path(String),
    #[error(transparent)]
    Script(#[from] BadScript),
}

#[derive(Debug, Default)]
struct Paths(Mutex<BTreeMap<String, Arc<Endpoint>>>);

impl Paths {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Endpoint>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at(&self, path: &str) -> Option<Arc<Endpoint>> {
        self.lock().get(path).map(Arc::clone)
    }
}

impl HttpServer {
    /// Opens a listener on a free port of the loopback interface. It has to be called within a tokio runtime with
    /// timers and IO, which then carries the connections.
    ///
    /// # Errors
    /// When the system gives no port.
    pub async fn bind() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let paths = Arc::new(Paths::default());
        let accepting = tokio::spawn(accept(listener, Arc::clone(&paths)));
        Ok(Self { address, paths, accepting })
    }

    /// Returns the address of the server, without a path: `http://127.0.0.1:41234`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Serves a script at a path, to any number of sessions, each from the first stage on. Modern clients have no
    /// sessions; they all go through the script together. What was served at the path before ends.
    ///
    /// # Errors
    /// When there is no such path, or the script cannot be played.
    pub fn host(&self, path: &str, spec: ServerSpec, script: Arc<Script>) -> Result<(), HostError> {
        self.host_compiled(path, Arc::new(CompiledScript::new(spec, script)?))
    }

    /// Serves a compiled script, which many paths can share.
    ///
    /// # Errors
    /// When there is no such path.
    pub fn host_compiled(&self, path: &str, compiled: Arc<CompiledScript>) -> Result<(), HostError> {
        if !path.starts_with('/') || path.contains(['?', '#']) {
            return Err(HostError::Path(path.to_owned()));
        }
        let before = self.paths.lock().insert(path.to_owned(), Arc::new(Endpoint::new(compiled)));
        if let Some(before) = before {
            before.close();
        }
        Ok(())
    }

    /// Stops serving a path; its sessions and open streams end. Returns whether anything was served there.
    pub fn unhost(&self, path: &str) -> bool {
        let before = self.paths.lock().remove(path);
        before.is_some_and(|endpoint| {
            endpoint.close();
            true
        })
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Accepts connections for ever. They belong to this task and end when it is aborted.
async fn accept(listener: TcpListener, paths: Arc<Paths>) -> Infallible {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => { connections.spawn(serve_connection(stream, Arc::clone(&paths))); }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    // The system may be short of file handles for a moment.
                    tokio::time::sleep(ACCEPT_RETRY).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve_connection(stream: TcpStream, paths: Arc<Paths>) {
    // Without Nagle's algorithm messages are sent at once. If the system refuses this, they only take longer.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| respond(&paths, request));
    if let Err(error) = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!(%error, "a connection ended");
    }
}

async fn respond(paths: &Paths, request: Request<Incoming>) -> Result<Response<Body>, ConnectionAborted> {
    if let Some(refusal) = guard::refusal(&request) {
        return Ok(refusal);
    }
    match paths.at(request.uri().path()) {
        Some(endpoint) => dispatch::respond(&endpoint, request).await,
        None => Ok(guard::nothing_here()),
    }
}
