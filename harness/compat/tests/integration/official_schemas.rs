//! Results on the wire validate against the official JSON Schema of the revision spoken, except where a scenario means
//! them not to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mcp_compat_model::transcript::Event;
use mcp_compat_model::{Era, Revision, Role, Transport};
use serde_json::Value;

use crate::support::{corpus, play, request};

/// Scenarios whose servers send, on purpose, what the official schema of some revision does not allow.
const MEANT: [&str; 16] = [
    "bad-schema/",
    "cache/missing-hints",
    "cache/odd-hints",
    "composition/boolean-member",
    "content-types/",
    "fallback/absent-content",
    "invalid-result/wrong-root",
    "null-absent/definition-members",
    "null-absent/list-meta",
    "null-absent/next-cursor",
    "null-absent/wire-members",
    "pagination/list-shape",
    "result-type/",
    "root-type/open-object",
    "structured-missing/null",
    "wrong-type/",
];

/// Where the official schemas are: beside the checkout, or where the variable says.
fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/spec");
    let folder = std::env::var_os("MCP_COMPAT_SPEC").map_or(beside, PathBuf::from);
    folder.join("2026-07-28.schema.json").is_file().then_some(folder)
}

/// The schema of one definition of a revision.
fn validator(folder: &Path, revision: Revision, definition: &str) -> jsonschema::Validator {
    let text = std::fs::read_to_string(folder.join(format!("{revision}.schema.json"))).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    let definitions = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
    assert!(schema[definitions].get(definition).is_some(), "{revision} has no {definition}");
    schema.as_object_mut().unwrap().remove("anyOf");
    schema["$ref"] = Value::from(format!("#/{definitions}/{definition}"));
    jsonschema::validator_for(&schema).unwrap()
}

#[tokio::test]
async fn what_the_mocks_send_is_valid_at_the_revision_spoken() {
    let Some(folder) = folder() else {
        eprintln!("skipped: no official schemas beside the checkout; MCP_COMPAT_SPEC names their folder");
        return;
    };
    let (mut checked, mut wrong) = (0, BTreeSet::new());
    for (client, revision) in [
        ("mock/2025-06-18", Revision::V2025_06_18),
        ("mock/2025-11-25", Revision::V2025_11_25),
        ("mock/2026-07-28", Revision::V2026_07_28),
    ] {
        let validators: BTreeMap<&str, _> = [("tools/list", "ListToolsResult"), ("tools/call", "CallToolResult")]
            .into_iter()
            .map(|(method, definition)| (method, validator(&folder, revision, definition)))
            .collect();
        let mut asked = request(&[], &[client], &["mock/dual"]);
        asked.transports = vec![Transport::Memory];
        let played = play(asked).await;
        for evidence in &played.evidence {
            let scenario = corpus().into_iter().find(|scenario| scenario.id == evidence.cell.scenario).unwrap();
            // A server that sends a later revision's result on an older session is what these scenarios are about.
            if MEANT.iter().any(|meant| scenario.id.as_str().starts_with(meant)) || scenario.since > revision {
                continue;
            }
            let mut methods = BTreeMap::new();
            for entry in &evidence.transcript.entries {
                let Event::Message { raw, .. } = &entry.event else { continue };
                let Ok(message) = serde_json::from_slice::<Value>(&raw.to_bytes()) else { continue };
                match entry.from {
                    Role::Client => {
                        let method = message["method"].as_str().unwrap_or_default().to_owned();
                        methods.insert(message["id"].to_string(), method);
                    }
                    Role::Server => {
                        let Some(result) = message.get("result") else { continue };
                        let method = methods.get(&message["id"].to_string()).map_or("", String::as_str);
                        let Some(validator) = validators.get(method) else { continue };
                        let errors: Vec<_> = validator
                            .iter_errors(result)
                            .map(|error| format!("{} {error}", error.instance_path()))
                            .collect();
                        if errors.is_empty() {
                            checked += 1;
                        } else {
                            wrong.insert(format!("{} {method} at {revision}: {errors:?}", scenario.id));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
    assert!(checked > 300, "only {checked} results were checked");
    assert_eq!(Revision::NEWEST.era(), Era::Modern);
}
