//! Sessions over HTTP, and what holds for any client that comes in.

use mcp_compat_mocks::server::{HostError, ServerSpec};
use mcp_compat_mocks::wire::jsonrpc::MESSAGE_LIMIT;
use serde_json::{Value, json};

use crate::server::http_client::{ACCEPT, Headers, HttpClient};
use crate::server::scripts::{every_kind, initialize, legacy, modern};

/// A client in a session.
async fn in_session(id: &str, version: &str) -> HttpClient {
    let mut client = HttpClient::new(id, every_kind()).await;
    let reply = client.post(&initialize(version)).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    client.session = reply.header("mcp-session-id").map(str::to_owned);
    client
}

#[tokio::test]
async fn initialize_opens_a_session_with_a_number_of_its_own() {
    let client = HttpClient::new("mock/dual", every_kind()).await;
    for number in 1..=3 {
        let reply = client.post(&initialize("2025-06-18")).await;
        assert_eq!(reply.header("mcp-session-id"), Some(&*format!("mock-session-{number}")));
        assert_eq!(reply.json()["result"]["protocolVersion"], "2025-06-18");
    }
}

#[tokio::test]
async fn a_session_lists_and_calls() {
    let client = in_session("mock/dual", "2025-11-25").await;
    let reply = client.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    assert_eq!((reply.status, reply.body.as_str()), (202, ""));
    assert_eq!(client.post(&legacy(1, "ping", "")).await.body, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert!(client.post(&legacy(2, "tools/list", "")).await.json()["result"]["tools"].is_array());
    assert_eq!(
        client.post(&legacy(3, "tools/call", r#""name":"object""#)).await.body,
        r#"{"jsonrpc":"2.0","id":3,"result":{"structuredContent":{"n":1.50},"content":[{"type":"text","text":"{\"n\":1.50}"}]}}"#
    );
    let unknown = client.post(&legacy(4, "prompts/list", "")).await;
    assert_eq!((unknown.status, unknown.code()), (200, -32601), "in a session an error is a message, not a status");
}

#[tokio::test]
async fn a_session_is_required_known_and_of_a_served_revision() {
    let mut client = in_session("mock/2025-11-25", "2025-11-25").await;
    let list = legacy(1, "tools/list", "");
    let session = client.session.clone().unwrap();
    let named = ("Mcp-Session-Id", session.as_str());
    let cases: [(Headers<'_>, u16); 7] = [
        (&[], 400),
        (&[("Mcp-Session-Id", "mock-session-2")], 404),
        (&[("Mcp-Session-Id", "mock-session-01")], 404),
        (&[("Mcp-Session-Id", "\u{7}")], 400),
        (&[named, ("MCP-Protocol-Version", "2025-03-26")], 400),
        (&[named, ("MCP-Protocol-Version", "soon")], 400),
        (&[named, ("MCP-Protocol-Version", "2025-11-25")], 200),
    ];
    for (headers, status) in cases {
        let headers = [&[ACCEPT], headers].concat();
        assert_eq!(client.request("POST", &headers, &list).await.status, status, "{headers:?}");
    }
    client.session = None;
    assert_eq!(client.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await.status, 400);
    assert_eq!(client.post(&legacy(2, "initialize", "")).await.status, 400);
}

/// The header came with 2025-06-18. An older server passes over it.
#[tokio::test]
async fn a_server_from_before_the_version_header_does_not_read_it() {
    let client = in_session("mock/2025-03-26", "2025-03-26").await;
    let session = client.session.clone().unwrap();
    let headers = [ACCEPT, ("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-11-25")];
    assert_eq!(client.request("POST", &headers, &legacy(1, "tools/list", "")).await.status, 200);
}

#[tokio::test]
async fn a_session_ends_with_delete() {
    let client = in_session("mock/dual", "2025-11-25").await;
    let headers = [("Mcp-Session-Id", client.session.as_deref().unwrap())];
    assert_eq!(client.request("DELETE", &headers, "").await.status, 204);
    assert_eq!(client.request("DELETE", &headers, "").await.status, 404);
    assert_eq!(client.request("DELETE", &[], "").await.status, 400);
    assert_eq!(client.post(&legacy(1, "tools/list", "")).await.status, 404);
}

#[tokio::test]
async fn a_legacy_server_gives_a_modern_client_no_modern_error() {
    let client = HttpClient::new("mock/2025-11-25", every_kind()).await;
    for method in ["server/discover", "tools/list"] {
        let reply = client.post_modern(method, None, &modern(1, method, "")).await;
        assert_eq!((reply.status, reply.code()), (400, -32600), "{method}");
    }
}

#[tokio::test]
async fn a_change_is_told_on_the_stream_of_its_own_request() {
    let client = in_session("mock/dual", "2025-11-25").await;
    let evolve = legacy(1, "tools/call", r#""name":"mcp_compat_evolve""#);
    let reply = client.post(&evolve).await;
    let events = reply.events();
    assert_eq!(events[0], r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    assert!(events[1].contains(r#""id":1"#) && events.len() == 2);
    assert!(client.post(&evolve).await.json()["result"].is_object(), "an untold change needs no stream");
}

#[tokio::test]
async fn a_client_without_events_is_told_on_the_stream_of_its_session() {
    let client = in_session("mock/dual", "2025-11-25").await;
    let session = ("Mcp-Session-Id", client.session.as_deref().unwrap());
    let mut stream = client.open("GET", "/mcp", &[ACCEPT, ("Connection", "close"), session], "").await;
    assert!(stream.until("\r\n\r\n").await.contains("text/event-stream"));
    let json_only = [("Accept", "application/json"), session];
    let reply = client.request("POST", &json_only, &legacy(1, "tools/call", r#""name":"mcp_compat_evolve""#)).await;
    assert!(reply.json()["result"].is_object());
    stream.until("notifications/tools/list_changed").await;

    assert_eq!(client.request("GET", &[session, ("Accept", "application/json")], "").await.status, 406);
    assert_eq!(client.request("GET", &[ACCEPT], "").await.status, 400);
    assert_eq!(client.request("DELETE", &[session], "").await.status, 204);
    assert_eq!(stream.reply().await.events().len(), 1, "the stream ends with its session");
}

#[tokio::test]
async fn sessions_go_through_the_script_each_on_its_own() {
    let mut client = in_session("mock/dual", "2025-11-25").await;
    client.post(&legacy(1, "tools/call", r#""name":"mcp_compat_evolve""#)).await;
    let first = |reply: Value| reply["result"]["tools"][0]["name"].clone();
    assert_eq!(first(client.post(&legacy(2, "tools/list", "")).await.json()), "second");
    let reply = client.post(&initialize("2025-11-25")).await;
    client.session = reply.header("mcp-session-id").map(str::to_owned);
    assert_eq!(first(client.post(&legacy(3, "tools/list", "")).await.json()), "object");
    let reply = client.post_modern("tools/list", None, &modern(4, "tools/list", "")).await;
    assert_eq!(first(reply.json()), "object");
}

#[tokio::test]
async fn a_script_can_leave_a_client_waiting_or_hang_up() {
    let client = in_session("mock/dual", "2025-11-25").await;
    let headers = [ACCEPT, ("Mcp-Session-Id", client.session.as_deref().unwrap())];
    let call = |name: &str| legacy(1, "tools/call", &format!(r#""name":"{name}""#));
    let waiting = client.open("POST", "/mcp", &headers, &call("hang")).await;
    let exit = client.open("POST", "/mcp", &headers, &call("exit")).await;
    assert!(exit.hangs_up().await);
    assert_eq!(client.post(&call("raw")).await.body, r#"{"id":1} not json"#, "the server goes on");
    drop(client);
    assert!(waiting.hangs_up().await, "connections end with the server");
}

#[tokio::test]
async fn batches_belong_to_one_revision() {
    let batch = format!("[{},{}]", legacy(1, "ping", ""), legacy(2, "tools/call", r#""name":"mcp_compat_evolve""#));
    let client = in_session("mock/2025-03-26", "2025-03-26").await;
    let reply = client.post(&batch).await;
    assert_eq!(reply.events().len(), 2);
    let answers: Value = serde_json::from_str(reply.events()[1]).unwrap();
    assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!(1), &json!(2)));
    assert_eq!(client.post(r#"[{"jsonrpc":"2.0","method":"x"}]"#).await.status, 202);
    assert_eq!(client.post("[]").await.status, 400);
    let client = in_session("mock/dual", "2025-11-25").await;
    assert_eq!(client.post(&batch).await.status, 400);
}

#[tokio::test]
async fn whoever_comes_from_elsewhere_stays_out() {
    let client = HttpClient::new("mock/dual", every_kind()).await;
    let cases: [(Headers<'_>, u16); 4] = [
        (&[("Origin", "http://evil.example.com")], 403),
        (&[("Host", "evil.example.com")], 403),
        (&[("Origin", "null")], 403),
        (&[("Origin", "http://localhost:1234")], 200),
    ];
    for (headers, status) in cases {
        let headers = [&[ACCEPT], headers].concat();
        let reply = client.request("POST", &headers, &initialize("2025-11-25")).await;
        assert_eq!(reply.status, status, "{headers:?}");
    }
}

#[tokio::test]
async fn a_body_that_is_too_long_is_not_waited_for() {
    let client = HttpClient::new("mock/dual", every_kind()).await;
    let length = (MESSAGE_LIMIT + 1).to_string();
    let reply = client.request("POST", &[ACCEPT, ("Content-Length", &length)], "").await;
    assert_eq!(reply.status, 413);
}

#[tokio::test]
async fn many_scripts_have_a_path_each() {
    let client = HttpClient::new("mock/dual", every_kind()).await;
    client.server.host("/old", ServerSpec::parse("mock/2025-06-18").unwrap(), every_kind()).unwrap();
    for (path, version) in [("/mcp", "2025-11-25"), ("/old", "2025-06-18")] {
        let headers = [ACCEPT, ("Connection", "close")];
        let reply = client.open("POST", path, &headers, &initialize("2025-11-25")).await.reply().await;
        assert_eq!(reply.json()["result"]["protocolVersion"], version);
        assert_eq!(reply.header("mcp-session-id"), Some("mock-session-1"), "sessions are counted at each path");
    }
    let nowhere = client.open("POST", "/nowhere", &[("Connection", "close")], "").await.reply().await;
    assert_eq!(nowhere.status, 404);
    let refused = client.server.host("old", ServerSpec::parse("mock/dual").unwrap(), every_kind());
    assert_eq!(refused, Err(HostError::Path("old".to_owned())));
    assert!(!client.server.unhost("/nowhere"));
}
