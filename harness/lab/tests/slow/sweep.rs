//! `sweep` and `support`: the ends of a family and each change are played, the rest is inferred, and the file says
//! which is which.

use serde_json::Value;

use crate::sdk::{SDK, log};
use crate::workshop::{PROGRAM, Workshop};

/// The statement about arrays of the clients of the family.
fn statement(workshop: &Workshop) -> Value {
    let ran = workshop.run(["support", "root-type/array", "--json", "--data=support.json"]).ends_with(0);
    let data: Value = serde_json::from_str(&ran.stdout).unwrap();
    let statements = data["statements"].as_array().unwrap();
    statements.iter().find(|statement| statement["role"] == "client").unwrap().clone()
}

/// `from to mode rating played inferred` of each range.
fn ranges(statement: &Value) -> Vec<String> {
    let told = |range: &Value| {
        ["from", "to", "mode", "rating", "played", "inferred"]
            .map(|key| range[key].to_string())
            .join(" ")
            .replace('"', "")
    };
    statement["ranges"].as_array().unwrap().iter().map(told).collect()
}

#[test]
fn the_ends_of_each_line_and_each_change_are_played_and_the_rest_is_inferred() {
    let workshop = SDK.workshop();
    let ran = workshop.run(["sweep", "sdk"]).ends_with(0);
    assert_eq!(log(&workshop), ["1.0.0", "1.10.0", "2.0.0", "2.1.0"]);
    ran.shows(&["sdk: 6 releases, 0 of them installed", "sdk@2.1.0: ", "4 of 6 releases played;"]);
    let expected = ["1.0.0 1.10.0 null breaks 2 2", "2.0.0 2.1.0 legacy works 2 0", "2.0.0 2.1.0 auto works 2 0"];
    assert_eq!(ranges(&statement(&workshop)), expected);
    let ran = workshop.run(["support", "root-type/array", "--data=support.json"]).ends_with(0);
    ran.shows(&["sdk+auto", "1.0.0 – 1.10.0", "2 tested, 2 inferred"]);
    let ran = workshop.run(["support", "root-type/array", "--markdown", "--data=support.json"]).ends_with(0);
    ran.shows(&["| `sdk+auto` | works | 2.0.0 – 2.1.0 | 2 tested |"]);
}

#[test]
fn a_sweep_plays_as_many_releases_as_it_may_and_adds_to_what_the_file_says_of_others() {
    let workshop = SDK.workshop();
    workshop.write("support.json", &shipped());
    workshop.run(["peers", "install", "sdk@1.1.0"]).ends_with(0);
    workshop.run(["sweep", "sdk", "--installed"]).ends_with(0).shows(&["1 of 6 releases played"]);
    assert_eq!(log(&workshop), ["1.1.0"], "nothing is installed");
    workshop.run(["sweep", "sdk", "--at-most=1"]).ends_with(0).shows(&["2 of 6 releases played"]);
    let ran = workshop.run(["support", "--data=support.json"]).ends_with(0);
    let lines: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    for expected in [&["sdk", "2", "of", "6", "releases"][..], &["typescript"]] {
        assert!(lines.iter().any(|line| line.starts_with(expected)), "{expected:?} is not in\n{}", ran.stdout);
    }
}

/// The data that ships.
fn shipped() -> String {
    let workshop = Workshop::new();
    workshop.run(["support", "--json"]).ends_with(0).stdout
}

/// Adds a recording of a client with one scenario and one mock, in which a sweep finds no check.
fn add_recording(workshop: &Workshop, id: &str) {
    let client = format!("[\"{PROGRAM}\", \"mock\", \"client\", \"--adapter\", \"--id=mock/2025-11-25\"]");
    let manifest = format!(
        "id = \"{id}\"\nlanguage = \"sh\"\nabout = \"an SDK\"\nrevisions = [\"2025-11-25\"]\n[client]\ncommand = {client}\n"
    );
    workshop.write("mine/peer.toml", &manifest);
    let args = ["run", "--client=mine/peer.toml", "--server=mock/2025-11-25", "--scenario=root-type/object"];
    workshop.run(args.iter().chain(&["--no-peers", "--baseline=none", "--out=handed-in"]));
    workshop.run(["peers", "add", "handed-in"]).ends_with(0);
}

#[test]
fn recordings_take_nothing_from_the_data_of_releases_that_are_played() {
    let workshop = SDK.workshop();
    workshop.run(["peers", "install", "sdk@1.1.0"]).ends_with(0);
    workshop.run(["sweep", "sdk", "--installed"]).ends_with(0);
    let before = statement(&workshop);
    for id in ["sdk@3.0.0", "csharp@1.2.0"] {
        add_recording(&workshop, id);
    }
    let ran = workshop.run(["sweep", "sdk", "--installed"]).ends_with(0);
    ran.says(&["sdk@3.0.0 was recorded, and is left out: an adapter plays sdk"]);
    assert_eq!(statement(&workshop), before);
    let ran = workshop.run(["sweep", "csharp"]).ends_with(1);
    ran.says(&["no recording of csharp has a check that a sweep judges, so nothing is written"]);
    assert_eq!(statement(&workshop), before);
}

#[test]
fn what_cannot_be_used_is_refused_and_nothing_is_written() {
    let workshop = SDK.workshop();
    workshop.run(["sweep", "skd"]).ends_with(2).says(&["no SDK or host matches \"skd\"; did you mean sdk?"]);
    workshop.write("support.json", "{\"schema_version\": 1");
    workshop.run(["sweep", "sdk"]).ends_with(2).says(&["cannot read the support data support.json"]);
    workshop.write("support.json", "{\"schema_version\": 9}");
    workshop.run(["support", "--data=support.json"]).ends_with(2).says(&["format version 9", "Use a newer mcp-compat"]);
    assert_eq!(log(&workshop), [""; 0]);
}
