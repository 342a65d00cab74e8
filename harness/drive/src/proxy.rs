//! The recording HTTP proxy: one server on loopback for a whole run, one path for each cell.
//!
//! ```text
//!   client ── http://127.0.0.1:PORT/<route>/… ──> proxy ── upstream's own URL ──> server
//!                                                   └──> the route's tap
//! ```
//!
//! It streams: bytes pass as soon as they come. When one side disconnects, the other side is disconnected too. A route is
//! one path: what is below it is not forwarded. Web pages that a browser shows cannot use it: requests that name another
//! host, or come from a page of one, are refused.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use http::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use http::uri::Authority;
use http::{Request, Response, StatusCode, Uri};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::exchange::{Destination, ProxyBody, carry, plain};
use crate::recording::Cut;
use crate::tap::Tap;
use crate::token;
use crate::upstream::{ConnectFailure, Upstream};

/// The proxy. Dropping it closes every connection.
#[derive(Debug)]
pub struct HttpProxy {
    address: SocketAddr,
    routes: Arc<Routes>,
    upstream: Upstream,
    serving: JoinHandle<()>,
}

/// Routes by their paths.
#[derive(Debug, Default)]
struct Routes {
    table: Mutex<HashMap<String, Destination>>,
}

/// Reason why there is no route to a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    #[error("{url:?} is not the URL of a server that can be reached: {problem}")]
    Address { url: String, problem: String },
    #[error(
        "the header {name:?} cannot be sent: expected a name of letters, digits and hyphens, and a value in one line"
    )]
    Header {
        /// Its name. The value may be a secret.
        name: String,
    },
    #[error("cannot draw a path for the route: {problem}")]
    Token {
        /// Error of the system.
        problem: String,
    },
}

impl HttpProxy {
    /// Begins to serve on a free port of the loopback interface.
    ///
    /// # Errors
    /// When no socket can be opened.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let routes = Arc::new(Routes::default());
        let upstream = Upstream::new();
        let serving = tokio::spawn(serve(listener, routes.clone(), upstream.clone()));
        Ok(Self { address, routes, upstream, serving })
    }

    /// Opens a route to a server, recorded by the tap.
    ///
    /// # Errors
    /// When the server's address is not an `http://` URL, or an `https://` one where the feature `tls` is on.
    pub fn route(&self, upstream: &str, tap: Tap) -> Result<Route, RouteError> {
        self.route_with(upstream, &[], tap)
    }

    /// Opens a route on which every request gets these headers beside its own. The tap does not see them.
    ///
    /// # Errors
    /// When the server's address is not an `http://` URL, or an `https://` one where the feature `tls` is on, or a header
    /// cannot be one.
    pub fn route_with(&self, upstream: &str, headers: &[(String, String)], tap: Tap) -> Result<Route, RouteError> {
        let wrong = |problem: String| RouteError::Address { url: upstream.to_owned(), problem };
        if let Some(likely) = likely_address(upstream) {
            return Err(wrong(format!("it has no scheme. Did you mean {likely}?")));
        }
        let uri: Uri = upstream.parse().map_err(|error| wrong(format!("{error}")))?;
        self.upstream.reaches(uri.scheme_str()).map_err(wrong)?;
        let secure = uri.scheme_str() == Some("https");
        let Some(authority) = uri.authority().cloned() else { return Err(wrong("it names no host".to_owned())) };
        let headers = headers.iter().map(header).collect::<Result<HeaderMap, _>>()?;
        let name = token::draw().map_err(|error| RouteError::Token { problem: error.to_string() })?;
        let (open, closed) = watch::channel(());
        let (path, query) = (uri.path().to_owned(), uri.query().map(str::to_owned));
        let failure = Arc::new(OnceLock::new());
        let destination =
            Destination { secure, authority, path, query, headers, tap, closed, failure: Arc::clone(&failure) };
        self.routes.table().insert(name.clone(), destination);
        let url = format!("http://{}/{name}", self.address);
        Ok(Route { url, name, routes: self.routes.clone(), failure, _open: open })
    }
}

fn header((name, value): &(String, String)) -> Result<(HeaderName, HeaderValue), RouteError> {
    let wrong = || RouteError::Header { name: name.clone() };
    let mut parsed: HeaderValue = value.parse().map_err(|_| wrong())?;
    parsed.set_sensitive(true);
    Ok((name.parse().map_err(|_| wrong())?, parsed))
}

impl Drop for HttpProxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A way through the proxy to one server. Dropping it closes it, with every exchange under way.
pub struct Route {
    url: String,
    name: String,
    routes: Arc<Routes>,
    failure: Arc<OnceLock<ConnectFailure>>,
    /// Its drop is what the exchanges watch for.
    _open: watch::Sender<()>,
}

impl Route {
    /// The URL for the client. A query that follows it is added to the server's own URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Reason why the server could not be reached, if a request of this route could not.
    pub fn failure(&self) -> Option<ConnectFailure> {
        self.failure.get().cloned()
    }
}

impl Drop for Route {
    fn drop(&mut self) {
        self.routes.table().remove(&self.name);
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Routes {
    fn table(&self) -> MutexGuard<'_, HashMap<String, Destination>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The destination of requests for a path.
    fn find(&self, path: &str) -> Option<Destination> {
        self.table().get(path.strip_prefix('/')?).cloned()
    }
}

async fn serve(listener: TcpListener, routes: Arc<Routes>, upstream: Upstream) {
    // The connections end with this set, and so with the proxy.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, routes.clone(), upstream.clone()));
                }
                Err(error) => {
                    // Most likely, no file descriptors are left: wait until some are closed.
                    tracing::warn!(%error, "accepting a connection");
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(stream: TcpStream, routes: Arc<Routes>, upstream: Upstream) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "setting up a connection");
    }
    let service = service_fn(|request| answer(request, &routes, &upstream));
    // No timer: the deadline of the cell bounds a connection.
    if let Err(error) = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Returns whether a request names this machine as its host and, if it comes from a web page, as the host of that page.
fn is_from_here(headers: &HeaderMap) -> bool {
    let is_here = |authority: &str| {
        let host = authority.parse::<Authority>();
        host.is_ok_and(|host| matches!(host.host(), "127.0.0.1" | "localhost" | "[::1]"))
    };
    let is_page_here = |origin: &str| origin.split_once("://").is_some_and(|(_, authority)| is_here(authority));
    let all =
        |name, holds: &dyn Fn(&str) -> bool| headers.get_all(name).iter().all(|value| value.to_str().is_ok_and(holds));
    all(HOST, &is_here) && all(ORIGIN, &is_page_here)
}

async fn answer(request: Request<Incoming>, routes: &Routes, upstream: &Upstream) -> Result<Response<ProxyBody>, Cut> {
    if !is_from_here(request.headers()) {
        return Ok(plain(StatusCode::FORBIDDEN, "mcp-compat: this address is for programs of this machine"));
    }
    match routes.find(request.uri().path()) {
        Some(destination) => carry(request, destination, upstream).await,
        None => Ok(plain(StatusCode::NOT_FOUND, "mcp-compat: no such route")),
    }
}

/// The address that was meant by one without a scheme, such as `localhost:3000/mcp`. `None` if it has a scheme, or names
/// no host.
pub fn likely_address(typed: &str) -> Option<String> {
    if typed.contains("://") {
        return None;
    }
    let begun = ["http:", "https:"].into_iter().find_map(|scheme| Some((scheme, typed.strip_prefix(scheme)?)));
    let (scheme, rest) = match begun {
        Some((scheme, rest)) => (scheme, rest.trim_start_matches('/')),
        None => (usual_scheme(&host(typed)?), typed.trim_start_matches('/')),
    };
    let likely = format!("{scheme}//{rest}");
    host(rest).map(|_| likely)
}

/// The host of an address without a scheme.
fn host(rest: &str) -> Option<String> {
    let uri: Uri = format!("http://{}", rest.strip_prefix("//").unwrap_or(rest)).parse().ok()?;
    uri.host().filter(|host| !host.is_empty()).map(str::to_owned)
}

/// A name of the web is served over TLS. A server of this machine or network seldom is.
fn usual_scheme(host: &str) -> &'static str {
    let is_near = !host.contains('.') || host.ends_with(".localhost") || host.ends_with(".local");
    let is_number = host.chars().all(|letter| letter.is_ascii_digit() || letter == '.') || host.starts_with('[');
    if is_near || is_number { "http:" } else { "https:" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_scheme_gets_the_usual_one() {
        for (typed, likely) in [
            ("localhost:3000/mcp", "http://localhost:3000/mcp"),
            ("localhost", "http://localhost"),
            ("127.0.0.1:3000/mcp?key=1", "http://127.0.0.1:3000/mcp?key=1"),
            ("[::1]:3000", "http://[::1]:3000"),
            ("server:8080/mcp", "http://server:8080/mcp"),
            ("nas.local/mcp", "http://nas.local/mcp"),
            ("example.org/mcp", "https://example.org/mcp"),
            ("//example.org/mcp", "https://example.org/mcp"),
            ("http:/localhost/mcp", "http://localhost/mcp"),
            ("https:example.org", "https://example.org"),
        ] {
            assert_eq!(likely_address(typed).as_deref(), Some(likely), "{typed}");
        }
        for typed in ["http://localhost:3000/mcp", "ws://localhost", "/mcp", "", "http:", "not a url"] {
            assert_eq!(likely_address(typed), None, "{typed}");
        }
    }
}
