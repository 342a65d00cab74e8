//! No `$ref` is ever fetched: an HTTP server that a schema names gets no request, and the harness sees it when it does.

use std::sync::Arc;

use mcp_compat::ClientPeer;
use mcp_compat_model::transcript::Event;
use mcp_compat_run::peer_set::PeerSet;
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
