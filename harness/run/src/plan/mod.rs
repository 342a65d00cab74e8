//! The plan: which cells are played, and what is left out and why. A pure function of its arguments.
//!
//! `coverage` says which cells each coverage takes.
//!
//! Never planned: a scenario with a server whose revisions are all older than it, and a transport that one side
//! does not have, and two mocks without a common revision. Another pair without one is planned for one scenario only: it
//! fails the same way in all.

mod coverage;
mod shard;

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::division::Division;
use mcp_compat_model::record::LeftOut;
use mcp_compat_model::{Cell, Revision, ScenarioId, Transport};
use mcp_compat_scenario::Scenario;

pub use coverage::Coverage;
use coverage::{Kind, Pair, Way, wanted};
pub use shard::Shard;

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
    /// So much that it is played alone.
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
    pub id: mcp_compat_model::PeerId,
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

/// The cells to play, ordered by id, and what is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The cells.
    pub cells: Vec<Cell>,
    /// What is left out: how many cells for which reason.
    pub left_out: Vec<LeftOut>,
    /// Which part of a plan it is, where it is one.
    pub division: Option<Division>,
}

/// Makes the plan.
#[must_use]
pub fn plan(request: &Request) -> Plan {
    let mut left_out = BTreeMap::<String, u64>::new();
    let mut cells = Vec::new();
    for client in &request.clients {
        for server in &request.servers {
            let mut transports = common_transports(client, server, &request.transports);
            if request.coverage == Coverage::Once {
                transports.truncate(1);
            }
            if transports.is_empty() {
                let reason = "the two peers share none of the requested transports".to_owned();
                *left_out.entry(reason).or_default() += request.scenarios.len() as u64;
                continue;
            }
            let strangers = !client.revisions.iter().any(|revision| server.revisions.contains(revision));
            let firsts = firsts(request.scenarios.iter().filter(|scenario| can_play(server, scenario)));
            // The oldest scenario that the server can play: it asks the least of both.
            let meeting = request.scenarios.iter().filter(|scenario| can_play(server, scenario));
            let meeting = meeting.min_by_key(|scenario| (scenario.since, &scenario.id)).map(|scenario| &scenario.id);
            for scenario in &request.scenarios {
                let mut leave = |reason: String| *left_out.entry(reason).or_default() += transports.len() as u64;
                if !can_play(server, scenario) {
                    leave(format!("the scenario needs a server of {} or later", scenario.since));
                    continue;
                }
                if let Some(why) = scenario.unsupported_reason.filter(|_| client.is_command) {
                    leave(format!("of the scenario: {why}"));
                    continue;
                }
                if request.coverage == Coverage::Once && !can_play(client, scenario) {
                    leave(format!("the scenario needs a client of {} or later", scenario.since));
                    continue;
                }
                let are_named = client.reference && server.reference;
                if strangers && !are_named && client.id.is_mock() && server.id.is_mock() {
                    leave("the two mocks have no revision in common".to_owned());
                    continue;
                }
                if strangers && meeting != Some(&scenario.id) {
                    leave("client and server have no revision in common: one scenario shows it".to_owned());
                    continue;
                }
                let pair = Pair {
                    has_reference: is_held(client, server, &request.clients)
                        || is_held(server, client, &request.servers),
                    is_of_references: client.reference && server.reference,
                    stands_for_mocks: stands_for_mocks(client) && stands_for_mocks(server),
                    is_real: !client.id.is_built_in() && !server.id.is_built_in(),
                    is_mocked: client.id.is_built_in() && server.id.is_built_in(),
                };
                let kind = match scenario.weight {
                    Weight::Heavy => Kind::Heavy,
                    Weight::Light if scenario.smoke => Kind::Smoke,
                    Weight::Light if firsts.contains(&scenario.id) => Kind::First,
                    Weight::Light => Kind::Other,
                };
                for (place, transport) in transports.iter().enumerate() {
                    if strangers && place > 0 {
                        let reason = "client and server have no revision in common: one scenario shows it".to_owned();
                        *left_out.entry(reason).or_default() += 1;
                        continue;
                    }
                    let starts = *transport == Transport::Stdio && !server.id.is_built_in();
                    let way = Way { quickest: place == 0, starts };
                    if strangers || wanted(request.coverage, pair, kind, way) {
                        cells.push(Cell {
                            scenario: scenario.id.clone(),
                            client: client.id.clone(),
                            server: server.id.clone(),
                            transport: *transport,
                        });
                    } else {
                        let reason = format!("not part of --coverage {}", request.coverage.as_str());
                        *left_out.entry(reason).or_default() += 1;
                    }
                }
            }
        }
    }
    cells.sort();
    let left_out = left_out.into_iter().filter(|(_, cells)| *cells > 0);
    Plan { cells, left_out: left_out.map(|(reason, cells)| LeftOut { reason, cells }).collect(), division: None }
}

/// The scenarios that stand for all: those of `smoke`, and the first light one of each class.
#[must_use]
pub fn representatives(scenarios: &[PlannedScenario]) -> BTreeSet<&ScenarioId> {
    let smoke = scenarios.iter().filter(|scenario| scenario.smoke).map(|scenario| &scenario.id);
    smoke.chain(firsts(scenarios.iter())).collect()
}

/// The scenarios that stand for their class: the first light one of each.
fn firsts<'s>(scenarios: impl Iterator<Item = &'s PlannedScenario>) -> BTreeSet<&'s ScenarioId> {
    let mut by_class = BTreeMap::<&str, &ScenarioId>::new();
    for scenario in scenarios.filter(|scenario| scenario.weight == Weight::Light) {
        let first = by_class.entry(scenario.id.class()).or_insert(&scenario.id);
        *first = (*first).min(&scenario.id);
    }
    by_class.into_values().collect()
}

/// Whether the first peer is a reference peer of the other. Of several that speak the same revision with a peer
/// that is no mock, the one that speaks most holds for all.
fn is_held(peer: &PlannedPeer, other: &PlannedPeer, among: &[PlannedPeer]) -> bool {
    let spoken = |peer: &PlannedPeer| peer.revisions.iter().filter(|own| other.revisions.contains(own)).max().copied();
    let says_more = |rival: &PlannedPeer| {
        rival.reference && rival.revisions.len() > peer.revisions.len() && spoken(rival) == spoken(peer)
    };
    peer.reference && (other.reference || other.id.is_mock() || !among.iter().any(says_more))
}

/// Whether what the peer does about transports and sizes is not said by another mock already.
fn stands_for_mocks(peer: &PlannedPeer) -> bool {
    peer.reference || !peer.id.is_mock()
}

/// Whether the peer speaks a revision in which a server may do what the scenario asks.
fn can_play(peer: &PlannedPeer, scenario: &PlannedScenario) -> bool {
    peer.revisions.iter().any(|revision| *revision >= scenario.since)
}

/// The transports that both have and that are asked for, in the client's order.
fn common_transports(client: &PlannedPeer, server: &PlannedPeer, asked: &[Transport]) -> Vec<Transport> {
    let common = |transport: &&Transport| server.transports.contains(transport) && asked.contains(transport);
    client.transports.iter().filter(common).copied().collect()
}

#[cfg(test)]
mod tests;
