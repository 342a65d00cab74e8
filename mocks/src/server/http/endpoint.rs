//! What is served at one path: a request is read, given to its era, and its answer put into a response.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body as _, Incoming};
use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;

use super::body::{Body, Then, empty, events, json};
use super::cues::{Cues, Given};
use super::guard::refuse;
use super::headers;
use super::legacy::Sessions;
use super::modern::Listeners;
use crate::jsonrpc::{ErrorObject, HEADER_MISMATCH, MESSAGE_LIMIT, Message, UNSUPPORTED_VERSION};
use crate::jsonrpc::{error_object, failure};
use crate::server::fault::Fault;
use crate::server::params::Params;
use crate::server::playbook::Playbook;
use crate::server::protocol::{Answer, Position};
use crate::server::quirk::ServerQuirk;
use crate::server::spec::Answering;
use crate::server::template::Said;

/// A script at its path, and the clients that are there.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) playbook: Arc<Playbook>,
    /// Where the script is for modern clients, who have no sessions.
    pub(super) position: Position,
    /// What has been answered to them.
    pub(super) cues: Cues,
    pub(super) listeners: Listeners,
    pub(super) sessions: Sessions,
}

/// The script says that the connection ends here.
#[derive(Debug, thiserror::Error)]
#[error("the script ends the connection")]
pub(super) struct Hangup;

/// A request, read as far as both eras have to.
pub(super) struct Call<'r> {
    pub(super) headers: &'r HeaderMap,
    pub(super) id: &'r RawValue,
    pub(super) method: &'r str,
    pub(super) params: &'r Params<'r>,
}

/// An answer whose time has come.
pub(super) struct Due<'p> {
    pub(super) answer: Answer<'p>,
    /// The messages that go ahead of it, where the client takes events.
    pub(super) before: Vec<Vec<u8>>,
    /// Kept until the answer is written.
    given: Option<Given>,
}

impl<'p> From<Answer<'p>> for Due<'p> {
    fn from(answer: Answer<'p>) -> Self {
        Self { answer, before: Vec::new(), given: None }
    }
}

impl Endpoint {
    pub(super) fn new(playbook: Arc<Playbook>) -> Self {
        Self {
            playbook,
            position: Position::default(),
            cues: Cues::default(),
            listeners: Listeners::default(),
            sessions: Sessions::default(),
        }
    }

    /// Ends all sessions and open streams.
    pub(super) fn close(&self) {
        self.listeners.close();
        self.sessions.close();
    }

    pub(super) async fn respond(&self, request: Request<Incoming>) -> Result<Response<Body>, Hangup> {
        let (head, body) = request.into_parts();
        let only_modern = self.playbook.spec().newest(Era::Legacy).is_none();
        let legacy = !only_modern && !headers::name_modern(&head.headers);
        match head.method {
            // A body that says beforehand that it is too long is not waited for.
            Method::POST if body.size_hint().lower() > MESSAGE_LIMIT as u64 => Ok(too_long()),
            Method::POST => match Limited::new(body, MESSAGE_LIMIT).collect().await {
                Ok(body) => self.post(&head.headers, &body.to_bytes()).await,
                Err(_) => Ok(too_long()),
            },
            Method::GET if legacy => Ok(self.sessions.listen(&self.playbook, &head.headers)),
            Method::DELETE if legacy => Ok(self.sessions.end(&self.playbook, &head.headers)),
            _ => {
                let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
                let allowed = if only_modern { "POST" } else { "GET, POST, DELETE" };
                response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
                Ok(response)
            }
        }
    }

    async fn post(&self, headers: &HeaderMap, body: &Bytes) -> Result<Response<Body>, Hangup> {
        if body.trim_ascii_start().first() == Some(&b'[')
            && let Some(session) = self.sessions.that_batches(headers)
        {
            return self.batch(headers, &session, body).await;
        }
        match Message::read(body) {
            Ok(Message::Request { id, method, params }) => match Params::read(params) {
                Ok(params) => self.request(&Call { headers, id, method: &method, params: &params }).await,
                Err(fault) => Ok(self.refuse_request(id, StatusCode::BAD_REQUEST, fault)),
            },
            Ok(Message::Notification { .. } | Message::Response { .. } | Message::Failure { .. }) => {
                Ok(self.one_way(headers))
            }
            Err(malformed) => {
                let mut message = Vec::new();
                let error = error_object(malformed.code(), &malformed.to_string(), None);
                failure(&mut message, malformed.id(), &error);
                Ok(json(StatusCode::BAD_REQUEST, message))
            }
        }
    }

    /// Takes a message that wants no answer. No notification that a client can send over HTTP changes anything here.
    fn one_way(&self, headers: &HeaderMap) -> Response<Body> {
        let spec = self.playbook.spec();
        let modern =
            spec.newest(Era::Legacy).is_none() || (spec.newest(Era::Modern).is_some() && headers::name_modern(headers));
        if modern {
            return empty(StatusCode::ACCEPTED);
        }
        match self.sessions.find(&self.playbook, headers) {
            Ok(_) => empty(StatusCode::ACCEPTED),
            Err(refusal) => refuse(refusal.status, refusal.reason),
        }
    }

    async fn request(&self, call: &Call<'_>) -> Result<Response<Body>, Hangup> {
        match self.era(call) {
            Era::Modern => self.modern(call).await,
            Era::Legacy => self.legacy(call).await,
        }
    }

    /// The era of a request. `initialize` is a legacy request whatever revision its headers name, as they come from
    /// clients that put their newest one there.
    fn era(&self, call: &Call<'_>) -> Era {
        let era = self.playbook.era(call.method, call.params);
        let speaks_modern = self.playbook.spec().newest(Era::Modern).is_some();
        match era {
            Era::Legacy if speaks_modern && call.method != "initialize" && headers::name_modern(call.headers) => {
                Era::Modern
            }
            Era::Legacy | Era::Modern => era,
        }
    }

    /// Waits until the answer to a call is due, and then has the tool do what it does.
    pub(super) async fn due<'p>(
        &'p self,
        call: &Call<'_>,
        answer: Answer<'p>,
        position: &Position,
        cues: &Cues,
    ) -> Due<'p> {
        let in_order = self.playbook.spec().has(ServerQuirk::AnswersInRequestOrder);
        let Answer::Cued(part, cue) = answer else {
            if in_order && matches!(answer, Answer::Hang) {
                cues.block();
            }
            return answer.into();
        };
        if let Some(tool) = cue.after.as_deref().filter(|tool| !cues.is_answered(tool)) {
            if in_order {
                cues.block();
            }
            cues.answered(tool).await;
        }
        let id = self.playbook.answered_id(call.id.get());
        let before = cue.before(Said { id: &id, token: call.params.progress_token() }).collect();
        let answer = self.playbook.perform(part, position);
        let given = (!matches!(answer, Answer::Hang)).then(|| cues.given(&cue.tool));
        Due { answer, before, given }
    }

    /// Puts an answer into a response. What goes before it makes an event stream of the response, if the client takes
    /// one, and is lost otherwise.
    pub(super) async fn carry(
        &self,
        call: &Call<'_>,
        revision: Option<Revision>,
        due: Due<'_>,
    ) -> Result<Response<Body>, Hangup> {
        let Due { answer, before, given } = due;
        let takes_events = headers::accept_events(call.headers);
        let ahead = || before.iter().map(Vec::as_slice);
        let status = match &answer {
            Answer::Hang if takes_events && !before.is_empty() => return Ok(events(ahead(), Then::Silence)),
            Answer::Exit(_) if takes_events && !before.is_empty() => return Ok(events(ahead(), Then::Break)),
            Answer::Hang => return std::future::pending().await,
            Answer::Exit(_) => return Err(Hangup),
            Answer::Fault(fault) => fault_status(revision, fault),
            Answer::Error(error) => error_status(revision, error),
            Answer::Result(_)
            | Answer::Raw(_)
            | Answer::Evolved { .. }
            | Answer::Listening { .. }
            | Answer::Cued(..) => StatusCode::OK,
        };
        let mut message = Vec::new();
        answer.write(&self.playbook, call.id, &mut message);
        let streams = !before.is_empty() || self.playbook.spec().answering == Answering::Sse;
        let response = if streams && status == StatusCode::OK && takes_events {
            events(ahead().chain([message.as_slice()]), Then::End)
        } else {
            json(status, message)
        };
        Ok(response.map(|body| body.giving(given)))
    }

    pub(super) fn refuse_request(&self, id: &RawValue, status: StatusCode, fault: Fault) -> Response<Body> {
        let mut message = Vec::new();
        Answer::Fault(fault).write(&self.playbook, id, &mut message);
        json(status, message)
    }
}

fn too_long() -> Response<Body> {
    refuse(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long, or broke off")
}

/// A legacy error goes with a plain 200, as only the message says what went wrong.
fn fault_status(revision: Option<Revision>, fault: &Fault) -> StatusCode {
    match revision.map(Revision::era) {
        Some(Era::Legacy) => StatusCode::OK,
        Some(Era::Modern) | None => StatusCode::from_u16(fault.status).unwrap_or(StatusCode::OK),
    }
}

/// The codes that 2026-07-28 ties to a status keep it, if a script gives them.
fn error_status(revision: Option<Revision>, error: &str) -> StatusCode {
    let modern = revision.is_none_or(|revision| revision.era() == Era::Modern);
    let code = serde_json::from_str::<ErrorObject<'_>>(error).map(|error| error.code);
    match code {
        Ok(UNSUPPORTED_VERSION..=HEADER_MISMATCH) if modern => StatusCode::BAD_REQUEST,
        Ok(_) | Err(_) => StatusCode::OK,
    }
}
