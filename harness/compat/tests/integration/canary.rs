//! No `$ref` is ever fetched: an HTTP server that a schema names gets no request, and the harness sees it when it does.

use std::sync::Arc;

use mcp_compat::ClientPeer;
use mcp_compat_model::transcript::Event;
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_scenario::Scenario;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::{mocks_and, play_with, request};

fn scenario(address: &str) -> String {
    format!(
        r#"
title = "A $ref into the network"
why = "Whoever fetches it can be sent anywhere."
sources = ["https://modelcontextprotocol.io/specification/2026-07-28/basic/index#ref-resolution"]
expect = "rejected"

[[tool]]
definition = '''
{{"name": "get_order", "inputSchema": {{"type": "object"}},
 "outputSchema": {{"type": "object", "properties": {{"order": {{"$ref": "{address}/order.json"}}}}}}}}'''
returns = '''{{"content": [{{"type": "text", "text": "{{\"order\":1}}"}}], "structuredContent": {{"order": 1}}}}'''
"#
    )
}

#[tokio::test]
async fn an_honest_client_fetches_nothing_and_a_sabotaged_one_does() {
    for (client, calls) in [("mock/dual+auto", 0), ("sabotaged/fetches-ref", 1)] {
        let network = MockServer::start().await;
        let schema = ResponseTemplate::new(200).set_body_json(serde_json::json!({"type": "integer"}));
        Mock::given(any()).respond_with(schema).mount(&network).await;
        let text = scenario(&network.uri());
        let scenarios = mcp_compat_scenario::load("ref/wiremock.toml", &text, &|_| None).unwrap();
        let scenarios: Vec<_> = scenarios.into_iter().map(Arc::new).collect();
        let fleet = mocks_and([ClientPeer::mock("sabotaged/fetches-ref").unwrap()]);
        let mut asked = request(&[], &[client], &["mock/dual"]);
        asked.transports = vec![mcp_compat_model::Transport::Memory];
        play_with(fleet, &scenarios, asked).await;
        let requests = network.received_requests().await.unwrap();
        assert_eq!(requests.len().min(1), calls, "{client}: {requests:?}");
    }
}

#[tokio::test]
async fn whoever_fetches_the_canary_is_written_down() {
    for (client, fetches) in [("mock/dual+auto", false), ("sabotaged/fetches-ref", true)] {
        let mut fleet = PeerSet::mocks();
        fleet.extend([ClientPeer::mock("sabotaged/fetches-ref").unwrap()]);
        let mut asked = request(&["ref/network[absolute]"], &[client], &["mock/dual"]);
        asked.transports = vec![mcp_compat_model::Transport::Memory];
        let played = play_with(fleet, &crate::support::corpus(), asked).await;
        let (cell, evidence) = played.only();
        let fetched = evidence.transcript.entries.iter().any(|entry| matches!(entry.event, Event::Fetched { .. }));
        assert_eq!(fetched, fetches, "{}", cell.id);
    }
}

/// A report for users has neither the placeholder of scenario files nor an address that is another one in each run.
#[tokio::test]
async fn no_record_has_the_placeholder_or_the_port_of_the_canary() {
    let corpus = crate::support::corpus();
    let named = |tool: &mcp_compat_scenario::scenario::Tool| tool.definition.contains("{{canary}}");
    let stages = |scenario: &Arc<Scenario>| scenario.stages.iter().any(|stage| stage.tools.iter().any(named));
    let scenarios: Vec<Arc<Scenario>> = corpus.into_iter().filter(stages).collect();
    assert!(scenarios.len() > 2, "{}", scenarios.len());
    let mut fleet = PeerSet::mocks();
    fleet.extend(PeerSet::profiles().clients);
    fleet.extend([ClientPeer::mock("sabotaged/fetches-ref").unwrap()]);
    let mut asked = request(&[], &[], &["mock/dual", "mock/2025-11-25"]);
    asked.transports = vec![mcp_compat_model::Transport::Memory];
    let played = play_with(fleet, &scenarios, asked).await;
    let record = serde_json::to_string(&played.record).unwrap();
    assert!(record.contains("http://canary.invalid/"), "no reason has an address");
    for leaked in ["{{", "http://127.0.0.1:"] {
        let at = record.find(leaked).map(|at| record[at.saturating_sub(300)..].chars().take(400).collect::<String>());
        assert_eq!(at, None, "{leaked} is in the record");
    }
}
