//! Legacy sessions: `initialize` opens one, a header names it from then on, DELETE ends it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{HeaderMap, Response, StatusCode};
use mcp_compat_model::{Era, Revision};

use super::answered_calls::AnsweredCalls;
use super::body::{Body, EventSender, empty, event_stream};
use super::guard::refuse;
use super::headers;
use crate::server::compiled_script::CompiledScript;
use crate::server::protocol::Position;

/// The most sessions of a path. Opening one more ends the oldest.
const SESSION_LIMIT: usize = 1024;

/// Prefix of every session's name. A number follows, counted from 1 at each path.
const NAME: &str = "mock-session-";

/// The sessions of a path.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    last: u64,
    sessions: BTreeMap<u64, Arc<Session>>,
}

/// Session of a client, from `initialize` to DELETE.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) revision: Revision,
    pub(super) position: Position,
    /// The calls that have been answered in it.
    pub(super) answered_calls: AnsweredCalls,
    /// The stream that a GET opened, for messages that belong to no request.
    stream: Mutex<Option<EventSender>>,
}

/// Reason why a request belongs to no session.
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
    pub(super) fn open(&self, revision: Revision) -> String {
        let mut open = self.lock();
        if open.sessions.len() == SESSION_LIMIT {
            open.sessions.pop_first();
        }
        open.last += 1;
        let number = open.last;
        let (position, answered_calls) = (Position::default(), AnsweredCalls::default());
        let session = Session { revision, position, answered_calls, stream: Mutex::default() };
        open.sessions.insert(number, Arc::new(session));
        format!("{NAME}{number}")
    }

    /// The session that a request names.
    pub(super) fn find(&self, compiled: &CompiledScript, headers: &HeaderMap) -> Result<Arc<Session>, NoSession> {
        let session = number(headers).and_then(|number| self.lock().sessions.get(&number).map(Arc::clone));
        // A script can open a session of a revision that the server does not speak otherwise.
        let served = |revision: Revision| {
            (revision.era() == Era::Legacy && compiled.spec().revisions.contains(&revision))
                || session.as_ref().is_some_and(|session| session.revision == revision)
        };
        // Before this revision there is no such header, and a server passes over what it does not know.
        let knows_header = compiled.spec().revisions.iter().any(|revision| *revision >= Revision::V2025_06_18);
        if knows_header && headers.contains_key(headers::VERSION) && !headers::revision(headers).is_some_and(served) {
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
    pub(super) fn end(&self, compiled: &CompiledScript, headers: &HeaderMap) -> Response<Body> {
        if let Err(none) = self.find(compiled, headers) {
            return refuse(none.status, none.reason);
        }
        if let Some(number) = number(headers) {
            self.lock().sessions.remove(&number);
        }
        empty(StatusCode::NO_CONTENT)
    }

    /// Opens the stream that a GET requests. A second one replaces the first, which ends.
    pub(super) fn listen(&self, compiled: &CompiledScript, headers: &HeaderMap) -> Response<Body> {
        if !headers::accept_events(headers) {
            return refuse(StatusCode::NOT_ACCEPTABLE, "GET needs a client that accepts event streams");
        }
        match self.find(compiled, headers) {
            Ok(session) => {
                let (events, body) = Body::live(None, None);
                *session.stream() = Some(events);
                event_stream(body)
            }
            Err(none) => refuse(none.status, none.reason),
        }
    }
}

impl Session {
    pub(super) fn stream(&self) -> MutexGuard<'_, Option<EventSender>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number in the name of the session that a request names.
fn number(headers: &HeaderMap) -> Option<u64> {
    let digits = headers.get(headers::SESSION)?.to_str().ok()?.strip_prefix(NAME)?;
    digits.parse().ok().filter(|number: &u64| number.to_string() == digits)
}
