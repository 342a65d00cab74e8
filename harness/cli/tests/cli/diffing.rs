//! `diff`: what changed between two runs, and how it ends.

use std::fs;

use serde_json::{Value, json};

use crate::workshop::{ONE_CELL, OWN, Ran, Workshop};

/// A workshop with a run in `a`, and the same run in `b` after `change`.
fn with_runs(change: impl FnOnce(&mut Value)) -> Workshop {
    let workshop = Workshop::new();
    workshop.run(ONE_CELL.into_iter().chain(["--out=a"])).ends_with(0);
    fs::create_dir(workshop.path().join("b")).unwrap();
    fs::copy(workshop.path().join("a/transcripts.jsonl"), workshop.path().join("b/transcripts.jsonl")).unwrap();
    let mut record: Value =
        serde_json::from_str(&fs::read_to_string(workshop.path().join("a/run.json")).unwrap()).unwrap();
    change(&mut record);
    workshop.write("b/run.json", &record.to_string());
    workshop
}

/// The only cell breaks silently.
fn broken(record: &mut Value) {
    let cell = &mut record["cells"][0];
    cell["rating"] = json!("breaks");
    cell["outcome"] = json!("lost");
    cell["silent"] = json!(true);
    cell["fault"] = json!("client");
    cell["signature"] = json!("client:lost:tools/call:no-rule");
    cell["reason"] = json!("mock/dual+auto returned no value.");
}

#[test]
fn the_same_run_twice_gives_nothing() {
    let workshop = with_runs(|_| ());
    for (before, after) in [("a", "a"), ("a", "b"), ("b/run.json", "a")] {
        workshop.run(["diff", before, after]).ends_with(0).shows(&["nothing changed: 1 check compared"]);
    }
    let quiet = workshop.run(["diff", "a", "b", "--quiet", "--markdown"]).ends_with(0);
    assert_eq!(quiet.stdout, "");
    workshop.run(["diff", "a", "b", "--markdown"]).ends_with(0).shows(&["<!-- mcp-compat diff -->", "nothing changed"]);
}

#[test]
fn what_is_worse_fails_and_what_is_better_does_not() {
    let workshop = with_runs(broken);
    let worse = workshop.run(["diff", "a", "b"]).ends_with(1);
    worse.shows(&[
        "Worse: 1 check, for 1 cause",
        "SILENT mock/dual+auto returned no value.",
        "intact, works → lost, breaks",
    ]);
    workshop.run(["diff", "b", "a"]).ends_with(0).shows(&["Better: 1 check", "lost, breaks → intact, works"]);
    workshop.run(["diff", "a", "b", "--fail-on", "never"]).ends_with(0);
    // It was not played again, so it is no regression yet.
    workshop.run(["diff", "a", "b", "--fail-on", "regression"]).ends_with(0);
    let page = workshop.run(["diff", "a", "b", "--markdown", "--quiet"]).ends_with(1);
    assert!(page.stdout.starts_with("<!-- mcp-compat diff -->\n### MCP compatibility: 1 check compared: 1 worse"));
    let diff: Value = serde_json::from_str(&workshop.run(["diff", "a", "b", "--json"]).ends_with(1).stdout).unwrap();
    assert_eq!((&diff["counts"]["worse"], &diff["changes"][0]["class"]), (&json!(1), &json!("worse")));
    workshop.run(["report", "b", "--where", "changed:worse", "--since", "a"]).ends_with(0).shows(&["1 check"]);
    for (filter, selected) in [("changed:worse", "1 of 1 check"), ("changed:better", "0 of 1 check")] {
        workshop.run(["show", "--out", "b", "--where", filter, "--since", "a"]).ends_with(0).shows(&[selected]);
    }
}

#[test]
fn verdicts_of_an_earlier_judge_are_given_anew_and_nothing_is_reported() {
    let workshop = with_runs(|record| {
        broken(record);
        record["judge"] = json!("earlier");
    });
    let ran = workshop.run(["diff", "a", "b"]).ends_with(0);
    ran.shows(&["b: 1 check judged again", "nothing changed: 1 check compared"]);
    fs::remove_file(workshop.path().join("b/transcripts.jsonl")).unwrap();
    let ran = workshop.run(["diff", "a", "b"]).ends_with(2);
    ran.shows(&["different versions of the rules gave the verdicts"]).says(&["the two runs have no check in common"]);
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let workshop = with_runs(|record| record["schema_version"] = json!(99));
    workshop.run(["diff", "a", "b"]).ends_with(2).says(&["is of record format 99", "update mcp-compat"]);
    workshop.write("b/run.json", "{\"schema_version\": 1, \"cells\": [");
    workshop.run(["diff", "a", "b"]).ends_with(2).says(&["is not a record"]);
    workshop.write("b/run.json", "{\"name\": \"another program\"}");
    workshop.run(["diff", "a", "b"]).ends_with(2).says(&["is not a record"]);
    workshop.run(["diff", "a", "nowhere"]).ends_with(2).says(&["nowhere", "`mcp-compat run` makes one"]);
    workshop.write("own/my-class/count.toml", OWN);
    let own = ["run", "--no-peers", "--no-corpus", "--scenarios=own", "--server=mock/dual", "--client=mock/dual+auto"];
    workshop.run(own.into_iter().chain(["--out=c"])).ends_with(0);
    workshop.run(["diff", "a", "c"]).ends_with(2).says(&["a and c have no scenario in common"]);
}

#[test]
fn an_option_for_playing_needs_something_to_play() {
    let workshop = with_runs(|_| ());
    for option in ["--transport=http", "--coverage=full", "--records=c", "--jobs=2", "--timeout=1s", "--run-timeout=1m"]
    {
        workshop.run(["diff", "a", "b", option]).ends_with(2).says(&["required", "--base"]);
    }
    workshop.run(["diff", "a", "b", "--repeat", "--jobs=2", "--timeout=1s"]).ends_with(0);
}

#[test]
fn evidence_that_is_torn_is_said() {
    let workshop = with_runs(|record| record["judge"] = json!("earlier"));
    let path = workshop.path().join("b/transcripts.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() / 3]).unwrap();
    workshop.run(["diff", "a", "b"]).ends_with(2).says(&["b/transcripts.jsonl, line 1: it is cut off"]);
}

/// Both peers with the same partners, over a few scenarios.
fn of_peers(workshop: &Workshop, base: &str, head: &str, more: &[&str]) -> Ran {
    let args = ["diff", "--base", base, "--head", head, "--scenario", "root-type/array", "--transport", "memory"];
    workshop.run(args.iter().chain(more))
}

#[test]
fn a_scenario_that_is_named_is_played_though_it_is_not_marked() {
    let workshop = Workshop::new();
    let diff = |more: &[&str]| {
        let args = ["diff", "--base", "mock/dual", "--head", "mock/dual/skip", "--scenario", "invalid-result/nested"];
        workshop.run(args.iter().chain(more))
    };
    let named = "1 check of mock/dual/skip is worse than with mock/dual. A repeat confirmed it: ";
    diff(&[]).ends_with(1).shows(&[named]);
    diff(&["--coverage", "smoke"]).ends_with(2).says(&["mock/dual has nothing to test"]);
}

#[test]
fn two_peers_are_played_alike_and_what_is_worse_is_played_again() {
    let workshop = Workshop::new();
    let worse = of_peers(&workshop, "mock/dual", "sabotaged/drops-value", &[]).ends_with(1);
    let worse = worse.shows(&["worse (", "reproduced)", "server mock/dual → sabotaged/drops-value", "fix"]);
    worse.says(&["repeating what is worse"]);
    for folder in ["base", "head"] {
        assert!(workshop.path().join(".mcp-compat/diff").join(folder).join("run.json").is_file());
    }
    of_peers(&workshop, "mock/dual", "sabotaged/drops-value", &["--fail-on", "regression"]).ends_with(1);
    let better = of_peers(&workshop, "sabotaged/drops-value", "mock/dual", &["--markdown"]).ends_with(0);
    better.shows(&["<!-- mcp-compat diff -->", "0 worse", "#### Better"]);
    let same = of_peers(&workshop, "mock/dual", "mock/dual", &[]).ends_with(0);
    same.shows(&["nothing changed", "mock/dual can be released"]);
}

#[test]
fn a_break_that_does_not_come_again_is_flaky() {
    let workshop = with_runs(broken);
    let ran = workshop.run(["diff", "a", "b", "--repeat"]).ends_with(0);
    ran.shows(&["Flaky: 1 check", "0 worse"]).says(&["repeating what is worse"]);
}

#[test]
fn peers_that_are_not_there_are_errors() {
    let workshop = Workshop::new();
    workshop.run(["diff", "--base", "mock/dual"]).ends_with(2).says(&["--head"]);
    workshop.run(["diff", "a"]).ends_with(2).says(&["AFTER"]);
    workshop.run(["diff"]).ends_with(2).says(&["name two runs"]);
    of_peers(&workshop, "mock/dual", "./nowhere/peer.toml", &[]).ends_with(2).says(&["nowhere/peer.toml"]);
    of_peers(&workshop, "mock/no-such", "mock/dual", &[]).ends_with(2).says(&["no-such"]);
}
