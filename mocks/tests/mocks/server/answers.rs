//! Answers that a script gives to requests which are no calls, and members that it leaves out.

use std::sync::Arc;

use mcp_compat_mocks::server::ServeEnd;
use mcp_compat_model::peer_contract::Script;
use rstest::rstest;
use serde_json::{Value, json};

use crate::server::http_client::{ACCEPT, HttpClient};
use crate::server::scripts::{initialize, legacy, modern, read};
use crate::server::stream_client::StreamClient;

/// Three tools, two to a page, and these answers.
fn script(answers: &Value) -> Arc<Script> {
    let tool = |name: &str| {
        let definition = json!({"name": name, "inputSchema": {"type": "object"}});
        json!({"name": name, "definition": definition, "reply": {"result": {"content": []}}})
    };
    let stages = json!([{"tools": [tool("a"), tool("b"), tool("c")]}]);
    read(&json!({"scenario": "s", "page_size": 2, "stages": stages, "answers": answers}).to_string())
}

fn to(method: &str, reply: &Value) -> Value {
    json!([{"to": method, "reply": reply}])
}

async fn in_session(answers: &Value) -> StreamClient {
    StreamClient::in_session("mock/dual", "2025-11-25", script(answers)).await
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

#[tokio::test]
async fn a_page_can_fail_and_the_page_before_still_leads_to_it() {
    let answers = json!([{"to": "tools/list", "page": 2, "reply": {"error": {"code": -32603, "message": "no"}}}]);
    for request in [legacy, modern] {
        let mut client = in_session(&answers).await;
        let first = client.ask_json(&request(1, "tools/list", "")).await;
        assert_eq!(first["result"]["tools"][1]["name"], "b");
        let second = request(2, "tools/list", &format!(r#""cursor":{}"#, first["result"]["nextCursor"]));
        assert_eq!(code(&client.ask_json(&second).await), -32603);
        assert_eq!(code(&client.ask_json(&request(3, "tools/list", r#""cursor":"x""#)).await), -32602);
    }
}

#[tokio::test]
async fn a_scripted_page_is_sent_as_it_stands_and_its_own_cursor_leads_on() {
    let page = json!({"tools": [1.50], "nextCursor": "the next"});
    let answers = json!([
        {"to": "tools/list", "page": 1, "reply": {"result": page}},
        {"to": "tools/list", "page": 1, "reply": {"hang": {}}},
    ]);
    let mut client = in_session(&answers).await;
    assert_eq!(
        client.ask(&legacy(1, "tools/list", "")).await,
        r#"{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"the next","tools":[1.5]}}"#,
        "the first of two answers holds"
    );
    let answer = client.ask_json(&modern(2, "tools/list", "")).await;
    assert_eq!((&answer["result"]["resultType"], &answer["result"]["ttlMs"]), (&json!("complete"), &json!(0)));
    let next = client.ask_json(&modern(3, "tools/list", r#""cursor":"the next""#)).await;
    assert_eq!(next["result"]["tools"][0]["name"], "c");
}

#[tokio::test]
async fn an_answer_to_every_page_is_one_to_every_cursor_and_a_page_beyond_the_tools_can_be_answered() {
    let endless = to("tools/list", &json!({"result": {"tools": [], "nextCursor": "again"}}));
    let mut client = in_session(&endless).await;
    for cursor in ["", r#""cursor":"again""#, r#""cursor":"whatever""#] {
        let answer = client.ask_json(&legacy(1, "tools/list", cursor)).await;
        assert_eq!(answer["result"]["nextCursor"], "again", "{cursor}");
    }
    let beyond = json!([{"to": "tools/list", "page": 3, "reply": {"raw": "eHt7aWR9fQ=="}}]);
    let mut client = in_session(&beyond).await;
    let mut cursor = String::new();
    for _ in 0..2 {
        let page = client.ask_json(&legacy(1, "tools/list", &cursor)).await;
        cursor = format!(r#""cursor":{}"#, page["result"]["nextCursor"]);
    }
    assert_eq!(client.ask(&legacy(7, "tools/list", &cursor)).await, "x7");
}

#[tokio::test]
async fn members_can_be_left_out_of_the_list_and_of_a_result() {
    let tool = r#"{"name":"t","definition":{"name":"t"},"reply":{"result":{"content":[],"isError":false}},"without":["resultType","isError"]}"#;
    let script = read(&format!(
        r#"{{"scenario":"s","stages":[{{"tools":[{tool}]}}],"list_without":["ttlMs","cacheScope","_meta","tools"]}}"#
    ));
    let mut client = StreamClient::new("mock/dual", script);
    assert_eq!(
        client.ask(&modern(1, "tools/list", "")).await,
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#
    );
    assert_eq!(
        client.ask(&modern(2, "tools/call", r#""name":"t""#)).await,
        r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#
    );
}

#[rstest]
#[case::known("2025-06-18", "2025-06-18")]
#[case::unknown("2099-01-01", "2025-11-25")]
#[tokio::test]
async fn a_session_speaks_the_revision_that_a_scripted_handshake_names_if_there_is_one(
    #[case] named: &str,
    #[case] spoken: &str,
) {
    let result = json!({"protocolVersion": named, "capabilities": {}, "extra": 1});
    // A server that wraps shows which revision it speaks.
    let array = r#"{"name":"t","definition":{"name":"t"},"reply":{"result":{"content":[],"structuredContent":{}}}}"#;
    let answers = to("initialize", &json!({"result": result}));
    let script =
        |answers: &Value| read(&format!(r#"{{"scenario":"s","stages":[{{"tools":[{array}]}}],"answers":{answers}}}"#));
    let client = StreamClient::new("mock/2025-11-25", script(&answers)).ask_json(&initialize("2025-11-25")).await;
    assert_eq!(client["result"], result, "as it stands");

    let old = to("initialize", &json!({"result": {"protocolVersion": "2025-03-26", "capabilities": {}}}));
    let mut client = StreamClient::new("mock/dual/omit", script(&old));
    client.ask(&initialize("2025-11-25")).await;
    let called = client.ask(&legacy(1, "tools/call", r#""name":"t""#)).await;
    assert!(!called.contains("structuredContent"), "2025-03-26 has none: {called}");

    let mut web = HttpClient::new("mock/2025-11-25", script(&answers)).await;
    let opened = web.post(&initialize("2025-11-25")).await;
    web.session = opened.header("mcp-session-id").map(str::to_owned);
    let session = web.session.clone().unwrap();
    let headers = [ACCEPT, ("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", spoken)];
    assert_eq!(web.request("POST", &headers, &legacy(1, "tools/list", "")).await.status, 200);
}

#[tokio::test]
async fn a_handshake_can_be_refused_garbled_left_unanswered_or_answered_with_the_end() {
    let refused = to("initialize", &json!({"error": {"code": -32000, "message": "not today"}}));
    let mut client = StreamClient::new("mock/dual", script(&refused));
    assert_eq!(code(&client.ask_json(&initialize("2025-11-25")).await), -32000);
    let listed = client.ask_json(&legacy(1, "tools/list", "")).await;
    assert!(listed["result"].is_object(), "who goes on all the same is not kept out, so that it shows");
    let mut client = StreamClient::new("mock/dual", script(&json!([])));
    assert_eq!(code(&client.ask_json(&legacy(1, "tools/list", "")).await), -32600, "there is no session");

    let raw = to("initialize", &json!({"raw": "PGh0bWw+"}));
    let mut client = StreamClient::new("mock/dual", script(&raw));
    assert_eq!(client.ask(&initialize("2025-11-25")).await, "<html>");
    assert!(
        client.ask_json(&legacy(1, "tools/list", "")).await["result"].is_object(),
        "what it is to the client counts"
    );

    let silent = to("initialize", &json!({"hang": {}}));
    let mut client = StreamClient::new("mock/dual", script(&silent));
    client.send(&initialize("2025-11-25")).await;
    assert!(client.ask(&legacy(1, "ping", "")).await.contains(r#""id":1"#));

    let ended = to("initialize", &json!({"exit": {"status": 5}}));
    let mut client = StreamClient::new("mock/dual", script(&ended));
    client.send(&initialize("2025-11-25")).await;
    assert_eq!(client.close().await.0.unwrap(), ServeEnd::Exit { status: 5 });
}

#[tokio::test]
async fn the_probe_is_answered_as_scripted_by_servers_that_know_it_and_that_do_not() {
    let garbled = to("server/discover", &json!({"raw": "bm8="}));
    for id in ["mock/dual", "mock/2026-07-28", "mock/2025-11-25"] {
        let mut client = StreamClient::new(id, script(&garbled));
        assert_eq!(client.ask(&modern(1, "server/discover", "")).await, "no", "{id}");
    }
    let result = to("server/discover", &json!({"result": {"supportedVersions": ["2099-01-01"], "capabilities": {}}}));
    let mut client = StreamClient::new("mock/dual", script(&result));
    let answer = client.ask_json(&modern(1, "server/discover", "")).await;
    assert_eq!(answer["result"]["supportedVersions"], json!(["2099-01-01"]));
    assert_eq!(answer["result"]["resultType"], "complete", "what any modern result has");
    let mut client = StreamClient::new("mock/2025-11-25", script(&result));
    let answer = client.ask_json(&modern(1, "server/discover", "")).await;
    assert_eq!(code(&answer), -32601, "who does not know the method has no result for it");
}

#[tokio::test]
async fn over_http_the_probe_and_the_handshake_are_answered_as_scripted_too() {
    let error = json!({"error": {"code": -32603, "message": "no"}});
    let answers =
        json!([{"to": "server/discover", "reply": error}, {"to": "initialize", "reply": {"exit": {"status": 1}}}]);
    for id in ["mock/dual", "mock/2025-11-25"] {
        let client = HttpClient::new(id, script(&answers)).await;
        let probed = client.post_modern("server/discover", None, &modern(1, "server/discover", "")).await;
        assert_eq!((probed.status, probed.code()), (200, -32603), "{id}");
        let headers = [ACCEPT];
        assert!(client.open("POST", "/mcp", &headers, &initialize("2025-11-25")).await.hangs_up().await, "{id}");
    }
    let silent = HttpClient::new("mock/2025-11-25", script(&to("server/discover", &json!({"hang": {}})))).await;
    let headers = [ACCEPT, ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "server/discover")];
    let probe = silent.open("POST", "/mcp", &headers, &modern(1, "server/discover", "")).await;
    assert_eq!(silent.post(&initialize("2025-11-25")).await.status, 200);
    assert!(probe.is_silent());
}

#[rstest]
#[case::evolution(json!([{"to": "initialize", "reply": {"evolve": {}}}]), "only a call")]
#[case::raw(json!([{"to": "tools/list", "reply": {"raw": "%"}}]), "the raw reply to tools/list")]
#[case::page_zero(json!([{"to": "tools/list", "page": 0, "reply": {"hang": {}}}]), "answers page 0")]
#[case::page_beyond_reason(json!([{"to": "tools/list", "page": 4_000_000_000_u32, "reply": {"hang": {}}}]), "answers page")]
#[tokio::test]
async fn an_answer_that_its_request_cannot_have_is_refused(#[case] answers: Value, #[case] says: &str) {
    let (ending, _) = StreamClient::new("mock/dual", script(&answers)).close().await;
    let error = ending.unwrap_err().to_string();
    assert!(error.contains(says), "{error}");
}
