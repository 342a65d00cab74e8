//! A variation: a legal thing that a server does, and what a client has to do then.

use mcp_compat_mocks::server::varied::Behaviour;
use mcp_compat_model::Revision;
use mcp_compat_model::audit::Severity;

/// The beginning of all addresses of the specification.
pub(super) const SPEC: &str = "https://modelcontextprotocol.io/specification/2025-11-25/";

/// Variations that are about one thing. If the client does not bear the first one, the others are not played.
pub(super) struct Group {
    pub(super) id: &'static str,
    /// The rows can be played at once: if the client bears all together, it bears each.
    pub(super) is_joint: bool,
    /// The method that a client has to ask for: the rows tell nothing of others.
    pub(super) asks: Option<&'static str>,
    pub(super) rows: &'static [Row],
}

/// Rows of which each is played alone.
pub(super) const fn apart(id: &'static str, rows: &'static [Row]) -> Group {
    Group { id, is_joint: false, asks: None, rows }
}

/// Rows that can be played at once.
pub(super) const fn joint(id: &'static str, rows: &'static [Row]) -> Group {
    Group { id, is_joint: true, asks: None, rows }
}

/// One variation.
pub(super) struct Row {
    /// Name within the group.
    pub(super) id: &'static str,
    /// The first revision at which the variation is legal.
    pub(super) since: Revision,
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
    /// The same, and show each of these texts, if it shows texts of results.
    Show(&'static [&'static str]),
    /// End with an error or show this text, and not wait for ever.
    Tell(&'static str),
    /// The same as [`Due::Work`], with so many pages of the list.
    Pages(usize),
    /// Go on at this revision, or end the session.
    Follow(&'static str),
    /// Open a new session.
    Reopen,
    /// Resume the stream of the call by a GET, and do the same as [`Due::Work`].
    Resume,
    /// End the session: the revision is unknown.
    Leave,
    /// Answer the server's ping.
    AnswerPing,
}

/// A row for which a failure is an error, at all revisions.
pub(super) const fn row(id: &'static str, does: &'static str, change: fn(&mut Behaviour)) -> Row {
    Row {
        id,
        since: Revision::V2024_11_05,
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
