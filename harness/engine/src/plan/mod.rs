//! The plan: which cells are played, and what is left out and why. A pure function of its arguments.
//!
//! `coverage` says which cells each coverage takes.
//!
//! Never planned: a scenario with a server whose revisions are all older than it, and a transport that one side
//! does not have. A pair without a common revision is planned for one scenario only: it fails the same way in all.

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
    /// Why a client that is only a command cannot play it; nothing where it can.
    pub untellable: Option<&'static str>,
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
    /// Whether it is one that everything is held against.
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
                let reason = "the two peers share none of the transports asked for".to_owned();
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
                if let Some(why) = scenario.untellable.filter(|_| client.is_command) {
                    leave(format!("of the scenario: {why}"));
                    continue;
                }
                if request.coverage == Coverage::Once && !can_play(client, scenario) {
                    leave(format!("the scenario needs a client of {} or later", scenario.since));
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
                    is_real: !client.id.is_ours() && !server.id.is_ours(),
                    is_mocked: client.id.is_ours() && server.id.is_ours(),
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
                    let starts = *transport == Transport::Stdio && !server.id.is_ours();
                    let way = Way { quickest: place == 0, starts };
                    if strangers || wanted(request.coverage, pair, kind, way) {
                        cells.push(Cell {
                            scenario: scenario.id.clone(),
                            client: client.id.clone(),
                            server: server.id.clone(),
                            transport: *transport,
                        });
                    } else {
                        let reason = format!("the coverage {} does not take them", request.coverage.as_str());
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

/// The scenarios that stand for their class: the first light one of each.
fn firsts<'s>(scenarios: impl Iterator<Item = &'s PlannedScenario>) -> BTreeSet<&'s ScenarioId> {
    let mut by_class = BTreeMap::<&str, &ScenarioId>::new();
    for scenario in scenarios.filter(|scenario| scenario.weight == Weight::Light) {
        let first = by_class.entry(scenario.id.class()).or_insert(&scenario.id);
        *first = (*first).min(&scenario.id);
    }
    by_class.into_values().collect()
}

/// Whether the first peer is one that the other is held against. Of several that speak the same revision with a peer
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
mod tests {
    use mcp_compat_model::PeerId;

    use super::*;

    fn scenario(id: &str, since: Revision) -> PlannedScenario {
        PlannedScenario {
            id: id.parse().unwrap(),
            since,
            smoke: id == "a/one",
            weight: Weight::Light,
            untellable: None,
        }
    }

    fn peer(id: &str, revisions: &[Revision], transports: &[Transport], reference: bool) -> PlannedPeer {
        PlannedPeer {
            id: PeerId::new(id).unwrap(),
            revisions: revisions.to_vec(),
            transports: transports.to_vec(),
            reference,
            is_command: false,
        }
    }

    const OLD: &[Revision] = &[Revision::V2025_11_25];
    const NEW: &[Revision] = &[Revision::V2026_07_28];
    const BOTH: &[Revision] = &[Revision::V2025_11_25, Revision::V2026_07_28];
    const REAL: &[Transport] = &[Transport::Http, Transport::Stdio];

    /// Two scenarios, the first for smoke; a reference and another client and server; a real client.
    fn request(coverage: Coverage) -> Request {
        Request {
            scenarios: vec![scenario("a/one", Revision::V2025_06_18), scenario("a/two", Revision::V2025_06_18)],
            clients: vec![
                peer("mock/c", BOTH, &Transport::ALL, true),
                peer("mock/d", BOTH, &Transport::ALL, false),
                peer("real@1.0.0", BOTH, REAL, false),
            ],
            servers: vec![peer("mock/s", BOTH, &Transport::ALL, true), peer("mock/t", BOTH, &Transport::ALL, false)],
            transports: Transport::ALL.to_vec(),
            coverage,
        }
    }

    fn played(request: &Request, client: &str, server: &str) -> Vec<String> {
        let cells = plan(request).cells;
        let of_pair = cells.iter().filter(|cell| cell.client.as_str() == client && cell.server.as_str() == server);
        of_pair.map(|cell| format!("{} {}", cell.scenario, cell.transport)).collect()
    }

    #[test]
    fn smoke_plays_the_few_that_say_so_with_reference_peers() {
        let request = request(Coverage::Smoke);
        assert_eq!(played(&request, "mock/d", "mock/s"), ["a/one memory"]);
        assert_eq!(played(&request, "real@1.0.0", "mock/s"), ["a/one http"]);
        assert_eq!(played(&request, "mock/d", "mock/t"), [""; 0]);
    }

    #[test]
    fn smoke_lets_real_peers_meet_each_other_too() {
        let mut request = request(Coverage::Smoke);
        request.servers.push(peer("other@2.0.0", BOTH, REAL, false));
        assert_eq!(played(&request, "real@1.0.0", "other@2.0.0"), ["a/one http"]);
        assert_eq!(played(&request, "mock/d", "other@2.0.0"), [""; 0]);
    }

    #[test]
    fn pairwise_plays_everything_with_reference_peers_and_the_smoke_scenarios_with_every_pair() {
        let request = request(Coverage::Pairwise);
        let among_references = ["a/one memory", "a/one stdio", "a/one http", "a/two memory"];
        assert_eq!(played(&request, "mock/c", "mock/s"), among_references);
        assert_eq!(played(&request, "mock/d", "mock/s"), ["a/one memory", "a/two memory"]);
        assert_eq!(played(&request, "real@1.0.0", "mock/s"), ["a/one stdio", "a/one http", "a/two http"]);
        assert_eq!(played(&request, "mock/d", "mock/t"), ["a/one memory"]);
        assert_eq!(played(&request, "real@1.0.0", "mock/t"), ["a/one http"]);
    }

    #[test]
    fn of_two_reference_peers_that_speak_the_same_revision_with_a_real_one_the_more_able_holds_for_both() {
        let mut request = request(Coverage::Pairwise);
        request.servers.push(peer("mock/old", OLD, &Transport::ALL, true));
        assert_eq!(played(&request, "real@1.0.0", "mock/old"), ["a/one stdio", "a/one http", "a/two http"]);
        assert_eq!(played(&request, "mock/d", "mock/old"), ["a/one memory", "a/two memory"]);
        request.clients.push(peer("real@0.1.0", OLD, REAL, false));
        assert_eq!(played(&request, "real@0.1.0", "mock/old"), ["a/one http"]);
        assert_eq!(played(&request, "real@0.1.0", "mock/s"), ["a/one stdio", "a/one http", "a/two http"]);
    }

    #[test]
    fn a_heavy_scenario_is_left_to_reference_peers_before_full() {
        let mut request = request(Coverage::Pairwise);
        request.scenarios[0].weight = Weight::Heavy;
        assert_eq!(played(&request, "mock/c", "mock/s")[0], "a/one memory");
        assert_eq!(played(&request, "real@1.0.0", "mock/s"), ["a/two http"]);
        assert_eq!(played(&request, "mock/d", "mock/s"), ["a/two memory"]);
        request.coverage = Coverage::Smoke;
        assert_eq!(played(&request, "mock/c", "mock/s"), [""; 0]);
        request.coverage = Coverage::Full;
        assert_eq!(played(&request, "mock/d", "mock/t"), ["a/one memory", "a/two memory"]);
    }

    #[test]
    fn full_plays_everything_with_reference_peers_and_the_first_of_each_class_with_every_pair() {
        let mut request = request(Coverage::Full);
        request.scenarios.extend(["b/one", "b/two"].map(|id| scenario(id, Revision::V2025_06_18)));
        request.servers.push(peer("other@2.0.0", BOTH, REAL, false));
        assert_eq!(played(&request, "mock/d", "mock/s").len(), 4 * 3);
        assert_eq!(played(&request, "real@1.0.0", "mock/s").len(), 4 * 2);
        let among_mocks = ["a/one memory", "a/two memory", "b/one memory", "b/two memory"];
        assert_eq!(played(&request, "mock/d", "mock/t"), among_mocks);
        assert_eq!(played(&request, "real@1.0.0", "mock/t"), ["a/one http", "b/one http"]);
        assert_eq!(played(&request, "real@1.0.0", "other@2.0.0"), ["a/one http", "b/one http"]);
        // Where the first one is newer than the server, the next one stands for the class.
        request.scenarios[2].since = Revision::V2026_07_28;
        request.servers.push(peer("old@1.0.0", OLD, REAL, false));
        assert_eq!(played(&request, "real@1.0.0", "old@1.0.0"), ["a/one http", "b/two http"]);
    }

    #[test]
    fn full_starts_a_real_server_for_each_cell_for_the_smoke_scenarios_only_unless_it_is_named() {
        let mut request = request(Coverage::Full);
        request.clients.push(peer("held@1.0.0", BOTH, REAL, true));
        request.servers.push(peer("other@2.0.0", BOTH, REAL, false));
        assert_eq!(played(&request, "held@1.0.0", "other@2.0.0"), ["a/one stdio", "a/one http", "a/two http"]);
        request.servers[2].reference = true;
        assert_eq!(played(&request, "held@1.0.0", "other@2.0.0").len(), 2 * 2);
    }

    #[test]
    fn everything_leaves_nothing_out() {
        let plan = plan(&request(Coverage::Everything));
        assert_eq!(plan.cells.len(), 2 * 2 * (3 + 3 + 2));
        assert_eq!(plan.left_out, []);
    }

    #[test]
    fn once_plays_everything_that_both_know_over_the_quickest_transport() {
        let mut request = request(Coverage::Once);
        request.scenarios.push(scenario("a/new", Revision::V2026_07_28));
        request.clients.push(peer("mock/old", OLD, &Transport::ALL, true));
        assert_eq!(played(&request, "mock/d", "mock/t"), ["a/new memory", "a/one memory", "a/two memory"]);
        assert_eq!(played(&request, "real@1.0.0", "mock/s"), ["a/new http", "a/one http", "a/two http"]);
        assert_eq!(played(&request, "mock/old", "mock/s"), ["a/one memory", "a/two memory"]);
        let left = plan(&request).left_out;
        assert_eq!(left.len(), 1);
        assert_eq!((left[0].reason.as_str(), left[0].cells), ("the scenario needs a client of 2026-07-28 or later", 2));
    }

    #[test]
    fn what_is_left_out_is_counted_with_its_reason() {
        let plan = plan(&request(Coverage::Smoke));
        let left: u64 = plan.left_out.iter().map(|left| left.cells).sum();
        assert_eq!(plan.cells.len() as u64 + left, 32);
        assert_eq!(plan.left_out[0].reason, "the coverage smoke does not take them");
    }

    #[test]
    fn a_scenario_newer_than_every_revision_of_the_server_is_left_out() {
        let mut request = request(Coverage::Full);
        request.scenarios = vec![scenario("a/new", Revision::V2026_07_28)];
        request.servers = vec![peer("mock/old", OLD, &Transport::ALL, true)];
        let plan = plan(&request);
        assert_eq!((plan.cells.len(), plan.left_out[0].cells), (0, 8));
        assert_eq!(plan.left_out[0].reason, "the scenario needs a server of 2026-07-28 or later");
    }

    #[test]
    fn a_client_that_is_only_a_command_is_spared_what_it_cannot_play() {
        let mut request = request(Coverage::Full);
        request.scenarios[1].untellable = Some("it takes several calls");
        request.clients = vec![PlannedPeer { is_command: true, ..peer("me", BOTH, &[Transport::Http], false) }];
        assert_eq!(played(&request, "me", "mock/s"), ["a/one http"]);
        assert_eq!(plan(&request).left_out[0].reason, "of the scenario: it takes several calls");
    }

    #[test]
    fn two_peers_without_a_common_revision_meet_once() {
        let mut request = request(Coverage::Full);
        request.clients = vec![peer("mock/old", OLD, &Transport::ALL, true)];
        request.servers = vec![peer("mock/new", NEW, &Transport::ALL, true)];
        assert_eq!(played(&request, "mock/old", "mock/new"), ["a/one memory"]);
    }

    #[test]
    fn peers_without_a_common_transport_do_not_meet() {
        let mut request = request(Coverage::Full);
        request.transports = vec![Transport::Memory];
        assert_eq!(played(&request, "real@1.0.0", "mock/s"), [""; 0]);
    }
}
