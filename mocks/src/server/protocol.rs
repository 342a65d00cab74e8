//! What a request is answered with, whatever carries it.
//!
//! Both eras meet here: [`Playbook::initialize`] and [`Playbook::legacy`] serve a session, [`Playbook::modern`] serves
//! a request that brings its own revision. The only state is the [`Position`] in the script.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;

use super::fault::Fault;
use super::params::Params;
use super::part::{Cue, Part, RenderedReply};
use super::playbook::Playbook;
use super::quirk::ServerQuirk;
use super::render::{Rendering, SERVER_INFO};
use super::template::{Said, Template};
use crate::jsonrpc::{INTERNAL_ERROR, INVALID_REQUEST, UNSUPPORTED_VERSION, failure, quote, response};
use crate::object::{Object, read_string};

/// A version that no revision has.
const NO_REVISION: &str = "1999-12-31";

/// The one capability of a mock server.
const CAPABILITIES: &str = r#"{"tools":{"listChanged":true}}"#;

/// How far a script has come, for whatever shares one fate: a session, a process, a path.
#[derive(Debug, Default)]
pub(super) struct Position(AtomicUsize);

impl Position {
    fn stage(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }
}

/// What comes of a request.
#[derive(Debug)]
pub(super) enum Answer<'p> {
    /// A result, as JSON text.
    Result(Cow<'p, str>),
    /// The server's own refusal.
    Fault(Fault),
    /// An error from the script, as JSON text.
    Error(&'p str),
    /// Bytes in place of the message.
    Raw(&'p Template),
    /// Nothing, ever.
    Hang,
    /// The end, with an exit status.
    Exit(i32),
    /// A result, as JSON text; the tools changed, and where that is told, it is told before.
    Evolved { result: &'p str, told: bool },
    /// An open subscription.
    Listening { to_tool_changes: bool },
    /// What a tool does that has a cue: its carrier sees to that, and then has it [performed](Playbook::perform).
    Cued(&'p Part, &'p Cue),
}

/// What comes of `initialize`.
pub(super) struct Opening<'p> {
    /// The revision of the session, if there is one now.
    pub(super) session: Option<Revision>,
    pub(super) answer: Answer<'p>,
}

impl<'p> Answer<'p> {
    /// The answer that a reply of the script is. The step to the next stage has to be taken beside it.
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

    /// Appends the message that answers a request, if this answer is one.
    pub(super) fn write(&self, playbook: &Playbook, id: &RawValue, out: &mut Vec<u8>) {
        let id = playbook.answered_id(id.get());
        match self {
            Self::Result(result) => response(out, &id, result),
            Self::Evolved { result, .. } => response(out, &id, result),
            Self::Fault(fault) => failure(out, Some(&id), &fault.object()),
            Self::Error(error) => failure(out, Some(&id), error),
            Self::Raw(raw) => out.extend(raw.fill(Said { id: &id, token: None }).into_iter().flatten()),
            Self::Hang | Self::Exit(_) | Self::Listening { .. } | Self::Cued(..) => {}
        }
    }
}

impl Playbook {
    /// The era that a request belongs to. A revision in `_meta` says modern, and so does a method that only modern
    /// clients have, if the server has it too; everything else belongs to a session.
    pub(super) fn era(&self, method: &str, params: &Params<'_>) -> Era {
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

    /// Opens a legacy session, unless there is a reason not to.
    pub(super) fn initialize(&self, params: &Params<'_>) -> Opening<'_> {
        let Some(newest) = self.spec().newest(Era::Legacy) else {
            let fault = Fault::malformed("this server opens no sessions, and `_meta` is missing");
            return Opening { session: None, answer: Answer::Fault(fault.naming(&self.supported_versions())) };
        };
        let speaks = |revision: &Revision| revision.era() == Era::Legacy && self.spec().revisions.contains(revision);
        let requested = params.requested_revision();
        let revision = requested.as_ref().ok().copied().flatten().filter(speaks).unwrap_or(newest);
        match (self.opening("initialize"), requested) {
            (Some(reply @ RenderedReply::Result(result)), _) => {
                Opening { session: Some(named_revision(result).unwrap_or(revision)), answer: Answer::of(reply) }
            }
            // Whatever the bytes are, a client may make a session of them. It may of an error that the script has for it
            // too: what comes of that shows on a server that keeps no account of whom it has let in.
            (Some(reply @ (RenderedReply::Raw(_) | RenderedReply::Error(_))), _) => {
                Opening { session: Some(revision), answer: Answer::of(reply) }
            }
            (Some(reply), _) => Opening { session: None, answer: Answer::of(reply) },
            (None, Err(fault)) => Opening { session: None, answer: Answer::Fault(fault) },
            (None, Ok(_)) => {
                let named =
                    if self.spec().has(ServerQuirk::AnswersWrongRevision) { NO_REVISION } else { revision.as_str() };
                let result = format!(
                    r#"{{"protocolVersion":"{named}","capabilities":{CAPABILITIES},"serverInfo":{SERVER_INFO}}}"#
                );
                Opening { session: Some(revision), answer: Answer::Result(result.into()) }
            }
        }
    }

    /// The script's own answer to `initialize` or `server/discover`, if there is one that this server can give.
    pub(super) fn scripted(&self, method: &str) -> Option<Answer<'_>> {
        self.opening(method).map(Answer::of)
    }

    /// Answers a request in a session, or before there is one.
    pub(super) fn legacy(
        &self,
        session: Option<Revision>,
        position: &Position,
        method: &str,
        params: &Params<'_>,
    ) -> Answer<'_> {
        match (method, session) {
            ("ping", _) => Answer::Result("{}".into()),
            ("tools/list", Some(revision)) => self.list(revision, position, params),
            ("tools/call", Some(revision)) => self.call(revision, position, params),
            ("tools/list" | "tools/call", None) => Answer::Fault(self.not_open()),
            (_, _) => self.scripted(method).unwrap_or_else(|| Answer::Fault(Fault::method_not_found(method))),
        }
    }

    fn not_open(&self) -> Fault {
        match self.spec().newest(Era::Legacy) {
            Some(_) => Fault::new(400, INVALID_REQUEST, "the session is not open: `initialize` has to come first"),
            None => Fault::malformed("`_meta` is missing").naming(&self.supported_versions()),
        }
    }

    /// Answers a request that brings its own revision. Over HTTP the headers have been checked before.
    pub(super) fn modern(&self, position: &Position, method: &str, params: &Params<'_>) -> Answer<'_> {
        if let Some(answer) = self.scripted(method) {
            return answer;
        }
        let revision = match self.admit(params) {
            Ok(revision) => revision,
            Err(fault) => return Answer::Fault(fault),
        };
        match method {
            "server/discover" => Answer::Result(self.discover(revision).into()),
            "tools/list" => self.list(revision, position, params),
            "tools/call" => self.call(revision, position, params),
            "subscriptions/listen" => match params.wants_tool_changes() {
                Ok(to_tool_changes) => Answer::Listening { to_tool_changes },
                Err(fault) => Answer::Fault(fault),
            },
            // A legacy client that comes here by mistake has nothing but this error to learn from.
            "initialize" => Answer::Fault(Fault::method_not_found(method).naming(&self.supported_versions())),
            _ => Answer::Fault(Fault::method_not_found(method)),
        }
    }

    /// The revision that a modern request is served in.
    fn admit(&self, params: &Params<'_>) -> Result<Revision, Fault> {
        let version = params.modern_version().map_err(|fault| self.explain(fault))?;
        let known = version
            .parse()
            .ok()
            .filter(|revision: &Revision| revision.era() == Era::Modern && self.spec().revisions.contains(revision));
        known.ok_or_else(|| {
            let mut fault = Fault::new(400, UNSUPPORTED_VERSION, "Unsupported protocol version");
            let supported = self.supported_versions();
            fault.data = Some(format!(r#"{{"supported":{supported},"requested":{}}}"#, quote(&version)));
            fault
        })
    }

    /// The versions that a request may name in its `_meta`, newest first, as a JSON array. What needs a handshake is
    /// not among them: a client that took it from here could not use it.
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

    fn list(&self, revision: Revision, position: &Position, params: &Params<'_>) -> Answer<'_> {
        if self.spec().has(ServerQuirk::FailsList) {
            return Answer::Fault(Fault::new(200, INTERNAL_ERROR, "the tools cannot be listed"));
        }
        let stage = position.stage();
        let page = params.cursor().and_then(|cursor| {
            let page = self.stage(revision, stage).pages.page(cursor.as_deref());
            page.ok_or_else(|| Fault::invalid_params("the cursor leads nowhere"))
        });
        match page {
            Ok(page) => Answer::of(page),
            Err(fault) => Answer::Fault(fault),
        }
    }

    fn call(&self, revision: Revision, position: &Position, params: &Params<'_>) -> Answer<'_> {
        let tool = match params.tool() {
            Ok(tool) => tool,
            Err(fault) => return Answer::Fault(fault),
        };
        match self.stage(revision, position.stage()).part(&tool) {
            None => Answer::Fault(Fault::invalid_params(format!("Unknown tool: {tool}"))),
            Some(part @ Part { cue: Some(cue), .. }) => Answer::Cued(part, cue),
            Some(part) => self.perform(part, position),
        }
    }

    /// Does what a call of a tool comes to, now that it is due.
    pub(super) fn perform<'p>(&self, part: &'p Part, position: &Position) -> Answer<'p> {
        let answer = Answer::of(&part.reply);
        if let Answer::Evolved { result, .. } = answer {
            return Answer::Evolved { result, told: self.evolve(position) };
        }
        answer
    }

    /// Takes the step to the next stage, if there is one. Returns whether clients have to be told.
    fn evolve(&self, position: &Position) -> bool {
        let step = |stage| self.stage_after(stage).map(|(next, _)| next);
        let before = position.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, step);
        before.ok().and_then(|before| self.stage_after(before)).is_some_and(|(_, told)| told)
    }

    /// Adds to a refusal what a legacy client needs that came to a modern-only server by mistake: the versions.
    pub(super) fn explain(&self, fault: Fault) -> Fault {
        match self.spec().newest(Era::Legacy) {
            Some(_) => fault,
            None => fault.naming(&self.supported_versions()),
        }
    }

    /// The definition of a tool as the script has it, in the stage that modern clients are in.
    pub(super) fn definition(&self, position: &Position, tool: &str) -> Option<&str> {
        self.scripted_definition(position.stage(), tool)
    }

    /// The id as the answer carries it.
    pub(super) fn answered_id<'i>(&self, id: &'i str) -> Cow<'i, str> {
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
