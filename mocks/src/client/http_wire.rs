//! A wire of HTTP requests: each message is a POST, its answer a JSON body or an event stream.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

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

use crate::client::client_error::{ClientError, shorten};
use crate::client::header_params::header_text;
use crate::client::inbox::Inbox;
use crate::client::pending_requests::PendingRequests;
use crate::client::pending_response::{PendingResponse, ResponsePart, content_type, first, is_stream, no_response};
use crate::client::quirk::ClientQuirk;
use crate::client::sse::Events;
use crate::client::wire::{BoxFuture, Request, RequestEra, Wire};
use crate::wire::jsonrpc::{self, MESSAGE_LIMIT};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON_OR_EVENTS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Time that a server may take to open the stream of changes before the client goes on without waiting for it.
const OPENING: Duration = Duration::from_millis(500);

/// Time that a client that listens waits for an answer on another stream, once that of the request is over.
const ASIDE: Duration = Duration::from_secs(2);

/// Time for the last requests of a session.
const FAREWELL: Duration = Duration::from_millis(500);

/// A wire of HTTP requests.
pub(crate) struct HttpWire {
    http: HttpClient,
    uri: Uri,
    inbox: Inbox,
    /// The session that a legacy server has opened.
    session: Option<HeaderValue>,
    /// The stream for notifications of changes.
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
                Self::Opening(_) => self.opened().await,
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
    /// A wire to an address.
    ///
    /// # Errors
    /// When it is not an HTTP address.
    pub(crate) fn new(http: &HttpClient, url: &str) -> Result<Self, ClientError> {
        let uri = url
            .parse()
            .map_err(|error| ClientError::ConnectionLost(format!("{url:?} is not an HTTP address: {error}")))?;
        Ok(Self { http: http.clone(), uri, inbox: Inbox::default(), session: None, side: SideStream::None })
    }

    fn send_request(&self, request: &Request<'_>) -> ResponseFuture {
        let body = jsonrpc::request(&self.inbox.style.id(request.id), request.method, Some(request.params));
        self.http.send(Method::POST, &self.uri, self.headers(request), body)
    }

    /// Asks for the stream of a legacy session.
    fn get(&self) -> ResponseFuture {
        let mut headers = self.legacy_headers();
        headers.remove(CONTENT_TYPE);
        headers.insert(ACCEPT, EVENTS);
        self.http.send(Method::GET, &self.uri, headers, Vec::new())
    }

    async fn post(&self, headers: HeaderMap, body: Vec<u8>) -> Result<Response<Incoming>, ClientError> {
        self.http.send(Method::POST, &self.uri, headers, body).await.map_err(|error| no_response(&error))
    }

    /// The headers of a message outside the modern era.
    fn legacy_headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(4);
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(ACCEPT, JSON_OR_EVENTS);
        // The header came with this revision.
        let named = match self.inbox.revision {
            Some(revision) => (revision >= Revision::V2025_06_18).then_some(revision.as_str()),
            None => self.inbox.style.asks_for.filter(|_| self.inbox.style.names_revision_at_once),
        };
        if let Some(named) = named {
            headers.insert(VERSION, HeaderValue::from_static(named));
        }
        if let Some(session) = &self.session {
            headers.insert(SESSION, session.clone());
        }
        headers
    }

    fn headers(&self, request: &Request<'_>) -> HeaderMap {
        let RequestEra::Modern(revision) = request.era else { return self.legacy_headers() };
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(ACCEPT, JSON_OR_EVENTS);
        let named = self.inbox.style.asks_for.unwrap_or(revision.as_str());
        headers.insert(VERSION, HeaderValue::from_static(named));
        headers.insert(METHOD, header_text(request.method));
        // Only a client that takes this revision from a handshake has a session: SDKs then name it in every request.
        if let Some(session) = &self.session {
            headers.insert(SESSION, session.clone());
        }
        if let Some(name) = request.name {
            let unencoded = || HeaderValue::from_bytes(name.as_bytes()).ok();
            let sent = unencoded().filter(|_| self.inbox.does(ClientQuirk::SendsNamesUnencoded));
            headers.insert(NAME, sent.unwrap_or_else(|| header_text(name)));
        }
        for (name, value) in request.header_params {
            headers.insert(name.clone(), value.clone());
        }
        headers
    }

    /// Reads a part of the response to a request, the only one in `pending`. Replies that the server wants are posted.
    async fn read(&mut self, request: &Request<'_>, part: ResponsePart, pending: &mut PendingRequests) {
        match part {
            ResponsePart::Head(status, headers) => {
                if self.session.is_some() && request.era == RequestEra::Legacy && status == StatusCode::NOT_FOUND {
                    self.session = None;
                    pending.fail(|| ClientError::SessionExpired);
                }
                if request.method == "initialize" {
                    self.session = headers.get(SESSION).cloned();
                }
            }
            ResponsePart::Event(event) => {
                self.inbox.read(&event, pending);
                for reply in self.inbox.take_replies() {
                    if let Err(error) = self.post(self.legacy_headers(), reply).await {
                        pending.stray(error);
                    }
                }
            }
            ResponsePart::Body(status, headers, body) => {
                if status.is_success() && body.is_empty() {
                    self.read_aside(pending).await;
                }
                self.read_body(status, &headers, &body, pending);
            }
            ResponsePart::Failed(error) => {
                self.read_aside(pending).await;
                pending.stray(error);
            }
        }
    }

    fn read_body(&mut self, status: StatusCode, headers: &HeaderMap, body: &[u8], pending: &mut PendingRequests) {
        let kind = content_type(headers);
        if status.is_success() && kind != "application/json" {
            let found = if kind.is_empty() { "nothing".to_owned() } else { shorten(kind) };
            return pending.stray(ClientError::InvalidMessage(format!(
                "HTTP status {status} with content of type {found}: expected application/json or text/event-stream"
            )));
        }
        self.inbox.read(body, pending);
        if status.is_success() && self.inbox.does(ClientQuirk::IgnoresBrokenBodies) {
            return pending.wait_on();
        }
        if status.is_success() {
            return pending.stray(ClientError::InvalidMessage("a body without an answer in it".to_owned()));
        }
        pending.unless_answered(|| ClientError::HttpStatus {
            status: status.as_u16(),
            body: shorten(&String::from_utf8_lossy(body)),
        });
    }

    /// Waits a moment for answers on the stream beside, if the client listens to it.
    async fn read_aside(&mut self, pending: &mut PendingRequests) {
        let reading = async {
            while self.inbox.style.listens
                && !pending.is_complete()
                && let Some(event) = self.side.next().await
            {
                self.inbox.read(&event, pending);
            }
        };
        let _ = timeout(ASIDE, reading).await;
    }

    /// Reads the next event of the stream beside into the inbox. Returns whether there was one.
    async fn read_side(&mut self) -> bool {
        let Some(event) = self.side.next().await else { return false };
        self.inbox.read(&event, &mut PendingRequests::none());
        for reply in self.inbox.take_replies() {
            // The caller gets the error.
            let _ = self.post(self.legacy_headers(), reply).await;
        }
        true
    }
}

impl Wire for HttpWire {
    fn request<'a>(&'a mut self, requests: &'a [Request<'a>], pending: &'a mut PendingRequests) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if requests.iter().any(|request| request.method == "initialize") {
                self.session = None;
            }
            let mut responses: Vec<_> =
                requests.iter().map(|request| PendingResponse::from(self.send_request(request))).collect();
            while !pending.is_complete() {
                let (number, part) = first(&mut responses).await;
                // Each response is for the request that it answers, whatever else is in it.
                let mut own = PendingRequests::to([requests[number].id]);
                self.read(&requests[number], part, &mut own).await;
                if let Some(Some(answer)) = own.into_answers().next() {
                    responses[number].close();
                    pending.answer(requests[number].id, answer);
                }
            }
        })
    }

    fn notify<'a>(&'a mut self, method: &'a str, params: Option<&'a str>) -> BoxFuture<'a, Result<(), ClientError>> {
        Box::pin(async move {
            let body = jsonrpc::notification(method, params);
            let response = self.post(self.legacy_headers(), body).await?;
            let status = response.status();
            if status.is_success() {
                return Ok(());
            }
            let body = Limited::new(response.into_body(), MESSAGE_LIMIT).collect().await;
            let body = body.map(|body| shorten(&String::from_utf8_lossy(&body.to_bytes()))).unwrap_or_default();
            Err(ClientError::HttpStatus { status: status.as_u16(), body })
        })
    }

    fn cancel(&mut self, id: u64, era: RequestEra) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // In the modern era, closing the stream cancels the request.
            if era == RequestEra::Legacy {
                let id = self.inbox.style.id(id);
                let params = format!(r#"{{"requestId":{id},"reason":"the deadline is over"}}"#);
                let _ = timeout(FAREWELL, self.notify("notifications/cancelled", Some(&params))).await;
            }
        })
    }

    fn listen<'a>(&'a mut self, request: Option<&'a Request<'a>>) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let response = match request {
                Some(request) => self.send_request(request),
                None => self.get(),
            };
            self.side = SideStream::Opening(response);
            let settled = async {
                self.side.opened().await;
                while self.inbox.awaits_acknowledgement() && self.read_side().await {}
            };
            // Some servers send no head before their first event. The client continues, and reads the event later.
            let _ = timeout(OPENING, settled).await;
        })
    }

    fn stream_in(&mut self, revision: Revision) -> BoxFuture<'_, Result<(), ClientError>> {
        Box::pin(async move {
            let spoken = self.inbox.revision.replace(revision);
            let response = self.get();
            self.inbox.revision = spoken;
            match timeout(OPENING, response).await {
                Ok(Ok(response)) => {
                    let refused = [StatusCode::BAD_REQUEST, StatusCode::NOT_FOUND].contains(&response.status());
                    if refused && self.session.is_some() { Err(ClientError::SessionExpired) } else { Ok(()) }
                }
                // The client continues without the stream.
                Ok(Err(_)) | Err(_) => Ok(()),
            }
        })
    }

    fn drain(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut reading = pin!(async { while self.read_side().await {} });
            poll_fn(|context| {
                let _ = reading.as_mut().poll(context);
                Poll::Ready(())
            })
            .await;
        })
    }

    fn changed(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async move { while !self.inbox.changed && self.read_side().await {} })
    }

    fn inbox(&mut self) -> &mut Inbox {
        &mut self.inbox
    }

    fn sends_header_params(&self) -> bool {
        true
    }

    fn close<'a>(mut self: Box<Self>) -> BoxFuture<'a, ()>
    where
        Self: 'a,
    {
        Box::pin(async move {
            if self.inbox.style.listens {
                // A busy machine may take longer than the rest of the session.
                let _ = timeout(ASIDE, self.side.opened()).await;
            }
            self.side = SideStream::None;
            if self.session.is_some() {
                let mut headers = self.legacy_headers();
                headers.remove(CONTENT_TYPE);
                headers.remove(ACCEPT);
                // The server may refuse this; then it ends the session when it likes.
                let _ = timeout(FAREWELL, self.http.send(Method::DELETE, &self.uri, headers, Vec::new())).await;
            }
        })
    }
}

/// A pool of connections to servers, for all sessions of one tokio runtime. Clones share it.
#[derive(Clone, Debug)]
pub struct HttpClient(Client<HttpConnector, Full<Bytes>>);

impl HttpClient {
    /// A client without connections yet.
    pub fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self(Client::builder(TokioExecutor::new()).build(connector))
    }

    pub(crate) fn send(&self, method: Method, uri: &Uri, headers: HeaderMap, body: Vec<u8>) -> ResponseFuture {
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
