//! JUnit XML: a test suite for each pair, a test case for each cell.

use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Rating;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite, XmlString};
use std::collections::BTreeMap;
use std::time::Duration;

/// The record as JUnit XML.
///
/// A new break is a failure; a known one, and what a peer does not support, is skipped with its reason; a stale
/// baseline entry is a failure of its own.
///
/// # Errors
/// When the XML writer fails.
pub fn render(record: &Record) -> Result<String, quick_junit::SerializeError> {
    let mut suites = BTreeMap::<String, TestSuite>::new();
    for cell in &record.cells {
        let name = format!("{} / {}", cell.client, cell.server);
        suites.entry(name.clone()).or_insert_with(|| TestSuite::new(xml(&name))).add_test_case(case(cell));
    }
    if !record.stale.is_empty() {
        let mut suite = TestSuite::new("baseline");
        for entry in &record.stale {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(xml("take the entry out"));
            suite.add_test_case(TestCase::new(xml(entry), status));
        }
        suites.insert("baseline".to_owned(), suite);
    }
    let mut report = Report::new("mcp-compat");
    report.add_test_suites(suites.into_values());
    report.to_string()
}

fn case(cell: &CellRecord) -> TestCase {
    let mut status = match (cell.rating, &cell.known) {
        (Rating::Works | Rating::Degraded, _) => TestCaseStatus::success(),
        (Rating::Breaks, None) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        (Rating::Breaks, Some(_)) | (Rating::Skipped, _) => TestCaseStatus::skipped(),
    };
    match (cell.rating, &cell.known) {
        (Rating::Breaks, Some(known)) => {
            status.set_message(xml(&format!("known: {}", known.reason)));
        }
        (Rating::Breaks | Rating::Skipped, _) => {
            status.set_message(xml(&cell.reason));
            status.set_type(cell.outcome.as_str());
            status.set_description(xml(&description(cell)));
        }
        (Rating::Works | Rating::Degraded, _) => {}
    }
    let mut case = TestCase::new(xml(cell.id.as_str()), status);
    case.set_classname(xml(cell.scenario.as_str()));
    case.set_time(Duration::from_micros(cell.duration_us));
    case
}

fn description(cell: &CellRecord) -> String {
    let rules = cell.findings.iter().map(|finding| {
        format!(
            "\nrule {} ({} {}): {}\n  {}",
            finding.rule, finding.party, finding.level, finding.detail, finding.source
        )
    });
    let fault = cell.fault.map(|fault| format!("\nfault: {fault}")).unwrap_or_default();
    format!("{}{fault}{}\nmcp-compat show '{}'", cell.reason, rules.collect::<String>(), cell.id)
}

/// The text with only those characters that XML 1.0 allows: a peer chooses much of it.
fn xml(text: &str) -> XmlString {
    let allowed = |c: &char| matches!(c, '\t' | '\n' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}');
    XmlString::new(text.chars().filter(allowed).collect::<String>())
}
