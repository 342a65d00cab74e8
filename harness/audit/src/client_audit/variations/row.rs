//! A variation: a legal thing that a server does, and what a client has to do then.

use std::time::Duration;

use mcp_compat_json::{Json, Number};
use mcp_compat_mocks::server::varied::Behaviour;
use mcp_compat_model::audit::Severity;
use mcp_compat_model::{Revision, Transport};

/// The beginning of all addresses of the specification.
pub(super) const SPEC: &str = "https://modelcontextprotocol.io/specification/2025-11-25/";

/// Variations that are about one thing. If the client does not bear the first one, the others are not played.
pub(super) struct Group {
    pub(super) id: &'static str,
    /// The rows can be played at once: if the client bears all together, it bears each.
    pub(super) is_joint: bool,
    /// The method that a client has to ask for: the rows tell nothing of others.
    pub(super) asks: Option<&'static str>,
    /// The only transport that has the rows.
    pub(super) over: Option<Transport>,
    /// True if the rows tell nothing of clients that send no GET.
    pub(super) of_gets: bool,
    pub(super) rows: &'static [Row],
}

/// Rows of which each is played alone.
pub(super) const fn apart(id: &'static str, rows: &'static [Row]) -> Group {
    Group { id, is_joint: false, asks: None, over: None, of_gets: false, rows }
}

/// Rows that can be played at once.
pub(super) const fn joint(id: &'static str, rows: &'static [Row]) -> Group {
    Group { id, is_joint: true, asks: None, over: None, of_gets: false, rows }
}

impl Group {
    /// Limits the rows to one transport.
    pub(super) const fn over(self, transport: Transport) -> Self {
        Self { over: Some(transport), ..self }
    }
}

/// One variation.
pub(super) struct Row {
    /// Name within the group.
    pub(super) id: &'static str,
    /// The first revision at which the variation is legal.
    pub(super) since: Revision,
    /// The only transport that has it.
    pub(super) over: Option<Transport>,
    /// The capability that a client has to declare for it.
    pub(super) declared: Option<&'static str>,
    /// Ability that a client lacks which does not bear it.
    pub(super) lacks: Option<Lack>,
    /// True if the servers of an SDK do it by themselves.
    pub(super) is_common: bool,
    /// True if it is about the one tool that is listed.
    pub(super) is_of_tool: bool,
    /// True if no rule allows it, but servers do it.
    pub(super) is_practice: bool,
    pub(super) change: fn(&mut Behaviour),
    /// Action of the server, after the words "the server".
    pub(super) does: &'static str,
    pub(super) due: Due,
    /// Remedy in the client, in the imperative.
    pub(super) remedy: &'static str,
    /// Severity of a failure.
    pub(super) severity: Severity,
    pub(super) basis: Basis,
}

/// An ability that many variations need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// Resolving the references of an outputSchema.
    References,
    /// Reading event streams.
    Events,
}

/// Source that makes the variation legal, or the behaviour of the client due.
#[derive(Clone, Copy)]
pub(super) enum Basis {
    /// The id of a rule of the judge.
    Rule(&'static str),
    /// The address after [`SPEC`].
    Section(&'static str),
    /// A whole address.
    Address(&'static str),
}

/// Behaviour that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Call the tool, take the answer and end as with the plain server.
    Work,
    /// Work, and call tools by the names that are listed.
    Listed,
    /// Work, and write something else than in the first variation of the group, if it shows texts of results.
    Mention,
    /// The same, and show each of these texts, if it shows texts of results.
    Show(&'static [&'static str]),
    /// End with an error or show this text, and not wait for ever.
    Tell(&'static str),
    /// The same as [`Due::Work`], with so many pages of the list.
    Pages(usize),
    /// Go on at this revision, or end the session.
    Follow(&'static str),
    /// Do the same as [`Due::Work`], or show this error or this value in the place of the text.
    WorkOrTell(&'static str),
    /// Do the same as [`Due::Work`]: this text is of another answer.
    Ignore(&'static str),
    /// Show this value, with or without the text.
    ShowInstead(&'static str),
    /// Call each of so many tools, if it calls more than one.
    CallEach(usize),
    /// Open a new session.
    Reopen,
    /// Resume the stream of the call by a GET, and do the same as [`Due::Work`].
    Resume,
    /// End the session: the revision is unknown.
    Leave,
    /// Answer the server's request that has this id.
    Answer(&'static str),
    /// Answer the server's request that has this id with anything but the error of an unknown method.
    Serve(&'static str),
    /// Do the same as [`Due::Work`], and call while the stream of the list stays open for so long.
    NoWait(Duration),
    /// Ask for the list again, before other requests that come later.
    Relist,
    /// Send the required arguments, of the types that the inputSchema declares.
    Fill(&'static [Parameter]),
    /// Send no argument but these.
    Only(&'static [&'static str]),
    /// Nothing: the server gives the call up, and no rule says what a client does then.
    GiveUp,
}

/// A parameter, and the type that its schema asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Array,
    /// An object with this member.
    Object(&'static str),
    Integer,
    Number,
    Boolean,
    Text,
}

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Object(_) => "object",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Text => "string",
        }
    }

    /// Returns true if a value is of this type.
    pub(super) fn has(self, value: &Json) -> bool {
        match self {
            Self::Array => value.as_array().is_some(),
            Self::Object(member) => value.get(member).is_some(),
            Self::Integer => value.as_number().is_some_and(Number::is_integer),
            Self::Number => value.as_number().is_some(),
            Self::Boolean => value.as_bool().is_some(),
            Self::Text => value.as_str().is_some(),
        }
    }
}

/// A row for which a failure is an error, at all revisions.
pub(super) const fn row(id: &'static str, does: &'static str, change: fn(&mut Behaviour)) -> Row {
    Row {
        id,
        since: Revision::V2024_11_05,
        over: None,
        declared: None,
        lacks: None,
        is_common: false,
        is_of_tool: false,
        is_practice: false,
        change,
        does,
        due: Due::Work,
        remedy: "",
        severity: Severity::Error,
        basis: Basis::Section(""),
    }
}

impl Row {
    pub(super) const fn since(self, since: Revision) -> Self {
        Self { since, ..self }
    }

    pub(super) const fn over(self, transport: Transport) -> Self {
        Self { over: Some(transport), ..self }
    }

    pub(super) const fn declared(self, capability: &'static str) -> Self {
        Self { declared: Some(capability), ..self }
    }

    pub(super) const fn lacks(self, lack: Lack) -> Self {
        Self { lacks: Some(lack), ..self }
    }

    /// Marks what the servers of an SDK do by themselves.
    pub(super) const fn common(self) -> Self {
        Self { is_common: true, ..self }
    }

    /// Marks what is about the one tool that is listed.
    pub(super) const fn of_tool(self) -> Self {
        Self { is_of_tool: true, ..self }
    }

    pub(super) const fn practice(self) -> Self {
        Self { is_practice: true, ..self }
    }

    pub(super) const fn due(self, due: Due) -> Self {
        Self { due, ..self }
    }

    /// Sets what to do in the client, and what says so.
    pub(super) const fn fix(self, remedy: &'static str, basis: Basis) -> Self {
        Self { remedy, basis, ..self }
    }

    pub(super) const fn severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }
}
