//! What a run leaves: the same record each time, and a whole out of its parts.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::workshop::{BROKEN_CELL, ONE_CELL, Workshop};

/// A selection that plays quickly, with some breaks.
pub(crate) const SOME: [&str; 6] =
    ["run", "--no-peers", "--scenario=root-type/*", "--client=mock/2025*", "--server=mock/dual*", "--coverage=smoke"];

/// A record without what is of its time.
pub(crate) fn timeless(mut record: Value) -> Value {
    for key in ["started", "duration_us"] {
        assert!(record.as_object_mut().unwrap().remove(key).is_some());
    }
    for cell in record["cells"].as_array_mut().unwrap() {
        assert!(cell.as_object_mut().unwrap().remove("duration_us").is_some());
    }
    record
}

fn cells(record: &Value) -> Vec<String> {
    record["cells"].as_array().unwrap().iter().map(|cell| cell["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_run_gives_the_same_record_each_time_but_for_the_times() {
    let workshop = Workshop::new();
    let record = |_| {
        workshop.run(SOME);
        timeless(workshop.record())
    };
    let [first, second] = [0, 1].map(record);
    assert!(cells(&first).len() > 10);
    assert_eq!(first, second);
}

#[test]
fn the_shards_make_the_whole() {
    let workshop = Workshop::new();
    let played = |shard: &str| {
        workshop.run(SOME.into_iter().chain(["--shard", shard]));
        cells(&workshop.record())
    };
    let parts = [played("1/2"), played("2/2")];
    let whole = played("1/1");
    assert!(parts.iter().all(|part| !part.is_empty()));
    assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), whole.len());
    assert_eq!(parts.concat().into_iter().collect::<BTreeSet<_>>(), whole.into_iter().collect());
}

#[test]
fn reports_beside_it_are_written_where_they_were_asked_for() {
    let workshop = Workshop::new();
    workshop.write("old.md", "an old report that is longer than nothing".repeat(1000).as_str());
    let args = BROKEN_CELL.into_iter().chain(["--junit", "reports/out.xml", "--markdown", "old.md", "--out", "kept"]);
    workshop.run(args).ends_with(1);
    let read = |name| fs::read_to_string(workshop.path().join(name)).unwrap();
    assert!(read("reports/out.xml").starts_with("<?xml"));
    assert!(read("old.md").contains("extra-property") && !read("old.md").contains("an old report"));
    assert!(workshop.path().join("kept/run.json").is_file() && !workshop.has_record());
}

#[test]
fn a_scenario_of_ones_own_is_played() {
    let workshop = Workshop::new();
    workshop.write(
        "mine/my-class/number.toml",
        r#"
title = "A number"
why = "Zero is easily taken for nothing."
since = "2026-07-28"
sources = ["https://example.org"]

[[tool]]
definition = '{"name": "count", "inputSchema": {"type": "object"}, "outputSchema": {"type": "integer"}}'
returns = '{"structuredContent": 0, "content": [{"type": "text", "text": "0"}]}'
"#,
    );
    let args = ["--scenarios=mine", "--scenario=my-class/*", "--client=mock/dual+auto", "--server=mock/dual"];
    workshop.run(["run", "--no-peers"].into_iter().chain(args)).ends_with(0).shows(&["3 work"]);
}

#[test]
fn results_go_to_stdout_and_the_rest_to_stderr() {
    let ran = Workshop::new().run(ONE_CELL).ends_with(0);
    assert_eq!(ran.stderr, "testing 1 check\n");
    assert!(ran.stdout.contains("OK  nothing breaks: 1 works"), "{}", ran.stdout);
}
