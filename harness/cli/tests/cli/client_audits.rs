//! `audit-client`: any client program, told from the wire. Here it is the mock client as a command.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::workshop::{PROGRAM, Ran, Workshop, to_its_end};

/// The call of a sound client.
const CALL: &str = r#"add_numbers={"a":5,"b":3}"#;

fn audit(workshop: &Workshop, options: &[&str], id: &str) -> Ran {
    let head = ["audit-client", "--timeout=5s"];
    let client = [PROGRAM, "mock", "client", "--id", id, "--call", CALL, "--url", "{url}"];
    workshop.run(head.iter().chain(options).chain(&["--"]).chain(&client))
}

#[test]
fn a_sound_client_breaks_nothing() {
    let workshop = Workshop::new();
    let ran = audit(&workshop, &[], "mock/dual+auto").ends_with(0);
    ran.shows(&[
        "mock/dual/text-only",
        "12      12      10         7  mock/dual",
        "Not tested: mock/dual/omit and mock/dual/wrap",
    ]);
    assert!(!workshop.has_record(), "it leaves nothing behind");
}

#[test]
fn a_client_that_does_not_validate_is_told_so_first() {
    let ran = audit(&Workshop::new(), &["--fail-on=warning"], "mock/dual/skip+auto").ends_with(1);
    ran.shows(&[
        "1. client, without an error: ",
        "accepted an invalid result",
        "severity   warning",
        "SHOULD, mcp-compat explain client-validates",
    ]);
    audit(&Workshop::new(), &[], "mock/dual/skip+auto").ends_with(0);
}

#[test]
fn a_client_that_starts_its_server_gets_the_command_of_it() {
    let head = ["audit-client", "--timeout=5s", "--", PROGRAM, "mock", "client", "--id", "mock/dual+auto"];
    let ran = Workshop::new().run(head.iter().chain(&["--call", CALL, "--", "{server}"])).ends_with(0);
    let ran = ran.shows(&["0 errors, 0 warnings, 2 notes", "12      12      10         7  mock/dual"]);
    assert!(!ran.stdout.contains("mock/dual/sse"), "over stdio there are no event streams:\n{}", ran.stdout);
}

#[test]
fn what_a_client_reports_is_judged() {
    let workshop = Workshop::new();
    let line = |line: &str| audit_of_script(&workshop, &format!("ended=$?; echo '{line}'; exit $ended"));
    let ran = line(r#"{"structured": 7, "content": [], "isError": false}"#).ends_with(1);
    ran.shows(&["returned a value that differs", "severity   error"]);
    let ran = line(r#"{"isError": "no"}"#).ends_with(0);
    ran.shows(&["The client printed a line with its result that cannot be used: `isError` is neither"]);
}

#[test]
fn an_error_that_is_shown_as_a_success_is_named() {
    let script = format!(
        "'{PROGRAM}' mock client --id mock/dual+auto --call add_numbers --url {{url}} | grep -o 'No station[^\"]*'; exit 0"
    );
    let ran = Workshop::new().run(["audit-client", "--timeout=5s", "--fail-on=warning", "--", "sh", "-c", &script]);
    ran.ends_with(1).shows(&["your-client presented the error of `add_numbers` as a success."]);
}

#[test]
fn a_baseline_knows_what_is_broken() {
    let workshop = Workshop::new();
    let client =
        [PROGRAM, "mock", "client", "--id", "sabotaged/fetches-ref", "--call", "add_numbers", "--url", "{url}"];
    let words = || ["audit-client", "--timeout=5s", "--baseline=known.toml", "--"].into_iter().chain(client);
    to_its_end(workshop.command(words()).env("MCP_COMPAT_BASELINE", "update").spawn().unwrap()).ends_with(0);
    workshop.run(words()).ends_with(0).shows(&["severity   error, known by the baseline"]);
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
    let ran = ran.shows(&[
        "# Client audit",
        "- server: ",
        "- no common revision: ",
        "output-schema-object-root",
        "## `mock/dual/omit`",
    ]);
    assert!(!ran.stdout.contains("Not tested"), "{}", ran.stdout);
}

#[test]
fn a_client_that_never_calls_is_no_success() {
    let workshop = Workshop::new();
    let client = [PROGRAM, "mock", "client", "--id", "mock/dual+auto", "--url", "{url}"];
    let ran = workshop.run(["audit-client", "--timeout=5s", "--"].iter().chain(&client)).ends_with(1);
    let ran = ran.shows(&[
        "1. client: the client never called `add_numbers`: it got a list of tools at",
        "Name the tool that it calls with --calls",
    ]);
    assert!(!ran.stdout.contains("survives"), "nobody has seen that:\n{}", ran.stdout);
    let other = client.iter().chain(&["--call", "ad_numbers"]);
    let ran = workshop.run(["audit-client", "--timeout=5s", "--"].iter().chain(other)).ends_with(1);
    ran.shows(&["the client never called `add_numbers`. It called `ad_numbers`."]);
}

/// A client that the mock client is the first part of.
fn audit_of_script(workshop: &Workshop, then: &str) -> Ran {
    let script = format!("'{PROGRAM}' mock client --id mock/dual+auto --call add_numbers --url {{url}}; {then}");
    workshop.run(["audit-client", "--timeout=5s", "--", "sh", "-c", &script])
}

#[test]
fn a_client_that_fails_whatever_it_is_given_is_no_success() {
    let ran = audit_of_script(&Workshop::new(), "exit 1").ends_with(1);
    ran.shows(&["client: ", "the client ends with an error even after a valid answer"]);
}

#[test]
fn wrong_input_is_told() {
    let workshop = Workshop::new();
    workshop.run(["audit-client"]).ends_with(2).says(&["audit-client -- COMMAND {url}"]);
    let ran = workshop.run(["audit-client", "--", "no-such-program-here"]).ends_with(2);
    ran.says(&["`no-such-program-here` connected to no server: ", "cannot start"]);
    let ran = workshop.run(["audit-client", "--", "true", "--token", "SEKRIT"]).ends_with(2);
    let ran = ran.says(&[
        "`true --token ***` connected to no server: the command never connected, and ended with exit status 0. \
         mcp-compat passes the address as the last argument, or in place of {url}",
    ]);
    assert!(!ran.stderr.contains("SEKRIT"), "{}", ran.stderr);
    workshop.run(["audit-client", "--", "absent/peer.toml"]).ends_with(2).says(&["absent/peer.toml"]);
}

/// The places where something is the client's, as an audit says it.
fn audited(audit: &Value) -> BTreeSet<(String, String)> {
    let conclusions = audit["conclusions"].as_array().unwrap().iter();
    let of_losses = conclusions.filter(|it| it["is_the_clients"] == true && it["fault"].is_string());
    let places = of_losses.flat_map(|it| it["seen"].as_array().unwrap());
    places.map(|place| (text(&place["scenario"]), text(&place["server"]))).collect()
}

/// The same, as a run says it.
fn ran(record: &Value) -> BTreeSet<(String, String)> {
    let cells = record["cells"].as_array().unwrap().iter();
    let is_the_clients =
        |cell: &&Value| cell["rating"] == "breaks" && ["client", "both"].contains(&&*text(&cell["fault"]));
    cells.filter(is_the_clients).map(|cell| (text(&cell["scenario"]), text(&cell["server"]))).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A client that shares no revision with a server has no break with it, and a client that accepts what is invalid, or
/// fetches what a schema names, has one: `run` and `audit` say the same of each scenario with each server.
#[test]
fn run_and_audit_agree_on_what_is_the_clients() {
    for (id, breaks) in [("mock/dual/skip+auto", true), ("mock/2025-11-25", false), ("sabotaged/fetches-ref", true)] {
        let workshop = Workshop::new();
        let audit: Value = serde_json::from_str(&audit(&workshop, &["--json"], id).stdout).unwrap();
        // With the servers that answer with event streams, one probe is played.
        let whole = |visit: &&Value| !text(&visit["server"]).contains("/sse");
        let visits: Vec<&Value> = audit["servers"].as_array().unwrap().iter().filter(whole).collect();
        let servers = visits.iter().map(|visit| format!("--server={}", text(&visit["server"])));
        let probes = visits[0]["probes"].as_array().unwrap();
        let probes = probes.iter().map(|probe| format!("--scenario={}", text(&probe["scenario"])));
        let client = format!("{PROGRAM} mock client --id {id} --call add_numbers --url {{url}}");
        let head = ["run", "--no-peers", "--timeout=5s", "--client-command", &client].map(str::to_owned);
        workshop.run(head.into_iter().chain(servers).chain(probes));
        let by_run = ran(&workshop.record());
        assert_eq!(by_run, audited(&audit), "{id}");
        assert_eq!(!by_run.is_empty(), breaks, "{id}: {by_run:?}");
    }
}
