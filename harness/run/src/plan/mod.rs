//! The plan: which cells are played, and what is left out and why. A pure function of its arguments.
//!
//! ```text
//! Request ── each client with each server ──> Pairing ── each scenario over each transport ──> cell | why not
//! ```
//!
//! `coverage` says which cells each coverage takes. Never planned are
//!
//! - a scenario with a server whose revisions are all older than it,
//! - a transport that one side does not have, and
//! - two mocks without a common revision.
//!
//! Another pair without a common revision is planned for one scenario only: it fails the same way in all.

mod coverage;
mod pairing;
mod shard;

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::division::Division;
use mcp_compat_model::record::NotPlayedCells;
use mcp_compat_model::{Cell, PeerId, Revision, ScenarioId, Transport};
use mcp_compat_scenario::Scenario;

pub use coverage::Coverage;
use pairing::{Pairing, firsts};
pub use shard::Shard;

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

#[derive(Clone, Debug)]
pub struct Request {
    /// The scenarios, in any order.
    pub scenarios: Vec<PlannedScenario>,
    pub clients: Vec<PlannedPeer>,
    pub servers: Vec<PlannedPeer>,
    pub transports: Vec<Transport>,
    pub coverage: Coverage,
}

/// The cells to play, ordered by id, and what is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub cells: Vec<Cell>,
    /// Cells that are left out: their number for each reason.
    pub left_out: Vec<NotPlayedCells>,
    /// Part of a plan, where it is one.
    pub division: Option<Division>,
}

impl Plan {
    /// Leaves out the cells of pairs whose newest common revision is none of these. Without revisions, it keeps all.
    #[must_use]
    pub fn at_revisions(mut self, request: &Request, revisions: &[Revision]) -> Self {
        if revisions.is_empty() {
            return self;
        }
        let offered = |peers: &[PlannedPeer], id: &PeerId| -> BTreeSet<Revision> {
            peers.iter().filter(|peer| peer.id == *id).flat_map(|peer| peer.revisions.iter().copied()).collect()
        };
        let planned = self.cells.len();
        self.cells.retain(|cell| {
            let (client, server) = (offered(&request.clients, &cell.client), offered(&request.servers, &cell.server));
            client.intersection(&server).max().is_some_and(|newest| revisions.contains(newest))
        });
        if let Some(cells) = planned.checked_sub(self.cells.len()).filter(|cells| *cells > 0) {
            let reason = "the pair does not negotiate a revision of --revision".to_owned();
            self.left_out.push(NotPlayedCells { reason, cells: cells as u64 });
        }
        self
    }
}

pub fn plan(request: &Request) -> Plan {
    let mut left_out = BTreeMap::<String, u64>::new();
    let mut cells = Vec::new();
    for client in &request.clients {
        for server in &request.servers {
            let pairing = Pairing::new(request, client, server);
            if pairing.transports.is_empty() {
                let reason = "the two peers share none of the requested transports".to_owned();
                *left_out.entry(reason).or_default() += request.scenarios.len() as u64;
                continue;
            }
            for scenario in &request.scenarios {
                if let Some(reason) = pairing.never_plays(scenario) {
                    *left_out.entry(reason).or_default() += pairing.transports.len() as u64;
                    continue;
                }
                for transport in &pairing.transports {
                    match pairing.leaves_out(scenario, *transport) {
                        Some(reason) => *left_out.entry(reason).or_default() += 1,
                        None => cells.push(Cell {
                            scenario: scenario.id.clone(),
                            client: client.id.clone(),
                            server: server.id.clone(),
                            transport: *transport,
                        }),
                    }
                }
            }
        }
    }
    cells.sort();
    let left_out = left_out.into_iter().filter(|(_, cells)| *cells > 0);
    Plan { cells, left_out: left_out.map(|(reason, cells)| NotPlayedCells { reason, cells }).collect(), division: None }
}

/// The scenarios that stand for all: those of `smoke`, and the first light one of each class.
pub fn representatives(scenarios: &[PlannedScenario]) -> BTreeSet<&ScenarioId> {
    let smoke = scenarios.iter().filter(|scenario| scenario.smoke).map(|scenario| &scenario.id);
    smoke.chain(firsts(scenarios.iter())).collect()
}

#[cfg(test)]
mod tests;
