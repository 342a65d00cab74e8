//! Likeness of a profile and the real peer that it stands in for: both played with the same counterparts, cell by cell.
//!
//! A cell is *equal* when both spoke the same revision, the cell has the same outcome, and every step of the scenario came
//! to the same outcome. Revisions are not compared where both found no session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::NotPlayedCells;
use crate::verdict::Outcome;
use crate::{PeerId, Revision, Role, ScenarioId, Transport};

/// A profile compared with a real peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fidelity {
    /// The version of mcp-compat that compared.
    pub tool_version: String,
    /// The digest of the scenarios that were played.
    pub corpus: String,
    /// True if every cell was played.
    pub complete: bool,
    /// Each of the two with each counterpart.
    pub sides: Vec<Side>,
}

/// A profile and a real peer with one counterpart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// Role that the two play.
    pub role: Role,
    /// The profile.
    pub profile: PeerId,
    /// The real peer.
    pub real: PeerId,
    /// Whom both meet.
    pub counterpart: PeerId,
    /// Over what.
    pub transports: Vec<Transport>,
    /// Number of cells that were compared.
    pub cells: u64,
    /// Number of equal cells.
    pub equal: u64,
    /// Number of cells with the same outcome, whatever the steps came to.
    pub same_outcome: u64,
    /// In how many of the cells the real peer is not equal to the honest mock of the profile's revisions.
    pub deviating: u64,
    /// Number of these that are equal, so that the profile deviates as the real peer does.
    pub followed: u64,
    /// The cells that are not equal, by scenario.
    pub differences: Vec<Difference>,
    /// Cells that could not be compared, and why.
    pub not_compared: Vec<NotPlayedCells>,
}

/// Cells of one scenario in which the two differ alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The scenario.
    pub scenario: ScenarioId,
    /// The transports over which it is so.
    pub transports: Vec<Transport>,
    /// The first step that came to another outcome, if one did.
    pub step: Option<StepDifference>,
    /// Result of the profile.
    pub profile: Fared,
    /// Result of the real peer.
    pub real: Fared,
}

/// A step that came to two outcomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepDifference {
    /// Its number, from 1.
    pub number: u32,
    /// The step, such as `call list_users`.
    pub what: String,
    /// Its outcome with the profile; nothing, where the session ended before.
    pub profile: Option<Outcome>,
    /// Its outcome with the real peer.
    pub real: Option<Outcome>,
}

/// Result of one of the two in a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fared {
    /// The revision that was spoken.
    pub negotiated: Option<Revision>,
    /// The cell's outcome.
    pub outcome: Outcome,
    /// The reason, in a sentence.
    pub reason: String,
}

impl Fidelity {
    /// Number of cells that were compared, and of those that are equal.
    #[must_use]
    pub fn total(&self) -> (u64, u64) {
        self.sides.iter().fold((0, 0), |(cells, equal), side| (cells + side.cells, equal + side.equal))
    }

    /// Returns true if at least this share of the cells, in percent, is equal. Where nothing was compared, none is.
    #[must_use]
    pub fn is_at_least(&self, percent: u8) -> bool {
        let (cells, equal) = self.total();
        cells > 0 && equal * 100 >= cells * u64::from(percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fidelity(counts: &[(u64, u64)]) -> Fidelity {
        let side = |(cells, equal): &(u64, u64)| Side {
            role: Role::Client,
            profile: PeerId::new("profile/rmcp@3").unwrap(),
            real: PeerId::new("rmcp@3.9.0").unwrap(),
            counterpart: PeerId::new("mock/dual").unwrap(),
            transports: vec![Transport::Stdio],
            cells: *cells,
            equal: *equal,
            same_outcome: *equal,
            deviating: 0,
            followed: 0,
            differences: Vec::new(),
            not_compared: Vec::new(),
        };
        let sides = counts.iter().map(side).collect();
        Fidelity { tool_version: String::new(), corpus: String::new(), complete: true, sides }
    }

    #[test]
    fn a_share_is_of_all_cells_and_nothing_compared_is_no_likeness() {
        let fidelity_of_all = fidelity(&[(90, 90), (10, 0)]);
        assert_eq!(fidelity_of_all.total(), (100, 90));
        assert!(fidelity_of_all.is_at_least(90) && !fidelity_of_all.is_at_least(91));
        assert!(!fidelity(&[]).is_at_least(0));
    }
}
