//! Requests and their answers, one at a time or several at once, over any wire.

use std::fmt::Write as _;

use crate::wire::jsonrpc::{META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_VERSION};

use crate::client::client_error::{ClientError, RpcResult};
use crate::client::pending_requests::PendingRequests;
use crate::client::quirk::ClientQuirk;
use crate::client::request_style::RequestStyle;
use crate::client::spec::ClientSpec;
use crate::client::wire::{NewRequest, Request, RequestEra, Wire};

/// The client's `clientInfo`, as JSON.
pub(crate) const CLIENT_INFO: &str =
    concat!(r#"{"name":"mcp-compat-mocks","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);

/// A wire, and the numbering of its requests.
pub(crate) struct Exchange<'w> {
    pub(crate) wire: Box<dyn Wire + 'w>,
    /// The open requests. Kept here, so that no answer that arrived is lost at a deadline.
    pending: PendingRequests,
    era: RequestEra,
    /// Tells whether the server declares tools among its capabilities.
    pub(crate) declares_tools: bool,
    /// Tells whether modern requests carry the protocol's `_meta`, as they must.
    sends_meta: bool,
}

impl<'w> Exchange<'w> {
    pub(crate) fn new(spec: &ClientSpec, mut wire: Box<dyn Wire + 'w>) -> Self {
        wire.inbox().deviations = spec.deviations;
        wire.inbox().style = spec.style;
        let sends_meta = !spec.does(ClientQuirk::OmitsMeta);
        let pending = PendingRequests::default();
        Self { wire, pending, era: RequestEra::Legacy, declares_tools: false, sends_meta }
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn ask(&mut self, new: &NewRequest<'_>) -> RpcResult {
        let (id, params) = self.number(new);
        self.send(&[new.request(id, &params)]).await;
        let answer = std::mem::take(&mut self.pending).into_answers().next().flatten();
        answer.unwrap_or_else(|| Err(ClientError::ConnectionLost("the server gave no answer".to_owned())))
    }

    /// Sends requests at once and waits for all their answers. [`finish`](Self::finish) then returns them.
    pub(crate) async fn ask_all(&mut self, new: &[NewRequest<'_>]) {
        let numbered: Vec<_> = new.iter().map(|new| self.number(new)).collect();
        let requests: Vec<_> = new.iter().zip(&numbered).map(|(new, (id, params))| new.request(*id, params)).collect();
        self.send(&requests).await;
    }

    async fn send(&mut self, requests: &[Request<'_>]) {
        self.pending = PendingRequests::to(requests.iter().map(|request| request.id));
        self.era = requests.first().map_or(RequestEra::Legacy, |request| request.era);
        if self.wire.inbox().choked {
            return self.pending.fail(|| ClientError::ConnectionLost("the client has ended the session".to_owned()));
        }
        self.wire.request(requests, &mut self.pending).await;
    }

    /// Opens the stream of change notifications.
    pub(crate) async fn listen(&mut self, era: RequestEra) {
        match era {
            RequestEra::Legacy => self.wire.listen(None).await,
            RequestEra::Modern(_) => {
                let members = r#""notifications":{"toolsListChanged":true}"#;
                let new = NewRequest::new("subscriptions/listen", members, era);
                let (id, params) = self.number(&new);
                self.wire.inbox().subscribed(id);
                self.wire.listen(Some(&new.request(id, &params))).await;
            }
        }
    }

    /// Cancels the requests that are still open, and returns the answers that arrived.
    pub(crate) async fn finish(&mut self) -> Vec<Option<RpcResult>> {
        let pending = std::mem::take(&mut self.pending);
        for id in pending.open() {
            self.wire.cancel(id, self.era).await;
        }
        pending.into_answers().collect()
    }

    /// Gives a request its number, and the parameters that go with it.
    fn number(&mut self, new: &NewRequest<'_>) -> (u64, String) {
        let inbox = self.wire.inbox();
        inbox.issued += 1;
        let id = inbox.issued;
        let style = inbox.style;
        (id, self.params(new, id, style))
    }

    fn params(&self, new: &NewRequest<'_>, id: u64, style: RequestStyle) -> String {
        let mut params = format!("{{{}", new.members);
        // Without `_meta` the probe would find no modern server at all.
        let sends_meta = self.sends_meta || new.method == "server/discover";
        let revision = match new.era {
            RequestEra::Modern(revision) if sends_meta => Some(revision),
            RequestEra::Modern(_) | RequestEra::Legacy => None,
        };
        // Several SDKs always ask for progress. The token is the request's number.
        let token = (new.method == "tools/call").then_some(id);
        if revision.is_some() || token.is_some() {
            params.push_str(if new.members.is_empty() { r#""_meta":{"# } else { r#","_meta":{"# });
            if let Some(revision) = revision {
                let RequestStyle { capabilities, client_info, asks_for, .. } = style;
                let revision = asks_for.unwrap_or(revision.as_str());
                // Writing into a string cannot fail.
                let _ = write!(
                    params,
                    r#""{META_VERSION}":"{revision}","{META_CLIENT_INFO}":{client_info},"{META_CLIENT_CAPABILITIES}":{capabilities}"#
                );
            }
            if let Some(token) = token {
                let comma = if revision.is_some() { "," } else { "" };
                let _ = write!(params, r#"{comma}"progressToken":{token}"#);
            }
            params.push('}');
        }
        params.push('}');
        params
    }
}
