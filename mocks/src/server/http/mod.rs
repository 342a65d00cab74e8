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
pub(crate) mod guard;
mod headers;
mod legacy;
pub(crate) mod listener;
mod modern;
mod param_headers;
mod sessions;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{Request, Response};
use hyper::body::Incoming;
use mcp_compat_model::peer_contract::Script;

use self::body::{Body, ConnectionAborted};
use self::endpoint::Endpoint;
use self::listener::Listener;
use crate::server::compiled_script::{BadScript, CompiledScript};
use crate::server::spec::ServerSpec;

/// A listener that serves scripts, each at its own path, until it is dropped; its connections end with it.
#[derive(Debug)]
pub struct HttpServer {
    listener: Listener,
    paths: Arc<Paths>,
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
        let paths = Arc::new(Paths::default());
        let served = Arc::clone(&paths);
        let listener = Listener::bind(move |request| respond(Arc::clone(&served), request)).await?;
        Ok(Self { listener, paths })
    }

    /// Returns the address of the server, without a path: `http://127.0.0.1:41234`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.listener.address())
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

async fn respond(paths: Arc<Paths>, request: Request<Incoming>) -> Result<Response<Body>, ConnectionAborted> {
    if let Some(refusal) = guard::refusal(&request) {
        return Ok(refusal);
    }
    match paths.at(request.uri().path()) {
        Some(endpoint) => dispatch::respond(&endpoint, request).await,
        None => Ok(guard::nothing_here()),
    }
}
