//! Tests of what each coverage plays and leaves out.

use mcp_compat_model::{CellId, PeerId, Revision, Transport};

use super::*;

fn scenario(id: &str, since: Revision) -> PlannedScenario {
    PlannedScenario {
        id: id.parse().unwrap(),
        since,
        smoke: id == "a/one",
        weight: Weight::Light,
        unsupported_reason: None,
    }
}

fn peer(id: &str, revisions: &[Revision], transports: &[Transport], reference: bool) -> PlannedPeer {
    PlannedPeer {
        id: PeerId::new(id).unwrap(),
        revisions: revisions.to_vec(),
        transports: transports.to_vec(),
        reference,
        is_command: false,
        recorded: None,
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
        revision: None,
        coverage,
    }
}

fn played(request: &Request, client: &str, server: &str) -> Vec<String> {
    let cells = plan(request).cells;
    let of_pair = cells.iter().filter(|cell| cell.client.as_str() == client && cell.server.as_str() == server);
    of_pair.map(|cell| format!("{} {}", cell.scenario, cell.transport)).collect()
}

#[test]
fn a_pair_is_played_at_its_newest_common_revision() {
    let mut request = request(Coverage::Pairwise);
    request.servers[1].revisions = OLD.to_vec();
    let pairs = |request: &Request| {
        let servers: BTreeSet<String> = plan(request).cells.iter().map(|cell| cell.server.to_string()).collect();
        servers.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(pairs(&request), ["mock/s", "mock/t"]);
    request.revision = Some(Revision::V2025_11_25);
    assert_eq!(pairs(&request), ["mock/t"]);
    request.revision = Some(Revision::V2026_07_28);
    assert_eq!(pairs(&request), ["mock/s"]);
    request.revision = Some(Revision::V2024_11_05);
    assert_eq!(pairs(&request), [""; 0]);
    assert!(plan(&request).left_out[0].reason.contains("2024-11-05 is not the newest"));
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
fn what_is_left_out_is_counted_with_its_reason() {
    let plan = plan(&request(Coverage::Smoke));
    let left: u64 = plan.left_out.iter().map(|left| left.cells).sum();
    assert_eq!(plan.cells.len() as u64 + left, 32);
    assert_eq!(plan.left_out[0].reason, "not part of --coverage smoke");
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
    request.scenarios[1].unsupported_reason = Some("it takes several calls");
    request.clients = vec![PlannedPeer { is_command: true, ..peer("me", BOTH, &[Transport::Http], false) }];
    assert_eq!(played(&request, "me", "mock/s"), ["a/one http"]);
    assert_eq!(plan(&request).left_out[0].reason, "of the scenario: it takes several calls");
}

#[test]
fn two_peers_without_a_common_revision_meet_once() {
    let mut request = request(Coverage::Full);
    request.clients = vec![peer("mock/old", OLD, &Transport::ALL, true)];
    request.servers = vec![peer("mock/new", NEW, &Transport::ALL, true)];
    assert_eq!(played(&request, "mock/old", "mock/new"), ["a/one memory"], "both are named");
    request.clients.push(peer("real@1.0.0", OLD, REAL, false));
    assert_eq!(played(&request, "real@1.0.0", "mock/new"), ["a/one http"]);
}

#[test]
fn two_mocks_without_a_common_revision_do_not_meet_unless_they_are_named() {
    let mut request = request(Coverage::Full);
    request.clients = vec![peer("mock/old", OLD, &Transport::ALL, false)];
    request.servers = vec![peer("mock/new", NEW, &Transport::ALL, true)];
    assert_eq!(played(&request, "mock/old", "mock/new"), [""; 0]);
    assert_eq!(plan(&request).left_out[0].reason, "the two mocks have no revision in common");
}

#[test]
fn peers_without_a_common_transport_do_not_meet() {
    let mut request = request(Coverage::Full);
    request.transports = vec![Transport::Memory];
    assert_eq!(played(&request, "real@1.0.0", "mock/s"), [""; 0]);
}

#[test]
fn a_recorded_peer_plays_what_was_recorded_of_it() {
    let mut request = request(Coverage::Full);
    let cells =
        ["a/one::sdk@1.0.0::mock/s::http", "a/two::sdk@1.0.0::mock/s::http", "a/one::sdk@1.0.0::mock/gone::http"];
    let recorded = Some(Arc::new(cells.iter().map(|id| CellId::parse(id).unwrap()).collect()));
    request.clients = vec![PlannedPeer { recorded, ..peer("sdk@1.0.0", BOTH, REAL, false) }];
    assert_eq!(played(&request, "sdk@1.0.0", "mock/s"), ["a/one http", "a/two http"]);
    assert_eq!(played(&request, "sdk@1.0.0", "mock/t"), [""; 0]);
    let left_out = plan(&request).left_out;
    let left_out: Vec<&str> = left_out.iter().map(|left| left.reason.as_str()).collect();
    assert!(
        left_out.contains(&"one of the two was recorded on another machine, and not in this check"),
        "{left_out:?}"
    );
}
