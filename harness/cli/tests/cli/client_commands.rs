//! Clients that are only a command, as the official conformance suite runs them. Here the command is the mock client,
//! which ends with 1 where one of its steps failed, as such programs do.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::workshop::{PROGRAM, Ran, Workshop};

/// A run of one scenario with that command and the mock server.
fn play(workshop: &Workshop, scenario: &str, command: &str) -> Ran {
    let scenario = format!("--scenario={scenario}");
    let server = "--server=mock/dual";
    workshop.run(["run", "--no-peers", &scenario, server, "--timeout=3s", "--client-command", command])
}

/// A mock client that lists and calls.
fn mock(id: &str) -> String {
    format!("{PROGRAM} mock client --id {id} --timeout 3s --call add_numbers --url {{url}}")
}

/// The only cell of the last run.
fn cell(workshop: &Workshop) -> Value {
    let record = workshop.record();
    let cells = record["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 1, "{cells:#?}");
    cells[0].clone()
}

fn assert_cell(workshop: &Workshop, expected: &[(&str, &str)]) {
    let cell = cell(workshop);
    for (key, value) in expected {
        assert_eq!(cell[key].as_str().unwrap_or("null"), *value, "{key} of {cell:#}");
    }
}

#[test]
fn what_it_took_is_never_called_a_success() {
    let workshop = Workshop::new();
    play(&workshop, "root-type/array", &mock("mock/dual+auto")).ends_with(0);
    assert_cell(&workshop, &[("outcome", "unsupported"), ("rating", "skipped"), ("negotiated", "2026-07-28")]);
    let reason = cell(&workshop)["reason"].as_str().unwrap().to_owned();
    assert_eq!(reason, "command called `add_numbers` and ended; a command does not report what its user got.");
}

#[test]
fn an_invalid_result_tells_those_who_check_from_those_who_do_not() {
    let workshop = Workshop::new();
    play(&workshop, "invalid-result/wrong-type", &mock("mock/dual+auto")).ends_with(0);
    assert_cell(&workshop, &[("outcome", "caught"), ("rating", "works")]);
    play(&workshop, "invalid-result/wrong-type", &mock("mock/dual/skip+auto")).ends_with(1);
    assert_cell(&workshop, &[("outcome", "uncaught"), ("rating", "breaks"), ("fault", "client")]);
    assert_eq!(cell(&workshop)["findings"][0]["party"], "server", "it is the scenario that has the server do wrong");
}

#[test]
fn a_tool_error_says_nothing_of_who_was_told() {
    let workshop = Workshop::new();
    play(&workshop, "error-result/plain-text", &mock("mock/dual+auto")).ends_with(0);
    assert_cell(&workshop, &[("outcome", "unsupported"), ("rating", "skipped")]);
}

#[test]
fn a_refused_list_loses_the_server_and_its_message_is_kept() {
    let workshop = Workshop::new();
    play(&workshop, "root-type/array", &mock("mock/2025-11-25"))
        .ends_with(1)
        .shows(&["rejected the response to tools/list"]);
    assert_cell(&workshop, &[("outcome", "rejected"), ("blast_radius", "server"), ("negotiated", "2025-11-25")]);
}

/// A client that passes over the one tool that it cannot use, and calls the others.
#[test]
fn a_tool_that_is_passed_over_is_lost_alone() {
    let workshop = Workshop::new();
    let picky = workshop.write(
        "picky.sh",
        &format!(
            "{PROGRAM} mock client --id mock/dual/skip+auto --url $1 > listed.$$ || exit 1\n\
             grep -q odd_neighbour listed.$$ && exec {PROGRAM} mock client --id mock/dual/skip+auto --call add_numbers --url $1\n\
             echo 'error: no usable tool add_numbers' >&2\n\
             exit 1\n"
        ),
    );
    play(&workshop, "root-type/array", &format!("sh {}", picky.display()))
        .ends_with(1)
        .shows(&["no usable", "tool add_numbers"]);
    assert_cell(&workshop, &[("outcome", "rejected"), ("blast_radius", "tool")]);
}

/// The reason for which the only cell is skipped.
fn skipped(workshop: &Workshop) -> String {
    assert_cell(workshop, &[("outcome", "unsupported"), ("rating", "skipped")]);
    cell(workshop)["reason"].as_str().unwrap().to_owned()
}

#[test]
fn an_error_that_is_always_there_proves_nothing() {
    let workshop = Workshop::new();
    let grim = workshop
        .write("grim.sh", &format!("{} > /dev/null\nexit 1\n", mock("mock/dual/skip+auto").replace("{url}", "$1")));
    for scenario in ["invalid-result/wrong-type", "root-type/array"] {
        play(&workshop, scenario, &format!("sh {}", grim.display())).ends_with(0);
        let reason = skipped(&workshop);
        assert!(reason.contains("it ends with an error even after a valid answer"), "{reason}");
    }
}

#[test]
fn a_silence_that_is_always_there_proves_nothing() {
    let workshop = Workshop::new();
    let numb =
        workshop.write("numb.sh", &format!("{} > /dev/null\nexit 0\n", mock("mock/dual+auto").replace("{url}", "$1")));
    play(&workshop, "invalid-result/wrong-type", &format!("sh {}", numb.display())).ends_with(0);
    let reason = skipped(&workshop);
    assert!(reason.contains("it ends with 0 even when a call fails"), "{reason}");
    assert!(!cell(&workshop)["findings"].to_string().contains("client-validates"), "{:#}", cell(&workshop));
}

#[test]
fn who_never_calls_the_tool_has_not_refused_it() {
    let workshop = Workshop::new();
    let listing = workshop.write("lists.sh", &format!("{PROGRAM} mock client --id mock/dual+auto --url $1\nexit 1\n"));
    play(&workshop, "root-type/array", &format!("sh {}", listing.display())).ends_with(0);
    let reason = skipped(&workshop);
    assert!(reason.contains("it does not call `add_numbers` even when that is a plain tool"), "{reason}");
}

#[test]
fn a_command_that_is_none_or_does_nothing_or_never_ends_is_told_as_that() {
    let workshop = Workshop::new();
    play(&workshop, "root-type/object", "no-such-command-here").ends_with(1).shows(&["could not be started"]);
    assert_cell(&workshop, &[("outcome", "unreachable"), ("fault", "client")]);
    play(&workshop, "root-type/object", "true").ends_with(1).shows(&["never connected"]);
    assert_cell(&workshop, &[("outcome", "unreachable")]);
    let forever = "sh -c 'echo $$ > pid; sleep 1000'";
    let scenario = "--scenario=root-type/object";
    let args = ["run", "--no-peers", scenario, "--server=mock/dual", "--timeout=500ms", "--client-command", forever];
    workshop.run(args).ends_with(1);
    assert_cell(&workshop, &[("outcome", "hung"), ("fault", "client")]);
    let pid: i32 = std::fs::read_to_string(workshop.path().join("pid")).unwrap().trim().parse().unwrap();
    let is_there = || nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None).is_ok();
    // Whoever inherits it reaps it, and that may take a moment.
    let until = Instant::now() + Duration::from_secs(20);
    while is_there() && Instant::now() < until {
        std::thread::yield_now();
    }
    assert!(!is_there(), "nothing is left of it");
}

#[test]
fn what_it_cannot_play_is_left_out_with_the_reason() {
    let workshop = Workshop::new();
    play(&workshop, "chain/*", &mock("mock/dual+auto"))
        .ends_with(2)
        .says(&["a client that is only a command makes one"]);
}

#[test]
fn it_has_a_name_a_tool_of_its_own_and_a_baseline_like_any_client() {
    let workshop = Workshop::new();
    let cells = "invalid-result/wrong-type::my-sdk@1.0.0::mock/dual::http";
    workshop.write("known.toml", &format!("[[broken]]\ncells = \"{cells}\"\nreason = \"it does not validate\"\n"));
    let command = mock("mock/dual/skip+auto").replace("add_numbers", "sum");
    let args = [
        "run",
        "--no-peers",
        "--scenario=invalid-result/wrong-type",
        "--server=mock/dual",
        "--client-name=my-sdk@1.0.0",
        "--calls=sum",
        "--baseline=known.toml",
        "--junit=junit.xml",
        "--client-command",
        &command,
    ];
    workshop.run(args).ends_with(0).shows(&["1 known break"]);
    assert_cell(&workshop, &[("client", "my-sdk@1.0.0"), ("outcome", "uncaught")]);
    assert!(std::fs::read_to_string(workshop.path().join("junit.xml")).unwrap().contains(cells));
}

#[test]
fn mistakes_in_it_are_told() {
    let workshop = Workshop::new();
    play(&workshop, "root-type/object", " ").ends_with(2).says(&["--client-command is empty"]);
    let named = |name: &str| workshop.run(["run", "--no-peers", "--client-command=true", "--client-name", name]);
    named("mock/dual").ends_with(2).says(&["is the name of a mock"]);
    named("a b").ends_with(2).says(&["--client-name", "is not a peer id"]);
    workshop.run(["run", "--calls=x"]).ends_with(2).says(&["--client-command"]);
}
