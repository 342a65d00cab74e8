//! Both eras over a byte stream.

use mcp_compat_mocks::server::{ServeEnd, ServeError};
use mcp_compat_mocks::wire::jsonrpc::MESSAGE_LIMIT;
use mcp_compat_mocks::wire::lines::LineError;
use serde_json::{Value, json};

use crate::server::scripts::{every_kind, initialize, legacy, modern, paged, read};
use crate::server::stream_client::StreamClient;

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tools: {answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_legacy_session_lists_and_calls_byte_for_byte() {
    let mut client = StreamClient::in_session("mock/dual", "2025-11-25", every_kind()).await;
    assert_eq!(names(&client.ask_json(&legacy(1, "tools/list", "")).await)[..2], ["object", "array"]);
    assert_eq!(
        client.ask(&legacy(2, "tools/call", r#""name":"array","arguments":{}"#)).await,
        r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"[1e2]"}],"structuredContent":[1e2,12345678901234567890123],"_meta":{"k":null}}}"#
    );
    assert_eq!(client.ask(&legacy(3, "ping", "")).await, r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
    let (ending, rest) = client.close().await;
    assert_eq!((ending.unwrap(), rest.len()), (ServeEnd::Closed, 0));
}

#[tokio::test]
async fn a_modern_request_needs_no_handshake() {
    let mut client = StreamClient::new("mock/dual", every_kind());
    let discovered = client.ask_json(&modern(1, "server/discover", "")).await;
    let result = &discovered["result"];
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(result["capabilities"], json!({"tools": {"listChanged": true}}));
    assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(0), &json!("private")));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mcp-compat-mock");

    let listed = client.ask_json(&modern(2, "tools/list", "")).await;
    let result = &listed["result"];
    assert_eq!((&result["resultType"], &result["ttlMs"]), (&json!("complete"), &json!(0)));
    assert_eq!(
        client.ask(&modern(3, "tools/call", r#""name":"array""#)).await,
        r#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"[1e2]"}],"structuredContent":[1e2,12345678901234567890123],"_meta":{"k":null}}}"#
    );
}

#[tokio::test]
async fn a_dual_server_serves_both_eras_on_one_stream() {
    let mut client = StreamClient::in_session("mock/dual", "2025-06-18", every_kind()).await;
    let old = client.ask_json(&legacy(1, "tools/call", r#""name":"text""#)).await;
    let new = client.ask_json(&modern(2, "tools/call", r#""name":"text""#)).await;
    assert_eq!((&old["result"]["resultType"], &new["result"]["resultType"]), (&Value::Null, &json!("complete")));
}

#[tokio::test]
async fn initialize_answers_the_version_asked_for_or_the_newest_that_has_sessions() {
    for (id, asked, answered) in [
        ("mock/dual", "2025-06-18", "2025-06-18"),
        ("mock/dual", "2025-11-25", "2025-11-25"),
        ("mock/dual", "2026-07-28", "2025-11-25"),
        ("mock/dual", "2024-11-05", "2024-11-05"),
        ("mock/dual", "soon", "2025-11-25"),
        ("mock/2025-03-26", "2025-11-25", "2025-03-26"),
    ] {
        let answer = StreamClient::new(id, every_kind()).ask_json(&initialize(asked)).await;
        assert_eq!(answer["result"]["protocolVersion"], answered, "{id} asked for {asked}");
        assert_eq!(answer["result"]["capabilities"], json!({"tools": {"listChanged": true}}));
        assert_eq!(answer["result"]["serverInfo"]["name"], "mcp-compat-mock");
    }
}

#[tokio::test]
async fn initialize_comes_first_and_may_come_again() {
    let mut client = StreamClient::new("mock/2025-11-25", every_kind());
    assert_eq!(code(&client.ask_json(&legacy(1, "tools/list", "")).await), -32600);
    assert!(client.ask_json(&legacy(2, "ping", "")).await["result"].is_object(), "a ping may come before");
    assert_eq!(code(&client.ask_json(&legacy(3, "initialize", "")).await), -32602);
    assert!(client.ask_json(&initialize("2025-11-25")).await["result"].is_object());
    assert_eq!(code(&client.ask_json(&legacy(4, "initialize", "")).await), -32602, "a refused one ends no session");
    assert!(client.ask_json(&legacy(5, "tools/list", "")).await["result"].is_object());
    assert!(client.ask_json(&initialize("2025-11-25")).await["result"].is_object());
    assert!(client.ask_json(&legacy(6, "tools/list", "")).await["result"].is_object());
}

#[tokio::test]
async fn a_legacy_server_knows_no_modern_request() {
    let mut client = StreamClient::new("mock/2025-11-25", every_kind());
    assert_eq!(code(&client.ask_json(&modern(1, "server/discover", "")).await), -32601);
    assert_eq!(code(&client.ask_json(&modern(2, "tools/list", "")).await), -32600);
}

#[tokio::test]
async fn a_modern_server_names_its_versions_to_whoever_opens_a_session() {
    let mut client = StreamClient::new("mock/2026-07-28", every_kind());
    let answer = client.ask_json(&initialize("2025-11-25")).await;
    assert_eq!((code(&answer), &answer["error"]["data"]), (-32602, &json!({"supported": ["2026-07-28"]})));
    assert!(answer["error"]["message"].as_str().unwrap().contains("2026-07-28"));
    assert_eq!(code(&client.ask_json(&legacy(1, "ping", "")).await), -32602);
    assert_eq!(code(&client.ask_json(&modern(2, "ping", "")).await), -32601);
    assert_eq!(code(&client.ask_json(&modern(3, "initialize", "")).await), -32601);
}

#[tokio::test]
async fn a_modern_request_without_its_meta_is_malformed() {
    let mut client = StreamClient::new("mock/2026-07-28", every_kind());
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    for meta in ["1", "{}", &format!("{{{version}}}"), &format!("{{{capabilities}}}")] {
        let request = legacy(1, "tools/list", &format!(r#""_meta":{meta}"#));
        assert_eq!(code(&client.ask_json(&request).await), -32602, "{meta}");
    }
}

#[tokio::test]
async fn an_unsupported_version_is_refused_with_those_that_are() {
    let mut client = StreamClient::new("mock/dual", every_kind());
    for version in ["2025-11-25", "2099-01-01"] {
        let request = modern(1, "tools/list", "").replace("2026-07-28", version);
        let answer = client.ask_json(&request).await;
        assert_eq!(code(&answer), -32022);
        assert_eq!(answer["error"]["data"], json!({"supported": ["2026-07-28"], "requested": version}));
    }
}

#[tokio::test]
async fn a_call_is_answered_as_the_script_says() {
    let mut client = StreamClient::in_session("mock/dual", "2025-11-25", every_kind()).await;
    let call = |name: &str| legacy(7, "tools/call", &format!(r#""name":"{name}""#));
    assert_eq!(client.ask_json(&call("failing")).await["result"]["isError"], json!(true));
    assert_eq!(
        client.ask(&call("error")).await,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"broken","data":[1.0]}}"#
    );
    assert_eq!(client.ask(&call("raw")).await, r#"{"id":7} not json"#);
    client.send(&call("hang")).await;
    assert_eq!(client.ask(&legacy(8, "ping", "")).await, r#"{"jsonrpc":"2.0","id":8,"result":{}}"#);
    client.send(&call("exit")).await;
    let (ending, rest) = client.close().await;
    assert_eq!((ending.unwrap(), rest.len()), (ServeEnd::Exit { status: 3 }, 0));
}

#[tokio::test]
async fn a_call_that_cannot_be_made_is_refused() {
    let mut client = StreamClient::in_session("mock/dual", "2025-11-25", every_kind()).await;
    let answer = client.ask_json(&legacy(1, "tools/call", r#""name":"nobody""#)).await;
    assert_eq!((code(&answer), &answer["error"]["message"]), (-32602, &json!("Unknown tool: nobody")));
    for members in ["", r#""name":1"#, r#""name":"text","arguments":[]"#] {
        assert_eq!(code(&client.ask_json(&legacy(2, "tools/call", members)).await), -32602, "{members}");
    }
    assert!(client.ask_json(&legacy(3, "tools/call", r#""name":"text","arguments":null"#)).await["result"].is_object());
    assert_eq!(code(&client.ask_json(r#"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":[]}"#).await), -32602);
    assert_eq!(code(&client.ask_json(&legacy(5, "prompts/list", "")).await), -32601);
}

#[tokio::test]
async fn pages_lead_to_one_another_and_end() {
    for request in [legacy, modern] {
        let mut client = StreamClient::in_session("mock/dual", "2025-11-25", paged()).await;
        let (mut seen, mut members) = (Vec::new(), String::new());
        loop {
            let page = client.ask_json(&request(1, "tools/list", &members)).await;
            seen.push(names(&page).join(""));
            let Some(cursor) = page["result"].get("nextCursor") else { break };
            members = format!(r#""cursor":{cursor}"#);
        }
        assert_eq!(seen, ["ab", "cd", "e"]);
        for cursor in [r#""nowhere""#, r#""""#, "7"] {
            let answer = client.ask_json(&request(2, "tools/list", &format!(r#""cursor":{cursor}"#))).await;
            assert_eq!(code(&answer), -32602, "{cursor}");
        }
    }
}

#[tokio::test]
async fn members_of_the_list_that_the_script_gives_hold() {
    let script = read(
        r#"{"scenario":"s","stages":[{"tools":[]}],"list":{"ttlMs":60000.0,"_meta":{"a":1},"nextCursor":"","x":[ 1 ]}}"#,
    );
    let mut client = StreamClient::new("mock/dual", script);
    assert_eq!(
        client.ask(&modern(1, "tools/list", "")).await,
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[],"ttlMs":60000.0,"_meta":{"a":1},"nextCursor":"","x":[ 1 ],"cacheScope":"private"}}"#
    );
}

#[tokio::test]
async fn json_that_is_laid_out_goes_on_one_line() {
    let script = "{\"scenario\":\"s\",\"stages\":[{\"tools\":[{\"name\":\"t\",\"definition\":{\n \"name\": \"t\" },\"reply\":{\"result\":{\n \"content\": [ ]\n}}}]}]}";
    let mut client = StreamClient::in_session("mock/dual", "2025-11-25", read(script)).await;
    assert_eq!(
        client.ask(&legacy(1, "tools/list", "")).await,
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t"}]}}"#
    );
    assert_eq!(
        client.ask(&legacy(2, "tools/call", r#""name":"t""#)).await,
        r#"{"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#
    );
}

#[tokio::test]
async fn a_legacy_client_is_told_of_a_change_before_the_answer_and_only_if_it_is_to_be_told() {
    let mut client = StreamClient::in_session("mock/dual", "2025-11-25", every_kind()).await;
    let evolve = legacy(1, "tools/call", r#""name":"mcp_compat_evolve""#);
    let told = client.ask(&evolve).await;
    assert_eq!(told, r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    assert!(client.receive().await.contains(r#""id":1"#));
    assert_eq!(names(&client.ask_json(&legacy(2, "tools/list", "")).await), ["second", "mcp_compat_evolve"]);
    assert_eq!(code(&client.ask_json(&legacy(3, "tools/call", r#""name":"text""#)).await), -32602);

    assert!(client.ask(&evolve).await.contains(r#""id":1"#), "the second step is not told");
    assert_eq!(names(&client.ask_json(&legacy(4, "tools/list", "")).await), ["third", "mcp_compat_evolve"]);
    assert!(client.ask(&evolve).await.contains(r#""id":1"#), "behind the last stage nothing changes");
    assert_eq!(names(&client.ask_json(&legacy(5, "tools/list", "")).await), ["third", "mcp_compat_evolve"]);
}

#[tokio::test]
async fn a_cursor_does_not_lead_over_a_change() {
    let tool = r#"{"name":"t","definition":{"name":"t"},"reply":{"evolve":{}}}"#;
    let script = read(&format!(
        r#"{{"scenario":"s","page_size":1,"stages":[{{"tools":[{tool},{tool}]}},{{"tools":[{tool},{tool}]}}]}}"#
    ));
    let mut client = StreamClient::in_session("mock/dual", "2025-11-25", script).await;
    let page = client.ask_json(&legacy(1, "tools/list", "")).await;
    client.ask(&legacy(2, "tools/call", r#""name":"t""#)).await;
    let next = legacy(3, "tools/list", &format!(r#""cursor":{}"#, page["result"]["nextCursor"]));
    assert_eq!(code(&client.ask_json(&next).await), -32602);
}

#[tokio::test]
async fn a_subscription_is_acknowledged_told_and_cancelled() {
    let mut client = StreamClient::new("mock/dual", every_kind());
    let listen = |filter: &str| modern(9, "subscriptions/listen", &format!(r#""notifications":{filter}"#));
    assert_eq!(
        client.ask(&listen(r#"{"toolsListChanged":true,"promptsListChanged":true}"#)).await,
        r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9},"notifications":{"toolsListChanged":true}}}"#
    );
    let evolve = modern(1, "tools/call", r#""name":"mcp_compat_evolve""#);
    assert_eq!(
        client.ask(&evolve).await,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9}}}"#
    );
    assert!(client.receive().await.contains(r#""id":1"#));
    assert_eq!(code(&client.ask_json(&modern(2, "subscriptions/listen", "")).await), -32602);
}

#[tokio::test]
async fn nobody_is_told_what_they_did_not_ask_for() {
    for (filter, cancelled) in
        [("{}", false), (r#"{"promptsListChanged":true}"#, false), (r#"{"toolsListChanged":true}"#, true)]
    {
        let mut client = StreamClient::new("mock/dual", every_kind());
        client.ask(&modern(9, "subscriptions/listen", &format!(r#""notifications":{filter}"#))).await;
        if cancelled {
            client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#).await;
        }
        let answer = client.ask(&modern(1, "tools/call", r#""name":"mcp_compat_evolve""#)).await;
        assert!(answer.contains(r#""id":1"#), "{answer}");
    }
}

#[tokio::test]
async fn batches_belong_to_one_revision() {
    let batch = format!(
        r#"[{},{},{},1]"#,
        legacy(1, "ping", ""),
        r#"{"jsonrpc":"2.0","method":"notifications/x"}"#,
        legacy(2, "nothing", "")
    );
    let mut client = StreamClient::in_session("mock/2025-03-26", "2025-03-26", every_kind()).await;
    let answers = client.ask_json(&batch).await;
    assert_eq!(answers.as_array().unwrap().len(), 3);
    assert_eq!((&answers[0]["id"], code(&answers[1]), code(&answers[2])), (&json!(1), -32601, -32600));
    assert_eq!(code(&client.ask_json("[]").await), -32600);
    let mut client = StreamClient::in_session("mock/dual", "2025-11-25", every_kind()).await;
    assert_eq!(code(&client.ask_json(&batch).await), -32600);
}

#[tokio::test]
async fn whatever_comes_in_the_session_goes_on() {
    let mut client = StreamClient::in_session("mock/dual", "2025-11-25", every_kind()).await;
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}1{}}}"#, "[".repeat(50_000), "]".repeat(50_000));
    for (line, expected) in [
        ("{", Some(-32700)),
        ("[]", Some(-32600)),
        ("\"text\"", Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Some(-32600)),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, Some(-32600)),
        (&deep, Some(-32602)),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, None),
        (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#, None),
        (r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#, None),
    ] {
        client.send(line).await;
        if let Some(expected) = expected {
            let answer: Value = serde_json::from_str(&client.receive().await).unwrap();
            assert_eq!(code(&answer), expected, "{}", &line[..line.len().min(80)]);
        }
    }
    assert_eq!(client.receive().await, r#"{"jsonrpc":"2.0","id":"\ud800","result":{}}"#, "an id comes back as it was");
    client.send_bytes(b"\xff\xfe\n").await;
    assert!(client.receive().await.contains("-32700"));
    assert!(client.ask(&legacy(5, "ping", "")).await.contains(r#""id":5"#));
}

#[tokio::test]
async fn a_line_without_end_ends_the_session() {
    let mut client = StreamClient::new("mock/dual", every_kind());
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..MESSAGE_LIMIT / chunk.len() {
        client.send_bytes(&chunk).await;
    }
    client.send_bytes(b"x").await;
    let (ending, _) = client.close().await;
    assert!(matches!(ending, Err(ServeError::Read(LineError::TooLong))));
}

#[tokio::test]
async fn a_script_that_cannot_be_played_is_refused() {
    for (script, words) in [
        (r#"{"scenario":"s","stages":[]}"#, "no stage"),
        (r#"{"scenario":"s","stages":[{"tools":[{"name":"t","definition":{},"reply":{"raw":"%"}}]}]}"#, "base64"),
    ] {
        let (ending, _) = StreamClient::new("mock/dual", read(script)).close().await;
        assert!(ending.unwrap_err().to_string().contains(words));
    }
}
