//! Outcome of a call for the client's user, and the party responsible for the fix.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Role;

/// Outcome of a call for the client's user.
///
/// The outcomes are grouped by what the tool meant ([`OutcomeGroup`]), and those of a group go from best to worst.
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
    /// The tool's error arrived as an error, with its text.
    Told,
    /// Another error replaced the tool's error.
    Masked,
    /// The tool's error arrived as a success.
    Swallowed,
    /// The invalid result was rejected.
    Caught,
    /// The invalid result was accepted as valid.
    Uncaught,
    /// Client and server have no common revision, or no session was opened.
    Unreachable,
    /// A peer did not answer in time.
    Hung,
    /// A peer's process ended, or it sent something that cannot be an answer.
    Crashed,
    /// The session gave fewer observations than the scenario asks for, so it proves nothing.
    Incomplete,
    /// A peer reports that it does not support this. Never counted as a break.
    Unsupported,
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
    #[must_use]
    pub const fn outcomes(self) -> &'static [Outcome] {
        match self {
            Self::Value => &[
                Outcome::Intact,
                Outcome::Wrapped,
                Outcome::Text,
                Outcome::Prose,
                Outcome::Rejected,
                Outcome::Altered,
                Outcome::Lost,
            ],
            Self::ToolError => &[Outcome::Told, Outcome::Masked, Outcome::Swallowed],
            Self::InvalidResult => &[Outcome::Caught, Outcome::Uncaught],
            Self::Session => {
                &[Outcome::Unreachable, Outcome::Hung, Outcome::Crashed, Outcome::Incomplete, Outcome::Unsupported]
            }
        }
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
            Self::Unreachable => "client and server have no common revision, or no session was opened",
            Self::Hung => "a peer did not answer before its deadline",
            Self::Crashed => "a peer's process ended, or it sent something that cannot be an answer",
            Self::Incomplete => "the session gave fewer observations than the scenario asks for, so it proves nothing",
            Self::Unsupported => {
                "a peer, or the revision that both speak, does not support this; this is never counted as a break"
            }
        }
    }

    /// Returns true if the user gets no error: the worst kind of damage.
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

/// The party responsible for the fix.
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
    /// Every party.
    pub const ALL: [Self; 5] = [Self::Client, Self::Server, Self::Both, Self::Spec, Self::Harness];

    /// The fault of one side.
    #[must_use]
    pub const fn of(role: Role) -> Self {
        match role {
            Role::Client => Self::Client,
            Role::Server => Self::Server,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_hold_every_outcome_in_order() {
        let groups = [OutcomeGroup::Value, OutcomeGroup::ToolError, OutcomeGroup::InvalidResult, OutcomeGroup::Session];
        let grouped: Vec<Outcome> = groups.iter().flat_map(|group| group.outcomes()).copied().collect();
        assert_eq!(grouped, Outcome::ALL);
        for group in groups {
            assert!(group.outcomes().iter().all(|outcome| outcome.group() == group), "{group:?}");
        }
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
}
