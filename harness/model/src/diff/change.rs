//! One cell, compared with its counterpart.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::class::Class;
use crate::record::CellRecord;
use crate::signature::Signature;
use crate::verdict::{BlastRadius, Fault, Outcome, Rating};
use crate::{PeerId, Revision, Role, ScenarioId, Transport};

/// One cell, compared with its counterpart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Class of the comparison.
    pub class: Class,
    /// The scenario.
    pub scenario: ScenarioId,
    /// Transport of the messages.
    pub transport: Transport,
    /// The cell of the earlier run.
    pub before: Option<Fate>,
    /// The cell of the later run.
    pub after: Option<Fate>,
    /// The peers that are another release than before: at most one of each role.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Move>,
    /// The peers that are new or gone; for the classes `peer-added` and `peer-gone`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<PeerId>,
    /// Obstacles to a comparison.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<Obstacle>,
    /// True if an immediate repeat of the later cell came out the same; absent if it was not repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduced: Option<bool>,
    /// True if it is worse, was reproduced, has the same harness and scenario on both sides, and is not known.
    pub regression: bool,
}

/// Result of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fate {
    /// The client.
    pub client: PeerId,
    /// The server.
    pub server: PeerId,
    /// The revision that the two spoke.
    pub negotiated: Option<Revision>,
    /// The outcome for what the tool meant.
    pub outcome: Outcome,
    /// Its rating against what is expected.
    pub rating: Rating,
    /// True if the user gets no error.
    pub silent: bool,
    /// The damage.
    pub blast_radius: Option<BlastRadius>,
    /// The party responsible for the fix.
    pub fault: Option<Fault>,
    /// The cause in short.
    pub cause: Option<Signature>,
    /// The reason, in a sentence.
    pub reason: String,
    /// True if a baseline knows the break.
    pub known: bool,
    /// True if a baseline says that it comes and goes.
    pub flaky: bool,
}

/// A peer that is another release than before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// The side that it plays.
    pub role: Role,
    /// The release of the earlier run.
    pub before: PeerId,
    /// The release of the later run.
    pub after: PeerId,
}

/// Reason why two cells cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "what")]
pub enum Obstacle {
    /// The scenario is another one under the same name.
    Scenario {},
    /// The peers are the same and mcp-compat is not, so that the difference may be its own.
    Harness {},
    /// The verdicts are of different judges, and one of them cannot be given anew.
    Judge {},
    /// One of the runs did not play the cell, although it has the scenario and both peers.
    NotPlayed {
        /// The run.
        by: Which,
    },
}

/// One of the two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// The earlier one.
    Before,
    /// The later one.
    After,
}

impl Change {
    /// Returns true if it is worse, and no baseline knows of it.
    #[must_use]
    pub fn is_news(&self) -> bool {
        self.class == Class::Worse && !self.after.as_ref().is_some_and(|fate| fate.known)
    }

    /// Result of the cell that shows the change: the later one, or the earlier one where the later one is gone or
    /// works.
    #[must_use]
    pub fn telling(&self) -> Option<&Fate> {
        let (before, after) = (self.before.as_ref(), self.after.as_ref());
        if self.class == Class::Better { before.or(after) } else { after.or(before) }
    }
}

impl Fate {
    /// Returns true if it is the same for the user and for who has to fix it. The place in a schema or value, the
    /// reason and what a baseline says may differ.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let verdict = |fate: &Self| (fate.outcome, fate.rating, fate.fault, fate.blast_radius);
        verdict(self) == verdict(other) && is_one_cause(self.cause.as_ref(), other.cause.as_ref())
    }
}

/// Returns true if two breaks have one cause, wherever in a schema or value it is.
pub(crate) fn is_one_cause(one: Option<&Signature>, other: Option<&Signature>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is_like(other),
        (one, other) => one == other,
    }
}

impl From<&CellRecord> for Fate {
    fn from(cell: &CellRecord) -> Self {
        Self {
            client: cell.client.clone(),
            server: cell.server.clone(),
            negotiated: cell.negotiated,
            outcome: cell.outcome,
            rating: cell.rating,
            silent: cell.silent,
            blast_radius: cell.blast_radius,
            fault: cell.fault,
            cause: cell.signature.clone(),
            reason: cell.reason.clone(),
            known: cell.known.is_some(),
            flaky: cell.known.as_ref().is_some_and(|known| known.flaky),
        }
    }
}
