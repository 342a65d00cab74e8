//! Every format as a person sees it. `cargo run -p mcp-compat-reports --example gallery` shows more of them.

use mcp_compat_judge::rules::Levels;
use mcp_compat_model::verdict::Party;
use mcp_compat_reports::rule::{self, Explained};
use mcp_compat_reports::terminal::Shown;
use mcp_compat_reports::view::View;
use mcp_compat_reports::{Style, cell, junit, markdown, run_annotations, terminal};

use crate::fixture::{self, Run};

/// With the colours to be seen in the snapshot.
fn coloured(text: &str) -> String {
    text.replace('\u{1b}', "␛")
}

#[test]
fn the_terminal_report_at_80_columns() {
    insta::assert_snapshot!(terminal::render(&View::of(&Run::small().record()), Shown::default(), Style::plain(80)));
}

#[test]
fn everything_at_80_columns() {
    insta::assert_snapshot!(terminal::render(&View::of(&Run::small().record()), Shown::EVERYTHING, Style::plain(80)));
}

#[test]
fn the_terminal_report_at_200_columns() {
    insta::assert_snapshot!(terminal::render(&View::of(&Run::small().record()), Shown::EVERYTHING, Style::plain(200)));
}

#[test]
fn each_cause_of_new_breaks_is_one_annotation() {
    let record = Run::small().record();
    let causes = record.cells.iter().filter(|cell| cell.is_new_break()).filter_map(|cell| cell.signature.as_ref());
    let causes: std::collections::BTreeSet<_> = causes.map(|it| it.without_pointer().to_string()).collect();
    let lines = run_annotations::render(&View::of(&record));
    let errors = lines.lines().filter(|line| line.starts_with("::error title=") && line.contains("to fix: ")).count();
    assert!(errors >= causes.len() && !causes.is_empty() && !lines.contains('\u{1b}'), "{lines}");
    assert_eq!(
        run_annotations::render(&View::of(&fixture::empty())).lines().filter(|line| line.contains("to fix")).count(),
        0
    );
}

#[test]
fn the_terminal_report_in_colour() {
    let style = Style { colour: true, width: 100 };
    insta::assert_snapshot!(coloured(&terminal::render(&View::of(&Run::small().record()), Shown::EVERYTHING, style)));
}

#[test]
fn a_matrix_too_wide_for_names_has_stairs_above_it() {
    insta::assert_snapshot!(matrix(80));
}

#[test]
fn a_wide_page_has_the_matrix_in_one_part() {
    insta::assert_snapshot!(matrix(200));
}

#[test]
fn a_matrix_too_wide_for_anything_is_parted_evenly() {
    insta::assert_snapshot!(matrix(60));
}

/// The matrix of the large record, and what stands above it.
fn matrix(width: usize) -> String {
    let shown = Shown { matrix: true, ..Shown::default() };
    let text = terminal::render(&View::of(&Run::large(7).record()), shown, Style::plain(width));
    let end = text.find("\nWhat is lost").unwrap();
    text[..end].to_owned()
}

#[test]
fn known_breaks_and_stale_entries_are_told_apart() {
    let record = fixture::with_baseline(Run::small().record());
    insta::assert_snapshot!(terminal::render(&View::of(&record), Shown::EVERYTHING, Style::plain(80)));
}

#[test]
fn an_incomplete_run_says_so() {
    let mut record = Run { scenarios: vec!["unicode/value".to_owned()], ..Run::small() }.record();
    record.complete = false;
    insta::assert_snapshot!(terminal::render(&View::of(&record), Shown::EVERYTHING, Style::plain(80)));
}

#[test]
fn an_empty_run_says_so() {
    insta::assert_snapshot!(terminal::render(&View::of(&fixture::empty()), Shown::EVERYTHING, Style::plain(80)));
}

#[test]
fn the_markdown_report() {
    insta::assert_snapshot!(markdown::render(&View::of(&fixture::with_baseline(Run::small().record()))));
}

#[test]
fn the_markdown_report_of_a_run_that_was_ended() {
    let mut record = fixture::empty();
    record.complete = false;
    insta::assert_snapshot!(markdown::render(&View::of(&record)));
}

#[test]
fn the_junit_report() {
    let run =
        Run { clients: vec!["mock/dual/skip", "brisk@3.9.0+legacy"], servers: vec!["ardent@0.9.2"], ..Run::small() };
    let mut record = fixture::with_baseline(run.record());
    record.complete = false;
    insta::assert_snapshot!(junit::render(&record).unwrap());
}

#[test]
fn a_cell_in_full() {
    let record = Run::small().record();
    let id = "root-type/array::ardent@2.0.1+auto::mock/dual::http";
    let scenario = fixture::scenario("root-type/array");
    let text = cell::render(fixture::found(&record, id), Some(&scenario), &fixture::evidence(id), Style::plain(80));
    insta::assert_snapshot!(text);
}

#[test]
fn a_known_cell_in_colour() {
    let record = fixture::with_baseline(Run::small().record());
    let id = "drift/array-to-object::brisk@3.9.0+legacy::mock/dual::http";
    let mut evidence = fixture::evidence(id);
    evidence.transcript.entries.truncate(1);
    let style = Style { colour: true, width: 100 };
    insta::assert_snapshot!(coloured(&cell::render(fixture::found(&record, id), None, &evidence, style)));
}

#[test]
fn a_rule_explained() {
    let rule = Explained {
        id: "structured-content-is-object".to_owned(),
        title: "structuredContent is an object, up to 2025-11-25".to_owned(),
        level: Levels::MUST,
        party: Party::Server,
        revisions: "2025-06-18 to 2025-11-25".to_owned(),
        source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#structured-content".to_owned(),
        explanation:
            "A client of that time reads the member as an object and fails on anything else.\n\nSend the value \
                      under a key, or leave it out and send its text."
                .to_owned(),
    };
    insta::assert_snapshot!(rule::render(&rule, Style::plain(80)));
}
