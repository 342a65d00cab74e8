//! The grammar, by the cases that every implementation of it is tested with.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::record::Known;
use crate::verdict::{Fault, Finding, Level, Outcome, Party, Rating, Verdict};
use crate::{CellId, Revision};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    #[serde(rename = "about")]
    _about: String,
    cells: BTreeMap<String, CaseCell>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseCell {
    id: String,
    #[serde(default = "works")]
    rating: Rating,
    #[serde(default = "intact")]
    outcome: Outcome,
    #[serde(default)]
    silent: bool,
    #[serde(default)]
    vacuous: bool,
    fault: Option<Fault>,
    negotiated: Option<Revision>,
    #[serde(default)]
    rules: Vec<String>,
    cause: Option<String>,
    known: Option<Known>,
    changed: Option<Class>,
}

const fn works() -> Rating {
    Rating::Works
}

const fn intact() -> Outcome {
    Outcome::Intact
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    query: String,
    /// Whether there is an earlier run to compare with.
    #[serde(default = "yes")]
    comparison: bool,
    matches: Option<Vec<String>>,
    error: Option<CaseError>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseError {
    kind: String,
    term: String,
    near: Option<Vec<String>>,
}

fn cell(case: &CaseCell) -> CellRecord {
    let finding = |rule: &String| Finding {
        rule: rule.clone(),
        level: Level::Must,
        party: Party::Server,
        revision: None,
        source: String::new(),
        detail: String::new(),
        tool: None,
        messages: Vec::new(),
    };
    let verdict = Verdict {
        negotiated: case.negotiated,
        outcome: case.outcome,
        rating: case.rating,
        silent: case.silent,
        vacuous: case.vacuous,
        blast_radius: None,
        expected: None,
        findings: case.rules.iter().map(finding).collect(),
        fault: case.fault,
        signature: case.cause.as_ref().map(|cause| cause.parse().unwrap()),
        reason: String::new(),
    };
    CellRecord { known: case.known.clone(), ..CellRecord::new(CellId::parse(&case.id).unwrap(), verdict, 0, None) }
}

fn cases() -> Cases {
    serde_json::from_str(include_str!("cases.json")).unwrap()
}

#[test]
fn every_case_comes_out_as_it_says() {
    let Cases { cells, cases, .. } = cases();
    let records: Vec<CellRecord> = cells.values().map(cell).collect();
    let names: BTreeMap<&str, &str> = cells.iter().map(|(name, cell)| (cell.id.as_str(), name.as_str())).collect();
    let classes: BTreeMap<&str, Option<Class>> = cells.values().map(|cell| (cell.id.as_str(), cell.changed)).collect();
    let class_of = |cell: &CellRecord| classes[cell.id.as_str()];
    for Case { query, comparison, matches, error } in cases {
        let class_of: Option<ClassOf<'_>> = if comparison { Some(&class_of) } else { None };
        let found = Query::parse(&query).and_then(|query| query.select(&records, class_of));
        match (found, matches, error) {
            (Ok(found), Some(mut wanted), None) => {
                let mut found: Vec<&str> = found.into_iter().map(|cell| names[cell.id.as_str()]).collect();
                found.sort_unstable();
                wanted.sort_unstable();
                assert_eq!(found, wanted, "{query}");
            }
            (Err(found), None, Some(CaseError { kind, term, near })) => {
                assert_eq!((found.kind(), found.term.as_str()), (kind.as_str(), term.as_str()), "{query}");
                if let Some(near) = near {
                    assert_eq!(found.near(), near, "{query}");
                }
            }
            (found, ..) => panic!("{query}: {found:?}"),
        }
    }
}

#[test]
fn every_key_and_every_flag_has_a_case_both_ways() {
    let cases = cases().cases;
    let used = |query: &str, word: &str, minus: &str| {
        query.split_whitespace().any(|term| {
            let head = term.split_once(':').map_or(term, |(head, _)| head);
            head.strip_prefix(minus).is_some_and(|head| head == word)
        })
    };
    let words = key::KEYS.map(key::Key::name).into_iter().chain(key::FLAGS.map(key::Flag::name));
    for word in words {
        assert!(cases.iter().any(|case| case.matches.is_some() && used(&case.query, word, "")), "{word}");
    }
    for word in ["client", "rating", "rule", "silent", "known", "changed", "count"] {
        assert!(cases.iter().any(|case| case.matches.is_some() && used(&case.query, word, "-")), "-{word}");
    }
}

#[test]
fn an_error_says_what_was_typed_what_is_wrong_and_what_there_is() {
    let said = |query: &str| Query::parse(query).unwrap_err().to_string();
    assert_eq!(
        said("clinet:x"),
        "the filter has no key \"clinet\". Did you mean client? The keys are client, server, scenario, rating, \
         outcome, fault, rule, negotiated, transport, cause, known, changed, count, since"
    );
    assert_eq!(
        said("rating:broken"),
        "the filter knows no rating \"broken\". The values of rating: are works, degraded, breaks, skipped"
    );
    let cells = [cell(&cases().cells["ts1"])];
    let unknown = Query::parse("client:typscript@1.*").unwrap().select(&cells, None).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "no client of these cells matches \"typscript@1.*\". Did you mean typescript@1.25.3?"
    );
}

#[test]
fn a_filter_that_nobody_types_is_refused_before_it_costs_anything() {
    assert_eq!(Query::parse(&"a:b ".repeat(1001)).unwrap_err().kind(), "too-long");
    assert!(Query::parse(&"silent ".repeat(500)).is_ok());
}

#[test]
fn a_hundred_thousand_cells_are_filtered_at_once() {
    let cells: Vec<CellRecord> = cases().cells.values().map(cell).collect();
    let many: Vec<CellRecord> = cells.iter().cycle().take(130_000).cloned().collect();
    let query = "scenario:root-type/* rating:breaks -client:mock/* cause:*object-root* count:client>=1";
    let selected = Query::parse(query).unwrap().select(&many, None).unwrap();
    assert_eq!(selected.len(), 130_000 / 8);
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in "[a-z:|*?\"{} =-]{0,30}|\\PC{0,20}") {
        let cells = [cell(&cases().cells["py1"])];
        if let Ok(query) = Query::parse(&text) {
            let _ = query.select(&cells, None);
        }
    }

    #[test]
    fn a_cell_is_selected_by_a_term_or_by_its_negation(at in 0..70_usize) {
        let Cases { cells, cases, .. } = cases();
        let single = cases.into_iter().filter(|case| case.matches.is_some() && case.comparison).map(|case| case.query);
        let single: Vec<String> =
            single.filter(|query| !query.contains([' ', '\t', '"']) && !query.is_empty() && !query.contains("since")).collect();
        let query = &single[at % single.len()];
        let records: Vec<CellRecord> = cells.values().map(cell).collect();
        let class_of = |_: &CellRecord| Some(Class::Same);
        let selected = |text: &str| Query::parse(text).unwrap().select(&records, Some(&class_of)).unwrap().len();
        let negated = query.strip_prefix('-').map_or_else(|| format!("-{query}"), str::to_owned);
        prop_assert_eq!(selected(query) + selected(&negated), records.len());
    }
}
