//! Requests and their answers, one at a time, over either kind of wire.

use std::fmt::Write as _;
use std::future::Future;

use http::{HeaderName, HeaderValue};
use mcp_compat_model::Revision;

use crate::jsonrpc::{META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_VERSION};

use super::inbox::Inbox;
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

/// A connection to a server: one request out, its answer in.
///
/// Every future may be dropped at any point (that is how deadlines work); the wire then goes on with the next request.
pub(super) trait Wire: Send {
    /// Sends a request and waits for its answer.
    fn request(&mut self, request: &Request<'_>) -> impl Future<Output = Answered> + Send;
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
    waiting: Option<(u64, Speech)>,
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
}

impl<W: Wire> Exchange<W> {
    pub(super) const fn new(wire: W, says_meta: bool) -> Self {
        Self { wire, waiting: None, says_meta }
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn ask(&mut self, ask: &Ask<'_>) -> Answered {
        let params = self.params(ask);
        let request = self.number(ask, &params);
        self.waiting = Some((request.id, request.speech));
        let answer = self.wire.request(&request).await;
        self.waiting = None;
        answer
    }

    /// Opens the way on which changes are told.
    pub(super) async fn listen(&mut self, speech: Speech) {
        match speech {
            Speech::Legacy => self.wire.listen(None).await,
            Speech::Modern(_) => {
                let members = r#""notifications":{"toolsListChanged":true}"#;
                let ask = Ask::new("subscriptions/listen", members, speech);
                let params = self.params(&ask);
                let request = self.number(&ask, &params);
                self.wire.inbox().subscribed(request.id);
                self.wire.listen(Some(&request)).await;
            }
        }
    }

    /// Says that the last request's answer is no longer waited for, if it still was.
    pub(super) async fn abandon(&mut self) {
        if let Some((id, speech)) = self.waiting.take() {
            self.wire.abandon(id, speech).await;
        }
    }

    fn number<'a>(&mut self, ask: &Ask<'a>, params: &'a str) -> Request<'a> {
        let inbox = self.wire.inbox();
        inbox.issued += 1;
        let Ask { method, members: _, speech, name, mirrored } = *ask;
        Request { id: inbox.issued, method, params, speech, name, mirrored }
    }

    fn params(&self, ask: &Ask<'_>) -> String {
        let mut params = format!("{{{}", ask.members);
        // Without it the probe would find no server at all.
        let says_meta = self.says_meta || ask.method == "server/discover";
        if let (Speech::Modern(revision), true) = (ask.speech, says_meta) {
            let comma = if ask.members.is_empty() { "" } else { "," };
            // Writing into a string cannot fail.
            let _ = write!(
                params,
                r#"{comma}"_meta":{{"{META_VERSION}":"{revision}","{META_CLIENT_INFO}":{CLIENT_INFO},"{META_CLIENT_CAPABILITIES}":{{}}}}"#
            );
        }
        params.push('}');
        params
    }
}
