//! `hosts`: a host with one fault is told by the kind that shows it, and a right one by none.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::workshop::{PROGRAM, Ran, Workshop};

const MANIFEST: &str = r#"
id = "mock-host@1.0.0"
language = "python"
about = "A host of the tests"
revisions = ["2025-06-18"]
[host]
command = ["python3", "{peer}/mock_host.py", "{model}", '{server}', "FAULT"]
"#;

fn hosts(fault: &str, args: &[&str]) -> Ran {
    let workshop = Workshop::new();
    workshop.write("peers/hosts/mock/peer.toml", &MANIFEST.replace("FAULT", fault));
    workshop.write("peers/hosts/mock/mock_host.py", include_str!("mock_host.py"));
    workshop.run(["hosts"].into_iter().chain(args.iter().copied()))
}

/// The outcome and the damage of each kind, by its scenario.
fn outcomes(fault: &str) -> Value {
    let ran = hosts(fault, &["--json"]);
    let record: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}\n{}", ran.stderr));
    let cells = record["cells"].as_array().cloned().unwrap_or_default();
    cells
        .iter()
        .map(|cell| (cell["scenario"].as_str().unwrap_or_default().to_owned(), cell["outcome"].clone()))
        .collect()
}

/// A fault, and the kinds that change with it.
const FAULTS: [(&str, &[(&str, &str)]); 8] = [
    ("first-page", &[("pagination/second-page", "lost")]),
    ("drops-values", &[("fallback/prose", "prose"), ("fallback/empty-content", "lost")]),
    ("rounds", &[("number/large-integer[beyond-double]", "altered")]),
    ("hides-errors", &[("error-result/conforming", "masked")]),
    ("all-for-one", &[("root-type/array", "lost"), ("root-type/null", "lost")]),
    ("dies", &[("root-type/null", "unreachable")]),
    ("envelope", &[]),
    ("drops-links", &[("content-types/resource-link", "lost")]),
];

#[test]
fn a_fault_of_a_host_is_told_by_the_kind_that_shows_it() {
    let right = outcomes("");
    for (fault, changed) in FAULTS {
        let found = outcomes(fault);
        let mut expected = right.clone();
        for (scenario, outcome) in changed {
            assert_ne!(right[*scenario], json!(outcome), "{scenario}");
            expected[*scenario] = json!(outcome);
        }
        assert_eq!(found, expected, "{fault}");
    }
}

#[test]
fn the_table_says_what_the_model_reads() {
    hosts("drops-values", &[]).ends_with(0).shows(&[
        "The server sends           mock-host",
        "a value and its JSON text  value",
        "a value and other text     text",
        "a value alone              nothing",
        "a union as input           text",
        "revision                   2025-06-18",
    ]);
    hosts("cuts-unions", &[]).ends_with(0).shows(&["a union as input           cut"]);
}

/// A server with a value and no text, a null, and plain text, in this order.
const SERVER: &str = r#"
title = "Three tools of a shop"
why = "Hosts differ in what they hand on."
sources = ["https://modelcontextprotocol.io/specification/2025-11-25/server/tools"]

[[tool]]
definition = '{"name": "find-book", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}'
returns = '{"structuredContent": {"title": "Emma"}, "content": []}'

[[tool]]
definition = '{"name": "last_order", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}'
returns = '{"structuredContent": null, "content": [{"type": "text", "text": "null"}]}'

[[tool]]
definition = '{"name": "opening_hours", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}'
returns = '{"content": [{"type": "text", "text": "nine to five"}]}'
"#;

fn audit(fault: &str, args: &[&str]) -> Ran {
    let workshop = Workshop::new();
    workshop.write("peers/hosts/mock/peer.toml", &MANIFEST.replace("FAULT", fault));
    workshop.write("peers/hosts/mock/mock_host.py", include_str!("mock_host.py"));
    workshop.write("shop.toml", SERVER);
    let server = ["--", PROGRAM, "mock", "server", "--scenario", "shop.toml"];
    let options = ["audit", "--hosts", "--fail-on", "never"];
    workshop.run(options.into_iter().chain(args.iter().copied()).chain(server))
}

#[test]
fn an_audit_says_what_the_model_of_a_host_reads_of_each_tool() {
    audit("drops-values", &[]).ends_with(0).shows(&[
        "What the models of hosts read",
        "mock-host: the model reads nothing of what `find-book` returned",
        "Tool           mock-host",
        "find-book      nothing",
        "opening_hours  text",
        "revision       2025-06-18",
        "text        the text of the result, and no value",
    ]);
    audit("", &[]).ends_with(0).shows(&[
        "Every model is offered every tool, and reads every result.",
        "find-book      value",
        "last_order     text",
    ]);
}

#[test]
fn the_calls_after_one_that_ends_a_host_are_made_all_the_same() {
    let ran = audit("dies", &["--json"]);
    let audit: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}\n{}", ran.stderr));
    let tools = audit["hosts"][0]["tools"].as_array().cloned().unwrap_or_default();
    let read: Vec<_> = tools.iter().map(|tool| (&tool["tool"], &tool["result"]["outcome"])).collect();
    let expected = [
        (json!("find-book"), json!("intact")),
        (json!("last_order"), json!("unreachable")),
        (json!("opening_hours"), json!("intact")),
    ];
    assert_eq!(read, expected.iter().map(|(tool, outcome)| (tool, outcome)).collect::<Vec<_>>());
}

#[test]
fn a_host_that_ends_is_told_from_one_that_does_not_connect() {
    hosts("dies", &[]).ends_with(0).shows(&["null                       ends"]);
}

#[test]
fn a_host_that_never_asks_the_model_says_its_words() {
    for fault in ["waits", "no-model"] {
        hosts(fault, &[]).ends_with(0).shows(&["no session"]);
    }
}

/// Ways of hosts that are no fault of a result, and what is said of a plain value then.
const STRANGE: [(&str, &str); 6] = [
    ("ends-at-control", "value"),
    ("server-each-call", "value"),
    ("handshake-each-call", "value"),
    ("no-tools", "no tools"),
    ("silent", "no session"),
    ("other-tool", "text"),
];

#[test]
fn a_strange_host_is_measured_all_the_same() {
    for (fault, word) in STRANGE {
        hosts(fault, &[]).ends_with(0).shows(&[&format!("a value and its JSON text  {word}")]);
    }
}

#[test]
fn a_host_that_asks_for_ever_is_ended_and_what_its_model_read_counts() {
    hosts("for-ever", &["--timeout", "1s"]).ends_with(0).shows(&["a value and its JSON text  value"]);
}

#[test]
fn a_host_cannot_leave_this_machine() {
    let outside = TcpListener::bind("127.0.0.1:0").unwrap();
    outside.set_nonblocking(true).unwrap();
    let fault = format!("leaves:{}", outside.local_addr().unwrap().port());
    let is_isolated =
        std::process::Command::new("unshare").args(["--net", "true"]).status().is_ok_and(|status| status.success());
    hosts(&fault, &[]).ends_with(0);
    assert_eq!(outside.accept().is_err(), is_isolated);
}
