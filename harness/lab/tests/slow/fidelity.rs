//! A profile held against a fake peer, which is the profile itself under another name, or another mock.

use serde_json::Value;

use crate::workshop::{PROGRAM, Ran, Workshop};

/// The manifest of a peer that is one of the mocks.
fn manifest(client: &str, server: &str) -> String {
    format!(
        r#"
id = "fake@1.0.0"
language = "rust"
about = "a mock under another name"
revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]

[client]
command = ["{PROGRAM}", "mock", "client", "--adapter", "--id", "{client}"]
modes = ["legacy", "auto"]

[server]
stdio = ["{PROGRAM}", "mock", "server", "--adapter", "--id", "{server}"]
http = ["{PROGRAM}", "mock", "server", "--adapter", "--http", "--id", "{server}"]
"#
    )
}

fn fidelity(client: &str, options: &[&str]) -> Ran {
    let workshop = Workshop::new();
    workshop.write("peer.toml", &manifest(client, "profile/rmcp@3"));
    let peers = ["fidelity", "profile/rmcp@3", "peer.toml"];
    // Of a number that is too large for it, the profile says nothing at all: each such cell takes this long, twice.
    let cells = ["--scenario=number/*", "--scenario=root-type/object", "--timeout=1s"];
    workshop.run(peers.iter().chain(&cells).chain(options))
}

#[test]
fn a_peer_that_does_what_the_profile_says_is_equal_in_every_cell() {
    fidelity("profile/rmcp@3", &["--at-least=100"]).ends_with(0).shows(&[
        "client profile/rmcp@3+legacy and fake@1.0.0+legacy, with mock/dual",
        "client profile/rmcp@3+auto and fake@1.0.0+auto, with mock/dual",
        "server profile/rmcp@3 and fake@1.0.0, with mock/dual+auto",
        "server profile/rmcp@3 and fake@1.0.0, with mock/2025-11-25",
        "over stdio, http",
        "equal (100.0 %)",
    ]);
}

#[test]
fn each_difference_is_told_with_both_outcomes_and_fails_a_threshold() {
    let ran = fidelity("mock/dual/skip", &["--server=mock/dual", "--transport=stdio"]).ends_with(1);
    ran.says(&["fewer than 90 in a hundred cells are equal"]).shows(&[
        "number/decimal[many-digits]  stdio",
        "step 2 (call get_measure): altered with the profile, intact with the real peer",
        "profile  altered",
        "real     intact",
    ]);
    let lenient = fidelity("mock/dual/skip", &["--server=mock/dual", "--transport=stdio", "--at-least=1"]);
    lenient.ends_with(0);
}

#[test]
fn a_program_and_a_page_get_the_same() {
    let options = ["--server=mock/dual", "--transport=stdio", "--at-least=0"];
    let json = fidelity("mock/dual/skip", &[&options[..], &["--json"]].concat()).ends_with(0);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let side = &json["sides"][0];
    assert_eq!((&side["role"], &side["profile"]), (&"client".into(), &"profile/rmcp@3+legacy".into()));
    let differences = side["differences"].as_array().unwrap();
    let cells = side["cells"].as_u64().unwrap();
    assert_eq!(cells - side["equal"].as_u64().unwrap(), differences.len() as u64);
    assert!(differences.iter().all(|difference| difference["transports"] == serde_json::json!(["stdio"])));
    let page = fidelity("mock/dual/skip", &[&options[..], &["--markdown"]].concat());
    page.ends_with(0)
        .shows(&["# Fidelity", "| client | `profile/rmcp@3+legacy` | `fake@1.0.0+legacy` | `mock/dual` |"]);
}

#[test]
fn one_mode_can_be_asked_for() {
    let workshop = Workshop::new();
    workshop.write("peer.toml", &manifest("profile/rmcp@3", "profile/rmcp@3"));
    let options = ["--scenario=root-type/object", "--server=mock/dual", "--transport=stdio"];
    let ran = workshop.run(["fidelity", "profile/rmcp@3+auto", "peer.toml"].iter().chain(&options));
    let ran = ran.ends_with(0).shows(&["fake@1.0.0+auto"]);
    assert!(!ran.stdout.contains("+legacy"), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let workshop = Workshop::new();
    workshop.write("peer.toml", &manifest("profile/rmcp@3", "profile/rmcp@3"));
    workshop
        .run(["fidelity", "profile/rmpc@3", "peer.toml", "--scenario=root-type/object"])
        .ends_with(2)
        .says(&["no profile matches \"profile/rmpc@3\"; did you mean profile/rmcp@3?", "profile/typescript@1"]);
    workshop
        .run(["fidelity", "profile/typescript@1+auto", "peer.toml", "--scenario=root-type/object"])
        .ends_with(2)
        .says(&["no profile matches \"profile/typescript@1+auto\"; did you mean"]);
    workshop
        .run(["fidelity", "profile/rmcp@3+modern", "peer.toml", "--scenario=root-type/object"])
        .ends_with(2)
        .says(&["profile/rmcp@3+modern and peer.toml have no role and no mode in common"]);
    workshop.run(["fidelity", "profile/rmcp@3", "none.toml"]).ends_with(2).says(&["none.toml"]);
    workshop
        .run(["fidelity", "profile/rmcp@3", "peer.toml", "--scenario=nothing"])
        .ends_with(2)
        .says(&["no scenario matches"]);
}
