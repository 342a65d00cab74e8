//! The published JSON Schemas are current, and what really is written and read validates against them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use jsonschema::Validator;
use mcp_compat_audit::schema_lock::{Lock, ServerName, compare};
use mcp_compat_drive::cache_folder;
use mcp_compat_fleet::PeersFolder;
use mcp_compat_fleet::manifest::Manifest;
use mcp_compat_mocks::client::{ClientSpec, run_adapter};
use mcp_compat_mocks::server::{HttpServer, ServerSpec};
use mcp_compat_model::peer_contract::{Deadlines, Hosting, Job, SCENARIO_VARIABLE, ServerAddress};
use mcp_compat_model::{Revision, Transport};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::run::run;
use mcp_compat_run::store::Store;
use mcp_compat_selfcheck::schemas;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::real::{installation, rust_peers};
use crate::support::{corpus, request};

const PATIENCE: Duration = Duration::from_secs(10);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas")
}

/// A published schema, as it stands in its file.
pub(crate) fn published(name: &str) -> Validator {
    let text = fs::read_to_string(folder().join(format!("{name}.schema.json"))).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

#[track_caller]
pub(crate) fn assert_valid(schema: &Validator, instance: &Value) {
    let errors: Vec<_> =
        schema.iter_errors(instance).map(|error| format!("{} {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{instance}");
}

/// The value with what stands at `pointer` replaced.
fn with(instance: &Value, pointer: &str, value: Value) -> Value {
    let mut changed = instance.clone();
    *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("nothing at {pointer} in {instance}")) = value;
    changed
}

#[test]
fn the_published_schemas_are_current() {
    let update = std::env::var("UPDATE_GENERATED").is_ok_and(|value| value == "1");
    let mut expected = BTreeSet::new();
    for (name, schema) in schemas::ALL {
        let path = folder().join(format!("{name}.schema.json"));
        if update {
            fs::create_dir_all(folder()).unwrap();
            fs::write(&path, schema()).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(text, schema(), "{}: run the test again with UPDATE_GENERATED=1", path.display());
        expected.insert(path);
    }
    let files: BTreeSet<_> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_run_keeps_is_valid() {
    let scenarios = ["root-type/*", "drift/*", "error-result/*", "structured-missing/*", "ref/*"];
    let mut asked = request(&scenarios, &["mock/dual+auto", "mock/2025-11-25"], &["mock/dual"]);
    asked.transports = vec![Transport::Memory, Transport::Http];
    let run_it = asked.prepare(&PeerSet::mocks(), &corpus(), None).unwrap();
    let kept = tempfile::tempdir().unwrap();
    let mut store = Store::open(kept.path()).unwrap();
    let stop = CancellationToken::new();
    let record = run(run_it, &mut [&mut store], stop).await.unwrap();
    store.close(&record).unwrap();

    let schema = published("record");
    let written: Value = serde_json::from_str(&fs::read_to_string(kept.path().join("run.json")).unwrap()).unwrap();
    assert_valid(&schema, &written);
    assert!(!schema.is_valid(&with(&written, "/cells/0/outcome", "splendid".into())));
    assert!(!schema.is_valid(&with(&written, "/peers/0/revisions/0", "2025-11-26".into())));

    let schema = published("transcript");
    let lines = fs::read_to_string(kept.path().join("transcripts.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), record.cells.len() + 1, "each cell, and the footer");
    for line in &lines {
        assert_valid(&schema, line);
    }
    assert!(!schema.is_valid(&with(&lines[0], "/cell/transcript/0/from", "nobody".into())));
    assert!(!schema.is_valid(&with(&lines[lines.len() - 1], "/footer/cells", "all".into())));
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
    let schema = published("job");
    for job in &jobs {
        assert_valid(&schema, job);
    }
    assert!(!schema.is_valid(&with(&jobs[0], "/steps/0", serde_json::json!({"sing": {}}))));

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
    let schema = published("answer");
    for answer in &answers {
        assert_valid(&schema, answer);
        let job = jobs.iter().find(|job| job["id"] == answer["id"]).unwrap();
        let steps = |message: &Value| message["steps"].as_array().map(Vec::len);
        assert_eq!(steps(answer), steps(job), "{answer}");
    }
    assert!(!schema.is_valid(&with(&answers[0], "/steps/0", serde_json::json!({"seen": []}))));
}

#[tokio::test]
async fn what_a_server_adapter_reads_and_writes_is_valid() {
    let corpus = corpus();
    let (hosting_schema, script_schema) = (published("hosting"), published("script"));
    let mut held = 0;
    for scenario in &corpus {
        // Half of a surrogate pair and the like are no `Value`; adapters that read no more say `unsupported`.
        let text = serde_json::to_string(&scenario.script()).unwrap();
        let Ok(script) = serde_json::from_str(&text) else { continue };
        held += 1;
        assert_valid(&script_schema, &script);
        assert!(!script_schema.is_valid(&with(&script, "/stages/0/tools/0/reply", serde_json::json!({"shrug": {}}))));
    }
    assert!(held + 5 > corpus.len(), "only {held} of {} scripts could be read", corpus.len());
    let script = corpus.iter().find(|scenario| scenario.id.as_str() == "root-type/object").unwrap().script();
    let asked: Vec<Value> = [Some(script), None]
        .into_iter()
        .zip(0..)
        .map(|(script, id)| serde_json::to_value(Hosting { id, path: "/a".to_owned(), script }).unwrap())
        .collect();
    for hosting in &asked {
        assert_valid(&hosting_schema, hosting);
    }
    assert!(!hosting_schema.is_valid(&with(&asked[0], "/path", Value::Null)));

    let hosted_schema = published("hosted");
    assert!(!hosted_schema.is_valid(&serde_json::json!({"unsupported": "no id"})));
    let Some(rmcp) = installation().await else { return };
    let command = rmcp.manifest().server.as_ref().and_then(|server| server.http.as_ref()).unwrap();
    let answers = exchange(&rmcp.command(command), &asked, 1 + asked.len()).await;
    assert!(answers[0].starts_with("http://127.0.0.1:"), "{}", answers[0]);
    for hosted in answers[1..].iter().map(json) {
        assert_valid(&hosted_schema, &hosted);
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

#[test]
fn what_a_contract_keeps_and_says_is_valid() {
    let server = ServerName { name: "s".to_owned(), version: "1".to_owned() };
    let lock = |output: &str| {
        let tool = format!(r#"{{"name":"t","outputSchema":{{"type":{output}}}}}"#);
        let listing = [(Revision::V2026_07_28, vec![mcp_compat_json::Json::parse(&tool).unwrap()])];
        Lock::new(server.clone(), &listing.into()).unwrap()
    };
    let (old, new) = (lock(r#""object""#), lock(r#"["object","null"]"#));
    let schema = published("lock");
    let written: Value = serde_json::from_str(&old.to_text()).unwrap();
    assert_valid(&schema, &written);
    assert!(!schema.is_valid(&with(&written, "/revisions/0", "2026-07-29".into())));
    let schema = published("comparison");
    let said = serde_json::to_value(compare(&old, &new).unwrap()).unwrap();
    assert_valid(&schema, &said);
    assert!(!schema.is_valid(&with(&said, "/tools/0/changes/0/effect", "harmless".into())));
}

#[test]
fn the_manifests_of_the_peers_are_valid() {
    let schema = published("peer");
    let folder = PeersFolder::read(&rust_peers().join(".."), &cache_folder()).unwrap();
    assert!(folder.families().len() >= 4 && folder.fleet().len() >= 4);
    for family in folder.families() {
        let text = fs::read_to_string(&family.path).unwrap();
        let valid = |text: &str| schema.is_valid(&serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap());
        assert_valid(&schema, &serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap());
        for wrong in [text.replacen("2025-06-18", "2025-06-19", 1), text.replacen("language", "langauge", 1)] {
            assert!(Manifest::parse(&family.path, &wrong).is_err() && !valid(&wrong), "{wrong}");
        }
    }
}
