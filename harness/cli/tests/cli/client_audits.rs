//! `audit --client`: any client program, told from the wire. Here it is the mock client as a command.

use serde_json::Value;

use crate::workshop::{PROGRAM, Ran, Workshop};

fn audit(workshop: &Workshop, options: &[&str], id: &str) -> Ran {
    let head = ["audit", "--client", "--timeout=5s"];
    let client = [PROGRAM, "mock", "client", "--id", id, "--call", "add_numbers", "--url", "{url}"];
    workshop.run(head.iter().chain(options).chain(&["--"]).chain(&client))
}

#[test]
fn a_sound_client_breaks_nothing() {
    let workshop = Workshop::new();
    let ran = audit(&workshop, &[], "mock/dual+auto").ends_with(0);
    ran.shows(&["mock/dual/wrap", "root-type/array", "2026-07-28  yes     yes     survives"]);
    assert!(!workshop.has_record(), "it leaves nothing behind");
}

#[test]
fn a_client_that_does_not_validate_is_told_so_first() {
    let ran = audit(&Workshop::new(), &[], "mock/dual/skip+auto").ends_with(1);
    ran.shows(&["1. THE CLIENT'S, SILENT: ", "accepted an invalid result", "client-validates (SHOULD)"]);
}

#[test]
fn what_fetches_a_reference_is_caught_at_it() {
    let ran = audit(&Workshop::new(), &["--json"], "sabotaged/fetches-ref").ends_with(1);
    let audit: Value = serde_json::from_str(&ran.stdout).unwrap();
    let probes = audit["servers"].as_array().unwrap().iter().flat_map(|visit| visit["probes"].as_array().unwrap());
    let fetching: Vec<_> = probes.filter(|probe| probe["fetched"] == true).collect();
    assert!(!fetching.is_empty());
    assert!(fetching.iter().all(|probe| probe["scenario"] == "ref/network[absolute]"), "{fetching:#?}");
    assert_eq!(audit["conclusions"][0]["is_the_clients"], true);
}

#[test]
fn an_older_client_is_not_blamed_for_what_servers_must_not_send_it() {
    let ran = audit(&Workshop::new(), &["--markdown"], "mock/2025-11-25").ends_with(0);
    ran.shows(&["# Client audit", "- the server's: ", "- nothing in common: ", "output-schema-object-root"]);
}

#[test]
fn a_client_that_never_calls_is_no_success() {
    let workshop = Workshop::new();
    let client = [PROGRAM, "mock", "client", "--id", "mock/dual+auto", "--url", "{url}"];
    let ran = workshop.run(["audit", "--client", "--timeout=5s", "--"].iter().chain(&client)).ends_with(1);
    let ran = ran
        .shows(&["1. THE CLIENT'S: the client never called `add_numbers`. Name the tool that it calls with --calls"]);
    assert!(!ran.stdout.contains("survives"), "nobody has seen that:\n{}", ran.stdout);
}

#[test]
fn wrong_input_is_told() {
    let workshop = Workshop::new();
    workshop.run(["audit", "--client"]).ends_with(2).says(&["audit --client -- COMMAND {url}"]);
    let ran = workshop.run(["audit", "--client", "--", "no-such-program-here"]).ends_with(2);
    ran.says(&["`no-such-program-here` connected to no server: ", "cannot start"]);
    let ran = workshop.run(["audit", "--client", "--", "true", "--token", "SEKRIT"]).ends_with(2);
    let ran = ran.says(&[
        "`true --token ***` connected to no server: the command never connected, and ended with exit status 0. \
         mcp-compat passes the address as the last argument, or in place of {url}",
    ]);
    assert!(!ran.stderr.contains("SEKRIT"), "{}", ran.stderr);
    workshop.run(["audit", "--client", "--", "absent/peer.toml"]).ends_with(2).says(&["absent/peer.toml"]);
}
