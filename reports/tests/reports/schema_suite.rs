//! A run of the JSON Schema Test Suite, as a person sees it.

use mcp_compat_model::record::{CellRecord, Known, Record, ScenarioRecord};
use mcp_compat_model::schema_suite::{SuiteDraft, SuiteRun, SuiteTest};
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating, Verdict};
use mcp_compat_model::{Cell, PeerId, Revision, ScenarioId, Transport};
use mcp_compat_reports::{Style, cell, markdown, terminal};

use crate::fixture;

/// Whoever agrees, checks nothing, gets `anyOf` wrong, is of the legacy era, or does not last.
const CLIENTS: [&str; 5] =
    ["mock/dual+auto", "ardent@2.0.1+auto", "brisk@3.9.0+modern", "brisk@3.9.0+legacy", "mock/2026-07-28"];

fn test(draft: SuiteDraft, keyword: &str, number: usize, valid: bool) -> SuiteTest {
    let slug = if keyword == "anyOf" { "any-of" } else { keyword };
    SuiteTest {
        scenario: ScenarioId::new(format!("{draft}/{slug}/a-group[test-{number}]")).unwrap(),
        draft,
        keyword: keyword.to_owned(),
        group: "a group".to_owned(),
        test: format!("test {number}"),
        schema: format!("tests/{draft}/{keyword}.json#/0/schema"),
        valid,
        remote: (keyword == "remote").then(|| "http://localhost:1234/integer.json".to_owned()),
        dissent: (keyword == "odd").then(|| "invalid: 1 is not of type \"integer\"".to_owned()),
    }
}

fn tests(invalid: usize) -> Vec<SuiteTest> {
    let of = |draft, keyword, numbers: std::ops::Range<usize>, valid| {
        numbers.map(move |number| test(draft, keyword, number, valid))
    };
    let mut tests: Vec<SuiteTest> = of(SuiteDraft::Draft202012, "anyOf", 0..4, true)
        .chain(of(SuiteDraft::Draft202012, "anyOf", 4..6, false))
        .chain(of(SuiteDraft::Draft202012, "remote", 0..2, false))
        .chain(of(SuiteDraft::Draft7, "type", 0..3, true))
        .chain(of(SuiteDraft::Draft7, "type", 3..3 + invalid, false))
        .chain(of(SuiteDraft::Draft7, "odd", 0..1, true))
        .collect();
    tests.sort_by(|one, other| one.scenario.cmp(&other.scenario));
    tests
}

/// What became of a test with a client.
fn outcome(test: &SuiteTest, client: &str) -> Outcome {
    let right = if test.valid { Outcome::Intact } else { Outcome::Caught };
    let wrong = if test.valid { Outcome::Rejected } else { Outcome::Uncaught };
    let hangs = test.test == "test 1" && test.draft == SuiteDraft::Draft7;
    match client {
        "ardent@2.0.1+auto" if !test.valid => Outcome::Uncaught,
        "brisk@3.9.0+modern" if test.keyword == "anyOf" && ["test 0", "test 4"].contains(&test.test.as_str()) => wrong,
        "mock/2026-07-28" if hangs => Outcome::Hung,
        _ => right,
    }
}

fn played(test: &SuiteTest, client: &str) -> CellRecord {
    let cell = Cell {
        scenario: test.scenario.clone(),
        client: PeerId::new(client).unwrap(),
        server: PeerId::new("mock/dual").unwrap(),
        transport: Transport::Memory,
    };
    let outcome = outcome(test, client);
    let breaks = matches!(outcome, Outcome::Rejected | Outcome::Uncaught | Outcome::Hung) && test.remote.is_none();
    let old = client.ends_with("+legacy");
    let verdict = Verdict {
        negotiated: Some(if old { Revision::V2025_11_25 } else { Revision::V2026_07_28 }),
        outcome,
        rating: if breaks { Rating::Breaks } else { Rating::Works },
        silent: breaks && outcome.is_silent(),
        vacuous: false,
        blast_radius: breaks.then_some(BlastRadius::Call),
        expected: None,
        findings: vec![],
        fault: breaks.then_some(Fault::Client),
        signature: breaks.then(|| format!("client:{outcome}:tools/call:{}", client.replace(':', "-")).parse().unwrap()),
        reason: format!("{client} refused `value` with a validate error (\"no branch of \u{1b}[31m/anyOf fits\")"),
    };
    CellRecord::new(cell, verdict, 412, None)
}

fn record(invalid: usize, clients: &[&str]) -> Record {
    let tests = tests(invalid);
    let mut cells = vec![];
    for test in &tests {
        cells.extend(clients.iter().map(|client| played(test, client)));
    }
    let scenario = |test: &SuiteTest| ScenarioRecord { id: test.scenario.clone(), ..fixture::scenario("a/b") };
    Record {
        scenarios: tests.iter().map(scenario).collect(),
        cells,
        left_out: vec![],
        schema_suite: Some(SuiteRun { folder: "../json schema's suite".to_owned(), tests }),
        ..fixture::empty()
    }
}

#[test]
fn the_suite_at_80_columns() {
    insta::assert_snapshot!(terminal::render(&record(2, &CLIENTS), Style::plain(80)));
}

#[test]
fn the_suite_at_200_columns_tells_once_who_takes_everything() {
    insta::assert_snapshot!(terminal::render(&record(60, &CLIENTS), Style::plain(200)));
}

#[test]
fn the_suite_in_colour() {
    let text = terminal::render(&record(2, &CLIENTS[..3]), Style { colour: true, width: 100 });
    insta::assert_snapshot!(text.replace('\u{1b}', "␛"));
}

#[test]
fn the_suite_in_markdown() {
    insta::assert_snapshot!(markdown::render(&record(60, &CLIENTS)));
}

#[test]
fn a_client_that_always_agrees_has_no_disagreement() {
    let text = terminal::render(&record(2, &CLIENTS[..1]), Style::plain(80));
    assert!(!text.contains("TOO ") && !text.contains("Disagreements") && !text.contains("lax"), "{text}");
}

#[test]
fn what_the_baseline_knows_is_marked() {
    let mut record = record(2, &CLIENTS[2..3]);
    for cell in record.cells.iter_mut().filter(|cell| cell.outcome == Outcome::Uncaught) {
        cell.known = Some(Known { reason: "no `anyOf` yet".to_owned(), covers: None, issue: None, flaky: false });
    }
    let text = terminal::render(&record, Style::plain(80));
    assert!(text.contains("taken by brisk@3.9.0+modern (known)"), "{text}");
    assert!(text.contains("refused by brisk@3.9.0+modern\n"), "{text}");
}

#[test]
fn nothing_from_the_suite_or_a_peer_steers_a_terminal_or_the_shell() {
    let mut record = record(2, &CLIENTS);
    if let Some(suite) = &mut record.schema_suite {
        suite.folder = "/tmp/a'; \u{1b}[2J $(true)".to_owned();
        for test in &mut suite.tests {
            test.group = "a \u{1b}[31m group\u{202e}".to_owned();
            test.keyword = format!("{}\u{7}", test.keyword);
            test.schema = "tests/\u{9b}x".to_owned();
        }
    }
    let text = terminal::render(&record, Style::plain(80));
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
    assert!(text.contains(r#"--schema-suite "/tmp/a'; \\u{1b}[2J "'$(true)'"#), "{text}");
}

#[test]
fn one_cell_of_the_suite_is_played_again_with_the_suite() {
    let record = record(2, &CLIENTS[..1]);
    let suite = record.schema_suite.as_ref();
    let evidence = fixture::evidence("a/b::mock/dual+auto::mock/dual::memory");
    let text = cell::render(&record.cells[0], None, suite, &evidence, Style::plain(200));
    assert!(text.contains(r#"mcp-compat run --schema-suite "../json schema's suite" --scenario"#), "{text}");
}
