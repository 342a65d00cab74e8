//! Modern requests: each brings its revision, in its headers and in its body; nothing is remembered but who listens.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{Response, StatusCode};
use mcp_compat_model::Revision;

use super::body::{Body, Feed, event_stream};
use super::endpoint::{Call, Endpoint, Hangup};
use super::{headers, params};
use crate::jsonrpc::INVALID_REQUEST;
use crate::server::fault::Fault;
use crate::server::protocol::Answer;
use crate::server::subscription::Subscription;

/// How long an answer waits for a notification to be on its way to those who listen.
const PATIENCE: Duration = Duration::from_millis(250);

/// The most subscriptions that may be open at one path.
const LISTENER_LIMIT: usize = 1024;

/// The open `subscriptions/listen` streams of a path.
#[derive(Debug, Default)]
pub(super) struct Listeners(Mutex<Vec<Listener>>);

#[derive(Debug)]
struct Listener {
    subscription: Subscription,
    feed: Feed,
}

impl Listeners {
    fn lock(&self) -> MutexGuard<'_, Vec<Listener>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn close(&self) {
        self.lock().clear();
    }

    /// Opens a stream for a subscription; `None` when too many are open.
    fn open(&self, subscription: Subscription) -> Option<Body> {
        let mut listeners = self.lock();
        listeners.retain(|listener| listener.feed.is_open());
        if listeners.len() == LISTENER_LIMIT {
            return None;
        }
        let (feed, body) = Body::live(Some(&subscription.acknowledgement()), Some(&subscription.farewell()));
        listeners.push(Listener { subscription, feed });
        Some(body)
    }

    /// Tells everybody who listens that the tools changed, and waits until it is on its way, so that nobody can have
    /// the answer to the change before the news of it. A client that does not read is not waited for.
    async fn tell(&self) {
        let told: Vec<_> = {
            let listeners = self.lock();
            let send = |listener: &Listener| listener.feed.send(&listener.subscription.list_changed()?);
            listeners.iter().filter_map(send).collect()
        };
        let all = async {
            for one in told {
                // An error says that the client is gone, and so need not be told.
                let _ = one.await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE, all).await;
    }
}

impl Endpoint {
    pub(super) async fn modern(&self, call: &Call<'_>) -> Result<Response<Body>, Hangup> {
        let modern = Some(Revision::NEWEST);
        if let Err(fault) = self.check(call) {
            return self.carry(call, modern, Answer::Fault(fault).into()).await;
        }
        self.cues.turn().await;
        let answer = self.playbook.modern(&self.position, call.method, call.params);
        let due = self.due(call, answer, &self.position, &self.cues).await;
        match due.answer {
            Answer::Listening { to_tool_changes } => Ok(self.listen(call, to_tool_changes)),
            Answer::Evolved { told: true, .. } => {
                self.listeners.tell().await;
                self.carry(call, modern, due).await
            }
            Answer::Evolved { told: false, .. }
            | Answer::Result(_)
            | Answer::Fault(_)
            | Answer::Error(_)
            | Answer::Raw(_)
            | Answer::Hang
            | Answer::Exit(_)
            | Answer::Cued(..) => self.carry(call, modern, due).await,
        }
    }

    /// Checks the headers against the body.
    fn check(&self, call: &Call<'_>) -> Result<(), Fault> {
        headers::check(call.headers, call.method, call.params).map_err(|fault| self.playbook.explain(fault))?;
        if call.method == "tools/call"
            && let Ok(tool) = call.params.tool()
            && let Some(definition) = self.playbook.definition(&self.position, &tool)
        {
            params::check(call.headers, definition, call.params.arguments())?;
        }
        Ok(())
    }

    fn listen(&self, call: &Call<'_>, to_tool_changes: bool) -> Response<Body> {
        if !headers::accept_events(call.headers) {
            let fault = Fault::new(406, INVALID_REQUEST, "a subscription needs a client that accepts event streams");
            return self.refuse_request(call.id, StatusCode::NOT_ACCEPTABLE, fault);
        }
        match self.listeners.open(Subscription::new(call.id.get(), to_tool_changes)) {
            Some(body) => event_stream(body),
            None => {
                let fault = Fault::new(503, INVALID_REQUEST, "too many subscriptions are open");
                self.refuse_request(call.id, StatusCode::SERVICE_UNAVAILABLE, fault)
            }
        }
    }
}
