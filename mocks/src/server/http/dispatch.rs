//! Reads a request at a path, finds out its era, and has it answered.

use crate::wire::jsonrpc::{MESSAGE_LIMIT, Message, error_object, failure};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body as _, Incoming};
use mcp_compat_model::Era;

use super::body::{Body, ConnectionAborted, empty, json};
use super::endpoint::{Call, Endpoint};
use super::guard::refuse;
use super::{headers, legacy, modern};
use crate::server::params::Params;

/// Answers a request at a path.
pub(super) async fn respond(
    endpoint: &Endpoint,
    request: Request<Incoming>,
) -> Result<Response<Body>, ConnectionAborted> {
    let (head, body) = request.into_parts();
    let only_modern = endpoint.compiled.spec().newest(Era::Legacy).is_none();
    let legacy = !only_modern && !headers::name_modern(&head.headers);
    match head.method {
        // A body that says beforehand that it is too long is not waited for.
        Method::POST if body.size_hint().lower() > MESSAGE_LIMIT as u64 => Ok(too_long()),
        Method::POST => match Limited::new(body, MESSAGE_LIMIT).collect().await {
            Ok(body) => post(endpoint, &head.headers, &body.to_bytes()).await,
            Err(_) => Ok(too_long()),
        },
        Method::GET if legacy => Ok(endpoint.sessions.listen(&endpoint.compiled, &head.headers)),
        Method::DELETE if legacy => Ok(endpoint.sessions.end(&endpoint.compiled, &head.headers)),
        _ => {
            let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
            let allowed = if only_modern { "POST" } else { "GET, POST, DELETE" };
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
            Ok(response)
        }
    }
}

async fn post(endpoint: &Endpoint, headers: &HeaderMap, body: &Bytes) -> Result<Response<Body>, ConnectionAborted> {
    if body.trim_ascii_start().first() == Some(&b'[')
        && let Some(session) = endpoint.sessions.that_batches(headers)
    {
        return legacy::batch(endpoint, headers, &session, body).await;
    }
    match Message::read(body) {
        Ok(Message::Request { id, method, params }) => match Params::read(params) {
            Ok(params) => request(endpoint, &Call { headers, id, method: &method, params: &params }).await,
            Err(fault) => Ok(endpoint.refuse_request(id, StatusCode::BAD_REQUEST, fault)),
        },
        Ok(Message::Notification { .. } | Message::Response { .. } | Message::Failure { .. }) => {
            Ok(one_way(endpoint, headers))
        }
        Err(malformed) => {
            let error = error_object(malformed.code(), &malformed.to_string(), None);
            Ok(json(StatusCode::BAD_REQUEST, failure(malformed.id(), &error)))
        }
    }
}

/// Takes a message that wants no answer. No notification that a client can send over HTTP changes anything here.
fn one_way(endpoint: &Endpoint, headers: &HeaderMap) -> Response<Body> {
    let spec = endpoint.compiled.spec();
    let modern =
        spec.newest(Era::Legacy).is_none() || (spec.newest(Era::Modern).is_some() && headers::name_modern(headers));
    if modern {
        return empty(StatusCode::ACCEPTED);
    }
    match endpoint.sessions.find(&endpoint.compiled, headers) {
        Ok(_) => empty(StatusCode::ACCEPTED),
        Err(refusal) => refuse(refusal.status, refusal.reason),
    }
}

async fn request(endpoint: &Endpoint, call: &Call<'_>) -> Result<Response<Body>, ConnectionAborted> {
    match era(endpoint, call) {
        Era::Modern => modern::answer(endpoint, call).await,
        Era::Legacy => legacy::answer(endpoint, call).await,
    }
}

/// The era of a request. `initialize` is a legacy request whatever revision its headers name, as they come from
/// clients that put their newest one there.
fn era(endpoint: &Endpoint, call: &Call<'_>) -> Era {
    let era = endpoint.compiled.era(call.method, call.params);
    let speaks_modern = endpoint.compiled.spec().newest(Era::Modern).is_some();
    match era {
        Era::Legacy if speaks_modern && call.method != "initialize" && headers::name_modern(call.headers) => {
            Era::Modern
        }
        Era::Legacy | Era::Modern => era,
    }
}

fn too_long() -> Response<Body> {
    refuse(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long, or broke off")
}
