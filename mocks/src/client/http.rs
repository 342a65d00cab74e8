//! A wire of HTTP requests: each message a POST, its answer a JSON body or an event stream.

use std::pin::pin;
use std::time::Duration;
use std::{future::Future, future::poll_fn, task::Poll};

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, ResponseFuture};
use hyper_util::rt::TokioExecutor;
use mcp_compat_model::Revision;
use tokio::time::timeout;

use crate::jsonrpc::{self, MESSAGE_LIMIT};

use super::awaited::Awaited;
use super::exchange::{Request, Speech, Wire};
use super::inbox::Inbox;
use super::mirror::header_text;
use super::posted::{Piece, Posted, content_type, first, is_stream, no_response};
use super::quirk::ClientQuirk;
use super::sse::Events;
use super::trouble::{Trouble, shorten};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON_OR_EVENTS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// How long a server may take to open the stream of changes before the client goes on without waiting for it.
const OPENING: Duration = Duration::from_millis(500);

/// How long the last requests of a session may take.
const FAREWELL: Duration = Duration::from_millis(500);

/// Connections to servers, kept and used again by every session of one tokio runtime. Cloning shares them.
#[derive(Clone, Debug)]
pub struct HttpClient(Client<HttpConnector, Full<Bytes>>);

impl HttpClient {
    /// A client without connections yet.
    #[must_use]
    pub fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self(Client::builder(TokioExecutor::new()).build(connector))
    }

    fn send(&self, method: Method, uri: &Uri, headers: HeaderMap, body: Vec<u8>) -> ResponseFuture {
        let mut request = http::Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = method;
        *request.uri_mut() = uri.clone();
        *request.headers_mut() = headers;
        self.0.request(request)
    }
}

impl Default for HttpClient {
    fn default() -> Self {
        Self::new()
    }
}

/// A wire of HTTP requests.
pub(super) struct HttpWire {
    http: HttpClient,
    uri: Uri,
    inbox: Inbox,
    /// The session that a legacy server has opened.
    session: Option<HeaderValue>,
    /// The stream on which changes are told.
    side: SideStream,
}

/// A stream beside the requests. Dropping it closes it.
enum SideStream {
    None,
    Opening(ResponseFuture),
    Open(Incoming, Events),
}

impl SideStream {
    /// The next event; none when the stream is over or was refused. May be dropped and called again.
    async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            match self {
                Self::None => return None,
                Self::Opening(response) => match response.await {
                    Ok(response) if is_stream(&response) => {
                        *self = Self::Open(response.into_body(), Events::default());
                    }
                    Ok(_) | Err(_) => *self = Self::None,
                },
                Self::Open(body, events) => {
                    if let Some(event) = events.next() {
                        return Some(event);
                    }
                    match body.frame().await {
                        Some(Ok(frame)) if frame.data_ref().is_none_or(|data| events.push(data).is_ok()) => {}
                        Some(Ok(_) | Err(_)) | None => *self = Self::None,
                    }
                }
            }
        }
    }

    /// Waits until the server has answered the request for the stream.
    async fn opened(&mut self) {
        if let Self::Opening(response) = self {
            *self = match response.await {
                Ok(response) if is_stream(&response) => Self::Open(response.into_body(), Events::default()),
                Ok(_) | Err(_) => Self::None,
            };
        }
    }
}

impl HttpWire {
    /// # Errors
    /// When the address is none.
    pub(super) fn new(http: &HttpClient, url: &str) -> Result<Self, Trouble> {
        let uri = url.parse().map_err(|error| Trouble::Lost(format!("{url:?} is not an HTTP address: {error}")))?;
        Ok(Self { http: http.clone(), uri, inbox: Inbox::default(), session: None, side: SideStream::None })
    }

    async fn post(&self, headers: HeaderMap, body: Vec<u8>) -> Result<Response<Incoming>, Trouble> {
        self.http.send(Method::POST, &self.uri, headers, body).await.map_err(|error| no_response(&error))
    }

    /// The headers of a message outside the modern era.
    fn legacy_headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(4);
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(ACCEPT, JSON_OR_EVENTS);
        // The header came with this revision.
        if let Some(revision) = self.inbox.revision.filter(|revision| *revision >= Revision::V2025_06_18) {
            headers.insert(VERSION, HeaderValue::from_static(revision.as_str()));
        }
        if let Some(session) = &self.session {
            headers.insert(SESSION, session.clone());
        }
        headers
    }

    fn headers(&self, request: &Request<'_>) -> HeaderMap {
        let Speech::Modern(revision) = request.speech else { return self.legacy_headers() };
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(ACCEPT, JSON_OR_EVENTS);
        headers.insert(VERSION, HeaderValue::from_static(revision.as_str()));
        headers.insert(METHOD, header_text(request.method));
        if let Some(name) = request.name {
            headers.insert(NAME, header_text(name));
        }
        for (name, value) in request.mirrored {
            headers.insert(name.clone(), value.clone());
        }
        headers
    }

    /// Reads a piece of what came back for a request, of which `awaited` is all that is waited for. What is owed to the
    /// server meanwhile is posted.
    async fn read(&mut self, request: &Request<'_>, piece: Piece, awaited: &mut Awaited) {
        match piece {
            Piece::Head(status, headers) => {
                if self.session.is_some() && request.speech == Speech::Legacy && status == StatusCode::NOT_FOUND {
                    self.session = None;
                    awaited.fail(|| Trouble::SessionGone);
                }
                if request.method == "initialize" {
                    self.session = headers.get(SESSION).cloned();
                }
            }
            Piece::Event(event) => {
                self.inbox.read(&event, awaited);
                for reply in self.inbox.take_replies() {
                    if let Err(trouble) = self.post(self.legacy_headers(), reply).await {
                        awaited.stray(trouble);
                    }
                }
            }
            Piece::Body(status, headers, body) => self.read_body(status, &headers, &body, awaited),
            Piece::Failed(trouble) => awaited.stray(trouble),
        }
    }

    fn read_body(&mut self, status: StatusCode, headers: &HeaderMap, body: &[u8], awaited: &mut Awaited) {
        let kind = content_type(headers);
        if status.is_success() && kind != "application/json" {
            let found = if kind.is_empty() { "nothing".to_owned() } else { shorten(kind) };
            return awaited.stray(Trouble::Garbled(format!(
                "HTTP status {status} with content of type {found}: expected application/json or text/event-stream"
            )));
        }
        self.inbox.read(body, awaited);
        if status.is_success() && self.inbox.does(ClientQuirk::IgnoresBrokenBodies) {
            return awaited.wait_on();
        }
        if status.is_success() {
            return awaited.stray(Trouble::Garbled("a body without an answer in it".to_owned()));
        }
        awaited.unless_answered(|| Trouble::Status {
            status: status.as_u16(),
            body: shorten(&String::from_utf8_lossy(body)),
        });
    }

    /// Reads the next event of the stream beside into the inbox. Returns whether there was one.
    async fn read_side(&mut self) -> bool {
        let Some(event) = self.side.next().await else { return false };
        self.inbox.read(&event, &mut Awaited::nothing());
        for reply in self.inbox.take_replies() {
            // Whoever asked will notice.
            let _ = self.post(self.legacy_headers(), reply).await;
        }
        true
    }
}

impl Wire for HttpWire {
    async fn request(&mut self, requests: &[Request<'_>], awaited: &mut Awaited) {
        if requests.iter().any(|request| request.method == "initialize") {
            self.session = None;
        }
        let send = |request: &Request<'_>| {
            let mut body = Vec::with_capacity(request.params.len() + 80);
            jsonrpc::request(&mut body, &request.id.to_string(), request.method, Some(request.params));
            Posted::from(self.http.send(Method::POST, &self.uri, self.headers(request), body))
        };
        let mut posted: Vec<Posted> = requests.iter().map(send).collect();
        while !awaited.is_complete() {
            let (number, piece) = first(&mut posted).await;
            // Each response is for the request that it answers, whatever else is in it.
            let mut own = Awaited::to([requests[number].id]);
            self.read(&requests[number], piece, &mut own).await;
            if let Some(Some(answer)) = own.into_answers().next() {
                posted[number].close();
                awaited.answer(requests[number].id, answer);
            }
        }
    }

    async fn notify(&mut self, method: &str, params: Option<&str>) -> Result<(), Trouble> {
        let mut body = Vec::new();
        jsonrpc::notification(&mut body, method, params);
        let response = self.post(self.legacy_headers(), body).await?;
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let body = Limited::new(response.into_body(), MESSAGE_LIMIT).collect().await;
        let body = body.map(|body| shorten(&String::from_utf8_lossy(&body.to_bytes()))).unwrap_or_default();
        Err(Trouble::Status { status: status.as_u16(), body })
    }

    async fn abandon(&mut self, id: u64, speech: Speech) {
        // In the modern era the stream that was closed says it.
        if speech == Speech::Legacy {
            let params = format!(r#"{{"requestId":{id},"reason":"the deadline is over"}}"#);
            let _ = timeout(FAREWELL, self.notify("notifications/cancelled", Some(&params))).await;
        }
    }

    async fn listen(&mut self, request: Option<&Request<'_>>) {
        let response = match request {
            Some(request) => {
                let mut body = Vec::new();
                jsonrpc::request(&mut body, &request.id.to_string(), request.method, Some(request.params));
                self.http.send(Method::POST, &self.uri, self.headers(request), body)
            }
            None => {
                let mut headers = self.legacy_headers();
                headers.remove(CONTENT_TYPE);
                headers.insert(ACCEPT, EVENTS);
                self.http.send(Method::GET, &self.uri, headers, Vec::new())
            }
        };
        self.side = SideStream::Opening(response);
        let settled = async {
            self.side.opened().await;
            while self.inbox.awaits_acknowledgement() && self.read_side().await {}
        };
        // Some servers send no head before their first event; the client goes on and reads it when it comes.
        let _ = timeout(OPENING, settled).await;
    }

    async fn drain(&mut self) {
        let mut reading = pin!(async { while self.read_side().await {} });
        poll_fn(|context| {
            let _ = reading.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
    }

    async fn changed(&mut self) {
        while !self.inbox.changed && self.read_side().await {}
    }

    fn inbox(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    fn mirrors(&self) -> bool {
        true
    }

    async fn close(mut self) {
        self.side = SideStream::None;
        if self.session.is_some() {
            let mut headers = self.legacy_headers();
            headers.remove(CONTENT_TYPE);
            headers.remove(ACCEPT);
            // The server may refuse this; then it ends the session when it likes.
            let _ = timeout(FAREWELL, self.http.send(Method::DELETE, &self.uri, headers, Vec::new())).await;
        }
    }
}
