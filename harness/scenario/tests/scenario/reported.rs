//! What was reported is reproduced, or it is said why not.

use std::collections::BTreeSet;
use std::path::Path;

use mcp_compat_scenario::corpus;
use serde::Deserialize;

const NOT_COVERED: &str = include_str!("../../../../scenarios/NOT_COVERED.md");

/// One entry of the list of reported incompatibilities, as far as it is of use here.
#[derive(Deserialize)]
struct Reported {
    id: String,
    title: String,
    refs: Vec<String>,
}

/// The cells of the rows of a table whose heading follows `title`.
fn rows(title: &str) -> Vec<Vec<&'static str>> {
    let section = NOT_COVERED.split(&format!("# {title}\n")).nth(1).expect("a section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| B"));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

/// The addresses that `owner/repository#12`, perhaps with words behind it, can have.
fn addresses(reference: &str) -> Vec<String> {
    let Some((repository, number)) = reference.split_once('#') else { return Vec::new() };
    let number: String = number.chars().take_while(char::is_ascii_digit).collect();
    let address = |kind| format!("https://github.com/{repository}/{kind}/{number}");
    ["issues", "pull", "discussions"].map(address).to_vec()
}

#[test]
#[expect(clippy::disallowed_methods, clippy::print_stderr, reason = "the crate is pure; this test looks beside it")]
fn every_reported_incompatibility_is_reproduced_or_explained() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/reported.json");
    let Ok(text) = std::fs::read_to_string(&list) else {
        eprintln!("skipped: the list of reported incompatibilities is not beside this checkout");
        return;
    };
    let reported: Vec<Reported> = serde_json::from_str(&text).unwrap();
    let corpus = corpus::load().unwrap();
    let sources: BTreeSet<&str> = corpus.iter().flat_map(|scenario| &scenario.sources).map(String::as_str).collect();
    let explained: BTreeSet<&str> =
        [rows("Not covered"), rows("Covered without an address")].concat().iter().map(|row| row[0]).collect();
    let is_named = |entry: &Reported| {
        entry.refs.iter().flat_map(|reference| addresses(reference)).any(|address| sources.contains(address.as_str()))
    };
    let missing: Vec<String> = reported
        .iter()
        .filter(|entry| !is_named(entry) && !explained.contains(entry.id.as_str()))
        .map(|entry| format!("{} {} {:?}", entry.id, entry.title, entry.refs))
        .collect();
    assert_eq!((reported.len(), missing), (130, Vec::<String>::new()));
}

#[test]
fn what_is_said_to_be_covered_is_there() {
    let corpus = corpus::load().unwrap();
    for row in rows("Covered without an address") {
        let name = row[2].trim_matches('`');
        assert!(corpus.iter().any(|scenario| scenario.id.as_str() == name), "{name} of {}", row[0]);
    }
}

#[test]
fn what_is_not_covered_has_a_reason() {
    for row in rows("Not covered") {
        assert_eq!(row.len(), 4, "{row:?}");
        assert!(row[3].len() > 20 && row[2].contains("https://"), "{row:?}");
    }
}
