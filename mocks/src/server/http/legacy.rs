//! Requests of the legacy era: `initialize`, requests in a session, and batches.

use crate::wire::jsonrpc::{INVALID_REQUEST, Message, error_object, failure};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use mcp_compat_model::Era;
use serde_json::value::RawValue;

use super::body::{AfterEvents, Body, ConnectionAborted, empty, events, json};
use super::endpoint::{Call, Endpoint};
use super::guard::refuse;
use super::headers;
use super::sessions::Session;
use crate::server::params::Params;
use crate::server::protocol::{Answer, Handshake, ProtocolError, list_changed};
use crate::server::template::RequestFields;

/// Answers a request of the legacy era.
pub(super) async fn answer(endpoint: &Endpoint, call: &Call<'_>) -> Result<Response<Body>, ConnectionAborted> {
    if call.method == "initialize" {
        return initialize(endpoint, call).await;
    }
    let newest = endpoint.compiled.spec().newest(Era::Legacy);
    if let Some(answer) = endpoint.compiled.scripted(call.method) {
        return endpoint.carry(call, newest, answer.into()).await;
    }
    let session = match endpoint.sessions.find(&endpoint.compiled, call.headers) {
        Ok(session) => session,
        Err(none) => {
            let fault = ProtocolError::new(none.status.as_u16(), INVALID_REQUEST, none.reason);
            return Ok(endpoint.refuse_request(call.id, none.status, fault));
        }
    };
    session.answered_calls.turn().await;
    let revision = Some(session.revision);
    let answer = endpoint.compiled.legacy(revision, &session.position, call.method, call.params);
    let mut due = endpoint.due(call, answer, &session.position, &session.answered_calls).await;
    if matches!(due.answer, Answer::Evolved { told: true, .. }) {
        if headers::accept_events(call.headers) {
            due.before.push(list_changed());
        } else if let Some(events) = &*session.stream() {
            // If the notification cannot precede the answer, it is sent on the session's own stream, or lost without one.
            let _ = events.send(&list_changed());
        }
    }
    // A session of a revision that is not legacy, because a script says so, still answers like a session.
    let revision = revision.filter(|revision| revision.era() == Era::Legacy).or(newest);
    endpoint.carry(call, revision, due).await
}

async fn initialize(endpoint: &Endpoint, call: &Call<'_>) -> Result<Response<Body>, ConnectionAborted> {
    let Handshake { session, answer } = endpoint.compiled.initialize(call.params);
    if let Answer::Refused(fault) = answer {
        return Ok(endpoint.refuse_request(call.id, StatusCode::BAD_REQUEST, fault));
    }
    let name = session.map(|revision| endpoint.sessions.open(revision));
    let mut response = endpoint.carry(call, endpoint.compiled.spec().newest(Era::Legacy), answer.into()).await?;
    if let Some(Ok(name)) = name.map(|name| HeaderValue::from_str(&name)) {
        response.headers_mut().insert(headers::SESSION, name);
    }
    Ok(response)
}

/// Answers a batch, which only 2025-03-26 has. Messages before an answer are sent before all answers. No answer waits: they
/// are one message.
pub(super) async fn batch(
    endpoint: &Endpoint,
    headers: &HeaderMap,
    session: &Session,
    body: &Bytes,
) -> Result<Response<Body>, ConnectionAborted> {
    let messages = match serde_json::from_slice::<Vec<&RawValue>>(body) {
        Ok(messages) if !messages.is_empty() => messages,
        Ok(_) | Err(_) => return Ok(refuse(StatusCode::BAD_REQUEST, "the batch is empty, or no JSON")),
    };
    let (mut answers, mut notices) = (Vec::new(), Vec::new());
    for message in messages {
        answers.push(match Message::read(message.get().as_bytes()) {
            Ok(Message::Request { id, method, params }) => {
                let answered = match Params::read(params) {
                    Ok(params) => {
                        let revision = Some(session.revision);
                        let answer = endpoint.compiled.legacy(revision, &session.position, &method, &params);
                        if let Answer::Timed(behavior, timing) = answer {
                            notices
                                .extend(timing.before(RequestFields { id: id.get(), token: params.progress_token() }));
                            endpoint.compiled.perform(behavior, &session.position)
                        } else {
                            answer
                        }
                    }
                    Err(fault) => Answer::Refused(fault),
                };
                match answered {
                    Answer::Exit(_) => return Err(ConnectionAborted),
                    Answer::Hang => return std::future::pending().await,
                    Answer::Evolved { told: true, .. } => notices.push(list_changed()),
                    Answer::Evolved { told: false, .. }
                    | Answer::Result(_)
                    | Answer::Refused(_)
                    | Answer::Error(_)
                    | Answer::Raw(_)
                    | Answer::Listening { .. }
                    | Answer::Timed(..) => {}
                }
                answered.message(&endpoint.compiled, id)
            }
            Ok(Message::Notification { .. } | Message::Response { .. } | Message::Failure { .. }) => continue,
            Err(malformed) => failure(malformed.id(), &error_object(malformed.code(), &malformed.to_string(), None)),
        });
    }
    if answers.is_empty() {
        return Ok(empty(StatusCode::ACCEPTED));
    }
    let answers = [b"[", answers.join(&b","[..]).as_slice(), b"]"].concat();
    if !notices.is_empty() && headers::accept_events(headers) {
        return Ok(events(notices.iter().map(Vec::as_slice).chain([answers.as_slice()]), AfterEvents::End));
    }
    Ok(json(StatusCode::OK, answers))
}
