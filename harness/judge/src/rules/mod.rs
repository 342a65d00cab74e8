//! What the specification asks of messages: the rules, as data with a check each.

use mcp_compat_model::Revision;
use mcp_compat_model::verdict::{Level, Party};

/// What a rule is about: the payload that the scenario scripted, or the protocol around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// What the tool's author wrote: definitions and results.
    Payload,
    /// What the peer's SDK is responsible for.
    Protocol,
}

/// The revisions in which a rule holds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevisionRange {
    /// The first.
    pub from: Revision,
    /// The last.
    pub to: Revision,
}

/// A rule of the specification.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its stable name, in kebab case.
    pub id: &'static str,
    /// How binding it is.
    pub level: Level,
    /// The revisions in which it holds.
    pub revisions: RevisionRange,
    /// Whom it binds.
    pub party: Party,
    /// The specification's address.
    pub source: &'static str,
    /// What must hold, in one sentence.
    pub title: &'static str,
    /// What goes wrong when it does not, whom it hurts, what to do.
    pub explanation: &'static str,
    /// What it is about.
    pub scope: Scope,
}

/// Every rule.
#[must_use]
pub fn all() -> &'static [&'static Rule] {
    &[]
}

/// The rule of that name.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    all().iter().copied().find(|rule| rule.id == id)
}
