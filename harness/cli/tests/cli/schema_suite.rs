//! `run --schema-suite`: how faithfully clients validate, from a checkout of the JSON Schema Test Suite.

use std::fs;
use std::path::{Path, PathBuf};

use crate::workshop::{Ran, Workshop};

/// Some tests in the suite's format.
pub(crate) fn excerpt() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../selfcheck/tests/schema-suite")
}

fn run(workshop: &Workshop, options: &[&str]) -> Ran {
    let folder = excerpt();
    let options = options.iter().map(|option| (*option).to_owned());
    let args = ["run".to_owned(), "--schema-suite".to_owned(), folder.to_str().unwrap().to_owned()];
    workshop.run(args.into_iter().chain(options))
}

#[test]
fn the_reference_mock_plays_alone_and_agrees() {
    let workshop = Workshop::new();
    let ran = run(&workshop, &[]).ends_with(0);
    let ran =
        ran.shows(&["mock/dual+auto", "draft2020-12: 16 tests", "draft7: 4 tests", "Need remote: 2 tests", "anyOf  "]);
    assert!(!ran.stdout.contains("TOO ") && !ran.stderr.contains("peers"), "{ran:?}");
    let record = workshop.record();
    assert_eq!(record["cells"].as_array().unwrap().len(), 20);
    assert_eq!(record["schema_suite"]["tests"][0]["keyword"], "anyOf");
    let again = workshop.run(["report"]).ends_with(0);
    assert_eq!(again.stdout, ran.stdout, "the record says as much as the run did");
}

#[test]
fn a_client_that_is_wrong_is_shown_by_keyword_and_by_test_and_one_test_is_played_again_as_told() {
    let workshop = Workshop::new();
    let options = ["--no-peers", "--client", "sabotaged/draft-07-only", "--markdown", "out.md"];
    let ran = run(&workshop, &options).ends_with(1);
    let ran = ran.shows(&[
        "TOO LAX draft2020-12 prefixItems: a pair and more: out of order",
        "TOO STRICT draft2020-12 prefixItems: a pair: in order",
        "tests/draft2020-12/prefixItems.json#/1/schema",
    ]);
    let markdown = fs::read_to_string(workshop.path().join("out.md")).unwrap();
    assert!(markdown.contains("| prefixItems | 2/1/1 |"), "{markdown}");
    let scenario = "draft2020-12/prefix-items/a-pair-and-more[out-of-order]";
    assert!(ran.stdout.contains(&format!("--scenario '{scenario}'")), "{}", ran.stdout);
    let one = ["--no-peers", "--scenario", scenario, "--client", "sabotaged/draft-07-only", "--server", "mock/dual"];
    run(&workshop, &one).ends_with(1).shows(&["Disagreements: 1 test", "1 cell: 0 work, 0 degrade, 1 breaks"]);
}

#[test]
fn a_keyword_is_selected_by_the_name_that_the_suite_has_for_it() {
    let workshop = Workshop::new();
    for glob in ["draft2020-12/anyOf/*", "*/any-of/*"] {
        run(&workshop, &["--scenario", glob]).ends_with(0).shows(&["6 tests of draft2020-12 ×"]);
    }
    run(&workshop, &["--scenario", "*/boolean_schema/*"]).ends_with(0).shows(&["boolean_schema"]);
    let none = run(&workshop, &["--scenario", "draft2020-12/anyOff/*"]).ends_with(2);
    none.says(&[
        r#"no suite test matches "draft2020-12/any-off/*"; did you mean draft2020-12/any-of/"#,
        "draft7/items/",
    ]);
}

#[test]
fn known_disagreements_stand_in_a_baseline_like_any_break() {
    let workshop = Workshop::new();
    let entry = |cells: &str| format!("[[broken]]\ncells = \"{cells}\"\nreason = \"draft-07 only\"\n");
    let known = [
        "draft2020-12/prefix-items/a-pair[in-order]::sabotaged/draft-07-only::mock/dual::memory",
        "draft2020-12/prefix-items/a-pair-and-more[*::sabotaged/draft-07-only::*",
        "draft2020-12/ref-remote/a-reference-to-what-stands-within[an-integer]::*",
    ];
    let known = known.map(entry).concat();
    workshop.write("known.toml", &known);
    let options = ["--no-peers", "--client", "sabotaged/draft-07-only", "--baseline", "known.toml"];
    run(&workshop, &options).ends_with(0).shows(&["(known)", "nothing new"]);
    workshop.write("known.toml", &entry("draft2020-12/nothing/*"));
    run(&workshop, &options).ends_with(2).says(&["matches no cell of the matrix"]);
}

#[test]
fn what_is_no_suite_is_told_and_nothing_is_run_or_written() {
    let workshop = Workshop::new();
    let refused = |folder| workshop.run(["run", "--schema-suite", folder]).ends_with(2);
    refused("absent").says(&["absent is no checkout of the JSON Schema Test Suite", "git clone"]);
    workshop.write("mine/my-class/one.toml", "");
    let ran = refused("mine").says(&["mine is no checkout"]);
    assert_eq!((ran.stdout.as_str(), ran.stderr.lines().count()), ("", 1), "{ran:?}");
    workshop.write("broken/tests/draft7/type.json", "[\n  {\"description\": }\n]\n");
    refused("broken").says(&[
        "the schema suite in broken has mistakes; nothing was run",
        "broken/tests/draft7/type.json:2:19",
        "expected a value",
    ]);
    assert!(!workshop.has_record());
}

#[test]
fn what_has_no_meaning_for_the_suite_is_refused() {
    let workshop = Workshop::new();
    for option in [["--scenarios", "mine"], ["--coverage", "full"]] {
        run(&workshop, &option).ends_with(2).says(&["cannot be used with", "--schema-suite"]);
    }
}
