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
mod request;
mod shard;

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::division::Division;
use mcp_compat_model::record::NotPlayedCells;
use mcp_compat_model::{Cell, ScenarioId};

pub use coverage::Coverage;
use pairing::{Pairing, firsts};
pub use request::{PlannedPeer, PlannedScenario, Request, Weight};
pub use shard::Shard;

/// The cells to play, ordered by id, and what is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub cells: Vec<Cell>,
    /// Cells that are left out: their number for each reason.
    pub left_out: Vec<NotPlayedCells>,
    /// Part of a plan, where it is one.
    pub division: Option<Division>,
}

#[must_use]
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
#[must_use]
pub fn representatives(scenarios: &[PlannedScenario]) -> BTreeSet<&ScenarioId> {
    let smoke = scenarios.iter().filter(|scenario| scenario.smoke).map(|scenario| &scenario.id);
    smoke.chain(firsts(scenarios.iter())).collect()
}

#[cfg(test)]
mod tests;
