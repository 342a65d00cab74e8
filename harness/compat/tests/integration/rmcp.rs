//! The mocks are right by someone else's word: rmcp 3.x works with them on both sides, in each era, over each transport.

use std::collections::BTreeMap;

use mcp_compat::Suite;
use mcp_compat_model::missed::Because;
use mcp_compat_model::observation::Seen;
use mcp_compat_model::record::{CellRecord, Evidence};
use mcp_compat_model::transcript::{Entry, Event, Start};
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Party, Rating};
use mcp_compat_model::{Revision, Role, Transport};
use serde_json::Value;

use crate::real::{RELEASE, manifest, rmcp};
use crate::support::{Played, corpus, failure_text, mocks_and, play_with, request};

const RMCP: &str = "rmcp@3.11.0";
const CHANGED: &str = "notifications/tools/list_changed";

/// What real peers have in common with mocks: there is no memory between processes.
const TRANSPORTS: [Transport; 2] = [Transport::Stdio, Transport::Http];

/// Plays scenarios between rmcp and mocks over every transport; nothing where rmcp cannot be had.
async fn play(scenarios: &[&str], clients: &[&str], servers: &[&str]) -> Option<Played> {
    let mut asked = request(scenarios, clients, servers);
    asked.transports = TRANSPORTS.to_vec();
    Some(play_with(mocks_and(rmcp().await?), &corpus(), asked).await)
}

/// The value arrived, client and wire agree on the revision, the bystander answers, and no rule is broken by the mock.
fn assert_intact(cell: &CellRecord, evidence: &Evidence, revision: Revision) {
    let id = &cell.id;
    assert_eq!((cell.outcome, cell.rating), (Outcome::Intact, Rating::Works), "{id}: {}", cell.reason);
    assert_eq!(cell.negotiated, Some(revision), "{id}");
    assert_eq!(evidence.observation.negotiated.as_deref(), Some(revision.as_str()), "{id}");
    assert_eq!(cell.blast_radius, None, "{id}");
    let Some(Seen::Called(bystander)) = evidence.observation.steps.last() else {
        panic!("{id}: the bystander gave {:?}", evidence.observation.steps.last());
    };
    assert!(!bystander.is_error && bystander.content.len() == 1, "{id}: {bystander:?}");
    let mock = if cell.client.is_mock() { Party::Client } else { Party::Server };
    let by_the_mock: Vec<_> = cell.findings.iter().filter(|finding| finding.party == mock).collect();
    assert!(by_the_mock.is_empty(), "{id}: {by_the_mock:?}");
}

/// Plays one scenario with a pair, over both transports, and expects its value at `revision`.
async fn intact(scenario: &str, client: &str, server: &str, revision: Revision) {
    let Some(played) = play(&[scenario], &[client], &[server]).await else { return };
    assert_eq!(played.record.cells.len(), TRANSPORTS.len(), "{client} with {server}");
    for (cell, evidence) in played.record.cells.iter().zip(&played.evidence) {
        assert_intact(cell, evidence, revision);
    }
}

#[tokio::test]
async fn its_client_gets_an_object_from_every_mock_that_its_mode_can_reach() {
    for (mode, server, revision) in [
        ("legacy", "mock/2025-06-18", Revision::V2025_06_18),
        ("legacy", "mock/2025-11-25", Revision::V2025_11_25),
        ("legacy", "mock/dual", Revision::V2025_11_25),
        ("auto", "mock/2025-06-18", Revision::V2025_06_18),
        ("auto", "mock/2025-11-25", Revision::V2025_11_25),
        ("auto", "mock/dual", Revision::V2026_07_28),
        ("auto", "mock/2026-07-28", Revision::V2026_07_28),
        ("modern", "mock/dual", Revision::V2026_07_28),
        ("modern", "mock/2026-07-28", Revision::V2026_07_28),
    ] {
        intact("root-type/object", &format!("{RMCP}+{mode}"), server, revision).await;
    }
}

#[tokio::test]
async fn its_server_gives_an_object_to_every_mock_of_its_eras() {
    for (client, revision) in [
        ("mock/2025-06-18", Revision::V2025_06_18),
        ("mock/2025-11-25", Revision::V2025_11_25),
        ("mock/dual+legacy", Revision::V2025_11_25),
        ("mock/dual+auto", Revision::V2026_07_28),
        ("mock/2026-07-28", Revision::V2026_07_28),
    ] {
        intact("root-type/object", client, RMCP, revision).await;
    }
}

#[tokio::test]
async fn peers_of_different_eras_do_not_meet() {
    for (mode, server) in [("modern", "mock/2025-11-25"), ("legacy", "mock/2026-07-28")] {
        for transport in TRANSPORTS {
            let Some(peers) = rmcp().await else { return };
            let mut asked = request(&["root-type/object"], &[&format!("{RMCP}+{mode}")], &[server]);
            asked.transports = vec![transport];
            let played = play_with(mocks_and(peers), &corpus(), asked).await;
            let (cell, _) = played.only();
            assert_eq!((cell.outcome, cell.fault), (Outcome::Unreachable, Some(Fault::Both)), "{}", cell.reason);
            assert_eq!((cell.negotiated, cell.blast_radius), (None, Some(BlastRadius::Session)), "{}", cell.id);
        }
    }
}

#[tokio::test]
async fn every_kind_of_value_passes_in_the_modern_era() {
    for (client, server) in [(format!("{RMCP}+auto").as_str(), "mock/dual"), ("mock/dual+auto", RMCP)] {
        let Some(played) = play(&["root-type/*"], &[client], &[server]).await else { return };
        assert!(played.record.cells.len() >= 14 * TRANSPORTS.len(), "{} cells", played.record.cells.len());
        for (cell, evidence) in played.record.cells.iter().zip(&played.evidence) {
            assert_intact(cell, evidence, Revision::V2026_07_28);
        }
    }
}

#[tokio::test]
async fn an_array_from_its_server_is_text_in_a_legacy_session_and_breaks_it_from_the_mock() {
    let Some(played) = play(&["root-type/array"], &["mock/2025-11-25"], &[RMCP, "mock/dual"]).await else { return };
    assert_eq!(played.record.cells.len(), 2 * TRANSPORTS.len());
    for cell in &played.record.cells {
        let expected = if cell.server.as_str() == RMCP {
            (Outcome::Text, None, None)
        } else {
            (Outcome::Rejected, Some(Fault::Server), Some(BlastRadius::Server))
        };
        assert_eq!((cell.outcome, cell.fault, cell.blast_radius), expected, "{}: {}", cell.id, cell.reason);
        assert_eq!(cell.negotiated, Some(Revision::V2025_11_25), "{}", cell.id);
    }
}

#[tokio::test]
async fn what_its_server_cannot_hold_is_unsupported_whichever_client_asks() {
    let clients = ["mock/dual+auto", "mock/2025-11-25", &format!("{RMCP}+legacy"), &format!("{RMCP}+auto")];
    let Some(played) = play(&["bad-schema/boolean"], &clients, &[RMCP]).await else { return };
    assert_eq!(played.record.cells.len(), clients.len() * TRANSPORTS.len());
    for cell in &played.record.cells {
        assert_eq!(
            (cell.outcome, cell.rating),
            (Outcome::Unsupported, Rating::Skipped),
            "{}: {}",
            cell.id,
            cell.reason
        );
        assert!(cell.reason.contains("invalid type: boolean"), "{}: {}", cell.id, cell.reason);
    }
}

/// Whether the client's user was notified of the change, and on the stream of which request it came, once for each
/// notification on the wire.
fn told(evidence: &Evidence) -> (bool, Vec<String>) {
    let told = |step: &Seen| matches!(step, Seen::Evolved { told: true });
    let entries = &evidence.transcript.entries;
    let requests = requests(entries);
    let stream = |entry: &Entry| {
        let Event::Message { http: Some(head), .. } = &entry.event else { return "stdio".to_owned() };
        requests.get(&head.exchange).cloned().unwrap_or_default()
    };
    let streams = entries.iter().filter(|entry| method(entry).as_deref() == Some(CHANGED)).map(stream);
    (evidence.observation.steps.iter().any(told), streams.collect())
}

/// What each HTTP exchange was opened with: the method of its message, or that of HTTP where there is none.
fn requests(entries: &[Entry]) -> BTreeMap<u32, String> {
    let mut requests = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.from == Role::Client) {
        if let Event::Message { http: Some(head), .. } | Event::Head { http: head } = &entry.event
            && let Start::Request { method: verb } = &head.start
        {
            requests.insert(head.exchange, method(entry).unwrap_or_else(|| verb.clone()));
        }
    }
    requests
}

fn method(entry: &Entry) -> Option<String> {
    let Event::Message { raw, .. } = &entry.event else { return None };
    let message: Value = serde_json::from_slice(&raw.to_bytes()).ok()?;
    Some(message.get("method")?.as_str()?.to_owned())
}

/// Plays a change of tools that is told and the same one untold, and expects the notification on these streams.
async fn drift(client: &str, server: &str, over_http: &str) {
    let scenarios = ["drift/tool-added[told]", "drift/tool-added[untold]"];
    let Some(played) = play(&scenarios, &[client], &[server]).await else { return };
    assert_eq!(played.record.cells.len(), scenarios.len() * TRANSPORTS.len());
    for (cell, evidence) in played.record.cells.iter().zip(&played.evidence) {
        assert_eq!(cell.outcome, Outcome::Intact, "{}: {}", cell.id, cell.reason);
        let stream = match cell.transport {
            Transport::Stdio | Transport::Memory => "stdio",
            Transport::Http => over_http,
        };
        let expected = match cell.scenario.as_str() {
            "drift/tool-added[told]" => (true, vec![stream.to_owned()]),
            _ => (false, Vec::new()),
        };
        assert_eq!(told(evidence), expected, "{}", cell.id);
    }
}

#[tokio::test]
async fn its_client_hands_out_a_change_that_the_mock_tells() {
    drift(&format!("{RMCP}+legacy"), "mock/dual", "tools/call").await;
    drift(&format!("{RMCP}+auto"), "mock/dual", "subscriptions/listen").await;
}

#[tokio::test]
async fn its_server_tells_a_change_on_the_streams_where_the_mock_listens() {
    drift("mock/2025-11-25", RMCP, "GET").await;
    drift("mock/dual+auto", RMCP, "subscriptions/listen").await;
}

#[tokio::test]
async fn two_of_them_are_recorded_in_between_and_say_which_revision_they_missed() {
    let legacy = format!("{RMCP}+legacy");
    let Some(played) = play(&["root-type/object"], &[&legacy], &[RMCP]).await else { return };
    assert_eq!(played.record.cells.len(), TRANSPORTS.len());
    for (cell, evidence) in played.record.cells.iter().zip(&played.evidence) {
        assert_eq!((cell.outcome, cell.triangle.is_some()), (Outcome::Intact, false), "{}: {}", cell.id, cell.reason);
        assert_eq!(cell.missed.as_ref().map(|missed| missed.because), Some(Because::ModeLegacy), "{}", cell.id);
        let methods: Vec<_> = evidence.transcript.entries.iter().filter_map(method).collect();
        assert!(methods.iter().any(|method| method == "tools/call"), "{}: {methods:?}", cell.id);
    }
}

#[tokio::test]
async fn without_its_baseline_rmcp_fails_and_the_text_names_the_break() {
    if rmcp().await.is_none() {
        return;
    }
    let suite = Suite::new()
        .peers(mcp_compat::peers::from_release(manifest(), RELEASE).unwrap())
        .scenarios("invalid-result/wrong-type");
    let text = failure_text(&suite.transport(Transport::Http).run().unwrap());
    assert!(text.starts_with("3 checks break, for 1 cause\n"), "{text}");
    assert!(text.contains("invalid-result/wrong-type::rmcp@3.11.0+auto::mock/dual::http breaks, silently"), "{text}");
    assert!(text.contains("to fix    client"), "{text}");
}
