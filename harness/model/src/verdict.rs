//! Whether what happened is right, how far the damage goes, and whose turn it is.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Revision;

/// What became of the thing that the tool meant to tell.
///
/// For a value the variants from [`Intact`](Self::Intact) to [`Lost`](Self::Lost) go from best to worst, for a tool
/// error from [`Told`](Self::Told) to [`Swallowed`](Self::Swallowed), for an invalid result from
/// [`Caught`](Self::Caught) to [`Uncaught`](Self::Uncaught).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The value arrived, JSON-equal.
    Intact,
    /// The value arrived whole, under one key of an object.
    Wrapped,
    /// A text block parses to the value.
    Text,
    /// Only other text arrived.
    Prose,
    /// The client raised an error instead.
    Rejected,
    /// Another value arrived.
    Altered,
    /// Nothing arrived: no value, no text, no error.
    Lost,
    /// The tool error arrived as what it is.
    Told,
    /// Another error hides the tool error.
    Masked,
    /// The tool error was seen as success.
    Swallowed,
    /// The invalid result was refused.
    Caught,
    /// The invalid result was handed on as if it were valid.
    Uncaught,
    /// No common revision, or no session.
    Unreachable,
    /// A peer did not answer in time.
    Hung,
    /// A peer's process ended, or it sent what cannot be an answer.
    Crashed,
    /// The session gave fewer observations than the scenario asks for, so nothing is proven.
    Incomplete,
    /// A peer says that it cannot do this; never counted as a break.
    Unsupported,
}

impl Outcome {
    /// Every outcome, in the order of the design's table.
    pub const ALL: [Self; 17] = [
        Self::Intact,
        Self::Wrapped,
        Self::Text,
        Self::Prose,
        Self::Rejected,
        Self::Altered,
        Self::Lost,
        Self::Told,
        Self::Masked,
        Self::Swallowed,
        Self::Caught,
        Self::Uncaught,
        Self::Unreachable,
        Self::Hung,
        Self::Crashed,
        Self::Incomplete,
        Self::Unsupported,
    ];

    /// The name used in files, reports and `explain`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Intact => "intact",
            Self::Wrapped => "wrapped",
            Self::Text => "text",
            Self::Prose => "prose",
            Self::Rejected => "rejected",
            Self::Altered => "altered",
            Self::Lost => "lost",
            Self::Told => "told",
            Self::Masked => "masked",
            Self::Swallowed => "swallowed",
            Self::Caught => "caught",
            Self::Uncaught => "uncaught",
            Self::Unreachable => "unreachable",
            Self::Hung => "hung",
            Self::Crashed => "crashed",
            Self::Incomplete => "incomplete",
            Self::Unsupported => "unsupported",
        }
    }

    /// One sentence that says what a user of the client got.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Intact => "the value that the tool returned reached the client's user, JSON-equal",
            Self::Wrapped => "the value reached the client's user whole, but under one key of an object",
            Self::Text => "the client's user has no structured value, but a text block that parses to it",
            Self::Prose => "the client's user has only text from which the value cannot be parsed",
            Self::Rejected => "the client raised an error in place of the value",
            Self::Altered => "the client's user got another value than the one returned, and no error",
            Self::Lost => "the client's user got no value, no text and no error",
            Self::Told => "the tool's error reached the client's user as an error, with its words",
            Self::Masked => "another error reached the client's user in place of the tool's own",
            Self::Swallowed => "the tool's error reached the client's user as a success",
            Self::Caught => "a result that violates the tool's schema was refused",
            Self::Uncaught => "a result that violates the tool's schema was handed on as if it were valid",
            Self::Unreachable => "client and server found no common revision, or no session came about",
            Self::Hung => "a peer did not answer before its deadline",
            Self::Crashed => "a peer's process ended, or it sent what cannot be an answer",
            Self::Incomplete => "fewer observations came than the scenario asks for, so nothing is proven",
            Self::Unsupported => "a peer says that it cannot do this; it is never counted as a break",
        }
    }

    /// Whether nobody is told of the damage: the worst kind.
    #[must_use]
    pub const fn is_silent(self) -> bool {
        match self {
            Self::Altered | Self::Lost | Self::Swallowed | Self::Uncaught => true,
            Self::Intact
            | Self::Wrapped
            | Self::Text
            | Self::Prose
            | Self::Rejected
            | Self::Told
            | Self::Masked
            | Self::Caught
            | Self::Unreachable
            | Self::Hung
            | Self::Crashed
            | Self::Incomplete
            | Self::Unsupported => false,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Outcome {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == text)
            .ok_or_else(|| format!("{text:?} is not an outcome"))
    }
}

/// How a cell fares against what its scenario expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rating {
    /// At least what the scenario expects for the negotiated era.
    Works,
    /// Less, but the information can be had: `wrapped` or `text`.
    Degraded,
    /// Less, and the information is gone.
    Breaks,
    /// Not judged: a peer does not support it.
    Skipped,
}

impl Rating {
    /// Every rating.
    pub const ALL: [Self; 4] = [Self::Works, Self::Degraded, Self::Breaks, Self::Skipped];

    /// The name used in files and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Degraded => "degraded",
            Self::Breaks => "breaks",
            Self::Skipped => "skipped",
        }
    }
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How much of the server is lost to the client, smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BlastRadius {
    /// This call; the tool is listed and its neighbours answer.
    Call,
    /// This tool; its neighbours answer.
    Tool,
    /// Every tool: the bystander is gone too.
    Server,
    /// The session: nothing can be done with this server.
    Session,
}

impl BlastRadius {
    /// The name used in files and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Tool => "tool",
            Self::Server => "server",
            Self::Session => "session",
        }
    }
}

impl fmt::Display for BlastRadius {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How binding a rule is (RFC 2119).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Level {
    /// An absolute requirement.
    #[serde(rename = "MUST")]
    Must,
    /// To be done unless there is a good reason.
    #[serde(rename = "SHOULD")]
    Should,
    /// Allowed.
    #[serde(rename = "MAY")]
    May,
}

impl Level {
    /// The word of RFC 2119.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
            Self::May => "MAY",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Whom a rule binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Party {
    /// The client.
    Client,
    /// The server.
    Server,
    /// The specification: it is silent, or says two things.
    Spec,
}

impl Party {
    /// The name used in files and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Spec => "spec",
        }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A rule of the specification that a message of the cell violates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The rule's id, for `explain`.
    pub rule: String,
    /// How binding it is.
    pub level: Level,
    /// Who violated it.
    pub party: Party,
    /// The negotiated revision at which it was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// The specification's address.
    pub source: String,
    /// What was wrong here, in one sentence.
    pub detail: String,
    /// The transcript entries (`seq`) that show it.
    pub messages: Vec<u32>,
}

/// Who has to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Both of them.
    Both,
    /// The specification: two readings are defensible, or it says nothing.
    Spec,
    /// This project.
    Harness,
}

impl Fault {
    /// The name used in files and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Both => "both",
            Self::Spec => "spec",
            Self::Harness => "harness",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What the judge says of one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The revision that the two peers spoke, as the wire shows it.
    pub negotiated: Option<Revision>,
    /// What became of what the tool meant; the worst of the calls where there are several.
    pub outcome: Outcome,
    /// How that fares against what is expected.
    pub rating: Rating,
    /// Whether it is a break that nobody is told of.
    pub silent: bool,
    /// Whether the client also took the control: it accepted without checking.
    pub vacuous: bool,
    /// How far the damage goes; absent when there is none.
    pub blast_radius: Option<BlastRadius>,
    /// The least that the scenario expects, at the negotiated era.
    pub expected: Option<Outcome>,
    /// The rules that messages of this cell violate.
    pub findings: Vec<Finding>,
    /// Who has to move; absent when nothing breaks or degrades.
    pub fault: Option<Fault>,
    /// The cause in short, equal for cells that break alike; absent when nothing breaks or degrades.
    pub signature: Option<String>,
    /// The one reason, in a sentence that a maintainer can act on.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_reads_back_and_has_a_meaning() {
        for outcome in Outcome::ALL {
            assert_eq!(outcome.as_str().parse(), Ok(outcome));
            assert!(!outcome.meaning().is_empty());
            assert_eq!(serde_json::to_string(&outcome).unwrap(), format!("\"{outcome}\""));
        }
    }

    #[test]
    fn the_damage_is_ordered() {
        assert!(BlastRadius::Call < BlastRadius::Tool && BlastRadius::Tool < BlastRadius::Server);
        assert!(BlastRadius::Server < BlastRadius::Session);
    }
}
