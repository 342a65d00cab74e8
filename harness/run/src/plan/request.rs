//! What a plan is made of: scenarios and peers, as far as the plan has to know them.

use mcp_compat_model::{PeerId, Revision, ScenarioId, Transport};
use mcp_compat_scenario::Scenario;

use super::coverage::Coverage;

/// What the plan has to know of a scenario.
#[derive(Clone, Debug)]
pub struct PlannedScenario {
    /// Its id.
    pub id: ScenarioId,
    /// The first revision in which a server may do it.
    pub since: Revision,
    /// Whether it is among the few that speak for all.
    pub smoke: bool,
    /// How much goes over the wire.
    pub weight: Weight,
    /// Why a client that is only a command cannot play it; `None` if it can.
    pub unsupported_reason: Option<&'static str>,
}

/// How much of the wire a scenario takes.
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

    /// The weight of a scenario.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        if scenario.size() < Self::FROM { Self::Light } else { Self::Heavy }
    }
}

/// What the plan has to know of a peer.
#[derive(Clone, Debug)]
pub struct PlannedPeer {
    /// Its id.
    pub id: PeerId,
    /// The revisions that it offers in its mode.
    pub revisions: Vec<Revision>,
    /// The transports that it has, quickest first.
    pub transports: Vec<Transport>,
    /// Whether it is a reference peer, with which every other peer is played.
    pub reference: bool,
    /// Whether it is a client that is only a command.
    pub is_command: bool,
}

/// What is to be planned.
#[derive(Clone, Debug)]
pub struct Request {
    /// The scenarios, in any order.
    pub scenarios: Vec<PlannedScenario>,
    /// The clients.
    pub clients: Vec<PlannedPeer>,
    /// The servers.
    pub servers: Vec<PlannedPeer>,
    /// The transports to use.
    pub transports: Vec<Transport>,
    /// How much of it.
    pub coverage: Coverage,
}
