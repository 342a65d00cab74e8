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
    words: BTreeMap<String, Vec<String>>,
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
    /// True if there is an earlier run to compare with.
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
    let class = |cell: &CaseCell| cell.changed.unwrap_or(Class::Same);
    let classes: BTreeMap<&str, Class> = cells.values().map(|cell| (cell.id.as_str(), class(cell))).collect();
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
            (Err(found), None, Some(CaseError { kind, term })) => {
                assert_eq!((found.kind(), found.term.as_str()), (kind.as_str(), term.as_str()), "{query}");
            }
            (found, ..) => panic!("{query}: {found:?}"),
        }
    }
}

#[test]
fn the_cases_have_the_words_of_every_key() {
    let words = cases().words;
    for (name, key) in Key::ALL.map(|key| (key.as_str(), key)) {
        let listed: Vec<&str> =
            words.get(name).map(|words| words.iter().map(String::as_str).collect()).unwrap_or_default();
        assert_eq!(key.words(), listed, "{name}");
    }
}

#[test]
fn every_key_has_a_case() {
    let cases = cases().cases;
    for name in Key::ALL.map(Key::as_str) {
        let uses =
            |query: &str| query.split_whitespace().any(|term| term.split_once(':').is_some_and(|(key, _)| key == name));
        assert!(cases.iter().any(|case| case.matches.is_some() && uses(&case.query)), "{name}");
    }
}

#[test]
fn an_error_says_what_was_typed_what_is_wrong_and_what_there_is() {
    let keys = "The keys are client, server, scenario, rating, outcome, fault, rule, negotiated, transport, cause, \
                known, is, changed";
    let cells = [cell(&cases().cells["ts1"])];
    for (query, said) in [
        ("clinet:x", format!("\"clinet:x\" in the filter has an unknown key. {keys}")),
        ("xyzzy", format!("\"xyzzy\" in the filter is not KEY:GLOB, such as rating:breaks. {keys}")),
        (
            "rating:broken",
            "no value of rating: matches \"broken\". The values are works, degraded, breaks, skipped".to_owned(),
        ),
        ("client:typscript@1.*", "no check has a client that matches \"typscript@1.*\"".to_owned()),
        ("-silent", "\"-silent\" is no longer a term of the filter: write -is:silent".to_owned()),
        (
            "since:nightly",
            "\"since:nightly\" is no longer a term of the filter: write --since nightly; pages compare with the run before"
                .to_owned(),
        ),
    ] {
        let error = Query::parse(query).and_then(|query| query.select(&cells, None).map(drop)).unwrap_err();
        assert_eq!(error.to_string(), said);
    }
}

#[test]
fn any_name_may_be_right_in_a_run_without_cells() {
    let select = |query: &str| Query::parse(query).and_then(|query| query.select(&[], None).map(|found| found.len()));
    assert_eq!(select("client:nobody rule:no-such-rule"), Ok(0));
    assert!(select("rating:broken").is_err());
}

#[test]
fn a_hundred_thousand_cells_are_filtered_at_once() {
    let cells: Vec<CellRecord> = cases().cells.values().map(cell).collect();
    let many: Vec<CellRecord> = cells.iter().cycle().take(130_000).cloned().collect();
    let query = "scenario:root-type/* rating:breaks -client:mock/* cause:*object-root*";
    let selected = Query::parse(query).unwrap().select(&many, None).unwrap();
    assert_eq!(selected.len(), 130_000 / 8);
}

#[test]
fn stars_and_question_marks_stand_for_something() {
    for (glob, text) in
        [("a*", "a"), ("a*", "abc"), ("*c", "abc"), ("a*c*", "abcc"), ("a?c", "aéc"), ("*", ""), ("**a", "ba")]
    {
        assert!(matches(glob, text), "{glob} {text}");
    }
    for (glob, text) in [("a", "ab"), ("a?", "a"), ("*b", "abc"), ("", "a"), ("a*b*c", "acb")] {
        assert!(!matches(glob, text), "{glob} {text}");
    }
}

/// Definition of [`matches`], as slow as it is clear.
fn by_definition(glob: &[char], text: &[char]) -> bool {
    match (glob.split_first(), text.split_first()) {
        (None, rest) => rest.is_none(),
        (Some(('*', more)), _) => (0..=text.len()).any(|from| by_definition(more, &text[from..])),
        (Some(('?', more)), Some((_, text))) => by_definition(more, text),
        (Some((wanted, more)), Some((found, text))) => wanted == found && by_definition(more, text),
        (Some(_), None) => false,
    }
}

proptest! {
    #[test]
    fn a_glob_matches_what_its_definition_matches(glob in "[ab*?]{0,8}", text in "[abc]{0,8}") {
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        prop_assert_eq!(matches(&glob, &text), by_definition(&letters(&glob), &letters(&text)));
    }

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
            single.filter(|query| !query.contains([' ', '\t']) && !query.is_empty()).collect();
        let query = &single[at % single.len()];
        let records: Vec<CellRecord> = cells.values().map(cell).collect();
        let class_of = |_: &CellRecord| Class::Same;
        let selected = |text: &str| Query::parse(text).unwrap().select(&records, Some(&class_of)).unwrap().len();
        let negated = query.strip_prefix('-').map_or_else(|| format!("-{query}"), str::to_owned);
        prop_assert_eq!(selected(query) + selected(&negated), records.len());
    }
}
