//! Real peers in runs: those of the fleet that are there, those that a run sets up by itself, and those that are named.

use serde_json::Value;

use crate::family::{Family, fleet, shared, workshop};
use crate::workshop::{Ran, Workshop};

const LOGGED: &str = "echo {version} >> {build}/log";

/// Plays one scenario with a selection, over standard streams.
fn play(workshop: &Workshop, selection: &[&str]) -> Ran {
    let args = ["run", "--scenario=root-type/object", "--transport=stdio", "--coverage=full", "--timeout=20s"];
    workshop.run(args.iter().chain(selection))
}

fn cells(workshop: &Workshop) -> Vec<(String, String, String)> {
    let text = |cell: &Value, key: &str| cell[key].as_str().unwrap().to_owned();
    let record = workshop.record();
    let cell = |cell: &Value| (text(cell, "client"), text(cell, "server"), text(cell, "outcome"));
    record["cells"].as_array().unwrap().iter().map(cell).collect()
}

fn own(client: &str, server: &str) -> (String, String, String) {
    (client.to_owned(), server.to_owned(), "intact".to_owned())
}

#[test]
fn whoever_is_there_plays_and_the_others_are_told() {
    let workshop = workshop(&Family::of(LOGGED));
    workshop.run(["peers", "install", "sdk@2.0.0"]).ends_with(0);
    let ran = play(&workshop, &["--client=sdk@*", "--server=mock/2025-11-25"]).ends_with(0);
    ran.says(&["Skipping 1 SDK release that is not installed (sdk@1.0.0). Install with `mcp-compat peers install`."]);
    assert_eq!(cells(&workshop), [own("sdk@2.0.0", "mock/2025-11-25")]);
    let ran = play(&workshop, &["--client=mock/2025-11-25", "--server=mock/2025-11-25"]).ends_with(0);
    assert!(!ran.stderr.contains("not installed"), "{}", ran.stderr);
}

#[test]
fn the_server_of_the_typed_api_is_a_peer_of_its_own() {
    let workshop = workshop(&Family::of(LOGGED));
    workshop.run(["peers", "install", "sdk@2.0.0"]).ends_with(0);
    play(&workshop, &["--client=mock/2025-11-25", "--server=sdk@2.0.0*"]).ends_with(0);
    let expected = [own("mock/2025-11-25", "sdk@2.0.0"), own("mock/2025-11-25", "sdk@2.0.0/typed")];
    assert_eq!(cells(&workshop), expected);
}

#[test]
fn who_is_named_and_not_there_is_told_with_the_command_that_sets_it_up() {
    let workshop = workshop(&Family::of(LOGGED));
    let server = "--server=mock/2025-11-25";
    let refused = |client: &str| play(&workshop, &[client, server]).ends_with(2);
    refused("--client=sdk@1.0.0")
        .says(&["sdk@1.0.0 is not installed", "Install it with `mcp-compat peers install sdk@1.0.0`"]);
    refused("--client=sdk@1.7.0")
        .says(&["sdk@1.7.0 is not installed. Install it with `mcp-compat peers install sdk@1.7.0`"]);
    refused("--client=sdk@*").says(&["no release that matches `sdk@*` is installed", "install sdk@1.0.0 sdk@2.0.0`"]);
    refused("--client=sdk@1").says(&["sdk@1 names no release: its version has at least three numbers"]);
    refused("--client=sdk@3.0.0").says(&["no adapter serves sdk@3.0.0", "`>=1.0.0, <3.0.0`"]);
    refused("--client=skd@1.0.0").says(&["no client matches \"skd@1.0.0\""]);
    assert!(!workshop.has_record());
    workshop.run(["peers", "install", "sdk@1.0.0"]).ends_with(0);
    workshop.write("peers/sh/sdk/changed", "since");
    refused("--client=sdk@1.0.0").says(&["or its adapter has changed since", "peers install sdk@1.0.0"]);
}

#[test]
fn a_release_beyond_the_fleet_plays_when_it_is_named() {
    let workshop = workshop(&Family::of(LOGGED));
    workshop.run(["peers", "install", "sdk@1.7.0", "sdk@2.0.0"]).ends_with(0);
    play(&workshop, &["--server=mock/2025-11-25", "--client=sdk@1.7.0"]).ends_with(0);
    assert_eq!(cells(&workshop), [own("sdk@1.7.0", "mock/2025-11-25")]);
    play(&workshop, &["--server=mock/2025-11-25", "--fleet"]);
    let clients: Vec<String> = cells(&workshop).into_iter().map(|(client, ..)| client).collect();
    assert!(clients.contains(&"sdk@2.0.0".to_owned()) && !clients.contains(&"sdk@1.7.0".to_owned()), "{clients:?}");
}

#[test]
fn the_same_peers_play_whatever_is_installed() {
    let workshop = workshop(&Family::of(LOGGED));
    let clients = |args: &[&str]| {
        play(&workshop, args);
        let cells = cells(&workshop);
        cells.into_iter().map(|(client, ..)| client).collect::<std::collections::BTreeSet<_>>()
    };
    let before = clients(&["--server=mock/2025-11-25"]);
    workshop.run(["peers", "install", "sdk@1.7.0", "sdk@2.0.0"]).ends_with(0);
    assert_eq!(clients(&["--server=mock/2025-11-25"]), before);
    let named = clients(&["--client=sdk@2.0.0"]);
    assert!(named.len() == 1 && named.contains("sdk@2.0.0"), "{named:?}");
    let servers: Vec<String> = cells(&workshop).into_iter().map(|(_, server, _)| server).collect();
    assert!(servers.iter().all(|server| server.starts_with("mock/")), "named as a client only: {servers:?}");
}

#[test]
fn a_run_sets_up_whoever_is_marked_for_it() {
    let workshop = workshop(&Family::of(LOGGED));
    fleet(&workshop, &["sdk@1.0.0"]);
    let list = std::fs::read_to_string(workshop.path().join("peers/fleet.toml")).unwrap();
    workshop.write("peers/fleet.toml", &format!("{list}at-run = true\n"));
    let ran = play(&workshop, &["--client=mock/2025-11-25", "--server=mock/2025-11-25"]).ends_with(0);
    assert!(!ran.stderr.contains("setting up"), "{}", ran.stderr);
    let ran = play(&workshop, &["--client=sdk@1.0.0", "--server=mock/2025-11-25"]).ends_with(0);
    ran.says(&["installing sdk@1.0.0 (once; it is kept)"]);
    assert_eq!(shared(&workshop, "log"), "1.0.0\n");
}

#[test]
fn a_manifest_that_is_named_is_set_up_in_the_release_that_is_named_with_it() {
    let workshop = workshop(&Family::of(LOGGED));
    play(&workshop, &["--client=peers/sh/sdk/peer.toml@1.8.0", "--server=mock/2025-11-25"]).ends_with(0);
    assert_eq!(cells(&workshop), [own("sdk@1.8.0", "mock/2025-11-25")]);
    let ran = play(&workshop, &["--client=peers/sh/sdk/peer.toml", "--server=mock/2025-11-25"]).ends_with(2);
    ran.says(&["serves the releases `>=1.0.0, <3.0.0`: name one of them, as in peers/sh/sdk/peer.toml@VERSION"]);
}
