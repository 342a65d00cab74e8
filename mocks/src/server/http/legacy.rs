//! Legacy requests: `initialize` opens a session, a header names it from then on, DELETE ends it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;

use super::body::{Body, Feed, Then, empty, event_stream, events, json};
use super::cues::Cues;
use super::endpoint::{Call, Endpoint, Hangup};
use super::guard::refuse;
use super::headers;
use crate::jsonrpc::{INVALID_REQUEST, Message, error_object, failure, notification};
use crate::server::fault::Fault;
use crate::server::params::Params;
use crate::server::playbook::Playbook;
use crate::server::protocol::{Answer, Opening, Position};
use crate::server::subscription::LIST_CHANGED;
use crate::server::template::Said;

/// The most sessions of a path; opening one more ends the oldest.
const SESSION_LIMIT: usize = 1024;

/// What every session's name begins with. A number follows, counted from 1 at each path.
const NAME: &str = "mock-session-";

/// The sessions of a path.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    last: u64,
    sessions: BTreeMap<u64, Arc<Session>>,
}

/// One client, from `initialize` to DELETE.
#[derive(Debug)]
pub(super) struct Session {
    revision: Revision,
    position: Position,
    /// What has been answered in it.
    cues: Cues,
    /// The stream that a GET opened, for what belongs to no request.
    stream: Mutex<Option<Feed>>,
}

/// Why a request belongs to no session.
pub(super) struct NoSession {
    pub(super) status: StatusCode,
    pub(super) reason: &'static str,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn close(&self) {
        self.lock().sessions.clear();
    }

    /// Opens a session; returns its name.
    fn open(&self, revision: Revision) -> String {
        let mut open = self.lock();
        if open.sessions.len() == SESSION_LIMIT {
            open.sessions.pop_first();
        }
        open.last += 1;
        let number = open.last;
        let (position, cues) = (Position::default(), Cues::default());
        let session = Session { revision, position, cues, stream: Mutex::default() };
        open.sessions.insert(number, Arc::new(session));
        format!("{NAME}{number}")
    }

    /// The session that a request names.
    pub(super) fn find(&self, playbook: &Playbook, headers: &HeaderMap) -> Result<Arc<Session>, NoSession> {
        let session = number(headers).and_then(|number| self.lock().sessions.get(&number).map(Arc::clone));
        // A script can have a session speak what the server does not speak otherwise.
        let served = |revision: Revision| {
            (revision.era() == Era::Legacy && playbook.spec().revisions.contains(&revision))
                || session.as_ref().is_some_and(|session| session.revision == revision)
        };
        if headers.contains_key(headers::VERSION) && !headers::revision(headers).is_some_and(served) {
            let reason = "MCP-Protocol-Version names no revision that is served in sessions";
            return Err(NoSession { status: StatusCode::BAD_REQUEST, reason });
        }
        if !headers.contains_key(headers::SESSION) {
            return Err(NoSession { status: StatusCode::BAD_REQUEST, reason: "Mcp-Session-Id is missing" });
        }
        session.ok_or(NoSession { status: StatusCode::NOT_FOUND, reason: "there is no such session" })
    }

    /// The session that a request names, if its revision has batches.
    pub(super) fn that_batches(&self, headers: &HeaderMap) -> Option<Arc<Session>> {
        let session = number(headers).and_then(|number| self.lock().sessions.get(&number).map(Arc::clone))?;
        (session.revision == Revision::V2025_03_26).then_some(session)
    }

    /// Ends the session that a DELETE names.
    pub(super) fn end(&self, playbook: &Playbook, headers: &HeaderMap) -> Response<Body> {
        if let Err(none) = self.find(playbook, headers) {
            return refuse(none.status, none.reason);
        }
        if let Some(number) = number(headers) {
            self.lock().sessions.remove(&number);
        }
        empty(StatusCode::NO_CONTENT)
    }

    /// Opens the stream that a GET asks for. A second one takes the place of the first, which ends.
    pub(super) fn listen(&self, playbook: &Playbook, headers: &HeaderMap) -> Response<Body> {
        if !headers::accept_events(headers) {
            return refuse(StatusCode::NOT_ACCEPTABLE, "GET needs a client that accepts event streams");
        }
        match self.find(playbook, headers) {
            Ok(session) => {
                let (feed, body) = Body::live(None, None);
                *session.stream() = Some(feed);
                event_stream(body)
            }
            Err(none) => refuse(none.status, none.reason),
        }
    }
}

impl Session {
    fn stream(&self) -> MutexGuard<'_, Option<Feed>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number in the name of the session that a request names.
fn number(headers: &HeaderMap) -> Option<u64> {
    let digits = headers.get(headers::SESSION)?.to_str().ok()?.strip_prefix(NAME)?;
    digits.parse().ok().filter(|number: &u64| number.to_string() == digits)
}

fn list_changed() -> Vec<u8> {
    let mut message = Vec::new();
    notification(&mut message, LIST_CHANGED, None);
    message
}

impl Endpoint {
    pub(super) async fn legacy(&self, call: &Call<'_>) -> Result<Response<Body>, Hangup> {
        if call.method == "initialize" {
            return self.initialize(call).await;
        }
        let newest = self.playbook.spec().newest(Era::Legacy);
        if let Some(answer) = self.playbook.scripted(call.method) {
            return self.carry(call, newest, answer.into()).await;
        }
        let session = match self.sessions.find(&self.playbook, call.headers) {
            Ok(session) => session,
            Err(none) => {
                let fault = Fault::new(none.status.as_u16(), INVALID_REQUEST, none.reason);
                return Ok(self.refuse_request(call.id, none.status, fault));
            }
        };
        session.cues.turn().await;
        let revision = Some(session.revision);
        let answer = self.playbook.legacy(revision, &session.position, call.method, call.params);
        let mut due = self.due(call, answer, &session.position, &session.cues).await;
        if matches!(due.answer, Answer::Evolved { told: true, .. }) {
            if headers::accept_events(call.headers) {
                due.before.push(list_changed());
            } else if let Some(feed) = &*session.stream() {
                // What cannot go ahead of the answer goes over the session's own stream; without one it is lost.
                let _ = feed.send(&list_changed());
            }
        }
        // A session that speaks what is no legacy revision, because a script says so, still answers as sessions do.
        let revision = revision.filter(|revision| revision.era() == Era::Legacy).or(newest);
        self.carry(call, revision, due).await
    }

    async fn initialize(&self, call: &Call<'_>) -> Result<Response<Body>, Hangup> {
        let Opening { session, answer } = self.playbook.initialize(call.params);
        if let Answer::Fault(fault) = answer {
            return Ok(self.refuse_request(call.id, StatusCode::BAD_REQUEST, fault));
        }
        let name = session.map(|revision| self.sessions.open(revision));
        let mut response = self.carry(call, self.playbook.spec().newest(Era::Legacy), answer.into()).await?;
        if let Some(Ok(name)) = name.map(|name| HeaderValue::from_str(&name)) {
            response.headers_mut().insert(headers::SESSION, name);
        }
        Ok(response)
    }

    /// Answers a batch, which 2025-03-26 and no other revision has. What goes before an answer goes before all of them,
    /// and none waits: they come in one piece.
    pub(super) async fn batch(
        &self,
        headers: &HeaderMap,
        session: &Session,
        body: &Bytes,
    ) -> Result<Response<Body>, Hangup> {
        let messages = match serde_json::from_slice::<Vec<&RawValue>>(body) {
            Ok(messages) if !messages.is_empty() => messages,
            Ok(_) | Err(_) => return Ok(refuse(StatusCode::BAD_REQUEST, "the batch is empty, or no JSON")),
        };
        let (mut answers, mut told) = (Vec::new(), Vec::new());
        for message in messages {
            let mut answer = Vec::new();
            match Message::read(message.get().as_bytes()) {
                Ok(Message::Request { id, method, params }) => {
                    let answered = match Params::read(params) {
                        Ok(params) => {
                            let revision = Some(session.revision);
                            let answer = self.playbook.legacy(revision, &session.position, &method, &params);
                            if let Answer::Cued(part, cue) = answer {
                                told.extend(cue.before(Said { id: id.get(), token: params.progress_token() }));
                                self.playbook.perform(part, &session.position)
                            } else {
                                answer
                            }
                        }
                        Err(fault) => Answer::Fault(fault),
                    };
                    match answered {
                        Answer::Exit(_) => return Err(Hangup),
                        Answer::Hang => return std::future::pending().await,
                        Answer::Evolved { told: true, .. } => told.push(list_changed()),
                        Answer::Evolved { told: false, .. }
                        | Answer::Result(_)
                        | Answer::Fault(_)
                        | Answer::Error(_)
                        | Answer::Raw(_)
                        | Answer::Listening { .. }
                        | Answer::Cued(..) => {}
                    }
                    answered.write(&self.playbook, id, &mut answer);
                }
                Ok(Message::Notification { .. } | Message::Response { .. } | Message::Failure { .. }) => continue,
                Err(malformed) => {
                    let error = error_object(malformed.code(), &malformed.to_string(), None);
                    failure(&mut answer, malformed.id(), &error);
                }
            }
            answers.push(answer);
        }
        if answers.is_empty() {
            return Ok(empty(StatusCode::ACCEPTED));
        }
        let answers = [b"[", answers.join(&b","[..]).as_slice(), b"]"].concat();
        if !told.is_empty() && headers::accept_events(headers) {
            return Ok(events(told.iter().map(Vec::as_slice).chain([answers.as_slice()]), Then::End));
        }
        Ok(json(StatusCode::OK, answers))
    }
}
