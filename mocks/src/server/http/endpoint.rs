//! Endpoint of one path: the requests that it serves, and their responses.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::wire::jsonrpc::{ErrorObject, HEADER_MISMATCH, UNSUPPORTED_VERSION};
use http::{HeaderMap, Response, StatusCode};
use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;

use super::answered_calls::{AnsweredCalls, AnsweredOnDrop};
use super::body::{AfterEvents, Body, ConnectionAborted, EventSender, events, json};
use super::headers;
use super::sessions::Sessions;
use crate::server::compiled_script::CompiledScript;
use crate::server::params::Params;
use crate::server::profiles::ResponseFormat;
use crate::server::protocol::{Answer, Position, ProtocolError, Subscription};
use crate::server::quirk::ServerQuirk;
use crate::server::template::RequestFields;

/// A script at its path, and its clients.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) compiled: Arc<CompiledScript>,
    /// The position in the script for modern clients, which have no sessions.
    pub(super) position: Position,
    /// The calls that have been answered to them.
    pub(super) answered_calls: AnsweredCalls,
    pub(super) listeners: Listeners,
    pub(super) sessions: Sessions,
}

/// A request, as far as both eras read it.
pub(super) struct Call<'r> {
    pub(super) headers: &'r HeaderMap,
    pub(super) id: &'r RawValue,
    pub(super) method: &'r str,
    pub(super) params: &'r Params<'r>,
}

/// An answer that is due.
pub(super) struct Due<'p> {
    pub(super) answer: Answer<'p>,
    /// The messages before it, if the client accepts events.
    pub(super) before: Vec<Vec<u8>>,
    /// Kept until the answer is written.
    given: Option<AnsweredOnDrop>,
}

impl<'p> From<Answer<'p>> for Due<'p> {
    fn from(answer: Answer<'p>) -> Self {
        Self { answer, before: Vec::new(), given: None }
    }
}

impl Endpoint {
    pub(super) fn new(compiled: Arc<CompiledScript>) -> Self {
        Self {
            compiled,
            position: Position::default(),
            answered_calls: AnsweredCalls::default(),
            listeners: Listeners::default(),
            sessions: Sessions::default(),
        }
    }

    /// Ends all sessions and open streams.
    pub(super) fn close(&self) {
        self.listeners.close();
        self.sessions.close();
    }

    /// Waits until the answer to a call is due, and then performs the tool's behavior.
    pub(super) async fn due<'p>(
        &'p self,
        call: &Call<'_>,
        answer: Answer<'p>,
        position: &Position,
        answered_calls: &AnsweredCalls,
    ) -> Due<'p> {
        let in_order = self.compiled.spec().has(ServerQuirk::AnswersInRequestOrder);
        let Answer::Timed(behavior, timing) = answer else {
            if in_order && matches!(answer, Answer::Hang) {
                answered_calls.block();
            }
            return answer.into();
        };
        if let Some(tool) = timing.after.as_deref().filter(|tool| !answered_calls.is_answered(tool)) {
            if in_order {
                answered_calls.block();
            }
            answered_calls.answered(tool).await;
        }
        let id = self.compiled.answered_id(call.id.get());
        let before = timing.before(RequestFields { id: &id, token: call.params.progress_token() }).collect();
        let answer = self.compiled.perform(behavior, position);
        let given = (!matches!(answer, Answer::Hang)).then(|| answered_calls.answered_on_drop(&timing.tool));
        Due { answer, before, given }
    }

    /// Puts an answer into a response. With messages before it the response is an event stream, if the client accepts one.
    /// Otherwise those messages are lost.
    pub(super) async fn carry(
        &self,
        call: &Call<'_>,
        revision: Option<Revision>,
        due: Due<'_>,
    ) -> Result<Response<Body>, ConnectionAborted> {
        let Due { answer, before, given } = due;
        let takes_events = headers::accept_events(call.headers);
        let ahead = || before.iter().map(Vec::as_slice);
        let status = match &answer {
            Answer::Hang if takes_events && !before.is_empty() => return Ok(events(ahead(), AfterEvents::Silence)),
            Answer::Exit(_) if takes_events && !before.is_empty() => return Ok(events(ahead(), AfterEvents::Break)),
            Answer::Hang => return std::future::pending().await,
            Answer::Exit(_) => return Err(ConnectionAborted),
            Answer::Refused(fault) => fault_status(revision, fault),
            Answer::Error(error) => error_status(revision, error),
            Answer::Result(_)
            | Answer::Raw(_)
            | Answer::Evolved { .. }
            | Answer::Listening { .. }
            | Answer::Timed(..) => StatusCode::OK,
        };
        let message = answer.message(&self.compiled, call.id);
        let streams = !before.is_empty() || self.compiled.spec().response_format == ResponseFormat::Sse;
        let response = if streams && status == StatusCode::OK && takes_events {
            events(ahead().chain([message.as_slice()]), AfterEvents::End)
        } else {
            json(status, message)
        };
        Ok(response.map(|body| body.giving(given)))
    }

    pub(super) fn refuse_request(&self, id: &RawValue, status: StatusCode, fault: ProtocolError) -> Response<Body> {
        json(status, Answer::Refused(fault).message(&self.compiled, id))
    }
}

/// A legacy error has status 200: only the message says what went wrong.
fn fault_status(revision: Option<Revision>, fault: &ProtocolError) -> StatusCode {
    match revision.map(Revision::era) {
        Some(Era::Legacy) => StatusCode::OK,
        Some(Era::Modern) | None => StatusCode::from_u16(fault.status).unwrap_or(StatusCode::OK),
    }
}

/// The status for a scripted error: 2026-07-28 ties some codes to one.
fn error_status(revision: Option<Revision>, error: &str) -> StatusCode {
    let modern = revision.is_none_or(|revision| revision.era() == Era::Modern);
    let code = serde_json::from_str::<ErrorObject<'_>>(error).map(|error| error.code);
    match code {
        Ok(UNSUPPORTED_VERSION..=HEADER_MISMATCH) if modern => StatusCode::BAD_REQUEST,
        Ok(_) | Err(_) => StatusCode::OK,
    }
}

/// Time that an answer waits until the notification is on its way to the listeners.
const NOTIFICATION: Duration = Duration::from_millis(250);

/// The most subscriptions that may be open at one path.
const LISTENER_LIMIT: usize = 1024;

/// The open `subscriptions/listen` streams of a path.
#[derive(Debug, Default)]
pub(super) struct Listeners(Mutex<Vec<Listener>>);

#[derive(Debug)]
struct Listener {
    subscription: Subscription,
    events: EventSender,
}

impl Listeners {
    fn lock(&self) -> MutexGuard<'_, Vec<Listener>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn close(&self) {
        self.lock().clear();
    }

    /// Opens a stream for a subscription; `None` when too many are open.
    pub(super) fn open(&self, subscription: Subscription) -> Option<Body> {
        let mut listeners = self.lock();
        listeners.retain(|listener| listener.events.is_open());
        if listeners.len() == LISTENER_LIMIT {
            return None;
        }
        let (events, body) = Body::live(Some(&subscription.acknowledgement()), Some(&subscription.closing_message()));
        listeners.push(Listener { subscription, events });
        Some(body)
    }

    /// Sends every listener the notification that the tools changed, and waits until it is on its way, so that no client gets
    /// the answer to the change before the notification of it. A client that does not read is not waited for.
    pub(super) async fn notify(&self) {
        let sent: Vec<_> = {
            let listeners = self.lock();
            let send = |listener: &Listener| listener.events.send(&listener.subscription.list_changed()?);
            listeners.iter().filter_map(send).collect()
        };
        let all = async {
            for one in sent {
                // An error says that the client is gone, and so needs no notification.
                let _ = one.await;
            }
        };
        let _ = tokio::time::timeout(NOTIFICATION, all).await;
    }
}
