//! Requests and their answers, one at a time or several at once, over either kind of wire.

use std::fmt::Write as _;
use std::future::Future;

use http::{HeaderName, HeaderValue};
use mcp_compat_model::Revision;

use crate::jsonrpc::{META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_VERSION};

use super::awaited::Awaited;
use super::inbox::Inbox;
use super::quirk::ClientQuirk;
use super::spec::ClientSpec;
use super::trouble::{Answered, Trouble};

/// The client's name for itself, as JSON.
pub(super) const CLIENT_INFO: &str =
    concat!(r#"{"name":"mcp-compat-mock-client","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);

/// A request on its way out.
pub(super) struct Request<'a> {
    pub(super) id: u64,
    pub(super) method: &'a str,
    /// A JSON object.
    pub(super) params: &'a str,
    pub(super) speech: Speech,
    /// The tool, for `Mcp-Name`.
    pub(super) name: Option<&'a str>,
    /// Parameters that the tool wants to see in headers.
    pub(super) mirrored: &'a [(HeaderName, HeaderValue)],
}

/// How a request says which revision it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speech {
    /// Not at all: the handshake did.
    Legacy,
    /// In itself.
    Modern(Revision),
}

/// A connection to a server: requests out, their answers in.
///
/// Every future may be dropped at any point (that is how deadlines work); the wire then goes on with the next request.
pub(super) trait Wire: Send {
    /// Sends requests, all of them before it waits for the first answer, and waits until each has one.
    fn request(&mut self, requests: &[Request<'_>], awaited: &mut Awaited) -> impl Future<Output = ()> + Send;
    /// Sends a legacy notification.
    fn notify(&mut self, method: &str, params: Option<&str>) -> impl Future<Output = Result<(), Trouble>> + Send;
    /// Says that an answer is no longer waited for.
    fn abandon(&mut self, id: u64, speech: Speech) -> impl Future<Output = ()> + Send;
    /// Opens the way on which changes are told, and waits a moment until the server has taken it: with `request`, the
    /// modern subscription; without, what the transport itself has for legacy servers.
    fn listen(&mut self, request: Option<&Request<'_>>) -> impl Future<Output = ()> + Send;
    /// Reads what has already come in.
    fn drain(&mut self) -> impl Future<Output = ()> + Send;
    /// Waits until the server tells of changed tools, or can tell nothing more.
    fn changed(&mut self) -> impl Future<Output = ()> + Send;
    /// Where everything that comes in goes.
    fn inbox(&mut self) -> &mut Inbox;
    /// Whether parameters are mirrored into headers.
    fn mirrors(&self) -> bool;
    /// Takes leave.
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// A wire with the numbering of its requests.
pub(super) struct Exchange<W> {
    pub(super) wire: W,
    /// What is waited for, and how it was asked. Kept here, so that a deadline loses no answer that has come.
    awaited: Awaited,
    speech: Speech,
    /// Whether modern requests carry the protocol's `_meta`, as they must.
    says_meta: bool,
}

/// A request for the wire, before it has a number.
pub(super) struct Ask<'a> {
    pub(super) method: &'a str,
    /// The members of the parameters, without braces.
    pub(super) members: &'a str,
    pub(super) speech: Speech,
    pub(super) name: Option<&'a str>,
    pub(super) mirrored: &'a [(HeaderName, HeaderValue)],
}

impl<'a> Ask<'a> {
    pub(super) const fn new(method: &'a str, members: &'a str, speech: Speech) -> Self {
        Self { method, members, speech, name: None, mirrored: &[] }
    }

    /// The request with its number; `params` are its members and what goes with them.
    const fn request(&self, id: u64, params: &'a str) -> Request<'a> {
        let Self { method, members: _, speech, name, mirrored } = *self;
        Request { id, method, params, speech, name, mirrored }
    }
}

impl<W: Wire> Exchange<W> {
    pub(super) fn new(spec: &ClientSpec, mut wire: W) -> Self {
        wire.inbox().deviations = spec.deviations;
        let says_meta = !spec.does(ClientQuirk::OmitsMeta);
        Self { wire, awaited: Awaited::nothing(), speech: Speech::Legacy, says_meta }
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn ask(&mut self, ask: &Ask<'_>) -> Answered {
        let (id, params) = self.number(ask);
        let request = ask.request(id, &params);
        self.send(&[request]).await;
        let answer = std::mem::take(&mut self.awaited).into_answers().next().flatten();
        answer.unwrap_or_else(|| Err(Trouble::Lost("the server gave no answer".to_owned())))
    }

    /// Sends requests at once and waits for all their answers, which [`close`](Self::close) then gives.
    pub(super) async fn ask_all(&mut self, asks: &[Ask<'_>]) {
        let numbered: Vec<_> = asks.iter().map(|ask| self.number(ask)).collect();
        let requests: Vec<_> = asks.iter().zip(&numbered).map(|(ask, (id, params))| ask.request(*id, params)).collect();
        self.send(&requests).await;
    }

    async fn send(&mut self, requests: &[Request<'_>]) {
        self.awaited = Awaited::to(requests.iter().map(|request| request.id));
        self.speech = requests.first().map_or(Speech::Legacy, |request| request.speech);
        if self.wire.inbox().choked {
            return self.awaited.fail(|| Trouble::Lost("the client has ended the session".to_owned()));
        }
        self.wire.request(requests, &mut self.awaited).await;
    }

    /// Opens the way on which changes are told.
    pub(super) async fn listen(&mut self, speech: Speech) {
        match speech {
            Speech::Legacy => self.wire.listen(None).await,
            Speech::Modern(_) => {
                let members = r#""notifications":{"toolsListChanged":true}"#;
                let ask = Ask::new("subscriptions/listen", members, speech);
                let (id, params) = self.number(&ask);
                self.wire.inbox().subscribed(id);
                self.wire.listen(Some(&ask.request(id, &params))).await;
            }
        }
    }

    /// Ends the waiting: says of what is still open that it is waited for no longer, and gives what has come.
    pub(super) async fn close(&mut self) -> impl Iterator<Item = Option<Answered>> + use<W> {
        let awaited = std::mem::take(&mut self.awaited);
        for id in awaited.open() {
            self.wire.abandon(id, self.speech).await;
        }
        awaited.into_answers()
    }

    /// Gives a request its number, and the parameters that go with it.
    fn number(&mut self, ask: &Ask<'_>) -> (u64, String) {
        let inbox = self.wire.inbox();
        inbox.issued += 1;
        let id = inbox.issued;
        (id, self.params(ask, id))
    }

    fn params(&self, ask: &Ask<'_>, id: u64) -> String {
        let mut params = format!("{{{}", ask.members);
        // Without it the probe would find no server at all.
        let says_meta = self.says_meta || ask.method == "server/discover";
        let revision = match ask.speech {
            Speech::Modern(revision) if says_meta => Some(revision),
            Speech::Modern(_) | Speech::Legacy => None,
        };
        // Several SDKs want to hear of progress whether or not their user does; the request's number is a token.
        let token = (ask.method == "tools/call").then_some(id);
        if revision.is_some() || token.is_some() {
            params.push_str(if ask.members.is_empty() { r#""_meta":{"# } else { r#","_meta":{"# });
            if let Some(revision) = revision {
                // Writing into a string cannot fail.
                let _ = write!(
                    params,
                    r#""{META_VERSION}":"{revision}","{META_CLIENT_INFO}":{CLIENT_INFO},"{META_CLIENT_CAPABILITIES}":{{}}"#
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
