//! Texts about earlier runs: changes, and the age of causes.

use std::collections::BTreeMap;

use mcp_compat_model::diff::{Diff, SCHEMA_VERSION, Side};
use mcp_compat_model::record::Record;
use mcp_compat_model::support::Support;
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::site::{Earlier, EvidenceBook, Files, Input, Issue, Run, site};
use serde_json::Value;

use crate::site::specimen::{cell, record, text};

const CELL: &str = "root-type/array::typescript@1.32.2::mock/dual::http";
const OTHER: &str = "root-type/array::go@1.8.0::mock/dual::http";

/// The run of a day: two cells, of which the first is rated so.
fn run(day: u32, rating: Rating) -> Record {
    let cells = vec![cell(CELL, rating, false, "It broke. To fix."), cell(OTHER, Rating::Works, false, "fine")];
    Record { started: format!("2026-11-{day:02}T03:00:00Z"), ..record(cells) }
}

fn side(record: &Record) -> Side {
    Side {
        name: "run".to_owned(),
        started: record.started.clone(),
        tool_version: String::new(),
        judge: None,
        corpus: String::new(),
        complete: true,
        cells: 2,
        judged_anew: 0,
    }
}

/// The site of runs, the newest last, with a difference in which nothing changed.
fn made(runs: &[Record], today: Option<&str>, issues: &BTreeMap<String, Vec<Issue>>, support: &Support) -> Files {
    let (record, before) = runs.split_last().unwrap();
    let mut earlier = Earlier::than(record);
    for run in before.iter().rev() {
        let diff = Diff {
            schema_version: SCHEMA_VERSION,
            before: side(run),
            after: side(record),
            same_harness: true,
            counts: BTreeMap::new(),
            groups: Vec::new(),
            changes: Vec::new(),
            left_out: 0,
        };
        earlier.add(run, Some(diff));
    }
    let (evidence, definitions) = (EvidenceBook::default(), BTreeMap::new());
    let newest = Run { record, evidence: &evidence };
    let input = Input {
        title: "Test",
        base: None,
        newest,
        earlier: &earlier,
        definitions: &definitions,
        issues,
        support,
        hosts: None,
        today,
        max_bytes: 50 << 20,
    };
    site(&input).unwrap()
}

fn plain(runs: &[Record], today: Option<&str>) -> Files {
    made(runs, today, &BTreeMap::new(), &Support::default())
}

/// The only page of a cause.
fn cause(files: &Files) -> String {
    let path = files.keys().find(|path| path.starts_with("cause/")).unwrap();
    text(files, path)
}

#[test]
fn the_history_shows_the_breaks_of_each_sdk() {
    let files = plain(&[run(20, Rating::Works), run(21, Rating::Breaks), run(22, Rating::Breaks)], None);
    let page = text(&files, "history.html");
    assert!(page.contains("<th scope=\"row\">typescript</th>"), "{page}");
    assert!(page.contains("aria-label=\"Breaks of the last 3 runs, at most 1\""), "{page}");
    assert!(!page.contains("<th scope=\"row\">go</th>"), "no cell of go breaks");
    assert!(!text(&plain(&[run(22, Rating::Breaks)], None), "history.html").contains("Breaks by SDK"));
}

#[test]
fn a_cause_says_since_which_run_it_is_there() {
    use Rating::{Breaks, Works};
    let said = |ratings: &[Rating]| {
        let runs: Vec<Record> = (1..).zip(ratings).map(|(day, rating)| run(day, *rating)).collect();
        cause(&plain(&runs, None))
    };
    let two = said(&[Works, Breaks, Breaks]);
    assert!(
        two.contains("In each of the last 2 runs, since that of ") && two.contains("2026-11-02T03:00:00Z"),
        "{two}"
    );
    assert!(said(&[Works, Breaks]).contains("New in this run."));
    assert!(said(&[Breaks, Works, Breaks]).contains("The run before did not have it, an earlier run did."));
    assert!(!said(&[Breaks]).contains("Since when"), "there is no earlier run");
}

#[test]
fn data_of_earlier_runs_and_of_the_difference_is_there() {
    let files = plain(&[run(1, Rating::Works), run(2, Rating::Breaks)], None);
    for path in ["data/2026-11-01T030000Z/columns.js", "data/2026-11-02T030000Z/columns.js"] {
        assert!(files.contains_key(path), "{path}");
    }
    let diff: Value = serde_json::from_str(&text(&files, "data/2026-11-02T030000Z/diff.json")).unwrap();
    assert_eq!(diff["before"]["started"], "2026-11-01T03:00:00Z");
    let runs: Value = serde_json::from_str(&text(&files, "data/runs.json")).unwrap();
    let started: Vec<&Value> = runs["runs"].as_array().unwrap().iter().map(|run| &run["started"]).collect();
    assert_eq!(started, ["2026-11-01T03:00:00Z", "2026-11-02T03:00:00Z"], "the oldest first");
}

#[test]
fn what_is_old_is_called_stale_and_what_is_not_is_not() {
    let old = |today| {
        let files = plain(&[run(1, Rating::Works)], today);
        let badge = text(&files, "api/v1/badge/go@1.8.0.svg");
        let feed = text(&files, "feed.xml");
        let page = text(&files, "index.html");
        [badge.contains(" · stale"), feed.contains("No results since 2026-11-01"), page.contains("two weeks old")]
    };
    assert_eq!(old(None), [false; 3]);
    assert_eq!(old(Some("2026-11-15")), [false; 3]);
    assert_eq!(old(Some("2026-11-16")), [true; 3]);
}

#[test]
fn a_cause_that_is_reported_leads_to_the_report() {
    let name = "server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type";
    let issue = Issue {
        url: "https://example.org/issues/7".to_owned(),
        title: "an array <at> the root".to_owned(),
        state: "open".to_owned(),
    };
    let issues = BTreeMap::from([(name.to_owned(), vec![issue])]);
    let files = made(&[run(1, Rating::Breaks)], None, &issues, &Support::default());
    let page = cause(&files);
    assert!(page.contains("href=\"https://example.org/issues/7\">an array &lt;at&gt; the root</a>"), "{page}");
    let path = files.keys().find(|path| path.starts_with("api/v1/cause/")).unwrap();
    let api: Value = serde_json::from_str(&text(&files, path)).unwrap();
    assert_eq!((&api["issues"][0], &api["runs"]), (&"https://example.org/issues/7".into(), &1.into()));
    assert_eq!(api["title"], "outputSchema without type: object, to clients up to 2025-11-25");
}

#[test]
fn a_scenario_has_the_strip_of_releases() {
    let support = r#"{"schema_version":1,"sweeps":[{"family":"typescript","date":"2026-11-20","tool_version":"0.1.0","corpus":"c","server":"mock/dual",
        "client":"mock/dual+auto","releases":["1.0.0","2.0.0"],"played":["1.0.0","2.0.0"]}],"statements":[{"scenario":"root-type/array",
        "family":"typescript","role":"client","transport":"http","ranges":[{"from":"1.0.0","to":"1.2.0","rating":"breaks","outcome":"rejected",
        "lost":"server","revisions":[],"played":2,"inferred":1},{"from":"2.0.0","to":"2.0.0","mode":"auto","rating":"works","outcome":"intact",
        "revisions":[],"played":1,"inferred":0}]}]}"#;
    let support = Support::parse(support).unwrap();
    let files = made(&[run(1, Rating::Breaks)], None, &BTreeMap::new(), &support);
    let page = text(&files, "scenario/root-type/array.html");
    for part in
        ["Since which release", "1.0.0 – 1.2.0", "breaks, lost: all tools", "2.0.0+auto", "Measured on 2026-11-20"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn each_release_has_a_feed_and_a_mock_has_none() {
    let files = plain(&[run(1, Rating::Works), run(2, Rating::Breaks)], None);
    assert!(text(&files, "feed/go@1.8.0.xml").contains("<title>Test: go@1.8.0</title>"));
    assert!(!files.keys().any(|path| path.starts_with("feed/mock")));
}
