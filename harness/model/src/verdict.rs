//! Verdicts: the outcome of a cell for the client's user, its rating, the damage, and the party responsible.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named::named;
use crate::signature::Signature;
use crate::{Revision, Role};

named! {
    /// Outcome of a call for the client's user.
    ///
    /// The outcomes are grouped by what the tool meant ([`OutcomeGroup`]), and those of a group go from best to worst.
    pub enum Outcome {
        /// The value arrived, JSON-equal.
        Intact = "intact",
        /// The value arrived whole, under one key of an object.
        Wrapped = "wrapped",
        /// A text block parses to the value.
        Text = "text",
        /// Only other text arrived.
        Prose = "prose",
        /// The client raised an error instead.
        Rejected = "rejected",
        /// Another value arrived.
        Altered = "altered",
        /// Nothing arrived: no value, no text, no error.
        Lost = "lost",
        /// The tool's error arrived as an error, with its text.
        Told = "told",
        /// Another error replaced the tool's error.
        Masked = "masked",
        /// The tool's error arrived as a success.
        Swallowed = "swallowed",
        /// The invalid result was rejected.
        Caught = "caught",
        /// The invalid result was accepted as valid.
        Uncaught = "uncaught",
        /// No session was opened, such as without a common revision, or the connection was lost.
        Unreachable = "unreachable",
        /// A peer did not answer in time.
        Hung = "hung",
        /// A peer's process ended, or it sent something that cannot be an answer.
        Crashed = "crashed",
        /// The session gave fewer observations than the scenario asks for, so it proves nothing.
        Incomplete = "incomplete",
        /// A peer reports that it does not support this. Never counted as a break.
        Unsupported = "unsupported",
    }
}

/// Kind of answer that the tool returned: the outcomes of a group say what the client's user got of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutcomeGroup {
    /// A value: from [`Outcome::Intact`] to [`Outcome::Lost`].
    Value,
    /// An error of the tool: from [`Outcome::Told`] to [`Outcome::Swallowed`].
    ToolError,
    /// A result that violates the declared schema: [`Outcome::Caught`] and [`Outcome::Uncaught`].
    InvalidResult,
    /// None of it can be seen: the session ended, or a peer does not support it.
    Session,
}

impl OutcomeGroup {
    /// Its outcomes; those of a value, a tool error and an invalid result from best to worst.
    pub fn outcomes(self) -> impl Iterator<Item = Outcome> {
        Outcome::ALL.into_iter().filter(move |outcome| outcome.group() == self)
    }
}

impl Outcome {
    /// Kind of answer that the tool returned.
    #[must_use]
    pub const fn group(self) -> OutcomeGroup {
        match self {
            Self::Intact | Self::Wrapped | Self::Text | Self::Prose | Self::Rejected | Self::Altered | Self::Lost => {
                OutcomeGroup::Value
            }
            Self::Told | Self::Masked | Self::Swallowed => OutcomeGroup::ToolError,
            Self::Caught | Self::Uncaught => OutcomeGroup::InvalidResult,
            Self::Unreachable | Self::Hung | Self::Crashed | Self::Incomplete | Self::Unsupported => {
                OutcomeGroup::Session
            }
        }
    }

    /// Returns true if it is better than another of the same group. The outcomes of a session have no order.
    #[must_use]
    pub fn is_better_than(self, other: Self) -> bool {
        let group = self.group();
        group != OutcomeGroup::Session && group == other.group() && (self as u8) < (other as u8)
    }

    /// One sentence that says what a user of the client got.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Intact => "the client's user got the value unchanged",
            Self::Wrapped => "the whole value reached the client's user, but under one key of an object",
            Self::Text => "the client's user got no structured value, but a text block that parses to it",
            Self::Prose => "the client's user got only text, and the value cannot be parsed from it",
            Self::Rejected => "the client raised an error instead of the value",
            Self::Altered => "the client's user got a different value than the tool returned, and no error",
            Self::Lost => "what the tool returned, or a part of it, did not reach the client's user, who got no error",
            Self::Told => "the tool's error reached the client's user as an error, with its text",
            Self::Masked => "another error reached the client's user instead of the tool's own",
            Self::Swallowed => "the tool's error reached the client's user as a success",
            Self::Caught => "the client rejected a result that violates the tool's schema",
            Self::Uncaught => "the client accepted an invalid result",
            Self::Unreachable => "no session was opened, or the connection was lost",
            Self::Hung => "the client or the server did not answer in time",
            Self::Crashed => "the client or the server ended, or sent something that cannot be an answer",
            Self::Incomplete => "the session ended before the scenario did, so it proves nothing",
            Self::Unsupported => {
                "the client, the server or their common revision does not support this; it is never counted as a break"
            }
        }
    }

    /// Returns true if the user gets no error: the worst kind of damage.
    #[must_use]
    pub const fn is_silent(self) -> bool {
        matches!(self, Self::Altered | Self::Lost | Self::Swallowed | Self::Uncaught)
    }
}

impl FromStr for Outcome {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::named(text).ok_or_else(|| format!("{text:?} is not an outcome"))
    }
}

named! {
    /// The party responsible for the fix.
    pub enum Fault {
        /// The client.
        Client = "client",
        /// The server.
        Server = "server",
        /// Both of them.
        Both = "both",
        /// The specification: two readings are defensible, or it says nothing.
        Spec = "spec",
        /// This project.
        Harness = "harness",
    }
}

impl Fault {
    /// The fault of one side.
    #[must_use]
    pub const fn of(role: Role) -> Self {
        match role {
            Role::Client => Self::Client,
            Role::Server => Self::Server,
        }
    }
}

named! {
    /// Rating of a cell against what its scenario expects.
    pub enum Rating {
        /// At least what the scenario expects for the negotiated era.
        Works = "works",
        /// Less, but the information can be had: `wrapped` or `text`.
        Degraded = "degraded",
        /// Less, and the information is gone.
        Breaks = "breaks",
        /// Not judged: a peer does not support it.
        Skipped = "skipped",
    }
}

named! {
    /// Part of the server that is lost to the client, smallest first.
    pub enum BlastRadius {
        /// This call; the tool is listed and its neighbours answer.
        Call = "call",
        /// This tool; its neighbours answer.
        Tool = "tool",
        /// Every tool: the bystander is gone too.
        Server = "server",
        /// The session: nothing can be done with this server.
        Session = "session",
    }
}

named! {
    /// Level of a requirement (RFC 2119).
    pub enum Level {
        /// An absolute requirement.
        Must = "MUST",
        /// To be done unless there is a good reason.
        Should = "SHOULD",
        /// Allowed.
        May = "MAY",
    }
}

named! {
    /// Whom a rule binds.
    pub enum Party {
        /// The client.
        Client = "client",
        /// The server.
        Server = "server",
        /// The specification: it is silent, or says two things.
        Spec = "spec",
    }
}

/// A rule of the specification that a message of the cell violates.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The rule's id, for `explain`.
    pub rule: String,
    /// The level of the requirement.
    pub level: Level,
    /// The party that violated it.
    pub party: Party,
    /// The negotiated revision at which it was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// The specification's address.
    pub source: String,
    /// The mistake, in one sentence.
    pub detail: String,
    /// The tool that it is about; absent if it is about the session, the list or several tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The transcript entries (`seq`) that show it.
    pub messages: Vec<u32>,
}

/// Verdict of the judge on one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The revision that the two peers spoke, as the wire shows it.
    pub negotiated: Option<Revision>,
    /// The outcome for what the tool meant; the worst of the calls where there are several.
    pub outcome: Outcome,
    /// Its rating against what is expected.
    pub rating: Rating,
    /// True if it is a silent break: the user gets no error.
    pub silent: bool,
    /// True if it works and the client also took the control: that it works shows nothing.
    pub vacuous: bool,
    /// The damage; absent when there is none.
    pub blast_radius: Option<BlastRadius>,
    /// The least that the scenario expects, at the negotiated era.
    pub expected: Option<Outcome>,
    /// The rules that messages of this cell violate.
    pub findings: Vec<Finding>,
    /// The party responsible for the fix; absent when nothing breaks or degrades.
    pub fault: Option<Fault>,
    /// The cause in short, equal for cells that break alike; absent when nothing breaks or degrades.
    pub signature: Option<Signature>,
    /// The reason, in a sentence that a maintainer can act on.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_hold_every_outcome_in_order() {
        assert!(Outcome::ALL.is_sorted_by_key(|outcome| outcome.group()));
        assert!(OutcomeGroup::ToolError.outcomes().eq([Outcome::Told, Outcome::Masked, Outcome::Swallowed]));
        assert!(Outcome::Intact.is_better_than(Outcome::Lost) && !Outcome::Lost.is_better_than(Outcome::Intact));
        assert!(!Outcome::Told.is_better_than(Outcome::Lost) && !Outcome::Unreachable.is_better_than(Outcome::Hung));
    }

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
