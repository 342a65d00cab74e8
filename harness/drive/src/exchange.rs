//! One HTTP exchange through the proxy: the request is recorded and passed on, then the response is recorded while it
//! streams through.

use std::error::Error;
use std::iter::successors;
use std::sync::{Arc, OnceLock};

use bytes::{Bytes, BytesMut};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Either, Full};
use hyper::body::{Body as _, Incoming};
use mcp_compat_model::Role;
use mcp_compat_model::transcript::{Event, Head, Start};
use tokio::sync::watch;

use crate::recording::{Cut, RecordingBody};
use crate::tap::Tap;
use crate::upstream::{ConnectFailure, Upstream};

/// The headers that the protocol gives a meaning. The transcript keeps them, and no others.
const MEANINGFUL: [HeaderName; 9] = [
    header::ACCEPT,
    header::CONTENT_TYPE,
    header::ORIGIN,
    HeaderName::from_static("last-event-id"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("mcp-session-id"),
    header::WWW_AUTHENTICATE,
];

/// And these, with whatever follows.
const MEANINGFUL_PREFIX: &str = "mcp-param-";

/// Headers of one connection, which a proxy does not pass on.
const HOP_BY_HOP: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Body of the proxy's response.
pub(crate) type ProxyBody = Either<Full<Bytes>, RecordingBody>;

/// Destination of a route.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    /// True if it is reached over TLS.
    pub(crate) secure: bool,
    pub(crate) authority: Authority,
    pub(crate) path: String,
    /// The query of the server's own URL, without `?`.
    pub(crate) query: Option<String>,
    /// Headers that every request to the server carries beside its own.
    pub(crate) headers: HeaderMap,
    pub(crate) tap: Tap,
    /// Ends when the route does.
    pub(crate) closed: watch::Receiver<()>,
    /// Reason why the server could not be reached, the first time.
    pub(crate) failure: Arc<OnceLock<ConnectFailure>>,
}

/// Carries one request to its destination, and gives the answer with a body that records itself.
pub(crate) async fn carry(
    request: Request<Incoming>,
    destination: Destination,
    upstream: &Upstream,
) -> Result<Response<ProxyBody>, Cut> {
    let Destination { secure, authority, path, query, headers, tap, mut closed, failure } = destination;
    let scheme = if secure { Scheme::HTTPS } else { Scheme::HTTP };
    let exchange = tap.next_exchange();
    let (parts, body) = request.into_parts();
    let start = Start::Request { method: parts.method.as_str().to_owned() };
    let head = Head { exchange, start, headers: meaningful(&parts.headers) };

    // If the client disconnects, this future is dropped, and the guard records it. A client that leaves a stream that it
    // opened by GET ends its session: whether and when that is recorded would be chance.
    let asks = parts.method == Method::POST;
    let leaving = Leaving { tap: &tap, asks };
    let body = match collect(body, tap.limits().message_bytes).await {
        Ok(body) => body,
        Err(Uncollected::TooLong(start)) => {
            tap.overflow(Role::Client, &start);
            leaving.disarm();
            return Ok(plain(
                StatusCode::PAYLOAD_TOO_LARGE,
                "mcp-compat: the request is longer than the harness takes",
            ));
        }
        Err(Uncollected::Broken) => return Err(Cut("the request ended early")),
    };
    if body.is_empty() {
        tap.event(Role::Client, Event::Head { http: head });
    } else {
        tap.message(Role::Client, &body, Some(head));
    }

    let mut onward = Request::new(Full::new(body));
    *onward.method_mut() = parts.method;
    *onward.uri_mut() = match target(scheme, authority, &path, [parts.uri.query(), query.as_deref()]) {
        Ok(uri) => uri,
        Err(error) => {
            tracing::debug!(%error, "a client asks with a query that no URL can have");
            leaving.disarm();
            return Ok(plain(StatusCode::BAD_REQUEST, "mcp-compat: not a URL"));
        }
    };
    *onward.headers_mut() = onward_headers(parts.headers);
    // A header of the route replaces the client's.
    for (name, value) in &headers {
        onward.headers_mut().insert(name.clone(), value.clone());
    }
    let response = tokio::select! {
        response = upstream.request(onward) => response,
        _ = closed.changed() => {
            leaving.disarm();
            return Err(Cut("the route was closed"));
        }
    };
    leaving.disarm();
    match response {
        Ok(response) => Ok(returned(response, exchange, asks, tap, closed)),
        Err(error) => {
            tracing::debug!(?error, "a server did not answer a request");
            tap.event(Role::Server, Event::Closed {});
            if error.is_connect() {
                let _ = failure.set(ConnectFailure::of(&error));
                // The client of a run must not see why its server failed. For a remote server, only the cause is known.
                let why = if secure { format!(": {}", causes(&error)) } else { String::new() };
                Ok(plain(StatusCode::BAD_GATEWAY, format!("mcp-compat: the server cannot be reached{why}")))
            } else {
                Err(Cut("the server hung up"))
            }
        }
    }
}

/// The answer for the client, which asked something by POST or not.
fn returned(
    response: Response<Incoming>,
    exchange: u32,
    asked: bool,
    tap: Tap,
    closed: watch::Receiver<()>,
) -> Response<ProxyBody> {
    let (mut parts, body) = response.into_parts();
    let start = Start::Response { status: parts.status.as_u16() };
    let head = Head { exchange, start, headers: meaningful(&parts.headers) };
    remove_hop_by_hop(&mut parts.headers);
    let body = if body.is_end_stream() {
        tap.event(Role::Server, Event::Head { http: head });
        Either::Left(Full::default())
    } else {
        Either::Right(RecordingBody::new(body, head, asked, tap, closed))
    };
    Response::from_parts(parts, body)
}

/// An answer of the proxy's own.
pub(crate) fn plain(status: StatusCode, text: impl Into<Bytes>) -> Response<ProxyBody> {
    let mut response = Response::new(Either::Left(Full::new(text.into())));
    *response.status_mut() = status;
    let value = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}

/// Returns the causes of an error, innermost last.
fn causes(error: &dyn Error) -> String {
    let messages: Vec<String> =
        successors(error.source(), |error: &&dyn Error| (*error).source()).map(ToString::to_string).collect();
    messages.join(": ")
}

/// Records that the client disconnected before it had an answer, unless [`Leaving::stays`] is called before the drop.
struct Leaving<'a> {
    tap: &'a Tap,
    /// True if it asked something.
    asks: bool,
}

impl Leaving<'_> {
    fn disarm(self) {
        std::mem::forget(self);
    }
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if self.asks {
            self.tap.event(Role::Client, Event::Closed {});
        }
    }
}

enum Uncollected {
    /// Longer than the bound; the beginning of it.
    TooLong(Bytes),
    Broken,
}

/// Reads a request's body, up to the bound.
async fn collect(mut body: Incoming, limit: usize) -> Result<Bytes, Uncollected> {
    let mut collected = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Uncollected::Broken)?;
        // Trailers mean nothing to the protocol.
        let Ok(data) = frame.into_data() else { continue };
        collected.extend_from_slice(&data);
        if collected.len() > limit {
            return Err(Uncollected::TooLong(collected.freeze()));
        }
    }
    Ok(collected.freeze())
}

/// The URL at the server, with the queries of the request and of the route.
fn target(scheme: Scheme, authority: Authority, path: &str, queries: [Option<&str>; 2]) -> Result<Uri, http::Error> {
    let mut target = path.to_owned();
    for query in queries.into_iter().flatten() {
        target.push(if target.contains('?') { '&' } else { '?' });
        target.push_str(query);
    }
    let path: PathAndQuery = target.parse()?;
    Uri::builder().scheme(scheme).authority(authority).path_and_query(path).build()
}

fn meaningful(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .filter(|(name, _)| MEANINGFUL.contains(name) || name.as_str().starts_with(MEANINGFUL_PREFIX))
        .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect()
}

/// The headers for the server.
fn onward_headers(mut headers: HeaderMap) -> HeaderMap {
    remove_hop_by_hop(&mut headers);
    // The body has been read, so these are the next connection's own.
    for name in [header::HOST, header::CONTENT_LENGTH, header::EXPECT] {
        headers.remove(name);
    }
    // A compressed answer could not be recorded as the message that it is.
    headers.remove(header::ACCEPT_ENCODING);
    headers
}

fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in HOP_BY_HOP.iter().chain(&named) {
        headers.remove(name);
    }
}
