//! What ships as known: a plain run ends with 0 unless something is new.

use crate::workshop::{OWN, Workshop};

#[test]
fn a_run_without_options_finds_nothing_new() {
    let ran = Workshop::new().run(["run", "--no-peers"]).ends_with(0);
    ran.shows(&["What is lost, worst first (5 of ", "OK  nothing new: ", " known breaks"]);
}

#[test]
fn a_known_break_is_new_without_the_list() {
    let workshop = Workshop::new();
    let cell = ["run", "--no-peers", "--scenario=root-type/array", "--client=mock/2025-11-25", "--server=mock/dual"];
    workshop.run(cell).ends_with(0).shows(&["nothing new: 3 known breaks"]);
    let ran = workshop.run(cell.iter().chain(&["--baseline=none"])).ends_with(1);
    assert!(!ran.stdout.contains("known"), "{}", ran.stdout);
}

#[test]
fn a_break_that_does_not_ship_is_new() {
    let workshop = Workshop::new();
    let cell = [
        "run",
        "--no-peers",
        "--scenario=invalid-result/wrong-type",
        "--client=sabotaged/skips-validation",
        "--server=mock/dual",
    ];
    let ran = workshop.run(cell).ends_with(1);
    assert!(!ran.stdout.contains("nothing new"), "{}", ran.stdout);
}

#[test]
fn a_fine_scenario_of_the_users_breaks_with_no_mock_and_a_wrong_one_does() {
    let workshop = Workshop::new();
    workshop.write("mine/own/object.toml", OWN);
    let args = ["run", "--no-peers", "--scenarios=mine", "--no-corpus"];
    workshop.run(args).ends_with(0).shows(&["OK  nothing breaks: "]);
    let all = ["--coverage=full", "--verbose"];
    let ran = workshop.run(args.iter().chain(&all)).ends_with(0);
    ran.shows(&["the two mocks have no revision in common"]);
    let wrong = format!("{OWN}means.value = '{{\"n\": 4}}'\n");
    workshop.write("mine/own/object.toml", &wrong);
    workshop.run(args).ends_with(1);
}

#[test]
fn a_scenario_of_the_users_is_not_the_one_of_the_corpus_that_has_its_id() {
    let workshop = Workshop::new();
    let array = include_str!("../../../../scenarios/root-type/array.toml");
    workshop.write("mine/root-type/array.toml", array);
    let pair = ["--client=mock/2025-11-25", "--server=mock/dual", "--no-peers"];
    workshop.run(["run", "--scenario=root-type/array"].iter().chain(&pair)).ends_with(0);
    workshop.run(["run", "--scenarios=mine", "--no-corpus"].iter().chain(&pair)).ends_with(1);
}

#[test]
fn a_cause_in_a_baseline_knows_its_breaks_in_any_scenario() {
    let workshop = Workshop::new();
    let cells = ["run", "--no-peers", "--scenario=root-type/array", "--client=mock/2025-11-25", "--server=mock/dual"];
    let with = |cause: &str, status| {
        let entry = format!("[[broken]]\ncells = \"*\"\ncause = \"{cause}\"\nreason = \"meant\"\n");
        workshop.write("known.toml", &entry);
        workshop.run(cells.iter().chain(&["--baseline=known.toml"])).ends_with(status)
    };
    with("server:rejected:tools/list:output-schema-object-root:*", 0).shows(&["nothing new: 3 known breaks"]);
    with("client:uncaught:*", 1).shows(&["1 stale entry", "no longer breaks for"]);
}
