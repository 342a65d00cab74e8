//! Verdicts: the rating of a cell, the damage, and the party responsible.

mod outcome;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Revision;
use crate::signature::Signature;

pub use outcome::{Fault, Outcome, OutcomeGroup};

/// Rating of a cell against what its scenario expects.
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

/// Part of the server that is lost to the client, smallest first.
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

/// Level of a requirement (RFC 2119).
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
    fn the_damage_is_ordered() {
        assert!(BlastRadius::Call < BlastRadius::Tool && BlastRadius::Tool < BlastRadius::Server);
        assert!(BlastRadius::Server < BlastRadius::Session);
    }
}
