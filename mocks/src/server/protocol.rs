//! The answer to a request, over any transport.
//!
//! Both eras are served here: [`CompiledScript::initialize`] and [`CompiledScript::legacy`] serve a session, [`CompiledScript::modern`] serves
//! a request that brings its own revision. The only state is the [`Position`] in the script.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;

use crate::server::compiled_script::CompiledScript;
use crate::server::params::Params;
use crate::server::quirk::ServerQuirk;
use crate::server::rendering::{Rendering, SERVER_INFO};
use crate::server::template::{RequestFields, Template};
use crate::server::tool_behavior::{AnswerTiming, RenderedReply, ToolBehavior};
use crate::wire::jsonrpc::{
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, META_SUBSCRIPTION, METHOD_NOT_FOUND, UNSUPPORTED_VERSION,
    error_object, failure, notification, quote, response,
};
use crate::wire::object::{Object, read_string};

/// A version that does not exist.
const NO_REVISION: &str = "1999-12-31";

/// The only capability of a mock server.
const CAPABILITIES: &str = r#"{"tools":{"listChanged":true}}"#;

/// The answer to a request.
#[derive(Debug)]
pub(crate) enum Answer<'p> {
    /// A result, as JSON text.
    Result(Cow<'p, str>),
    /// An error of the server itself.
    Refused(ProtocolError),
    /// An error from the script, as JSON text.
    Error(&'p str),
    /// Bytes in place of a message.
    Raw(&'p Template),
    /// No answer, ever.
    Hang,
    /// The process exits with this status.
    Exit(i32),
    /// A result, as JSON text. The tools changed. If `told`, the notification is sent before the result.
    Evolved { result: &'p str, told: bool },
    /// An open subscription.
    Listening { to_tool_changes: bool },
    /// The behavior of a tool that has a timing: the transport waits, and then has it [performed](CompiledScript::perform).
    Timed(&'p ToolBehavior, &'p AnswerTiming),
}

/// The answer to `initialize`.
pub(crate) struct Handshake<'p> {
    pub(crate) session: Option<Revision>,
    pub(crate) answer: Answer<'p>,
}

impl<'p> Answer<'p> {
    /// The answer for a reply of the script. The step to the next stage is taken elsewhere.
    fn of(reply: &'p RenderedReply) -> Self {
        match reply {
            RenderedReply::Result(result) => Self::Result(result.into()),
            RenderedReply::Error(error) => Self::Error(error),
            RenderedReply::Raw(raw) => Self::Raw(raw),
            RenderedReply::Hang => Self::Hang,
            RenderedReply::Exit(status) => Self::Exit(*status),
            RenderedReply::Evolve(result) => Self::Evolved { result, told: false },
        }
    }

    /// The message that answers a request; empty if this answer is none.
    pub(crate) fn message(&self, compiled: &CompiledScript, id: &RawValue) -> Vec<u8> {
        let id = compiled.answered_id(id.get());
        match self {
            Self::Result(result) => response(&id, result),
            Self::Evolved { result, .. } => response(&id, result),
            Self::Refused(fault) => failure(Some(&id), &fault.object()),
            Self::Error(error) => failure(Some(&id), error),
            Self::Raw(raw) => raw.fill(RequestFields { id: &id, token: None }).unwrap_or_default(),
            Self::Hang | Self::Exit(_) | Self::Listening { .. } | Self::Timed(..) => Vec::new(),
        }
    }
}

impl CompiledScript {
    /// The era that a request belongs to. A revision in `_meta` says modern, and so does a method that only modern
    /// clients have, if the server has it too; everything else belongs to a session.
    pub(crate) fn era(&self, method: &str, params: &Params<'_>) -> Era {
        match (self.spec().newest(Era::Legacy), self.spec().newest(Era::Modern)) {
            (_, None) => Era::Legacy,
            (None, Some(_)) => Era::Modern,
            (Some(_), Some(_)) if params.names_a_revision() => Era::Modern,
            (Some(_), Some(_)) => match method {
                "server/discover" | "subscriptions/listen" => Era::Modern,
                _ => Era::Legacy,
            },
        }
    }

    /// Opens a legacy session, unless it has to be refused.
    pub(crate) fn initialize(&self, params: &Params<'_>) -> Handshake<'_> {
        let Some(newest) = self.spec().newest(Era::Legacy) else {
            let fault = ProtocolError::malformed("this server opens no sessions, and `_meta` is missing");
            return Handshake { session: None, answer: Answer::Refused(fault.naming(&self.supported_versions())) };
        };
        let speaks = |revision: &Revision| revision.era() == Era::Legacy && self.spec().revisions.contains(revision);
        let requested = params.requested_revision();
        let revision = requested.as_ref().ok().copied().flatten().filter(speaks).unwrap_or(newest);
        match (self.opening("initialize"), requested) {
            (Some(reply @ RenderedReply::Result(result)), _) => {
                Handshake { session: Some(named_revision(result).unwrap_or(revision)), answer: Answer::of(reply) }
            }
            // Whatever the bytes are, a client may treat them as a session, and so may it treat a scripted error. The server
            // keeps no record of refused clients, so that a scenario can show what such a client does.
            (Some(reply @ (RenderedReply::Raw(_) | RenderedReply::Error(_))), _) => {
                Handshake { session: Some(revision), answer: Answer::of(reply) }
            }
            (Some(reply), _) => Handshake { session: None, answer: Answer::of(reply) },
            (None, Err(fault)) => Handshake { session: None, answer: Answer::Refused(fault) },
            (None, Ok(_)) => {
                let named =
                    if self.spec().has(ServerQuirk::AnswersWrongRevision) { NO_REVISION } else { revision.as_str() };
                let result = format!(
                    r#"{{"protocolVersion":"{named}","capabilities":{CAPABILITIES},"serverInfo":{SERVER_INFO}}}"#
                );
                Handshake { session: Some(revision), answer: Answer::Result(result.into()) }
            }
        }
    }

    /// The script's own answer to `initialize` or `server/discover`, if this server can give it.
    pub(crate) fn scripted(&self, method: &str) -> Option<Answer<'_>> {
        self.opening(method).map(Answer::of)
    }

    /// Answers a request in a session, or before there is one.
    pub(crate) fn legacy(
        &self,
        session: Option<Revision>,
        position: &Position,
        method: &str,
        params: &Params<'_>,
    ) -> Answer<'_> {
        match (method, session) {
            ("ping", _) => Answer::Result("{}".into()),
            ("tools/list", Some(revision)) => self.list(revision, position, params).unwrap_or_else(Answer::Refused),
            ("tools/call", Some(revision)) => self.call(revision, position, params).unwrap_or_else(Answer::Refused),
            ("tools/list" | "tools/call", None) => Answer::Refused(self.not_open()),
            (_, _) => self.scripted(method).unwrap_or_else(|| Answer::Refused(ProtocolError::method_not_found(method))),
        }
    }

    fn not_open(&self) -> ProtocolError {
        match self.spec().newest(Era::Legacy) {
            Some(_) => {
                ProtocolError::new(400, INVALID_REQUEST, "the session is not open: `initialize` has to come first")
            }
            None => ProtocolError::malformed("`_meta` is missing").naming(&self.supported_versions()),
        }
    }

    /// Answers a request that brings its own revision. Over HTTP the headers have been checked before.
    pub(crate) fn modern(&self, position: &Position, method: &str, params: &Params<'_>) -> Answer<'_> {
        if let Some(answer) = self.scripted(method) {
            return answer;
        }
        let revision = match self.admit(params) {
            Ok(revision) => revision,
            Err(fault) => return Answer::Refused(fault),
        };
        match method {
            "server/discover" => Answer::Result(self.discover(revision).into()),
            "tools/list" => self.list(revision, position, params).unwrap_or_else(Answer::Refused),
            "tools/call" => self.call(revision, position, params).unwrap_or_else(Answer::Refused),
            "subscriptions/listen" => match params.wants_tool_changes() {
                Ok(to_tool_changes) => Answer::Listening { to_tool_changes },
                Err(fault) => Answer::Refused(fault),
            },
            // A legacy client that connects here by mistake learns the versions from this error.
            "initialize" => Answer::Refused(ProtocolError::method_not_found(method).naming(&self.supported_versions())),
            _ => Answer::Refused(ProtocolError::method_not_found(method)),
        }
    }

    /// The revision that a modern request is served in.
    fn admit(&self, params: &Params<'_>) -> Result<Revision, ProtocolError> {
        let version = params.modern_version().map_err(|fault| self.explain(fault))?;
        let known = version
            .parse()
            .ok()
            .filter(|revision: &Revision| revision.era() == Era::Modern && self.spec().revisions.contains(revision));
        known.ok_or_else(|| {
            let mut fault = ProtocolError::new(400, UNSUPPORTED_VERSION, "Unsupported protocol version");
            let supported = self.supported_versions();
            fault.data = Some(format!(r#"{{"supported":{supported},"requested":{}}}"#, quote(&version)));
            fault
        })
    }

    /// The versions that a request may name in its `_meta`, newest first, as a JSON array. Versions with a handshake are not
    /// among them: a client could not use them in `_meta`.
    fn supported_versions(&self) -> String {
        let modern = self.spec().revisions.iter().rev().filter(|revision| revision.era() == Era::Modern);
        let versions: Vec<_> = modern.map(|revision| format!("\"{revision}\"")).collect();
        format!("[{}]", versions.join(","))
    }

    fn discover(&self, revision: Revision) -> String {
        let versions = if self.spec().has(ServerQuirk::AnswersWrongRevision) {
            format!("[\"{NO_REVISION}\"]")
        } else {
            self.supported_versions()
        };
        let members = format!(r#""supportedVersions":{versions},"capabilities":{CAPABILITIES}"#);
        Rendering { spec: self.spec(), revision }.cacheable(&members, None, &[])
    }

    fn list(&self, revision: Revision, position: &Position, params: &Params<'_>) -> Result<Answer<'_>, ProtocolError> {
        if self.spec().has(ServerQuirk::FailsList) {
            return Err(ProtocolError::new(200, INTERNAL_ERROR, "the tools cannot be listed"));
        }
        let stage = position.stage();
        let page = self.stage(revision, stage).pages.page(params.cursor()?.as_deref());
        page.map(Answer::of).ok_or_else(|| ProtocolError::invalid_params("the cursor leads nowhere"))
    }

    fn call(&self, revision: Revision, position: &Position, params: &Params<'_>) -> Result<Answer<'_>, ProtocolError> {
        let tool = params.tool()?;
        match self.stage(revision, position.stage()).behavior(&tool) {
            None => Err(ProtocolError::invalid_params(format!("Unknown tool: {tool}"))),
            Some(behavior @ ToolBehavior { timing: Some(timing), .. }) => Ok(Answer::Timed(behavior, timing)),
            Some(behavior) => Ok(self.perform(behavior, position)),
        }
    }

    /// Does what a tool does when it is called, now that the answer is due.
    pub(crate) fn perform<'p>(&self, behavior: &'p ToolBehavior, position: &Position) -> Answer<'p> {
        let answer = Answer::of(&behavior.reply);
        if let Answer::Evolved { result, .. } = answer {
            return Answer::Evolved { result, told: self.evolve(position) };
        }
        answer
    }

    /// Moves to the next stage, if there is one. Returns whether clients are to be notified.
    fn evolve(&self, position: &Position) -> bool {
        let before = position.advance(|stage| self.stage_after(stage).map(|(next, _)| next));
        before.and_then(|before| self.stage_after(before)).is_some_and(|(_, told)| told)
    }

    /// Adds the supported versions to an error, for legacy clients of a modern-only server.
    pub(crate) fn explain(&self, fault: ProtocolError) -> ProtocolError {
        match self.spec().newest(Era::Legacy) {
            Some(_) => fault,
            None => fault.naming(&self.supported_versions()),
        }
    }

    /// The definition of a tool as the script has it, in the stage that modern clients are in.
    pub(crate) fn definition(&self, position: &Position, tool: &str) -> Option<&str> {
        self.scripted_definition(position.stage(), tool)
    }

    /// The id as the answer carries it.
    pub(crate) fn answered_id<'i>(&self, id: &'i str) -> Cow<'i, str> {
        if self.spec().has(ServerQuirk::StringifiesId) && !id.starts_with('"') {
            return Cow::Owned(quote(id));
        }
        Cow::Borrowed(id)
    }
}

/// The revision that a result of `initialize` names, if it is a known one.
fn named_revision(result: &str) -> Option<Revision> {
    read_string(Object::read(result)?.get("protocolVersion")?)?.parse().ok()
}

/// The stage that a session, a process or a path has reached in its script.
#[derive(Debug, Default)]
pub(crate) struct Position(AtomicUsize);

impl Position {
    pub(crate) fn stage(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    /// Moves to the stage that `next` returns. Returns the stage before, if there was a move.
    pub(crate) fn advance(&self, next: impl FnMut(usize) -> Option<usize>) -> Option<usize> {
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).ok()
    }
}

/// An error of the server itself.
#[derive(Debug)]
pub(crate) struct ProtocolError {
    pub(crate) code: i64,
    message: Cow<'static, str>,
    pub(crate) data: Option<String>,
    /// The HTTP status that carries it to a modern client.
    pub(crate) status: u16,
}

impl ProtocolError {
    pub(crate) fn new(status: u16, code: i64, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None, status }
    }

    pub(crate) fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(200, INVALID_PARAMS, message)
    }

    /// A request that lacks what every modern request needs.
    pub(crate) fn malformed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(400, INVALID_PARAMS, message)
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(404, METHOD_NOT_FOUND, format!("Method not found: {method}"))
    }

    /// Adds the versions that a request may name, as a JSON array: a client can act on them.
    pub(crate) fn naming(mut self, supported: &str) -> Self {
        self.message = format!("{} (supported protocol versions: {supported})", self.message).into();
        self.data = Some(format!(r#"{{"supported":{supported}}}"#));
        self
    }

    /// The error object, as JSON text.
    pub(crate) fn object(&self) -> String {
        error_object(self.code, &self.message, self.data.as_deref())
    }
}

const LIST_CHANGED: &str = "notifications/tools/list_changed";

/// The notification of a legacy session that the tools changed.
pub(crate) fn list_changed() -> Vec<u8> {
    notification(LIST_CHANGED, None)
}

/// Subscription, identified by the id of the request that opened it.
#[derive(Clone, Debug)]
pub(crate) struct Subscription {
    id: String,
    to_tool_changes: bool,
}

impl Subscription {
    /// A subscription of the request with this id, as JSON text.
    pub(crate) fn new(id: &str, to_tool_changes: bool) -> Self {
        Self { id: id.to_owned(), to_tool_changes }
    }

    /// The request's id, as JSON text.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The first message: the notifications that the server agreed to send.
    pub(crate) fn acknowledgement(&self) -> Vec<u8> {
        let agreed = if self.to_tool_changes { r#"{"toolsListChanged":true}"# } else { "{}" };
        let params = format!(r#"{{{},"notifications":{agreed}}}"#, self.meta());
        notification("notifications/subscriptions/acknowledged", Some(&params))
    }

    /// The notification that the tools changed, if the client subscribed to it.
    pub(crate) fn list_changed(&self) -> Option<Vec<u8>> {
        self.to_tool_changes.then(|| notification(LIST_CHANGED, Some(&format!("{{{}}}", self.meta()))))
    }

    /// The last message, when the server ends the subscription: the response to the request that opened it.
    pub(crate) fn closing_message(&self) -> Vec<u8> {
        response(&self.id, &format!(r#"{{"resultType":"complete",{}}}"#, self.meta()))
    }

    fn meta(&self) -> String {
        format!(r#""_meta":{{"{META_SUBSCRIPTION}":{}}}"#, self.id)
    }
}
