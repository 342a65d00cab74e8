//! What a rule is: one requirement of the specification, whom it binds, where it holds, and what the verdict needs of it.

use mcp_compat_model::Revision;
use mcp_compat_model::verdict::{Level, Outcome, OutcomeGroup, Party};

use super::server_violations::ServerViolations;
use crate::facts::Facts;

/// A requirement of the specification.
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
    /// What it is about.
    pub scope: Scope,
    /// What a violation can do to the result of a call.
    pub affects: Affects,
    /// The specification's address.
    pub source: &'static str,
    /// What must hold, in one sentence.
    pub title: &'static str,
    /// What goes wrong when it does not hold, whom that hurts, and what to do.
    pub explanation: &'static str,
    /// What the party has to do, in the imperative, without a full stop.
    pub remedy: &'static str,
    /// The change to a server's tool that ends the violation, where a change to one tool can.
    pub fix: Option<Fix>,
    /// Finds where it is not kept.
    pub check: Check,
}

impl Rule {
    /// Whether its remedy is for a value: it does not fit null that stands for no value.
    #[must_use]
    pub fn is_about_value(&self) -> bool {
        match self.affects {
            Affects::TextFallback => true,
            Affects::Value => self.fix == Some(Fix::WrapInObject),
            Affects::Message
            | Affects::HttpHead
            | Affects::Reading
            | Affects::Content
            | Affects::ToolName
            | Affects::Nothing => false,
        }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

/// How the violations of a rule are found.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// From the facts alone.
    Wire(fn(&Facts<'_>) -> Vec<Violation>),
    /// From the facts and from what the server violated: a client may refuse what breaks a rule.
    AfterServer(fn(&Facts<'_>, &ServerViolations) -> Vec<Violation>),
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// What the scenario varies: definitions, results, and how a client takes them. A mock that breaks such a rule
    /// follows its script.
    Payload,
    /// The protocol around it. A mock that breaks such a rule is defective, and none of its cells counts.
    Protocol,
}

/// What a violation of a rule can do to the result of a call: by this the verdict tells whether it explains an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affects {
    /// The message or the list as a whole: its reader may reject it.
    Message,
    /// The head of an HTTP request or response, and with it the message.
    HttpHead,
    /// The structured value itself.
    Value,
    /// How the structured value is read: each reader may take it for another.
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
    /// Whether a violation by the server can lead to an outcome. `delivered` says that the value was on the wire as
    /// structured content: then only what is wrong with the blocks beside it can have kept it from the user.
    #[must_use]
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
    /// Declare no output schema at all: the last resort.
    DropSchema,
}

impl Fix {
    /// Every fix, in the order in which they are tried.
    pub const ALL: [Self; 17] = [
        Self::AddTextBlock,
        Self::CorrectText,
        Self::WrapInObject,
        Self::SendStructuredContent,
        Self::MatchSchema,
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
        Self::DropSchema,
    ];
}

/// The revisions in which a rule holds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevisionRange {
    /// The first.
    pub from: Revision,
    /// The last.
    pub to: Revision,
}

impl RevisionRange {
    /// Every revision.
    pub const ALL: Self = Self { from: Revision::V2024_11_05, to: Revision::NEWEST };
    /// Those that open with a handshake.
    pub const LEGACY: Self = Self { from: Revision::V2024_11_05, to: Revision::NEWEST_LEGACY };
    /// Those without one.
    pub const MODERN: Self = Self { from: Revision::V2026_07_28, to: Revision::NEWEST };
    /// Those with structured output.
    pub const STRUCTURED: Self = Self { from: Revision::V2025_06_18, to: Revision::NEWEST };
    /// Those in which structured output is an object.
    pub const OBJECTS: Self = Self { from: Revision::V2025_06_18, to: Revision::NEWEST_LEGACY };

    /// Whether the rule holds at the negotiated revision. Without one, only a rule of every revision holds.
    #[must_use]
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
    /// What was wrong here, in one sentence without its full stop.
    pub detail: String,
    /// The transcript entries that show it.
    pub messages: Vec<u32>,
    /// The tool that it is about; `None` if it is about the session, the list or several tools.
    pub tool: Option<String>,
    /// Where in a value or schema, as a JSON Pointer.
    pub pointer: Option<String>,
    /// What mends this violation, where that is more exact than the remedy of the rule.
    pub remedy: Option<&'static str>,
}

impl Violation {
    pub(super) fn new(detail: impl Into<String>, messages: impl Into<Vec<u32>>) -> Self {
        Self { detail: detail.into(), messages: messages.into(), tool: None, pointer: None, remedy: None }
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
}
