//! Runs are kept in a history, listed and pruned, and what may not be added is refused.

use std::fs;

use serde_json::Value;

use crate::workshop::{BROKEN_CELL, Workshop};

/// A workshop with a run that breaks, in `tonight`.
fn played() -> Workshop {
    let workshop = Workshop::new();
    workshop.run(BROKEN_CELL.into_iter().chain(["--out", "tonight"])).ends_with(1);
    workshop
}

/// The file of the only run of a history.
fn only_run(workshop: &Workshop) -> String {
    let mut runs = fs::read_dir(workshop.path().join("history/runs")).unwrap();
    let name = runs.next().unwrap().unwrap().file_name().into_string().unwrap();
    assert!(runs.next().is_none());
    format!("history/runs/{name}")
}

/// Says that the run in `tonight` began then.
fn began(workshop: &Workshop, started: &str) {
    let path = workshop.path().join("tonight/run.json");
    let mut record: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    record["started"] = started.into();
    fs::write(path, record.to_string()).unwrap();
}

#[test]
fn a_run_is_kept_listed_and_read() {
    let workshop = played();
    let add = ["history", "add", "tonight", "--into", "history"];
    workshop.run(add).ends_with(0).shows(&["added history/runs/", ".mcpc.gz: ", " KB of evidence"]);
    workshop.run(add).ends_with(0).shows(&["nothing to do: the history has this run"]);
    let run = only_run(&workshop);
    workshop.run(["report", &run]).ends_with(0).shows(&["FAILED  1 break"]);
    workshop.run(["show", "--where", "rating:breaks", "--out", &run]).ends_with(0).shows(&["mock/dual/skip"]);
    let record: Value =
        serde_json::from_str(&fs::read_to_string(workshop.path().join("tonight/run.json")).unwrap()).unwrap();
    let cell = record["cells"][0]["id"].as_str().unwrap().to_owned();
    workshop.run(["show", &cell, "--out", &run]).ends_with(0).shows(&["tools/call"]);
    fs::remove_dir_all(workshop.path().join("history/evidence")).unwrap();
    workshop.run(["show", &cell, "--out", &run]).ends_with(2).says(&[
        "does not have the messages of this check, which is `uncaught`",
        "A history keeps the messages of breaks",
    ]);
    let log = workshop.run(["history", "log", "history"]).ends_with(0);
    let log = log.shows(&["run                   checks     works", "1 run in "]);
    assert!(log.stdout.lines().all(|line| line.len() <= 80), "{}", log.stdout);
    let json = workshop.run(["history", "log", "history", "--json"]).ends_with(0);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&json[0]["breaks"], &json[0]["has_evidence"]), (&1.into(), &false.into()));
}

#[test]
fn what_changed_is_listed_and_pruning_keeps_it() {
    let workshop = played();
    for day in ["01", "05", "06", "09"] {
        began(&workshop, &format!("2026-09-{day}T03:00:00Z"));
        workshop.run(["history", "add", "tonight", "--into", "history", "--no-evidence"]).ends_with(0);
    }
    let log = workshop.run(["history", "log", "history", "--last", "2"]).ends_with(0);
    assert_eq!(log.stdout.lines().count(), 4, "{}", log.stdout);
    let prune = ["history", "prune", "history", "--days", "2"];
    let would = workshop.run(prune.into_iter().chain(["--dry-run"])).ends_with(0);
    assert!(would.stdout.ends_with("2026-09-05T030000Z.mcpc.gz\nhistory/runs/2026-09-06T030000Z.mcpc.gz\n2 runs and 0 files of evidence would be removed\n"), "{}", would.stdout);
    workshop.run(prune).ends_with(0).shows(&["2 runs and 0 files of evidence removed"]);
    workshop.run(prune).ends_with(0).shows(&["0 runs and 0 files of evidence removed"]);
    workshop.run(["history", "log", "history"]).shows(&["2026-09-01T030000Z", "2026-09-09T030000Z", "2 runs in "]);
}

#[test]
fn what_may_not_be_added_is_refused_with_the_way_out() {
    let workshop = played();
    let add = |run: &str| workshop.run(["history", "add", run, "--into", "history"]);
    add("tonight").ends_with(0);
    let run = only_run(&workshop);
    let before = fs::read(workshop.path().join(&run)).unwrap();
    let path = workshop.path().join("tonight/run.json");
    let record = fs::read_to_string(&path).unwrap();
    fs::write(&path, record.replace("\"uncaught\"", "\"crashed\"")).unwrap();
    add("tonight").ends_with(2).says(&["another run that began at the same time", "Remove one of them"]);
    fs::write(
        &path,
        record.replace("\"corpus\": \"", "\"corpus\": \"0").replace("\"started\": \"2", "\"started\": \"3"),
    )
    .unwrap();
    add("tonight").ends_with(2).says(&["it has the scenarios 0", "add --new-corpus"]);
    workshop.run(["history", "add", "tonight", "--into", "history", "--new-corpus"]).ends_with(0);
    fs::write(workshop.path().join("torn.mcpc.gz"), &before[..before.len() / 2]).unwrap();
    add("torn.mcpc.gz").ends_with(2).says(&["torn.mcpc.gz: it is cut off or damaged", "copy it again"]);
    add("absent").ends_with(2).says(&["`mcp-compat run` makes one"]);
    workshop
        .run(["history", "log", "absent"])
        .ends_with(2)
        .says(&["absent is not a history", "history add RUN --into DIR"]);
    assert_eq!(fs::read(workshop.path().join(&run)).unwrap(), before);
}

#[test]
fn what_cannot_be_written_is_said_and_nothing_is_half_written() {
    let workshop = played();
    workshop.write("history/evidence", "a file in the place of the folder");
    let ran = workshop.run(["history", "add", "tonight", "--into", "history"]).ends_with(2);
    ran.says(&["cannot write the history history/evidence", "The history is as it was"]);
    assert!(!workshop.path().join("history/runs").exists());
}
