//! Records of shards become the record of the whole; what is missing is told, and what does not belong is refused.

use std::fs;

use serde_json::Value;

use crate::records::{SOME, timeless};
use crate::workshop::Workshop;

/// A workshop in which the three shards of a run were played, and the whole of it.
fn played() -> Workshop {
    let workshop = Workshop::new();
    for (shard, out) in [("1/3", "one"), ("2/3", "two"), ("3/3", "three")] {
        workshop.run(SOME.into_iter().chain(["--shard", shard, "--out", out]));
    }
    workshop.run(SOME);
    workshop
}

fn record(workshop: &Workshop, folder: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(workshop.path().join(folder).join("run.json")).unwrap()).unwrap()
}

#[test]
fn all_shards_make_the_record_of_the_whole_run() {
    let workshop = played();
    let ran = workshop.run(["report", "--merge", "three", "one/run.json", "two", "--out", "whole"]).ends_with(0);
    ran.shows(&["joined 3 records: ", " in whole"]);
    let (merged, whole) = (record(&workshop, "whole"), workshop.record());
    let cell = whole["cells"][0]["id"].as_str().unwrap().to_owned();
    let total = format!(": {} checks in ", whole["cells"].as_array().unwrap().len());
    assert_eq!(timeless(merged), timeless(whole));
    workshop.run(["show", cell.as_str(), "--out", "whole"]).ends_with(0).shows(&[&cell]);
    workshop.run(["report", "whole"]).ends_with(0).shows(&[&total]);
}

#[test]
fn a_shard_that_is_missing_is_told_and_may_come_later() {
    let workshop = played();
    let ran = workshop.run(["report", "--merge", "one", "three", "--out", "most"]).ends_with(1);
    ran.says(&["missing: shard 2, with "]).shows(&["joined 2 records: ", "which is incomplete"]);
    assert_eq!(record(&workshop, "most")["complete"], false);
    workshop.run(["report", "--merge", "most", "two", "--out", "whole"]).ends_with(0);
    assert_eq!(timeless(record(&workshop, "whole")), timeless(workshop.record()));
}

#[test]
fn what_is_no_part_of_the_run_is_refused_and_nothing_is_written() {
    let workshop = played();
    let others = ["run", "--no-peers", "--scenario=root-type/array*", "--client=mock/2025*", "--server=mock/dual*"];
    workshop.run(others.into_iter().chain(["--coverage=smoke", "--shard=2/3", "--out=other"]));
    for (records, words) in [
        (["one", "other"], "they differ in scenarios"),
        (["one", ".mcp-compat"], "cannot merge .mcp-compat: the record is not marked as a shard"),
        (["one", "absent"], "absent"),
        (["one", "whole"], "whole"),
    ] {
        let ran = workshop.run(["report", "--merge", records[0], records[1], "--out", "whole"]).ends_with(2);
        ran.says(&[words]);
        assert!(!workshop.path().join("whole").exists(), "{words}");
    }
    let before = record(&workshop, "one");
    workshop
        .run(["report", "--merge", "one", "two", "three", "--out", "one"])
        .ends_with(2)
        .says(&["choose another folder"]);
    assert_eq!(record(&workshop, "one"), before);
}

#[test]
fn a_baseline_is_held_against_the_whole() {
    let workshop = played();
    let whole = workshop.record();
    let breaks = |cell: &&Value| cell["rating"] == "breaks";
    let broken: Vec<&Value> = whole["cells"].as_array().unwrap().iter().filter(breaks).collect();
    assert!(!broken.is_empty());
    let entry = |cell: &&Value| format!("[[broken]]\ncells = {}\nreason = \"it is known\"\n", cell["id"]);
    let known: Vec<String> = broken.iter().map(entry).collect();
    let merge = ["report", "--merge", "one", "two", "three", "--out", "whole", "--baseline", "known.toml"];
    workshop.write("known.toml", &known.concat());
    workshop.run(merge).ends_with(0);
    workshop.write("known.toml", &known[1..].concat());
    workshop.run(merge).ends_with(1).says(&["the baseline does not list 1 break"]);
}
