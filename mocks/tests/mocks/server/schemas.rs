//! What the server says, against the official JSON Schemas of each revision.

use std::path::PathBuf;

use mcp_compat_model::Revision;
use serde_json::{Value, json};

use crate::server::scripts::{initialize, legacy, modern, read};
use crate::server::stream_client::StreamClient;

/// The official schema of a revision, if it is there; that it is not is said.
#[expect(clippy::print_stdout, reason = "whoever runs the tests has to see that one proved nothing")]
fn official(revision: Revision) -> Option<Value> {
    let folder = std::env::var_os("MCP_COMPAT_SPEC")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/spec")), PathBuf::from);
    let Ok(text) = std::fs::read_to_string(folder.join(format!("{revision}.schema.json"))) else {
        println!("skipped: no schema of {revision}; MCP_COMPAT_SPEC may name a folder with the official ones");
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

/// The mistakes of a value as a type of the official schema.
fn mistakes(schema: &Value, kind: &str, value: &Value) -> Vec<String> {
    let definitions = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
    assert!(schema[definitions].get(kind).is_some(), "there is no {kind}");
    let rooted = json!({
        "$schema": schema["$schema"],
        "allOf": [{"$ref": format!("#/{definitions}/{kind}")}],
        definitions: schema[definitions],
    });
    let validator = jsonschema::validator_for(&rooted).unwrap();
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

const SCRIPT: &str = r#"{"scenario":"s","page_size":1,"stages":[
    {"tools":[
        {"name":"t","definition":{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}},
         "reply":{"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}}},
        {"name":"e","definition":{"name":"e","inputSchema":{"type":"object"}},"reply":{"evolve":{}}}]},
    {"told":true,"tools":[]}]}"#;

/// What is said in a revision: the type of each message, and the message.
async fn said(revision: Revision) -> Vec<(&'static str, Value)> {
    let id = format!("mock/{revision}");
    let parse = |line: String| -> Value { serde_json::from_str(&line).unwrap() };
    let call = |name: &str| format!(r#""name":"{name}""#);
    let mut said = Vec::new();
    if revision == Revision::V2026_07_28 {
        let mut client = StreamClient::new(&id, read(SCRIPT));
        said.push(("DiscoverResultResponse", parse(client.ask(&modern(1, "server/discover", "")).await)));
        said.push(("ListToolsResultResponse", parse(client.ask(&modern(2, "tools/list", "")).await)));
        said.push(("CallToolResultResponse", parse(client.ask(&modern(3, "tools/call", &call("t"))).await)));
        said.push(("JSONRPCErrorResponse", parse(client.ask(&modern(4, "tools/call", &call("x"))).await)));
        let wrong = modern(5, "tools/list", "").replace("2026-07-28", "2025-11-25");
        said.push(("UnsupportedProtocolVersionError", parse(client.ask(&wrong).await)));
        let listen = modern(6, "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#);
        said.push(("SubscriptionsAcknowledgedNotification", parse(client.ask(&listen).await)));
        said.push(("ToolListChangedNotification", parse(client.ask(&modern(7, "tools/call", &call("e"))).await)));
        said.push(("CallToolResultResponse", parse(client.receive().await)));
    } else {
        let mut client = StreamClient::new(&id, read(SCRIPT));
        let error = if revision >= Revision::V2025_11_25 { "JSONRPCErrorResponse" } else { "JSONRPCError" };
        let result = |answer: Value| answer["result"].clone();
        said.push(("InitializeResult", result(parse(client.ask(&initialize(revision.as_str())).await))));
        said.push(("ListToolsResult", result(parse(client.ask(&legacy(2, "tools/list", "")).await))));
        said.push(("CallToolResult", result(parse(client.ask(&legacy(3, "tools/call", &call("t"))).await))));
        said.push((error, parse(client.ask(&legacy(4, "tools/call", &call("x"))).await)));
        said.push(("EmptyResult", result(parse(client.ask(&legacy(5, "ping", "")).await))));
        said.push(("ToolListChangedNotification", parse(client.ask(&legacy(6, "tools/call", &call("e"))).await)));
        said.push(("CallToolResult", result(parse(client.receive().await))));
    }
    said
}

#[tokio::test]
async fn every_message_is_valid_in_its_revision() {
    for revision in Revision::ALL {
        let Some(schema) = official(revision) else { continue };
        for (kind, message) in said(revision).await {
            assert_eq!(mistakes(&schema, kind, &message), Vec::<String>::new(), "{kind} in {revision}: {message}");
        }
    }
}

#[tokio::test]
async fn the_tools_that_the_official_suite_asks_for_are_valid_too() {
    let script = || read(include_str!("../../../conformance/tools.json"));
    let Some(schema) = official(Revision::V2026_07_28) else { return };
    let mut client = StreamClient::new("mock/2026-07-28", script());
    let list = client.ask_json(&modern(1, "tools/list", "")).await;
    assert_eq!(mistakes(&schema, "ListToolsResultResponse", &list), Vec::<String>::new());
    for tool in &script().stages[0].tools {
        let mut client = StreamClient::new("mock/2026-07-28", script());
        let answer = client.ask_json(&modern(2, "tools/call", &format!(r#""name":"{}""#, tool.name))).await;
        let kind = match tool.name.as_str() {
            "test_missing_capability" => "MissingRequiredClientCapabilityError",
            _ => "CallToolResultResponse",
        };
        assert_eq!(mistakes(&schema, kind, &answer), Vec::<String>::new(), "{answer}");
    }
}

#[test]
fn an_invalid_message_would_be_found() {
    let Some(schema) = official(Revision::V2026_07_28) else { return };
    let message = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [], "ttlMs": 0, "cacheScope": "private"}});
    assert!(!mistakes(&schema, "ListToolsResultResponse", &message).is_empty(), "resultType is missing");
}
