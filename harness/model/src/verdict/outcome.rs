//! What became of what the tool meant, as the user of the client got it.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of the thing that the tool meant to tell.
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

/// What the tool meant, of which an outcome says what became.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutcomeGroup {
    /// A value: from [`Outcome::Intact`] to [`Outcome::Lost`].
    Value,
    /// An error of the tool: from [`Outcome::Told`] to [`Outcome::Swallowed`].
    ToolError,
    /// A result that violates the declared schema: [`Outcome::Caught`] and [`Outcome::Uncaught`].
    InvalidResult,
    /// Nothing of it was to be seen: the session ended, or a peer cannot do it.
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
    /// What the tool meant.
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

    /// Whether it is better than another of the same group. The outcomes of a session have no order.
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
