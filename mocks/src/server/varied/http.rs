//! Streamable HTTP of varied servers: one listener on loopback, a path for each client.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::answers::{Answered, HOLD, State, answer};
use super::behaviour::{Accepted, Behaviour, Get, Refusal, SessionEnd, StreamForm};
use super::body::{Pieces, events};
use super::exchange::{Exchange, Verb};
use crate::server::http::guard;
use crate::server::http::listener::Listener;
use crate::wire::jsonrpc::{INVALID_REQUEST, MESSAGE_LIMIT, Message, error_object, failure};

/// A listener for varied servers. It and its connections end when it is dropped.
#[derive(Debug)]
pub struct VariedServer {
    /// Writes the names of headers as `Content-Type`.
    listener: Listener,
    /// Writes them in lower case.
    lower: Listener,
    /// Part of each path that no other program can guess.
    secret: u64,
    paths: Arc<Paths>,
}

type Paths = Mutex<BTreeMap<String, Arc<Endpoint>>>;

#[derive(Debug)]
struct Endpoint {
    behaviour: Behaviour,
    state: Mutex<State>,
    /// Told of each exchange.
    recorded: Notify,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl VariedServer {
    pub async fn bind() -> io::Result<Self> {
        let paths = Arc::new(Paths::default());
        let served = Arc::clone(&paths);
        let respond = move |request| respond(Arc::clone(&served), request);
        let listener = Listener::bind_titled(respond.clone()).await?;
        let lower = Listener::bind(respond).await?;
        // The keys of a hasher come from the system's random bytes.
        let secret = RandomState::new().build_hasher().finish();
        Ok(Self { listener, lower, secret, paths })
    }

    /// Serves a behaviour at a path of its own, and returns the address of its endpoint.
    pub fn host(&self, behaviour: Behaviour) -> String {
        let mut paths = lock(&self.paths);
        let path = format!("/{:016x}{}/mcp", self.secret, paths.len());
        let listener = if behaviour.lower_names { &self.lower } else { &self.listener };
        let address = listener.address();
        paths.insert(path.clone(), Arc::new(Endpoint { behaviour, state: Mutex::default(), recorded: Notify::new() }));
        format!("http://{address}{path}")
    }

    /// Requests to an address, in order.
    pub fn exchanges(&self, url: &str) -> Vec<Exchange> {
        let path = url.splitn(4, '/').nth(3).map(|path| format!("/{path}"));
        let endpoint = path.and_then(|path| lock(&self.paths).get(&path).cloned());
        endpoint.map_or_else(Vec::new, |endpoint| lock(&endpoint.state).exchanges.clone())
    }
}

async fn respond(paths: Arc<Paths>, request: Request<Incoming>) -> Result<Response<Pieces>, Infallible> {
    if guard::names_elsewhere(request.headers()).is_some() {
        return Ok(status(403));
    }
    let path = request.uri().path().to_owned();
    let (known, is_redirected) = match path.strip_suffix('/') {
        Some(known) => (known.to_owned(), true),
        None => (path, false),
    };
    let endpoint = lock(&paths).get(&known).cloned();
    Ok(match endpoint {
        Some(endpoint) if is_redirected == endpoint.behaviour.redirects => {
            let mut response = endpoint.respond(request).await;
            if endpoint.behaviour.closes {
                response.headers_mut().insert(header::CONNECTION, header::HeaderValue::from_static("close"));
            }
            response
        }
        Some(endpoint) if endpoint.behaviour.redirects => {
            endpoint.record(blank(request.method(), request.headers(), 307));
            with(StatusCode::TEMPORARY_REDIRECT, &[("location", &format!("{known}/"))], Pieces::empty())
        }
        Some(_) | None => status(404),
    })
}

/// The record of a request without a message.
fn blank(method: &Method, headers: &HeaderMap, status: u16) -> Exchange {
    let named = |name: &str| Some(headers.get(name)?.to_str().ok()?.to_owned());
    let verb = match *method {
        Method::GET => Verb::Get,
        Method::POST => Verb::Post,
        Method::DELETE => Verb::Delete,
        _ => Verb::Other,
    };
    Exchange {
        session: named("mcp-session-id"),
        version: named("mcp-protocol-version"),
        accept: named("accept"),
        status,
        ..Exchange::new(verb)
    }
}

fn with(status: StatusCode, headers: &[(&str, &str)], body: Pieces) -> Response<Pieces> {
    let builder =
        headers.iter().fold(Response::builder().status(status), |builder, (key, value)| builder.header(*key, *value));
    builder.body(body).unwrap_or_else(|_| Response::new(Pieces::empty()))
}

fn status(status: u16) -> Response<Pieces> {
    with(StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST), &[], Pieces::empty())
}

impl Endpoint {
    fn record(&self, exchange: Exchange) {
        lock(&self.state).exchanges.push(exchange);
        self.recorded.notify_waiters();
    }

    /// Waits until the client has answered these requests, or no longer.
    async fn hold(self: Arc<Self>, awaited: Vec<String>) {
        let answers = async {
            loop {
                let recorded = self.recorded.notified();
                if lock(&self.state).has_answers(&awaited) {
                    return;
                }
                recorded.await;
            }
        };
        let _ = timeout(HOLD, answers).await;
    }

    async fn respond(self: &Arc<Self>, request: Request<Incoming>) -> Response<Pieces> {
        let (head, body) = request.into_parts();
        let seen = blank(&head.method, &head.headers, 200);
        match seen.verb {
            Verb::Post => match Limited::new(body, MESSAGE_LIMIT).collect().await {
                Ok(body) => self.post(seen, &head.headers, &body.to_bytes()).await,
                Err(_) => status(413),
            },
            Verb::Get => self.get(seen, &head.headers),
            Verb::Delete => {
                let answered = self.behaviour.delete;
                self.record(Exchange { status: answered, ..seen });
                status(answered)
            }
            Verb::Other => {
                self.record(Exchange { status: 405, ..seen });
                status(405)
            }
        }
    }

    fn get(&self, seen: Exchange, headers: &HeaderMap) -> Response<Pieces> {
        let waiting = headers.get("last-event-id").and_then(|_| lock(&self.state).waiting.take());
        let body = match (waiting, self.behaviour.get) {
            (Some(answer), _) => events(&[answer], &StreamForm::default()),
            (None, Get::Open) => Pieces::open(),
            (None, Get::Closed) => Pieces::empty(),
            (None, Get::NotFound) => {
                self.record(Exchange { status: 404, ..seen });
                return status(404);
            }
            (None, Get::Json) => {
                self.record(seen);
                return with(
                    StatusCode::OK,
                    &[("content-type", "application/json")],
                    Pieces::whole(r#"{"status":"ok"}"#),
                );
            }
            (None, Get::NotAllowed) => {
                self.record(Exchange { status: 405, ..seen });
                return with(StatusCode::METHOD_NOT_ALLOWED, &[("allow", "POST, DELETE")], Pieces::empty());
            }
        };
        self.record(seen);
        with(StatusCode::OK, &[("content-type", "text/event-stream")], body)
    }

    async fn post(self: &Arc<Self>, mut seen: Exchange, headers: &HeaderMap, body: &[u8]) -> Response<Pieces> {
        let message = Message::read(body);
        let id = seen.note(&message, body);
        let id = id.as_deref();
        if let Some((refusal, status, why)) = self.refusal(&seen, headers) {
            return self.refuse(seen, id, refusal, status, why);
        }
        let Some(id) = id else {
            if seen.method.as_deref() == Some("notifications/initialized") {
                lock(&self.state).is_initialized = true;
            }
            let Accepted { status: code, content_type, is_chunked } = self.behaviour.accepted;
            let answered = if message.is_ok() { code } else { 400 };
            self.record(Exchange { status: answered, ..seen });
            let headers: Vec<_> = content_type.map(|kind| ("content-type", kind)).into_iter().collect();
            let body = if is_chunked { Pieces::chunked() } else { Pieces::empty() };
            return with(StatusCode::from_u16(answered).unwrap_or(StatusCode::ACCEPTED), &headers, body);
        };
        if let Some(response) = self.instead(&seen) {
            return response;
        }
        let method = seen.method.clone().unwrap_or_default();
        let params = seen.params.clone().unwrap_or_else(|| "{}".to_owned());
        let (answered, session) = {
            let mut state = lock(&self.state);
            let answered = answer(&self.behaviour, &mut state, id, &method, &params);
            (answered, (method == "initialize").then(|| self.session(state.opened)).flatten())
        };
        let told = answered.told.clone();
        self.record(Exchange { status: answered.status, code: answered.code, told, ..seen });
        let takes_gzip = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        let takes_gzip = takes_gzip.is_some_and(|codings| codings.contains("gzip"));
        let mut response = self.carried(&method, answered, takes_gzip && self.behaviour.gzip);
        if let Some(session) = session.and_then(|session| session.parse().ok()) {
            response.headers_mut().insert("mcp-session-id", session);
        }
        response
    }

    /// The response that carries an answer.
    fn carried(self: &Arc<Self>, method: &str, answered: Answered, is_zipped: bool) -> Response<Pieces> {
        let code = StatusCode::from_u16(answered.status).unwrap_or(StatusCode::OK);
        let Answered { message, before, awaited, .. } = answered;
        let gives_up = self.behaviour.gives_up && method == "tools/call";
        let form = self.behaviour.stream.clone().or_else(|| (gives_up || !before.is_empty()).then(StreamForm::default));
        let form = form.map(|form| match method {
            "tools/list" => form,
            _ => StreamForm { linger: Duration::ZERO, ..form },
        });
        let Some(form) = form.filter(|_| code.is_success()) else {
            let (coding, body): (&[_], _) =
                if is_zipped { (&[("content-encoding", "gzip")], gzip(&message)) } else { (&[], message) };
            return with(code, &[&[("content-type", self.behaviour.json_type)], coding].concat(), Pieces::whole(body));
        };
        let body = if form.resumed && method == "tools/call" {
            lock(&self.state).waiting = Some(message);
            Pieces::whole("id: 1\nretry: 100\ndata: \n\n")
        } else {
            let messages: Vec<Vec<u8>> = before.into_iter().chain([message]).collect();
            let body = events(&messages, &form);
            if awaited.is_empty() { body } else { body.holding(Arc::clone(self).hold(awaited)) }
        };
        with(code, &[("content-type", "text/event-stream"), ("cache-control", "no-cache")], body)
    }

    /// The id of a session, by number.
    fn session(&self, number: usize) -> Option<String> {
        let id = self.behaviour.session?;
        Some(if number < 2 { id.to_owned() } else { format!("{id}{number}") })
    }

    /// The response that replaces the answer to a request.
    fn instead(&self, seen: &Exchange) -> Option<Response<Pieces>> {
        let instead = self.behaviour.instead.as_ref()?;
        let mut state = lock(&self.state);
        if seen.method.as_deref() != Some(instead.method) || (state.has_replaced && !instead.always) {
            return None;
        }
        state.has_replaced = true;
        state.exchanges.push(Exchange { status: instead.status, ..seen.clone() });
        let status = StatusCode::from_u16(instead.status).unwrap_or(StatusCode::BAD_REQUEST);
        let body = instead.body.replace("{id}", seen.id.as_deref().unwrap_or("null"));
        Some(with(status, instead.headers, Pieces::whole(body)))
    }

    fn refuse(&self, seen: Exchange, id: Option<&str>, refusal: Refusal, status: u16, why: &str) -> Response<Pieces> {
        let error = error_object(INVALID_REQUEST, why, None);
        self.record(Exchange { status, code: None, told: Some(why.to_owned()), refused: Some(refusal), ..seen });
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
        with(status, &[("content-type", "application/json")], Pieces::whole(failure(id, &error)))
    }

    /// The first check that a POST does not pass: the check, its status and its message.
    fn refusal(&self, seen: &Exchange, headers: &HeaderMap) -> Option<(Refusal, u16, &'static str)> {
        let state = &mut *lock(&self.state);
        // A client that asks for the newest revision first has no session yet.
        let opens = matches!(seen.method.as_deref(), Some("initialize" | "server/discover"));
        let current = self.session(state.opened);
        let has_ended = |state: &State| {
            (1..=state.opened).any(|number| {
                state.ended.contains(&number) && self.session(number).is_some() && self.session(number) == seen.session
            })
        };
        if self.behaviour.session_end == Some(SessionEnd::AtCall) && seen.is_request("tools/call") && state.opened == 1
        {
            state.ended.insert(1);
        }
        if !opens && has_ended(state) {
            return Some((Refusal::Session, 404, "Session not found"));
        }
        self.behaviour.refusals.iter().copied().find_map(|refusal| {
            let lists = |kind: &str| seen.accept.as_deref().is_some_and(|accept| accept.contains(kind));
            let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
            let (is_refused, status, why) = match refusal {
                Refusal::Accept => (
                    !(lists("application/json") && lists("text/event-stream")),
                    406,
                    "Not Acceptable: Client must accept both application/json and text/event-stream",
                ),
                Refusal::ContentType => (
                    !content_type.is_some_and(|kind| kind.starts_with("application/json")),
                    415,
                    "Unsupported Media Type: Content-Type must be application/json",
                ),
                Refusal::VersionHeader => {
                    (!opens && seen.version.is_none(), 400, "Bad Request: the header MCP-Protocol-Version is missing")
                }
                Refusal::NotInitialized => (
                    !opens && !state.is_initialized && seen.id.is_some() && !seen.is_request("ping"),
                    400,
                    "Bad Request: the session is not initialized",
                ),
                Refusal::Session if opens => (false, 400, ""),
                Refusal::Session if seen.session.is_none() => {
                    (true, 400, "Bad Request: the header Mcp-Session-Id is missing")
                }
                Refusal::Session => (seen.session != current, 404, "Session not found"),
            };
            is_refused.then_some((refusal, status, why))
        })
    }
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let written = encoder.write_all(body).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}
