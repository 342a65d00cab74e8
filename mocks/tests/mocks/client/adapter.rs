//! The client as an adapter: jobs in, answers out; and the servers that it starts itself.

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_compat_mocks::client::{ClientSpec, HttpClient, play, run_adapter};
use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::{Answer, PROBE_STEP, ServerAddress};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use crate::client::fake::{self, DEADLINES, LIST, PLAIN, call, layer, value};
use crate::client::web::{self, Reply, json as body, status};

async fn adapter(client: &str, jobs: &[Value]) -> Vec<Answer> {
    let input: String = jobs.iter().map(|job| format!("{job}\n")).collect();
    let mut output = Vec::new();
    let running = run_adapter(ClientSpec::parse(client).unwrap(), input.as_bytes(), &mut output);
    timeout(Duration::from_secs(30), running).await.unwrap().unwrap();
    let text = String::from_utf8(output).unwrap();
    let mut answers: Vec<Answer> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer.id);
    answers
}

fn job(id: u64, server: &Value, steps: &Value) -> Value {
    let deadlines = json!({"connect_ms": 2000, "step_ms": 2000});
    json!({"id": id, "scenario": "s", "server": server, "steps": steps, "deadlines": deadlines})
}

fn modern_server() -> impl FnMut(&web::Asked) -> Reply {
    let mut server = fake::modern(PLAIN, r#"{"content":[],"structuredContent":{"n":1e400}}"#);
    move |asked| server(&asked.heard()).pop().map_or_else(|| status(202, ""), |answer| body(&answer))
}

#[tokio::test]
async fn every_job_is_answered_under_its_id_and_the_end_of_input_ends_the_adapter() {
    let web = web::serve(modern_server()).await;
    let server = json!({"http": {"url": web.url}});
    let steps = json!([{"list": {}}, {"call": {"tool": "plain", "arguments": {}}}]);
    let jobs: Vec<_> = (1..=100).map(|id| job(id, &server, &steps)).collect();
    let answers = adapter("mock/dual+auto", &jobs).await;
    assert_eq!(answers.iter().map(|answer| answer.id).collect::<Vec<_>>(), (1..=100).collect::<Vec<_>>());
    for answer in answers {
        assert_eq!(answer.negotiated.as_deref(), Some("2026-07-28"));
        assert_eq!(value(&answer.steps[1]), Some(r#"{"n":1e400}"#));
    }
}

#[tokio::test]
async fn what_it_does_not_know_it_says_it_does_not_support() {
    let server = json!({"http": {"url": "http://127.0.0.1:9/"}});
    let legacy = |mut job: Value| {
        job["mode"] = json!("legacy");
        job
    };
    let jobs = [
        job(1, &server, &json!([{PROBE_STEP: {}}])),
        job(2, &server, &json!([{"list": {"all": true}}])),
        legacy(job(3, &server, &json!([]))),
        json!({"id": 4}),
        json!("no job at all"),
        job(5, &server, &json!([])),
    ];
    let answers = adapter("mock/2026-07-28", &jobs).await;
    let unsupported: Vec<_> = answers.iter().map(|answer| (answer.id, answer.unsupported.is_some())).collect();
    assert_eq!(unsupported, [(1, true), (2, true), (3, true), (4, true), (5, false)]);
    assert!(answers[0].unsupported.as_ref().unwrap().contains(PROBE_STEP));
    assert_eq!(answers[4].error.as_ref().unwrap().layer, Layer::Connect);
}

#[tokio::test]
async fn a_job_may_choose_the_mode_of_a_client_that_has_a_choice() {
    let web = web::serve(modern_server()).await;
    let mut job = job(1, &json!({"http": {"url": web.url}}), &json!([]));
    job["mode"] = json!("modern");
    assert_eq!(adapter("mock/dual+legacy", &[job]).await[0].negotiated.as_deref(), Some("2026-07-28"));
}

/// A server of one session, whose answers are written down: `answers` follow the client's messages one by one.
#[cfg(unix)]
fn shell(before: &str, answers: &[String]) -> ServerAddress {
    let mut script = format!("{before}\n");
    for answer in answers {
        script.push_str(&format!("read line\nprintf '%s\\n' '{answer}'\n"));
    }
    script.push_str("while read line; do :; done\n");
    let env = BTreeMap::from([("MCP_COMPAT_TEST".to_owned(), "set".to_owned())]);
    ServerAddress::Stdio { command: vec!["sh".to_owned(), "-c".to_owned(), script], env }
}

#[cfg(unix)]
fn answers() -> Vec<String> {
    let result = |id: u64, result: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    vec![
        result(1, &fake::initialized("2025-11-25")),
        // After notifications/initialized, which asks for no answer.
        String::new(),
        result(2, &format!(r#"{{"tools":[{PLAIN}]}}"#)),
        result(3, r#"{"content":[],"structuredContent":{}}"#),
    ]
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_is_a_command_is_started_with_its_variables_and_gone_afterwards() {
    let spec = ClientSpec::parse("mock/2025-11-25").unwrap();
    let folder = std::env::temp_dir().join(format!("mcp-compat-mock-client-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("held");
    assert!(tokio::process::Command::new("mkfifo").arg(&pipe).status().await.unwrap().success());
    let mut held = tokio::net::unix::pipe::OpenOptions::new().open_receiver(&pipe).unwrap();
    // The server and a process of its own, neither of which would go by itself, hold the pipe open.
    let before = format!(
        r#"test "$MCP_COMPAT_TEST" = set || exit 1; trap '' TERM; exec 9>'{}'; echo up >&9; sleep 300 &"#,
        pipe.display()
    );
    let server = shell(&before, &answers());
    let answer =
        play(&spec, &HttpClient::new(), &server, &[LIST, call("plain")], DEADLINES).await.unwrap_or_else(Answer::from);
    assert_eq!(value(&answer.steps[1]), Some("{}"), "{answer:?}");
    let mut said = String::new();
    timeout(Duration::from_secs(10), held.read_to_string(&mut said)).await.expect("a process is left").unwrap();
    assert_eq!(said, "up\n");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_ends_at_the_probe_is_started_again_and_asked_for_a_session() {
    // It takes nothing but `initialize` first, as many servers do.
    let before = r#"read first; case "$first" in *'"initialize"'*) ;; *) exit 1 ;; esac"#;
    let mut answers = answers();
    let initialized = answers.remove(0);
    let before = format!("{before}\nprintf '%s\\n' '{initialized}'");
    let steps = [LIST, call("plain")];
    let played = async |client| {
        let spec = ClientSpec::parse(client).unwrap();
        play(&spec, &HttpClient::new(), &shell(&before, &answers), &steps, DEADLINES).await.unwrap_or_else(Answer::from)
    };
    let answer = played("mock/dual+auto").await;
    assert_eq!((answer.negotiated.as_deref(), value(&answer.steps[1])), (Some("2025-11-25"), Some("{}")), "{answer:?}");
    for client in ["mock/dual+modern", "mock/2026-07-28", "sabotaged/no-fallback"] {
        assert_eq!(played(client).await.error.unwrap().layer, Layer::Connect, "{client}");
    }
}

#[tokio::test]
async fn a_connection_that_breaks_at_the_probe_is_opened_again() {
    let mut legacy = fake::legacy(PLAIN, "{}");
    let web = web::serve(move |asked| match asked.heard() {
        heard if heard.is_modern() => Reply { headers: vec![("content-length", "100".to_owned())], ..status(200, "{") },
        heard => legacy(&heard).pop().map_or_else(|| status(202, ""), |answer| body(&answer)),
    })
    .await;
    let spec = ClientSpec::parse("mock/dual+auto").unwrap();
    let server = ServerAddress::Http { url: web.url.clone() };
    let answer = play(&spec, &HttpClient::new(), &server, &[LIST], DEADLINES).await.unwrap_or_else(Answer::from);
    assert_eq!(answer.negotiated.as_deref(), Some("2025-11-25"), "{answer:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_that_cannot_be_started_or_does_not_stay_is_no_session() {
    let spec = ClientSpec::parse("mock/dual+auto").unwrap();
    for command in [vec![], vec!["/no/such/program".to_owned()], vec!["false".to_owned()]] {
        let server = ServerAddress::Stdio { command, env: BTreeMap::new() };
        let answer = play(&spec, &HttpClient::new(), &server, &[LIST], DEADLINES).await.unwrap_or_else(Answer::from);
        assert_eq!(answer.error.unwrap().layer, Layer::Connect);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_dies_in_a_call_fails_that_call() {
    let spec = ClientSpec::parse("mock/2025-11-25").unwrap();
    let mut answers = answers();
    answers.pop();
    let ServerAddress::Stdio { mut command, env } = shell("", &answers) else { unreachable!("a command") };
    command[2] = command[2].replace("while read line; do :; done", "read line; exit 3");
    let server = ServerAddress::Stdio { command, env };
    let answer =
        play(&spec, &HttpClient::new(), &server, &[LIST, call("plain")], DEADLINES).await.unwrap_or_else(Answer::from);
    assert!(answer.steps[0].error.is_none(), "{answer:?}");
    assert_eq!(layer(&answer.steps[1]), Layer::Connect);
}
