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
use std::sync::Arc;

use mcp_compat_model::division::Division;
use mcp_compat_model::record::NotPlayedCells;
use mcp_compat_model::{Cell, PeerId, Revision, ScenarioId, Transport};
use mcp_compat_scenario::Scenario;

use crate::recording::NOT_RECORDED;

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
    /// The only cells that it has, if it was recorded on another machine.
    pub recorded: Option<Arc<BTreeSet<Cell>>>,
}

#[derive(Clone, Debug)]
pub struct Request {
    /// The scenarios, in any order.
    pub scenarios: Vec<PlannedScenario>,
    pub clients: Vec<PlannedPeer>,
    pub servers: Vec<PlannedPeer>,
    pub transports: Vec<Transport>,
    /// Only pairs of which this is the newest revision that both speak.
    pub revision: Option<Revision>,
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
    /// Leaves out cells, for a reason.
    pub(crate) fn leave_out(&mut self, reason: &str, is_left_out: impl Fn(&Cell) -> bool) {
        let before = self.cells.len();
        self.cells.retain(|cell| !is_left_out(cell));
        let cells = (before - self.cells.len()) as u64;
        if cells > 0 {
            self.left_out.push(NotPlayedCells { reason: reason.to_owned(), cells });
            self.left_out.sort_by(|one, other| one.reason.cmp(&other.reason));
        }
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
                    let cell = Cell {
                        scenario: scenario.id.clone(),
                        client: client.id.clone(),
                        server: server.id.clone(),
                        transport: *transport,
                    };
                    let lacks = |peer: &PlannedPeer| peer.recorded.as_ref().is_some_and(|has| !has.contains(&cell));
                    match pairing.leaves_out(scenario, *transport) {
                        Some(reason) => *left_out.entry(reason).or_default() += 1,
                        None if lacks(client) || lacks(server) => {
                            *left_out.entry(NOT_RECORDED.to_owned()).or_default() += 1;
                        }
                        None => cells.push(cell),
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
