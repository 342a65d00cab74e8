//! The endpoint of a scripted model.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use mcp_compat_json::Json;

use super::conversation::Conversation;
use super::interface::{self, Asked, Interface, Written};
use super::plan::Plan;
use crate::server::http::guard;
use crate::server::http::listener::Listener;

/// Most bytes of a request. Hosts send all tools and the whole history each time.
const REQUEST_LIMIT: usize = 64 << 20;

/// Most requests that are kept for a plan: a host that asks for ever is answered, and no longer recorded.
const MOST_REQUESTS: usize = 2_000;

/// A listener for scripted models. It and its connections end when it is dropped.
#[derive(Debug)]
pub struct ScriptedModel {
    listener: Listener,
    /// Part of each path that no other program can guess.
    secret: u64,
    paths: Arc<Paths>,
}

type Paths = Mutex<BTreeMap<String, Played>>;

#[derive(Debug)]
struct Played {
    plan: Plan,
    requests: Vec<ModelRequest>,
}

/// A request for what the model says next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRequest {
    pub interface: Interface,
    /// The body as it was sent.
    pub body: Bytes,
    pub conversation: Conversation,
}

fn lock(paths: &Paths) -> MutexGuard<'_, BTreeMap<String, Played>> {
    paths.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ScriptedModel {
    /// Opens the listener, within a tokio runtime.
    ///
    /// # Errors
    /// When the system gives no port.
    pub async fn bind() -> io::Result<Self> {
        let paths = Arc::new(Paths::default());
        let served = Arc::clone(&paths);
        let listener = Listener::bind(move |request| respond(Arc::clone(&served), request)).await?;
        // The keys of a hasher come from the system's random bytes.
        let secret = RandomState::new().build_hasher().finish();
        Ok(Self { listener, secret, paths })
    }

    /// Plays a plan at an address of its own, to which hosts add the path of their interface.
    pub fn host(&self, plan: Plan) -> String {
        let mut paths = lock(&self.paths);
        let name = format!("{:016x}{}", self.secret, paths.len());
        let address = format!("http://{}/{name}", self.listener.address());
        paths.insert(name, Played { plan, requests: Vec::new() });
        address
    }

    /// The requests that came to an address, in order.
    pub fn requests(&self, address: &str) -> Vec<ModelRequest> {
        let name = address.rsplit('/').next().unwrap_or_default();
        lock(&self.paths).get(name).map_or_else(Vec::new, |played| played.requests.clone())
    }
}

async fn respond(paths: Arc<Paths>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(answer(&paths, request).await.unwrap_or_else(status))
}

async fn answer(paths: &Paths, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, StatusCode> {
    if guard::names_elsewhere(request.headers()).is_some() {
        return Err(StatusCode::FORBIDDEN);
    }
    let (head, body) = request.into_parts();
    let (name, rest) = head.uri.path().trim_start_matches('/').split_once('/').unwrap_or((head.uri.path(), ""));
    let name = name.trim_start_matches('/');
    if !lock(paths).contains_key(name) {
        return Err(StatusCode::NOT_FOUND);
    }
    if head.method == Method::HEAD {
        return Err(StatusCode::OK);
    }
    match Asked::of(rest, head.uri.query().unwrap_or_default()) {
        Some(Asked::Models) if head.method == Method::GET => Ok(written(interface::models())),
        Some(Asked::Tokens(interface)) => Ok(written(interface.write_tokens())),
        Some(Asked::Next { interface, streams }) if head.method == Method::POST => {
            let body = Limited::new(body, REQUEST_LIMIT).collect().await.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
            let body = body.to_bytes();
            let parsed = Json::parse_bytes(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
            let conversation = interface.read(&parsed);
            let mut paths = lock(paths);
            let played = paths.get_mut(name).ok_or(StatusCode::NOT_FOUND)?;
            let say = played.plan.next(&conversation);
            let answer = interface.write(&say, streams || conversation.streams);
            if played.requests.len() < MOST_REQUESTS {
                played.requests.push(ModelRequest { interface, body, conversation });
            }
            Ok(written(answer))
        }
        Some(Asked::Models | Asked::Next { .. }) => Err(StatusCode::METHOD_NOT_ALLOWED),
        None => Err(StatusCode::NOT_FOUND),
    }
}

fn written(written: Written) -> Response<Full<Bytes>> {
    let response = Response::builder().header("content-type", written.content_type);
    response.body(Full::new(written.body.into())).unwrap_or_else(|_| status(StatusCode::INTERNAL_SERVER_ERROR))
}

fn status(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}
