//! A rule: one requirement of the specification, whom it binds, where it holds, and what the verdict needs of it.

use std::fmt;

use mcp_compat_model::Revision;
use mcp_compat_model::verdict::{Level, Outcome, OutcomeGroup, Party};

use crate::facts::{CallFacts, Facts};

/// A requirement of the specification. Every rule is a static, and equal to itself alone.
#[derive(Debug)]
pub struct Rule {
    /// Its stable name, in kebab case.
    pub id: &'static str,
    pub level: Levels,
    /// The revisions in which it holds.
    pub revisions: RevisionRange,
    /// Whom it binds.
    pub party: Party,
    pub scope: Scope,
    /// The effect of a violation on the result of a call.
    pub affects: Affects,
    /// The specification's address.
    pub source: &'static str,
    /// The requirement, in one sentence.
    pub title: &'static str,
    /// Violation of the rule, as the title of a cause: at most 70 characters, without a full stop.
    pub violation: &'static str,
    /// The damage when it does not hold, whom it hurts, and what to do.
    pub explanation: &'static str,
    /// The fix by the party, in the imperative, without a full stop.
    pub remedy: &'static str,
    /// The change to a server's tool that ends the violation, where a change to one tool can.
    pub fix: Option<Fix>,
    /// Finds where it is not kept.
    pub check: Check,
}

impl Rule {
    /// Returns whether its remedy is for a value: it does not fit null that stands for no value.
    pub fn is_about_value(&self) -> bool {
        let is_wrapped = self.affects == Affects::Value && self.fix == Some(Fix::WrapInObject);
        is_wrapped || self.affects == Affects::TextFallback
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Rule {}

/// Function that finds the violations of a rule.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    Wire(fn(&Facts<'_>) -> Vec<Violation>),
    /// From the facts and from what the server violated: a client may refuse what breaks a rule.
    AfterServer(fn(&Facts<'_>, &ServerViolations) -> Vec<Violation>),
}

/// Subject of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The scenario's variation: definitions, results, and how a client takes them. A mock that breaks such a rule
    /// follows its script.
    Payload,
    /// The protocol around it. A mock that breaks such a rule is defective, and none of its cells counts.
    Protocol,
}

/// Effect of a violation on the result of a call: by this the verdict tells whether it explains an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affects {
    /// The message or the list as a whole: its reader may reject it.
    Message,
    /// The head of an HTTP request or response, and with it the message.
    HttpHead,
    /// The structured value itself.
    Value,
    /// The reading of the structured value: each reader may take it for another.
    Reading,
    /// The blocks of `content`, which stand beside the value.
    Content,
    /// The text block from which clients without structured output read the value.
    TextFallback,
    /// The name of a tool: a client may leave the tool out, and its value stays the same.
    ToolName,
    /// Nothing that a client could refuse a result for.
    Nothing,
}

impl Affects {
    /// Returns true if a violation by the server can lead to an outcome. `delivered` says that the value was on the
    /// wire as structured content: then only what is wrong with the blocks beside it can have kept it from the user.
    pub fn can_lead_to(self, outcome: Outcome, delivered: bool) -> bool {
        let gone = matches!(outcome, Outcome::Prose | Outcome::Lost);
        match self {
            Self::TextFallback => gone,
            Self::ToolName => outcome == Outcome::Rejected,
            Self::Nothing => false,
            Self::Reading => matches!(outcome, Outcome::Altered | Outcome::Rejected),
            Self::Message | Self::HttpHead | Self::Value | Self::Content => match (outcome, outcome.group()) {
                // The server's violation is what the scenario plays: the question is whether the client catches it.
                (Outcome::Uncaught, _) => false,
                (Outcome::Intact | Outcome::Rejected, _) => true,
                (_, OutcomeGroup::Value) => (self == Self::Content && gone) || (self == Self::Value && !delivered),
                (_, OutcomeGroup::ToolError | OutcomeGroup::InvalidResult | OutcomeGroup::Session) => true,
            },
        }
    }
}

/// A change to one tool of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fix {
    /// Write members under the names that the specification has for them.
    CorrectNames,
    /// Set `isError` on the result of a call that failed.
    MarkError,
    /// Add a text block with the serialised value.
    AddTextBlock,
    /// Make the text block repeat the value that it contradicts.
    CorrectText,
    /// Put the value under one key of an object.
    WrapInObject,
    /// Send the value as structured content.
    SendStructuredContent,
    /// Return what the output schema promises, or change the schema.
    MatchSchema,
    /// Remove the references that lead back to themselves from the output schema.
    RemoveEndlessReference,
    /// Leave the output schema out, or write one that is valid and stands alone.
    OmitSchema,
    /// Remove `format` from the output schema, or send values of these formats.
    OmitFormats,
    /// Send numbers that a double holds.
    UseDoubles,
    /// Leave structured content out of error results.
    OmitErrorValue,
    /// Leave optional members out in place of sending null.
    OmitNulls,
    /// Give the results of `initialize` and `server/discover` the members that the revision defines, with their types.
    CorrectOpening,
    /// Leave out members of a list that hold what the revision does not allow, or give them the right type.
    CorrectList,
    /// Leave out members of a definition that hold what the revision does not allow, or give them the right type.
    CorrectDefinition,
    /// The same for the members of the result of a call.
    CorrectResult,
    /// Send only content blocks that the revision allows.
    CorrectBlocks,
    /// Give every result a `content` array.
    AddContent,
    /// Give every result its `resultType`.
    AddResultType,
    /// Declare no output schema at all: the last resort.
    DropSchema,
}

impl Fix {
    /// Every fix, in the order in which they are tried.
    pub const ALL: [Self; 21] = [
        Self::CorrectNames,
        Self::MarkError,
        Self::AddTextBlock,
        Self::CorrectText,
        Self::WrapInObject,
        Self::SendStructuredContent,
        Self::MatchSchema,
        Self::RemoveEndlessReference,
        Self::OmitSchema,
        Self::OmitFormats,
        Self::UseDoubles,
        Self::OmitErrorValue,
        Self::OmitNulls,
        Self::CorrectOpening,
        Self::CorrectList,
        Self::CorrectDefinition,
        Self::CorrectResult,
        Self::CorrectBlocks,
        Self::AddContent,
        Self::AddResultType,
        Self::DropSchema,
    ];
}

/// Level of a rule, which may be another one in older revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    newest: Level,
    /// The first revision with this level, and the level before.
    raised: Option<(Revision, Level)>,
}

impl Levels {
    pub const MUST: Self = Self { newest: Level::Must, raised: None };
    pub const SHOULD: Self = Self { newest: Level::Should, raised: None };
    pub const MAY: Self = Self { newest: Level::May, raised: None };

    /// Makes it the level from a revision on, with another one before.
    pub(super) const fn since(self, first: Revision, before: Level) -> Self {
        Self { newest: self.newest, raised: Some((first, before)) }
    }

    /// The level in the newest revision.
    pub const fn newest(self) -> Level {
        self.newest
    }

    /// The level at the negotiated revision. Without one, it is that of the newest.
    pub fn at(self, negotiated: Option<Revision>) -> Level {
        match (self.raised, negotiated) {
            (Some((first, before)), Some(revision)) if revision < first => before,
            (Some(_) | None, _) => self.newest,
        }
    }
}

impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.raised {
            None => write!(f, "{}", self.newest),
            Some((first, before)) => write!(f, "{} since {first}, {before} before", self.newest),
        }
    }
}

/// The revisions in which a rule holds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevisionRange {
    pub from: Revision,
    pub to: Revision,
}

impl fmt::Display for RevisionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from == self.to { write!(f, "{}", self.from) } else { write!(f, "{} to {}", self.from, self.to) }
    }
}

impl RevisionRange {
    pub const ALL: Self = Self { from: Revision::V2024_11_05, to: Revision::NEWEST };
    /// Revisions that open with a handshake.
    pub const LEGACY: Self = Self { from: Revision::V2024_11_05, to: Revision::NEWEST_LEGACY };
    /// Revisions without a handshake.
    pub const MODERN: Self = Self { from: Revision::V2026_07_28, to: Revision::NEWEST };
    pub const STRUCTURED: Self = Self { from: Revision::V2025_06_18, to: Revision::NEWEST };
    /// Revisions in which structured output is an object.
    pub const OBJECTS: Self = Self { from: Revision::V2025_06_18, to: Revision::NEWEST_LEGACY };

    /// Returns true if the rule holds at the negotiated revision. Without one, only a rule of every revision holds.
    pub fn holds_at(self, negotiated: Option<Revision>) -> bool {
        match negotiated {
            Some(revision) => self.from <= revision && revision <= self.to,
            None => self == Self::ALL,
        }
    }
}

/// A place where a rule is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The mistake, in one sentence without its full stop.
    pub detail: String,
    /// The transcript entries that show it.
    pub messages: Vec<u32>,
    /// The tool that it is about; `None` if it is about the session, the list or several tools.
    pub tool: Option<String>,
    /// The place in a value or schema, as a JSON Pointer.
    pub pointer: Option<String>,
    /// Remedy for this violation, where it is more exact than that of the rule.
    pub remedy: Option<&'static str>,
    /// The specification's address, where it is more exact than that of the rule.
    pub source: Option<&'static str>,
}

impl Violation {
    pub(super) fn new(detail: impl Into<String>, messages: impl Into<Vec<u32>>) -> Self {
        Self { detail: detail.into(), messages: messages.into(), tool: None, pointer: None, remedy: None, source: None }
    }

    pub(super) fn cited(self, source: &'static str) -> Self {
        Self { source: Some(source), ..self }
    }

    pub(super) fn mended_by(self, remedy: &'static str) -> Self {
        Self { remedy: Some(remedy), ..self }
    }

    pub(super) fn of_tool(self, name: &str) -> Self {
        Self { tool: Some(name.to_owned()), ..self }
    }

    pub(super) fn at(self, pointer: impl Into<String>) -> Self {
        Self { pointer: Some(pointer.into()), ..self }
    }
}

/// Messages in which the server broke a MUST: a client may refuse what breaks a rule.
#[derive(Clone, Debug, Default)]
pub struct ServerViolations(Vec<Entry>);

/// A transcript entry that violates a rule.
#[derive(Clone, Copy, Debug)]
struct Entry {
    seq: u32,
    rule: &'static Rule,
}

impl ServerViolations {
    pub(super) fn add(&mut self, rule: &'static Rule, messages: &[u32]) {
        self.0.extend(messages.iter().map(|seq| Entry { seq: *seq, rule }));
    }

    /// Returns true if the server broke a MUST in one of these transcript entries.
    pub(super) fn any_in(&self, entries: &[u32]) -> bool {
        self.0.iter().any(|entry| entries.contains(&entry.seq))
    }

    /// Returns true if the server broke no MUST, but for these rules, in the answer to a call, before it, or in the tool's
    /// definition. Other mistakes in a list cannot excuse how a client takes a result, if it took the list.
    pub(super) fn conforms_but_for(&self, facts: &Facts<'_>, call: &CallFacts<'_>, rules: &[&Rule]) -> bool {
        let seq = |place: Option<usize>| place.map(|place| facts.messages[place].seq);
        let answer = seq(call.exchange.and_then(|exchange| exchange.answer.message()));
        let listing = seq(call.listing.map(|listing| listing.message));
        let list_failed = facts.list_failed();
        let before = call.exchange.map(|exchange| facts.before_answer(exchange)).unwrap_or_default();
        !self.0.iter().filter(|entry| !rules.contains(&entry.rule)).any(|entry| {
            answer == Some(entry.seq)
                || before.contains(&entry.seq)
                || (listing == Some(entry.seq) && (list_failed || entry.rule.scope == Scope::Payload))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_rule_of_every_revision_holds_where_none_was_negotiated() {
        assert!(RevisionRange::ALL.holds_at(None) && !RevisionRange::MODERN.holds_at(None));
        assert!(RevisionRange::OBJECTS.holds_at(Some(Revision::V2025_11_25)));
        assert!(!RevisionRange::OBJECTS.holds_at(Some(Revision::V2026_07_28)));
        assert!(!RevisionRange::OBJECTS.holds_at(Some(Revision::V2025_03_26)));
    }

    #[test]
    fn a_level_is_that_of_the_negotiated_revision() {
        let raised = Levels::MUST.since(Revision::V2025_06_18, Level::Should);
        assert_eq!(raised.at(Some(Revision::V2025_03_26)), Level::Should);
        assert_eq!([raised.at(Some(Revision::V2025_06_18)), raised.at(None)], [Level::Must; 2]);
        assert_eq!(raised.to_string(), "MUST since 2025-06-18, SHOULD before");
        assert_eq!(Levels::MAY.at(Some(Revision::V2024_11_05)), Level::May);
    }
}
