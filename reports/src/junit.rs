//! JUnit XML of a run: a test suite for each pair, a test case for each cell. [`audits`] has that of audits.

pub mod audits;

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::{CellRecord, Known, Record};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{PeerId, Role};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::findings::responsible_first;
use crate::text::{by_baseline, standing};
use crate::view::detail;
use crate::{command, recorded, wording};

/// Renders a record as JUnit XML.
///
/// A new break is a failure. A known break and an unsupported cell are skipped, with the reason. A stale baseline entry
/// and an incomplete run are failures of their own.
///
/// # Errors
/// If the XML writer fails.
pub fn render(record: &Record) -> Result<String, quick_junit::SerializeError> {
    let mut pairs = BTreeMap::<(&PeerId, &PeerId), TestSuite>::new();
    for cell in &record.cells {
        let suite = pairs.entry((&cell.client, &cell.server)).or_insert_with(|| suite_of_pair(record, cell));
        suite.add_test_case(case(cell));
        let time = suite.time.unwrap_or_default();
        suite.set_time(time.saturating_add(Duration::from_micros(cell.duration_us)));
    }
    let mut report = Report::new("mcp-compat");
    report.set_time(Duration::from_micros(record.duration_us));
    report.add_test_suites(pairs.into_values());
    if !record.complete {
        let case = failure("run", "complete", "the run ended before every check had its verdict");
        report.add_test_suite(suite("run", [case]));
    }
    if !record.stale.is_empty() {
        let stale =
            record.stale.iter().map(|entry| failure("baseline", entry, "a break that the baseline lists is gone"));
        report.add_test_suite(suite("baseline", stale));
    }
    report.to_string()
}

fn suite_of_pair(record: &Record, cell: &CellRecord) -> TestSuite {
    let mut suite = TestSuite::new(format!("{} / {}", cell.client, cell.server));
    for (role, id) in [(Role::Client, &cell.client), (Role::Server, &cell.server)] {
        if let Some(recorded) = recorded::of_peer(record, role, id) {
            suite.add_property((role.to_string().as_str(), wording::recorded(recorded).as_str()));
        }
    }
    suite
}

fn suite(name: &str, cases: impl IntoIterator<Item = TestCase>) -> TestSuite {
    let mut suite = TestSuite::new(name);
    suite.add_test_cases(cases);
    suite
}

/// Failure without a cell.
fn failure(class: &str, name: &str, message: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(message);
    let mut case = TestCase::new(neutralised(name), status);
    case.set_classname(class);
    case
}

fn case(cell: &CellRecord) -> TestCase {
    let reason = neutralised(&cell.reason);
    let status = match (cell.rating, &cell.known) {
        (Rating::Works | Rating::Degraded, _) => TestCaseStatus::success(),
        (Rating::Breaks, None) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(reason.as_str());
            status.set_type(cell.outcome.as_str());
            status.set_description(description(cell));
            status
        }
        (Rating::Breaks, Some(known)) => {
            let stop = if reason.ends_with('.') { "" } else { "." };
            skipped(&format!("{}: {reason}{stop} The baseline says: {}", standing(known), in_baseline(known)))
        }
        (Rating::Skipped, _) => skipped(&reason),
    };
    let mut case = TestCase::new(command::id(cell).as_str(), status);
    case.set_classname(cell.scenario.as_str());
    case.set_time(Duration::from_micros(cell.duration_us));
    if cell.rating == Rating::Degraded {
        case.set_system_out(format!("degraded, {}: {reason}", wording::outcome(cell.outcome)));
    }
    if cell.rating == Rating::Works && cell.vacuous {
        case.set_system_out("unproven: the client also accepts a value that violates the schema");
    }
    case
}

fn skipped(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(message);
    status
}

/// Reason and issue in the baseline. The reason may have been written for another cell of the entry.
fn in_baseline(known: &Known) -> String {
    let issue = known.issue.as_ref().map(|issue| format!(" ({})", neutralised(issue))).unwrap_or_default();
    format!("{}{issue}", by_baseline(known))
}

/// Description of a break for a reader who sees only the XML.
fn description(cell: &CellRecord) -> String {
    let mut lines = vec![
        neutralised(&cell.reason),
        format!("outcome: {}: {}", wording::outcome(cell.outcome), cell.outcome.meaning()),
    ];
    if cell.silent {
        lines.push("silent: the user gets no error".to_owned());
    }
    lines.extend(cell.expected.map(|expected| format!("expected: {expected}")));
    lines.extend(cell.negotiated.map(|revision| format!("negotiated: {revision}")));
    lines.extend(cell.blast_radius.map(|radius| format!("lost: {}", wording::lost(radius))));
    lines.extend(cell.fault.map(|fault| format!("to fix: {}", wording::to_fix(fault))));
    for finding in responsible_first(cell) {
        let detail = detail(cell, finding).map(|detail| format!(": {}", neutralised(detail))).unwrap_or_default();
        lines.push(format!("rule: {} ({} {}){detail}", neutralised(&finding.rule), finding.party, finding.level));
        lines.push(format!("  {}", neutralised(&finding.source)));
    }
    lines.push(format!("see: {}", command::show(cell)));
    lines.join("\n")
}
