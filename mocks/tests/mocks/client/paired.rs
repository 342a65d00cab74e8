//! The mock client with the mock server: honest with honest, in every pairing of eras, in memory and over HTTP.

use std::sync::Arc;

use mcp_compat_mocks::client::{ClientSpec, HttpClient, play_http, play_stream};
use mcp_compat_mocks::server::{HttpServer, ServerSpec, serve};
use mcp_compat_model::Era;
use mcp_compat_model::peer_contract::{Answer, Deadlines, EVOLVE_TOOL, JobStep, Reply, Script, ScriptedTool, Stage};
use rstest::rstest;
use serde_json::value::RawValue;

use crate::client::fake::{LIST, call, names, value};

const DEADLINES: Deadlines = Deadlines { connect_ms: 5000, step_ms: 5000 };

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn scripted(name: &str, schema: &str, reply: Reply) -> ScriptedTool {
    let definition = format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}{schema}}}"#);
    ScriptedTool::new(name, raw(&definition), reply)
}

/// One tool, whose value outgrows its schema when the script goes on: only who lists again can validate it.
fn script() -> Script {
    let stage = |property: &str, told| {
        let schema = format!(
            r#","outputSchema":{{"type":"object","properties":{{"n":{{"type":"{property}"}}}},"required":["n"]}}"#
        );
        let value = if property == "integer" { "123456789012345678901234567890" } else { "\"many\"" };
        let result = format!(r#"{{"structuredContent":{{"n":{value}}},"content":[]}}"#);
        Stage {
            tools: vec![
                scripted("t", &schema, Reply::Result(raw(&result))),
                scripted(EVOLVE_TOOL, "", Reply::Evolve {}),
                scripted("u", "", Reply::Result(raw(r#"{"content":[{"type":"text","text":"u"}]}"#))),
            ],
            told,
        }
    };
    let stages = vec![stage("integer", false), stage("string", true)];
    Script {
        scenario: "paired".to_owned(),
        stages,
        page_size: Some(2),
        list: None,
        list_without: Vec::new(),
        answers: Vec::new(),
    }
}

fn steps() -> Vec<JobStep> {
    vec![LIST, call("t"), JobStep::Evolve { told: true }, call("t"), call("u")]
}

async fn in_memory(client: &ClientSpec, server: &ServerSpec) -> Answer {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(ours);
    let (server_read, server_write) = tokio::io::split(theirs);
    let serving = serve(server.clone(), Arc::new(script()), server_read, server_write);
    let steps = steps();
    let (played, served) = tokio::join!(play_stream(client, read, write, &steps, DEADLINES), serving);
    served.unwrap();
    played.unwrap_or_else(Answer::from)
}

async fn over_http(client: &ClientSpec, server: &ServerSpec) -> Answer {
    let http = HttpServer::bind().await.unwrap();
    http.host("/mcp", server.clone(), Arc::new(script())).unwrap();
    let url = format!("{}/mcp", http.base_url());
    play_http(client, &HttpClient::new(), &url, &steps(), DEADLINES).await.unwrap_or_else(Answer::from)
}

#[rstest]
#[tokio::test]
async fn honest_clients_and_servers_understand_each_other(
    #[values(
        "mock/dual+auto",
        "mock/dual+legacy",
        "mock/2026-07-28",
        "mock/2025-11-25",
        "mock/2025-06-18",
        "mock/2025-03-26"
    )]
    client: &str,
    #[values("mock/dual", "mock/dual/sse", "mock/2026-07-28", "mock/2025-11-25", "mock/2025-06-18")] server: &str,
    #[values(false, true)] http: bool,
) {
    let (client, server) = (ClientSpec::parse(client).unwrap(), ServerSpec::parse(server).unwrap());
    let answer = if http { over_http(&client, &server).await } else { in_memory(&client, &server).await };
    let (legacy, modern) = (client.revisions[0].era(), client.revisions.last().unwrap().era());
    let meet =
        |era: Era| client.revisions.iter().any(|revision| revision.era() == era && server.revisions.contains(revision));
    let speaks_modern = meet(Era::Modern) && client.mode != mcp_compat_model::Mode::Legacy;
    let expected = speaks_modern || (meet(Era::Legacy) && client.mode != mcp_compat_model::Mode::Modern);
    assert_eq!(answer.error.is_none(), expected, "{legacy:?} to {modern:?}: {answer:?}");
    if !expected {
        return;
    }
    assert_eq!(names(&answer.steps[0]), ["t", EVOLVE_TOOL, "u"], "over two pages");
    assert_eq!(answer.steps[2].evolved, Some(true), "{answer:?}");
    let structured = client.revisions.last().unwrap().has_structured_output();
    let kept = |text| structured.then_some(text);
    assert_eq!(value(&answer.steps[1]), kept(r#"{"n":123456789012345678901234567890}"#));
    assert_eq!(value(&answer.steps[3]), kept(r#"{"n":"many"}"#));
    assert_eq!(answer.steps[4].content.as_ref().unwrap().len(), 1);
}
