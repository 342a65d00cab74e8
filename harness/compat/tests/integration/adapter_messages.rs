//! What adapters read and write validates against the published JSON Schemas.

use std::process::Stdio;
use std::time::Duration;

use mcp_compat_mocks::client::{ClientSpec, run_adapter};
use mcp_compat_mocks::server::{HttpServer, ServerSpec};
use mcp_compat_model::peer_contract::{
    Answer, Deadlines, Hosted, Hosting, Job, SCENARIO_VARIABLE, Script, ServerAddress,
};
use schemars::{JsonSchema, schema_for};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use crate::real::installation;
use crate::support::corpus;

const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the validator of a format's JSON Schema.
fn validator<T: JsonSchema>() -> jsonschema::Validator {
    jsonschema::validator_for(&schema_for!(T).to_value()).unwrap()
}

/// The value with what stands at `pointer` replaced.
fn with(instance: &Value, pointer: &str, value: Value) -> Value {
    let mut changed = instance.clone();
    *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("nothing at {pointer} in {instance}")) = value;
    changed
}

/// A job for each of some scenarios, with the server at `url`.
fn job(id: u64, scenario: &mcp_compat_scenario::Scenario, url: String) -> Job {
    Job {
        id,
        scenario: scenario.id.to_string(),
        server: ServerAddress::Http { url },
        mode: None,
        steps: scenario.job_steps(),
        deadlines: Deadlines { connect_ms: 5000, step_ms: 5000 },
    }
}

fn lines(messages: &[Value]) -> String {
    messages.iter().map(|message| format!("{message}\n")).collect()
}

#[tokio::test]
async fn what_a_client_adapter_reads_and_writes_is_valid() {
    let server = HttpServer::bind().await.unwrap();
    let wanted = ["root-type", "drift", "error-result"];
    let mut jobs = Vec::new();
    for scenario in corpus().iter().filter(|scenario| wanted.contains(&scenario.id.class())) {
        let path = format!("/{}", jobs.len());
        let url = format!("{}{path}", server.base_url());
        server.host(&path, ServerSpec::parse("mock/dual").unwrap(), scenario.script().into()).unwrap();
        jobs.push(serde_json::to_value(job(jobs.len() as u64, scenario, url)).unwrap());
    }
    assert!(jobs.len() > 20, "{} jobs", jobs.len());
    let schema = validator::<Job>();
    for job in &jobs {
        assert!(schema.validate(job).is_ok());
    }
    assert!(schema.validate(&with(&jobs[0], "/steps/0", serde_json::json!({"sing": {}}))).is_err());

    let mut written = Vec::new();
    let spec = ClientSpec::parse("mock/dual+auto").unwrap();
    timeout(PATIENCE, run_adapter(spec, lines(&jobs).as_bytes(), &mut written)).await.unwrap().unwrap();
    let mut answers: Vec<Value> =
        String::from_utf8(written).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    if let Some(rmcp) = installation().await {
        let command = rmcp.manifest().client.as_ref().map(|client| &client.command).unwrap();
        answers.extend(exchange(&rmcp.command(command), &jobs, jobs.len()).await.iter().map(json));
    }
    assert!(answers.len() == jobs.len() || answers.len() == 2 * jobs.len(), "{answers:?}");
    let schema = validator::<Answer>();
    for answer in &answers {
        assert!(schema.validate(answer).is_ok());
        let job = jobs.iter().find(|job| job["id"] == answer["id"]).unwrap();
        let steps = |message: &Value| message["steps"].as_array().map(Vec::len);
        assert_eq!(steps(answer), steps(job), "{answer}");
    }
    assert!(schema.validate(&with(&answers[0], "/steps/0", serde_json::json!({"seen": []}))).is_err());
}

#[tokio::test]
async fn what_a_server_adapter_reads_and_writes_is_valid() {
    let corpus = corpus();
    let (hosting_schema, script_schema) = (validator::<Hosting>(), validator::<Script>());
    let mut held = 0;
    for scenario in &corpus {
        // Half of a surrogate pair and the like are no `Value`; adapters that read no more say `unsupported`.
        let text = serde_json::to_string(&scenario.script()).unwrap();
        let Ok(script) = serde_json::from_str(&text) else { continue };
        held += 1;
        assert!(script_schema.validate(&script).is_ok());
        assert!(
            script_schema
                .validate(&with(&script, "/stages/0/tools/0/reply", serde_json::json!({"shrug": {}})))
                .is_err()
        );
    }
    assert!(held + 5 > corpus.len(), "only {held} of {} scripts could be read", corpus.len());
    let script = corpus.iter().find(|scenario| scenario.id.as_str() == "root-type/object").unwrap().script();
    let asked: Vec<Value> = [Some(script), None]
        .into_iter()
        .zip(0..)
        .map(|(script, id)| serde_json::to_value(Hosting { id, path: "/a".to_owned(), script }).unwrap())
        .collect();
    for hosting in &asked {
        assert!(hosting_schema.validate(hosting).is_ok());
    }
    assert!(hosting_schema.validate(&with(&asked[0], "/path", Value::Null)).is_err());

    let hosted_schema = validator::<Hosted>();
    assert!(hosted_schema.validate(&serde_json::json!({"unsupported": "no id"})).is_err());
    let Some(rmcp) = installation().await else { return };
    let command = rmcp.manifest().server.as_ref().and_then(|server| server.http.as_ref()).unwrap();
    let answers = exchange(&rmcp.command(command), &asked, 1 + asked.len()).await;
    assert!(answers[0].starts_with("http://127.0.0.1:"), "{}", answers[0]);
    for hosted in answers[1..].iter().map(json) {
        assert!(hosted_schema.validate(&hosted).is_ok());
    }
}

/// What an adapter answers, line by line, to what it is told.
async fn exchange(command: &[String], told: &[Value], answers: usize) -> Vec<String> {
    let mut adapter = Command::new(&command[0])
        .args(&command[1..])
        .env_remove(SCENARIO_VARIABLE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let (mut stdin, stdout) = (adapter.stdin.take().unwrap(), adapter.stdout.take().unwrap());
    let talk = async {
        stdin.write_all(lines(told).as_bytes()).await.unwrap();
        let mut lines = BufReader::new(stdout).lines();
        let mut read = Vec::new();
        while read.len() < answers {
            read.push(lines.next_line().await.unwrap().expect("an answer to everything"));
        }
        read
    };
    timeout(PATIENCE, talk).await.unwrap()
}

fn json(line: &String) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}
