//! The peers are built alone: no feature that this workspace turns on reaches the SDK under test.
//!
//! Cargo unifies features over a build, and those of `serde_json` change what an SDK reads and writes.

use crate::skip::skipped;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use mcp_compat_json::Json;
use mcp_compat_model::Transport;
use mcp_compat_model::observation::Seen;
use serde_json::Value;

use crate::real::{cannot_fetch, rmcp, rust_peers};
use crate::support::{mocks_and, play_with, request};

/// What everybody gets who depends on `serde_json` and says nothing else.
const PLAIN: [&str; 3] = ["alloc", "default", "std"];

/// Features that SDKs ask for themselves, or get from the HTTP server that they ask for: axum has `raw_value`.
const OF_SDKS: [(&str, &[&str]); 3] = [
    ("pmcp", &["indexmap", "preserve_order", "raw_value"]),
    ("rust-mcp-sdk", &["raw_value"]),
    ("tower-mcp", &["indexmap", "preserve_order", "raw_value"]),
];

/// What would change values on their way through the SDK, or how deep they may go.
const TELLING: [&str; 5] = ["arbitrary_precision", "float_roundtrip", "preserve_order", "raw_value", "unbounded_depth"];

/// A number of 17 digits that `serde_json` reads as its neighbour, unless `float_roundtrip` is on.
const NUMBER: &str = "18894.988582774542";

/// What cargo resolves for a package on this machine; nothing, said aloud, where that needs a network.
fn resolved(folder: &Path) -> Option<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let version = Command::new(&cargo).arg("-vV").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let output = Command::new(&cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", host, "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && cannot_fetch(&log) {
        skipped(&log);
        return None;
    }
    assert!(output.status.success(), "{log}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// The features that `serde_json` is built with.
fn features(resolved: &Value) -> BTreeSet<&str> {
    let nodes = resolved["resolve"]["nodes"].as_array().unwrap();
    let is_it = |node: &&Value| node["id"].as_str().is_some_and(|id| id.contains("#serde_json@"));
    let nodes: Vec<&Value> = nodes.iter().filter(is_it).collect();
    assert_eq!(nodes.len(), 1, "one version of serde_json");
    nodes[0]["features"].as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

fn telling(features: &BTreeSet<&str>) -> Vec<&'static str> {
    TELLING.into_iter().filter(|feature| features.contains(feature)).collect()
}

/// The folders of the Rust peers; `contract` is what they share.
fn packages() -> Vec<PathBuf> {
    let folders = std::fs::read_dir(rust_peers()).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = folders.filter(|folder| folder.join("Cargo.toml").is_file()).collect();
    folders.sort();
    assert!(folders.len() >= 4, "{folders:?}");
    folders
}

#[test]
fn every_rust_peer_is_a_workspace_of_its_own_with_the_features_of_a_plain_user() {
    for folder in packages() {
        let Some(resolved) = resolved(&folder) else { return };
        let name = folder.display();
        assert_eq!(resolved["workspace_members"].as_array().unwrap().len(), 1, "{name}");
        assert_eq!(Path::new(resolved["workspace_root"].as_str().unwrap()), folder.canonicalize().unwrap(), "{name}");
        let features = features(&resolved);
        let of_sdk = OF_SDKS.iter().find(|(sdk, _)| folder.ends_with(sdk)).map_or(&[][..], |(_, features)| features);
        let expected: BTreeSet<&str> = PLAIN.iter().chain(of_sdk).copied().collect();
        assert!(features.contains("default") && features.is_subset(&expected), "{name}: {features:?}");
        // What the SDK's own dependencies turn on is what a user of the SDK gets; the adapter may turn on nothing.
        for package in resolved["packages"].as_array().unwrap().iter().filter(|package| package["source"].is_null()) {
            let dependencies = package["dependencies"].as_array().unwrap().iter();
            for asked in dependencies.filter(|dependency| dependency["name"] == "serde_json") {
                assert_eq!(asked["features"].as_array().unwrap().len(), 0, "{} in {name}", package["name"]);
            }
        }
    }
}

#[test]
fn a_peer_of_this_workspace_would_have_got_other_features() {
    let Some(resolved) = resolved(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")) else { return };
    let telling = telling(&features(&resolved));
    assert!(telling.contains(&"float_roundtrip") && telling.contains(&"raw_value"), "{telling:?}");
    let here: Value = serde_json::from_str(NUMBER).unwrap();
    assert_eq!(here.to_string(), NUMBER, "this program is built in this workspace");
}

#[tokio::test]
async fn the_sdk_reads_a_number_as_it_does_for_its_users() {
    let Some(peers) = rmcp().await else { return };
    let scenario = format!(
        r#"
title = "A number of 17 digits"
why = "Its value says which features the SDK was built with."
sources = ["https://docs.rs/serde_json"]

[[tool]]
definition = '''{{"name": "measure", "inputSchema": {{"type": "object"}}}}'''
returns = '''{{"structuredContent": {{"zeta": {NUMBER}, "alpha": 1}}, "content": []}}'''
"#
    );
    let scenarios = mcp_compat_scenario::load("number/features.toml", &scenario, &|_| None).unwrap();
    let scenarios: Vec<_> = scenarios.into_iter().map(Arc::new).collect();
    let mut asked = request(&[], &["rmcp@3.11.0+auto", "mock/dual+auto"], &["mock/dual"]);
    asked.transports = vec![Transport::Http];
    let played = play_with(mocks_and(peers), &scenarios, asked).await;
    let seen: Vec<String> = played
        .evidence
        .iter()
        .flat_map(|evidence| &evidence.observation.steps)
        .filter_map(|step| match step {
            Seen::Called(result) => result.structured.as_ref().map(Json::to_compact),
            Seen::Listed { .. } | Seen::Evolved { .. } | Seen::Failed(_) | Seen::NotReported {} => None,
        })
        .collect();
    let (by_the_mock, by_rmcp) =
        (r#"{"zeta":18894.988582774542,"alpha":1}"#, r#"{"alpha":1,"zeta":18894.988582774546}"#);
    assert_eq!(seen, [by_the_mock, by_rmcp], "neither `float_roundtrip` nor `preserve_order` is on in rmcp");
}
