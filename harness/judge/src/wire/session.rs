//! Agreement of client and server, as the wire shows it: the revision, what each side offered, and whether the server
//! has tools at all.

use mcp_compat_json::Json;
use mcp_compat_model::transcript::{Event, Head, Start, Transcript};
use mcp_compat_model::{Era, Revision, Role};

use crate::wire::exchange::{Answer, Exchange, Exchanges};
use crate::wire::message::{Message, Shape};

/// The key of a modern request's revision.
pub const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The key of a modern request's client capabilities.
pub const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The error codes by which a server shows that it is modern, even though it refuses.
pub const MODERN_CODES: [i64; 3] = [HEADER_MISMATCH, -32021, UNSUPPORTED_VERSION];

/// The code with which a modern server refuses headers that do not match the body.
pub const HEADER_MISMATCH: i64 = -32020;

/// The code with which a modern server refuses a revision.
pub const UNSUPPORTED_VERSION: i64 = -32022;

/// The code with which any server says that it failed.
const INTERNAL_ERROR: i64 = -32603;

/// The code with which any server refuses a request that is not as it should be.
pub const INVALID_PARAMS: i64 = -32602;

/// The revision that a result of `initialize` names, if it is one of the legacy era.
pub fn named_revision(result: &Json) -> Option<Revision> {
    let named: Revision = result.get("protocolVersion")?.as_str()?.parse().ok()?;
    (named.era() == Era::Legacy).then_some(named)
}

/// Returns true if a result of `server/discover` is that of a modern server. Legacy servers may answer it, too, and
/// list only revisions with a handshake.
pub fn is_of_modern_server(result: &Json) -> bool {
    let Some(listed) = result.get("supportedVersions") else { return false };
    let dates: Vec<Revision> = match listed.as_array() {
        Some(dates) => dates.iter().filter_map(|date| date.as_str()?.parse().ok()).collect(),
        None => Vec::new(),
    };
    dates.is_empty() || dates.iter().any(|revision| revision.era() == Era::Modern)
}

/// The agreement of the two.
#[derive(Debug, Default)]
pub struct Session {
    /// The revision spoken: of the handshake once the client went on with it, or of requests that were served.
    pub revision: Option<Revision>,
    pub client: Offer,
    pub server: Offer,
    /// Capability of tools that the server declares.
    pub tools: ToolsCapability,
}

/// Eras and revisions that one side showed that it speaks, and those that it refused.
#[derive(Debug, Default)]
pub struct Offer {
    /// The dates named, in the order in which they came.
    pub dates: Vec<String>,
    /// True if it was seen to speak with a handshake.
    pub legacy: EraSupport,
    /// True if it was seen to speak without one.
    pub modern: EraSupport,
}

/// Support of an era by one side, as the wire shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EraSupport {
    #[default]
    Unseen,
    Speaks,
    /// It was asked to and did not.
    Refused,
}

/// Declaration of a server about tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolsCapability {
    /// It was not asked.
    #[default]
    Unseen,
    /// It declared its capabilities, and tools are not among them.
    Absent,
    Declared {
        /// True if it says that it tells when they change.
        list_changed: bool,
    },
}

impl Offer {
    /// Support of an era that was seen.
    pub const fn in_era(&self, era: Era) -> EraSupport {
        match era {
            Era::Legacy => self.legacy,
            Era::Modern => self.modern,
        }
    }

    fn names(&mut self, date: &str) {
        // More than a handful is no offer but a flood.
        if self.dates.len() < 8 && !self.dates.iter().any(|known| known == date) {
            self.dates.push(date.to_owned());
        }
    }

    fn note(&mut self, era: Era, support: EraSupport) {
        let place = match era {
            Era::Legacy => &mut self.legacy,
            Era::Modern => &mut self.modern,
        };
        if *place != EraSupport::Speaks {
            *place = support;
        }
    }
}

impl Session {
    /// Reads what was agreed from what was exchanged.
    pub fn read(messages: &[Message<'_>], exchanges: &Exchanges, transcript: &Transcript) -> Self {
        let mut session = Self::default();
        let (mut handshake, mut served, mut served_tools) = (None, None, None);
        for exchange in &exchanges.all {
            let request = &messages[exchange.request];
            let result = match exchange.answer {
                Answer::Result(at) => messages[at].result(),
                Answer::Error(_) | Answer::Unreadable(_) | Answer::Status { .. } | Answer::None => None,
            };
            if request.method() == Some("initialize") {
                let version = session.initialize(request, exchange, result, messages);
                if version.is_some()
                    && (went_on(messages, exchange) || is_stream_refused(messages, exchange, transcript))
                {
                    handshake = version;
                }
            } else if let Some(date) = request.meta(META_VERSION).and_then(Json::as_str) {
                let is_served = result.is_some() || has_failed(request, exchange, messages);
                session.stateless(date, request, exchange, result, messages);
                if is_served {
                    session.server.note(Era::Modern, EraSupport::Speaks);
                    let revision = date.parse().ok();
                    served = revision.or(served);
                    if request.method().is_some_and(|method| method.starts_with("tools/")) {
                        served_tools = revision.or(served_tools);
                    }
                }
            }
        }
        session.revision = served_tools.or(handshake).or(served);
        session
    }

    fn initialize(
        &mut self,
        request: &Message<'_>,
        exchange: &Exchange,
        result: Option<&Json>,
        messages: &[Message<'_>],
    ) -> Option<Revision> {
        self.client.note(Era::Legacy, EraSupport::Speaks);
        if let Some(date) = request.param("protocolVersion").and_then(Json::as_str) {
            self.client.names(date);
        }
        match result {
            Some(result) => {
                self.server.note(Era::Legacy, EraSupport::Speaks);
                self.capabilities(result);
                let date = result.get("protocolVersion")?.as_str()?;
                self.server.names(date);
                date.parse().ok()
            }
            None => {
                self.refused(Era::Legacy, exchange, messages);
                None
            }
        }
    }

    fn stateless(
        &mut self,
        date: &str,
        request: &Message<'_>,
        exchange: &Exchange,
        result: Option<&Json>,
        messages: &[Message<'_>],
    ) {
        self.client.note(Era::Modern, EraSupport::Speaks);
        self.client.names(date);
        let Some(result) = result else {
            self.refused(Era::Modern, exchange, messages);
            return;
        };
        self.server.note(Era::Modern, EraSupport::Speaks);
        if request.method() == Some("server/discover") {
            self.capabilities(result);
            for date in result.get("supportedVersions").and_then(Json::as_array).into_iter().flatten() {
                self.server.names(date.as_str().unwrap_or("?"));
            }
        }
    }

    /// The server did not serve a request of that era. A modern error shows that it is modern all the same.
    fn refused(&mut self, era: Era, exchange: &Exchange, messages: &[Message<'_>]) {
        let error = match exchange.answer {
            Answer::Error(at) => Some(&messages[at]),
            Answer::Result(_) | Answer::Unreadable(_) | Answer::Status { .. } | Answer::None => None,
        };
        let modern_error = error.and_then(Message::error_code).is_some_and(|code| MODERN_CODES.contains(&code));
        self.server.note(era, EraSupport::Refused);
        if modern_error {
            self.server.note(Era::Modern, EraSupport::Speaks);
        }
        let supported =
            error.and_then(|message| message.json.pointer("/error/data/supported")).and_then(Json::as_array);
        for date in supported.into_iter().flatten() {
            self.server.names(date.as_str().unwrap_or("?"));
        }
    }

    fn capabilities(&mut self, result: &Json) {
        let Some(capabilities) = result.get("capabilities") else { return };
        self.tools = match capabilities.get("tools") {
            Some(tools @ Json::Object(_)) => ToolsCapability::Declared {
                list_changed: tools.get("listChanged").and_then(Json::as_bool) == Some(true),
            },
            Some(_) | None => ToolsCapability::Absent,
        };
    }
}

/// Returns true if a server took a request about tools, and failed while it served it. One that does not serve requests
/// without a handshake says so, or refuses the request with another code.
fn has_failed(request: &Message<'_>, exchange: &Exchange, messages: &[Message<'_>]) -> bool {
    let Answer::Error(at) = exchange.answer else { return false };
    let error = &messages[at];
    let is_of_handshake = |message: &str| message.to_ascii_lowercase().contains("initializ");
    request.method().is_some_and(|method| method.starts_with("tools/"))
        && error.error_code() == Some(INTERNAL_ERROR)
        && error.status().is_none_or(|status| status < 400)
        && !error.error_message().is_some_and(is_of_handshake)
}

/// Returns true if the client sent anything of the session after the handshake's result.
pub fn went_on(messages: &[Message<'_>], exchange: &Exchange) -> bool {
    let answered = exchange.answer.message().map_or(0, |at| at + 1);
    messages.iter().skip(answered).any(|message| {
        message.from == Role::Client
            && matches!(message.shape, Shape::Request | Shape::Notification)
            && message.method() != Some("initialize")
            && message.method() != Some("notifications/cancelled")
            && message.meta(META_VERSION).is_none()
    })
}

/// Returns true if the client's next request after the handshake was the GET for its stream, and the server refused it
/// as a bad request. The client had taken the answer to the handshake, or it had not asked for the stream.
/// <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header>
fn is_stream_refused(messages: &[Message<'_>], exchange: &Exchange, transcript: &Transcript) -> bool {
    let Some(answer) = exchange.answer.message().map(|at| messages[at].seq) else { return false };
    let mut sent = transcript.entries.iter().filter(|entry| entry.seq > answer && entry.from == Role::Client);
    sent.next().is_some_and(|entry| is_get(&entry.event) && is_bad_request(transcript, &entry.event))
}

fn is_get(event: &Event) -> bool {
    matches!(event, Event::Head { http: Head { start: Start::Request { method }, .. } } if method == "GET")
}

/// Returns true if the server answered a request over HTTP with status 400.
pub fn is_bad_request(transcript: &Transcript, request: &Event) -> bool {
    let Some(asked) = request.head() else { return false };
    let mut heads = transcript.entries.iter().filter_map(|entry| entry.event.head());
    heads.any(|head| head.exchange == asked.exchange && matches!(head.start, Start::Response { status: 400 }))
}
