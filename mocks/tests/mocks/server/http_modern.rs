//! 2026-07-28 over HTTP: headers mirror the body, errors have their status, subscriptions are streams.

use serde_json::json;

use crate::server::http_client::{ACCEPT, Headers, HttpClient};
use crate::server::scripts::{every_kind, initialize, legacy, modern, read};

const VERSION: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");
const CALL: (&str, &str) = ("Mcp-Method", "tools/call");

#[tokio::test]
async fn requests_are_answered_with_one_object() {
    for id in ["mock/dual", "mock/2026-07-28"] {
        let client = HttpClient::new(id, every_kind()).await;
        let reply = client.post_modern("server/discover", None, &modern(1, "server/discover", "")).await;
        assert_eq!((reply.status, &reply.json()["result"]["supportedVersions"]), (200, &json!(["2026-07-28"])));
        assert_eq!(reply.header("mcp-session-id"), None);
        let reply =
            client.post_modern("tools/call", Some("array"), &modern(2, "tools/call", r#""name":"array""#)).await;
        assert_eq!(reply.status, 200);
        assert_eq!(
            reply.body,
            r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"[1e2]"}],"structuredContent":[1e2,12345678901234567890123],"_meta":{"k":null}}}"#
        );
    }
}

#[tokio::test]
async fn a_server_that_streams_answers_with_an_event_where_events_are_taken() {
    let client = HttpClient::new("mock/dual/sse", every_kind()).await;
    let call = modern(2, "tools/call", r#""name":"text""#);
    let reply = client.post_modern("tools/call", Some("text"), &call).await;
    assert_eq!(reply.header("x-accel-buffering"), Some("no"));
    assert_eq!(
        reply.events(),
        [r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"plain"}]}}"#]
    );
    let headers = [("Accept", "application/json"), VERSION, CALL, ("Mcp-Name", "text")];
    assert!(client.request("POST", &headers, &call).await.json()["result"].is_object());
    let raw = client.post_modern("tools/call", Some("raw"), &modern(3, "tools/call", r#""name":"raw""#)).await;
    assert_eq!(raw.events(), [r#"{"id":3} not json"#]);
}

#[tokio::test]
async fn headers_that_are_missing_or_differ_are_refused() {
    let client = HttpClient::new("mock/dual", every_kind()).await;
    let name = ("Mcp-Name", "text");
    let cases: [Headers<'_>; 9] = [
        &[CALL, name],
        &[VERSION, name],
        &[VERSION, CALL],
        &[("MCP-Protocol-Version", "2025-11-25"), CALL, name],
        &[VERSION, ("Mcp-Method", "tools/list"), name],
        &[VERSION, ("Mcp-Method", "TOOLS/CALL"), name],
        &[VERSION, CALL, ("Mcp-Name", "wrong")],
        &[VERSION, CALL, ("Mcp-Name", "=?base64?dGV4d?=")],
        &[VERSION, CALL, name, name],
    ];
    for headers in cases {
        let headers = [&[ACCEPT], headers].concat();
        let reply = client.request("POST", &headers, &modern(4, "tools/call", r#""name":"text""#)).await;
        assert_eq!((reply.status, reply.code(), &reply.json()["id"]), (400, -32020, &json!(4)), "{headers:?}");
    }
}

#[tokio::test]
async fn headers_are_read_as_headers_are() {
    let client = HttpClient::new("mock/dual", every_kind()).await;
    let cases: [Headers<'_>; 3] = [
        &[("MCP-PROTOCOL-VERSION", "2026-07-28"), ("mcp-method", "tools/call"), ("MCP-NAME", "text")],
        &[VERSION, CALL, ("Mcp-Name", "  text  ")],
        &[VERSION, CALL, ("Mcp-Name", "=?base64?dGV4dA==?=")],
    ];
    for headers in cases {
        let headers = [&[ACCEPT], headers].concat();
        let reply = client.request("POST", &headers, &modern(4, "tools/call", r#""name":"text""#)).await;
        assert_eq!(reply.status, 200, "{headers:?}: {reply:?}");
    }
}

#[tokio::test]
async fn a_request_without_its_meta_is_malformed() {
    for id in ["mock/dual", "mock/2026-07-28"] {
        let client = HttpClient::new(id, every_kind()).await;
        for members in ["", r#""_meta":{}"#, r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#] {
            let reply = client.post_modern("tools/list", None, &legacy(5, "tools/list", members)).await;
            assert_eq!((reply.status, reply.code(), &reply.json()["id"]), (400, -32602, &json!(5)), "{id} {members}");
        }
    }
}

#[tokio::test]
async fn an_unsupported_version_is_refused_with_those_that_are() {
    let client = HttpClient::new("mock/dual", every_kind()).await;
    let body = modern(6, "tools/list", "").replace("2026-07-28", "v999");
    let headers = [ACCEPT, ("MCP-Protocol-Version", "v999"), ("Mcp-Method", "tools/list")];
    let reply = client.request("POST", &headers, &body).await;
    assert_eq!((reply.status, reply.code()), (400, -32022));
    assert_eq!(reply.json()["error"]["data"], json!({"supported": ["2026-07-28"], "requested": "v999"}));
}

#[tokio::test]
async fn an_unknown_method_is_not_found() {
    let client = HttpClient::new("mock/dual", every_kind()).await;
    for method in ["unknown/method", "initialize", "ping", "logging/setLevel", "prompts/list"] {
        let reply = client.post_modern(method, None, &modern(7, method, "")).await;
        assert_eq!((reply.status, reply.code(), &reply.json()["id"]), (404, -32601, &json!(7)), "{method}");
    }
}

#[tokio::test]
async fn what_went_wrong_in_a_call_is_no_error_of_http() {
    let client = HttpClient::new("mock/dual", every_kind()).await;
    let reply = client.post_modern("tools/call", Some("nobody"), &modern(1, "tools/call", r#""name":"nobody""#)).await;
    assert_eq!((reply.status, reply.code()), (200, -32602));
    let reply = client.post_modern("tools/call", Some("error"), &modern(1, "tools/call", r#""name":"error""#)).await;
    assert_eq!((reply.status, reply.code()), (200, -32603));

    let script = r#"{"scenario":"s","stages":[{"tools":[{"name":"t","definition":{"name":"t"},
        "reply":{"error":{"code":-32021,"message":"m","data":{"requiredCapabilities":{"sampling":{}}}}}}]}]}"#;
    let client = HttpClient::new("mock/dual", read(script)).await;
    let reply = client.post_modern("tools/call", Some("t"), &modern(1, "tools/call", r#""name":"t""#)).await;
    assert_eq!((reply.status, reply.code()), (400, -32021), "but the codes that have a status keep it");
}

#[tokio::test]
async fn a_modern_server_has_no_sessions() {
    let client = HttpClient::new("mock/2026-07-28", every_kind()).await;
    for method in ["GET", "DELETE", "PUT"] {
        let reply = client.request(method, &[ACCEPT, ("Mcp-Session-Id", "mock-session-1")], "").await;
        assert_eq!((reply.status, reply.header("allow")), (405, Some("POST")), "{method}");
    }
    let reply = client.post(&initialize("2025-11-25")).await;
    assert_eq!((reply.status, reply.code()), (400, -32020));
    assert_eq!(reply.json()["error"]["data"], json!({"supported": ["2026-07-28"]}), "it names its versions");
}

#[tokio::test]
async fn a_notification_is_accepted_without_an_answer() {
    let client = HttpClient::new("mock/2026-07-28", every_kind()).await;
    let reply = client.request("POST", &[ACCEPT, VERSION], r#"{"jsonrpc":"2.0","method":"notifications/x"}"#).await;
    assert_eq!((reply.status, reply.body.as_str()), (202, ""));
}

#[tokio::test]
async fn what_is_no_message_is_a_bad_request() {
    let client = HttpClient::new("mock/2026-07-28", every_kind()).await;
    for (body, code) in [("", -32700), ("{", -32700), ("[]", -32600), ("{}", -32600)] {
        let reply = client.post_modern("tools/list", None, body).await;
        assert_eq!((reply.status, reply.code()), (400, code), "{body:?}");
    }
}

#[tokio::test]
async fn a_subscription_hears_of_a_change_before_the_answer_to_it() {
    let client = HttpClient::new("mock/dual", every_kind()).await;
    let headers = [ACCEPT, VERSION, ("Mcp-Method", "subscriptions/listen"), ("Connection", "close")];
    let body = |filter: &str| modern(9, "subscriptions/listen", &format!(r#""notifications":{filter}"#));
    let mut listening = client.open("POST", "/mcp", &headers, &body(r#"{"toolsListChanged":true}"#)).await;
    let mut deaf = client.open("POST", "/mcp", &headers, &body(r#"{"promptsListChanged":true}"#)).await;
    let opened = listening.until("notifications/subscriptions/acknowledged").await;
    assert!(opened.starts_with("HTTP/1.1 200") && opened.contains("text/event-stream"), "{opened}");
    deaf.until("acknowledged").await;

    let evolve = modern(1, "tools/call", r#""name":"mcp_compat_evolve""#);
    let reply = client.post_modern("tools/call", Some("mcp_compat_evolve"), &evolve).await;
    assert!(reply.json()["result"].is_object());
    let told =
        listening.until(r#"list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9}}}"#).await;
    assert!(
        told.contains(r#"data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9}}}"#),
        "{told}"
    );

    assert!(client.server.unhost("/mcp"));
    assert!(!listening.reply().await.events().is_empty(), "the stream comes to an end");
    let deaf = deaf.reply().await;
    let events = deaf.events();
    assert_eq!(
        events[1..],
        [
            r#"{"jsonrpc":"2.0","id":9,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":9}}}"#
        ],
        "nothing but the farewell"
    );
    let gone = client.post_modern("tools/list", None, &modern(1, "tools/list", "")).await;
    assert_eq!(gone.status, 404);
}

#[tokio::test]
async fn a_subscription_needs_a_stream() {
    let client = HttpClient::new("mock/dual", every_kind()).await;
    let headers = [("Accept", "application/json"), VERSION, ("Mcp-Method", "subscriptions/listen")];
    let reply = client.request("POST", &headers, &modern(9, "subscriptions/listen", r#""notifications":{}"#)).await;
    assert_eq!(reply.status, 406);
}

#[tokio::test]
async fn arguments_that_headers_have_to_repeat_are_checked() {
    let script = r#"{"scenario":"s","stages":[{"tools":[{"name":"t","definition":{"name":"t","inputSchema":{"type":"object",
        "properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},"reply":{"result":{"content":[]}}}]}]}"#;
    let client = HttpClient::new("mock/dual", read(script)).await;
    let body = modern(1, "tools/call", r#""name":"t","arguments":{"region":"Hello"}"#);
    let base = [ACCEPT, VERSION, CALL, ("Mcp-Name", "t")];
    for (header, status) in [
        (Some("Hello"), 200),
        (Some("=?base64?SGVsbG8=?="), 200),
        (Some("=?base64?SGVsbG8?="), 400),
        (Some("Hallo"), 400),
        (None, 400),
    ] {
        let header = header.map(|value| ("Mcp-Param-Region", value));
        let headers: Vec<_> = base.into_iter().chain(header).collect();
        let reply = client.request("POST", &headers, &body).await;
        assert_eq!(reply.status, status, "{header:?}");
        assert!(status == 200 || reply.code() == -32020);
    }
}
