//! What a model reads, in a word.

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{BlastRadius, Outcome};

use super::columns::{About, Kind};
use crate::style::Tone;

/// What a model reads of what a server sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Value,
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
    NoSession,
    Ends,
    Untested,
}

impl Reading {
    /// Number of characters of the longest word.
    pub(super) const WIDEST: usize = 10;

    /// Words that need to be explained, in the order of the worst last.
    pub(super) const MEANINGS: [(&str, &str); 11] = [
        ("value", "the value, as JSON"),
        ("text", "the other text of the result, and not the value"),
        ("told", "the text of the tool's error"),
        ("no text", "the value of an error, and not its text"),
        ("no link", "the text, and not the link beside it"),
        ("changed", "another value, or only a part of the result"),
        ("error", "an error of the host in place of the result"),
        ("no tool", "the model is not offered the tool"),
        ("no tools", "the model is offered no tool of the server"),
        ("no session", "the host does not connect to the server"),
        ("ends", "the host ends before its model reads anything"),
    ];

    /// Reads the cell of a kind.
    pub(super) fn of(kind: &Kind, cell: Option<&CellRecord>) -> Self {
        let Some(cell) = cell else { return Self::Untested };
        match (kind.about, Self::of_value(cell)) {
            (About::Text, Self::Value) => Self::Text,
            (About::Link, Self::Nothing) => Self::NoLink,
            (About::Page, Self::NoTools) => Self::NoTool,
            (About::Value | About::Text | About::Link | About::Page, read) => read,
        }
    }

    fn of_value(cell: &CellRecord) -> Self {
        match (cell.outcome, cell.blast_radius) {
            (Outcome::Unreachable, _) if cell.negotiated.is_some() => Self::Ends,
            (Outcome::Unreachable, _) | (_, Some(BlastRadius::Session)) => Self::NoSession,
            (Outcome::Crashed | Outcome::Hung, _) => Self::Ends,
            (Outcome::Lost | Outcome::Rejected, Some(BlastRadius::Server)) => Self::NoTools,
            (Outcome::Lost | Outcome::Rejected, Some(BlastRadius::Tool)) => Self::NoTool,
            (Outcome::Intact | Outcome::Wrapped | Outcome::Uncaught, _) => Self::Value,
            (Outcome::Text | Outcome::Prose, _) => Self::Text,
            (Outcome::Told, _) => Self::Told,
            (Outcome::Altered, _) => Self::Changed,
            (Outcome::Lost, _) => Self::Nothing,
            (Outcome::Masked, _) => Self::NoText,
            (Outcome::Swallowed, _) => Self::Hidden,
            (Outcome::Rejected | Outcome::Caught, _) => Self::Error,
            (Outcome::Incomplete | Outcome::Unsupported, _) => Self::Untested,
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Text => "text",
            Self::Told => "told",
            Self::Changed => "changed",
            Self::Nothing => "nothing",
            Self::NoText => "no text",
            Self::NoLink => "no link",
            Self::Hidden => "hidden",
            Self::Error => "error",
            Self::NoTool => "no tool",
            Self::NoTools => "no tools",
            Self::NoSession => "no session",
            Self::Ends => "ends",
            Self::Untested => "-",
        }
    }

    pub(super) const fn tone(self) -> Tone {
        match self {
            Self::Value | Self::Told => Tone::Good,
            Self::Text | Self::Error | Self::NoText | Self::NoLink => Tone::Warning,
            Self::Changed
            | Self::Nothing
            | Self::Hidden
            | Self::NoTool
            | Self::NoTools
            | Self::NoSession
            | Self::Ends => Tone::Bad,
            Self::Untested => Tone::Aside,
        }
    }
}
