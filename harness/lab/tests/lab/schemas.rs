//! The published JSON Schemas are current, and what is written validates against them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use mcp_compat_audit::probe::{ProbeTimeouts, ServerName};
use mcp_compat_audit::schema_lock::{Lock, compare};
use mcp_compat_audit::server::{AuditOptions, audit};
use mcp_compat_cli::SchemaFormat;
use mcp_compat_drive::files::cache_folder;
use mcp_compat_fleet::manifest::Manifest;
use mcp_compat_fleet::{Cache, PeersFolder};
use mcp_compat_model::{Revision, Transport};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::run::run;
use mcp_compat_run::store::Store;
use mcp_compat_schema::validator::{Options, Validator};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::own_server::OwnServer;
use crate::support::{corpus, request};

/// The value with what stands at `pointer` replaced.
fn with(instance: &Value, pointer: &str, value: Value) -> Value {
    let mut changed = instance.clone();
    *changed.pointer_mut(pointer).unwrap_or_else(|| panic!("nothing at {pointer} in {instance}")) = value;
    changed
}

/// Returns the validator of the schema of a format.
fn validator(format: SchemaFormat) -> Validator {
    Options::default().compile(&format.schema().parse().unwrap()).unwrap()
}

/// The formats whose schema is also a file, `harness/schemas/NAME.schema.json`.
const COMMITTED: [SchemaFormat; 7] = [
    SchemaFormat::Answer,
    SchemaFormat::Config,
    SchemaFormat::Job,
    SchemaFormat::Peer,
    SchemaFormat::Record,
    SchemaFormat::Script,
    SchemaFormat::Transcript,
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas")
}

#[test]
fn the_published_schemas_are_current() {
    let update = std::env::var("UPDATE_GENERATED").is_ok_and(|value| value == "1");
    let mut expected = BTreeSet::new();
    for format in COMMITTED {
        let name = format.to_possible_value().unwrap();
        let path = folder().join(format!("{}.schema.json", name.get_name()));
        let schema = format.schema();
        if update {
            fs::create_dir_all(folder()).unwrap();
            fs::write(&path, &schema).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(text, schema, "{}: run the test again with UPDATE_GENERATED=1", path.display());
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

    let schema = validator(SchemaFormat::Record);
    let written: Value = serde_json::from_str(&fs::read_to_string(kept.path().join("run.json")).unwrap()).unwrap();
    assert_eq!(schema.validate(&written), Ok(()));
    assert!(schema.validate(&with(&written, "/cells/0/outcome", "splendid".into())).is_err());
    assert!(schema.validate(&with(&written, "/peers/0/revisions/0", "2025-11-26".into())).is_err());

    let schema = validator(SchemaFormat::Transcript);
    let lines = fs::read_to_string(kept.path().join("transcripts.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), record.cells.len() + 1, "each cell, and the footer");
    for line in &lines {
        assert_eq!(schema.validate(line), Ok(()));
    }
    assert!(schema.validate(&with(&lines[0], "/evidence/wire/0/at", "soon".into())).is_err());
    assert!(schema.validate(&with(&lines[lines.len() - 1], "/footer/cells", "all".into())).is_err());
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
    let schema = validator(SchemaFormat::Lock);
    let written: Value = serde_json::from_str(&old.to_text()).unwrap();
    assert_eq!(schema.validate(&written), Ok(()));
    assert!(schema.validate(&with(&written, "/revisions/0", "2026-07-29".into())).is_err());
    let schema = validator(SchemaFormat::Comparison);
    let said = serde_json::to_value(compare(&old, &new).unwrap()).unwrap();
    assert_eq!(schema.validate(&said), Ok(()));
    assert!(schema.validate(&with(&said, "/tools/0/changes/0/effect", "harmless".into())).is_err());
}

#[test]
fn the_manifests_of_the_peers_are_valid() {
    let schema = validator(SchemaFormat::Peer);
    let folder = PeersFolder::read(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers"),
        &Cache::of_project(&cache_folder()),
    )
    .unwrap();
    assert!(folder.families().len() >= 4 && folder.fleet().len() >= 4);
    for family in folder.families() {
        let text = fs::read_to_string(&family.path).unwrap();
        let valid =
            |text: &str| schema.validate(&serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()).is_ok();
        assert_eq!(schema.validate(&serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap()), Ok(()));
        let wrong = [text.replacen("2024-11-05", "2024-11-06", 1), text.replacen("language", "langauge", 1)];
        for wrong in wrong.into_iter().filter(|wrong| *wrong != text) {
            assert!(Manifest::parse(&family.path, &wrong).is_err() && !valid(&wrong), "{wrong}");
        }
    }
}

#[tokio::test]
async fn what_an_audit_writes_validates_against_the_published_schema() {
    let reads = r#""annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}"#;
    let definition = format!(r#"{{"name":"look",{reads},"outputSchema":{{"type":"array"}}}}"#);
    let server = OwnServer::with_tool(&definition, r#"{"structuredContent":[1],"content":[]}"#);
    let timeouts = ProbeTimeouts::default();
    let audited = audit(server.target(), &AuditOptions::default(), timeouts, |_| {}, &mut |_, _, _| {}).await.unwrap();
    let schema = validator(SchemaFormat::Audit);
    assert_eq!(schema.validate(&serde_json::to_value(&audited.audit).unwrap()), Ok(()));
    assert!(schema.validate(&serde_json::json!({"audit_version": 1})).is_err());
}
