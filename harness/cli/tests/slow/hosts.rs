//! `hosts`: a host with one fault is told by the kind that shows it, and a right one by none.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::workshop::{Ran, Workshop};

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
const FAULTS: [(&str, &[(&str, &str)]); 7] = [
    ("first-page", &[("pagination/second-page", "lost")]),
    ("drops-values", &[("fallback/prose", "prose"), ("fallback/empty-content", "lost")]),
    ("rounds", &[("number/large-integer[beyond-double]", "altered")]),
    ("hides-errors", &[("error-result/conforming", "masked")]),
    ("all-for-one", &[("root-type/array", "lost"), ("root-type/null", "lost")]),
    ("dies", &[("root-type/null", "unreachable")]),
    ("envelope", &[("content-types/resource-link", "intact")]),
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
        "revision                   2025-06-18",
    ]);
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
