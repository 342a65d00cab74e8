//! What a model reads, in a word.

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{BlastRadius, Outcome};

use super::columns::{About, Kind};
use super::offers::Offers;
use crate::style::Tone;

/// What a model reads of what a server sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reading {
    Value,
    /// The text of a result that has nothing else.
    AllText,
    /// Text in place of a value.
    Text,
    Told,
    Changed,
    Nothing,
    NoText,
    NoLink,
    Hidden,
    Error,
    NoTool,
    NoTools,
    Refused,
    Cut,
    NoSession,
    Ends,
    Offered,
    Untested,
}

impl Reading {
    /// Number of characters of the longest word.
    pub(super) const WIDEST: usize = 10;

    /// Words that need to be explained, in the order of the worst last.
    pub(crate) const MEANINGS: [(Self, &str); 16] = [
        (Self::Value, "the value, as JSON"),
        (Self::Text, "the text of the result, and no value"),
        (Self::Told, "the text of the tool's error"),
        (Self::Offered, "the tool; no result of it was played"),
        (Self::NoText, "an error, without the text that the tool gave it"),
        (Self::NoLink, "the text, and not the link beside it"),
        (Self::Cut, "the text; the model is offered the tool without the union in its schema"),
        (Self::Nothing, "no part of the result"),
        (Self::Changed, "another value, or only a part of the result"),
        (Self::Error, "an error of the host in place of the result"),
        (Self::Hidden, "the result of a tool that failed, without a sign of that"),
        (Self::NoTool, "the model is not offered the tool"),
        (Self::NoTools, "the model is offered no tool of the server"),
        (Self::Refused, "the interface of the model refuses the request, with all its tools"),
        (Self::NoSession, "the host does not connect to the server"),
        (Self::Ends, "the host ends before its model reads anything"),
    ];

    /// Reads the cell of a kind.
    pub(super) fn of(kind: &Kind, cell: Option<&CellRecord>, offers: &Offers) -> Self {
        let Some(cell) = cell else { return Self::Untested };
        if offers.refused.contains(&cell.id) {
            return Self::Refused;
        }
        match (kind.about, Self::of_value(cell)) {
            (About::Union, Self::Value) if offers.without_union.contains(&cell.id) => Self::Cut,
            (About::Text | About::Union, Self::Value) => Self::AllText,
            (About::Link, Self::Nothing) => Self::NoLink,
            (About::Page, Self::NoTools) => Self::NoTool,
            (About::Value | About::Text | About::Link | About::Page | About::Union, read) => read,
        }
    }

    fn of_value(cell: &CellRecord) -> Self {
        match (cell.outcome, cell.blast_radius) {
            (Outcome::Unreachable, _) if cell.negotiated.is_some() => Self::Ends,
            (Outcome::Unreachable, _) | (_, Some(BlastRadius::Session)) => Self::NoSession,
            (Outcome::Crashed | Outcome::Hung, _) => Self::Ends,
            (Outcome::Lost | Outcome::Rejected, Some(BlastRadius::Server)) => Self::NoTools,
            (Outcome::Lost | Outcome::Rejected, Some(BlastRadius::Tool)) => Self::NoTool,
            (outcome, _) => Self::of_outcome(outcome),
        }
    }

    /// Reads the outcome of a call of a tool that is offered.
    pub(super) const fn of_outcome(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Intact | Outcome::Wrapped | Outcome::Uncaught => Self::Value,
            Outcome::Text | Outcome::Prose => Self::Text,
            Outcome::Told => Self::Told,
            Outcome::Altered => Self::Changed,
            Outcome::Lost => Self::Nothing,
            Outcome::Masked => Self::NoText,
            Outcome::Swallowed => Self::Hidden,
            Outcome::Rejected | Outcome::Caught => Self::Error,
            Outcome::Unreachable | Outcome::Crashed | Outcome::Hung => Self::Ends,
            Outcome::Incomplete | Outcome::Unsupported => Self::Untested,
        }
    }

    /// Says what a model loses, with the place of the tools; `None` if it loses nothing.
    pub(super) const fn loses(self) -> Option<&'static str> {
        match self {
            Self::Changed => Some("the model reads another value than {tools} sent, or only a part of it"),
            Self::Nothing => Some("the model reads nothing of what {tools} returned"),
            Self::NoText => Some("the model does not read the text of the error of {tools}"),
            Self::Hidden => Some("the model is not told that {tools} failed"),
            Self::Error => Some("the model reads an error of the host in place of the result of {tools}"),
            Self::NoTool => Some("the model is not offered {tools}"),
            Self::NoTools => Some("the model is offered no tool of the server"),
            Self::Refused => Some("the interface of the model refuses requests that have {tools}"),
            Self::Ends => Some("the host ends at the call of {tools}"),
            Self::Value
            | Self::AllText
            | Self::Text
            | Self::Told
            | Self::Cut
            | Self::NoLink
            | Self::NoSession
            | Self::Offered
            | Self::Untested => None,
        }
    }

    /// The reading of that word.
    pub(super) fn named(word: &str) -> Option<Self> {
        Self::MEANINGS.into_iter().map(|(reading, _)| reading).find(|reading| reading.word() == word)
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::AllText | Self::Text => "text",
            Self::Told => "told",
            Self::Changed => "changed",
            Self::Nothing => "nothing",
            Self::NoText => "no text",
            Self::NoLink => "no link",
            Self::Cut => "cut",
            Self::Hidden => "hidden",
            Self::Error => "error",
            Self::NoTool => "no tool",
            Self::NoTools => "no tools",
            Self::Refused => "refused",
            Self::NoSession => "no session",
            Self::Ends => "ends",
            Self::Offered => "offered",
            Self::Untested => "-",
        }
    }

    /// Returns whether the model could call the tool, and so was sent something.
    pub(crate) const fn is_of_a_call(self) -> bool {
        !matches!(self, Self::NoTool | Self::NoTools | Self::NoSession | Self::Offered | Self::Untested)
    }

    pub(crate) const fn tone(self) -> Tone {
        match self {
            Self::Value | Self::AllText | Self::Told | Self::Offered => Tone::Good,
            Self::Text | Self::Error | Self::NoText | Self::NoLink | Self::Cut => Tone::Warning,
            Self::Changed
            | Self::Nothing
            | Self::Hidden
            | Self::NoTool
            | Self::NoTools
            | Self::Refused
            | Self::NoSession
            | Self::Ends => Tone::Bad,
            Self::Untested => Tone::Aside,
        }
    }
}
