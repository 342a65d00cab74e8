//! Input of a plan: scenarios and peers, as far as the plan has to know them.

use mcp_compat_model::{PeerId, Revision, ScenarioId, Transport};
use mcp_compat_scenario::Scenario;

use super::coverage::Coverage;

/// Facts about a scenario that the plan needs.
#[derive(Clone, Debug)]
pub struct PlannedScenario {
    pub id: ScenarioId,
    /// The first revision in which a server may do it.
    pub since: Revision,
    /// True if it is among the few that speak for all.
    pub smoke: bool,
    pub weight: Weight,
    /// Reason for which a client that is only a command cannot play it; `None` if it can.
    pub unsupported_reason: Option<&'static str>,
}

/// Weight of a scenario's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// So little that thousands can be played.
    Light,
    /// So much that only one such cell plays at a time.
    Heavy,
}

impl Weight {
    /// From how many bytes on a scenario is heavy.
    const FROM: usize = 128 << 10;

    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        if scenario.size() < Self::FROM { Self::Light } else { Self::Heavy }
    }
}

/// Facts about a peer that the plan needs.
#[derive(Clone, Debug)]
pub struct PlannedPeer {
    pub id: PeerId,
    /// The revisions that it offers in its mode.
    pub revisions: Vec<Revision>,
    /// The transports that it has, quickest first.
    pub transports: Vec<Transport>,
    /// True if it is a reference peer, with which every other peer is played.
    pub reference: bool,
    /// True if it is a client that is only a command.
    pub is_command: bool,
}

/// Request for a plan.
#[derive(Clone, Debug)]
pub struct Request {
    /// The scenarios, in any order.
    pub scenarios: Vec<PlannedScenario>,
    pub clients: Vec<PlannedPeer>,
    pub servers: Vec<PlannedPeer>,
    pub transports: Vec<Transport>,
    pub coverage: Coverage,
}
