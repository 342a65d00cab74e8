//! JUnit XML of audits: a test suite for each server, a test case for each tool with each client.

use mcp_compat_model::audit::{Audit, NamedTest, Severity, TestResult};
use mcp_compat_model::invisible_chars::neutralised;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::{failure, skipped, suite};
use crate::audit::cause::{Cause, causes};
use crate::audit::expected::is_known;
use crate::audit::view::losers_in_words;
use crate::audit::{Options, why_failed};
use crate::server_list::{AuditedList, ListedState};

/// Renders an audit with its tests. `server` is the name of the suite. A test fails if and only if the audit does: a loss
/// that it lets pass is skipped, and a failure for another reason is a test of its own.
///
/// # Errors
/// If the XML writer fails.
pub fn of_audit(server: &str, audit: &Audit, failed: bool) -> Result<String, SerializeError> {
    let mut report = Report::new("mcp-compat");
    report.add_test_suite(of_server(server, audit, failed));
    report.to_string()
}

/// Renders the audits of several servers with their tests. A server that could not be audited is one failure.
///
/// # Errors
/// If the XML writer fails.
pub fn of_list(list: &AuditedList) -> Result<String, SerializeError> {
    let mut report = Report::new("mcp-compat");
    for listed in &list.servers {
        let why = listed.why.as_deref().unwrap_or_default();
        report.add_test_suite(match (&listed.audit, listed.state) {
            (Some(audit), _) => of_server(&listed.name, audit, listed.failed),
            (None, ListedState::Disabled) => {
                suite(&neutralised(&listed.name), [TestCase::new("audited", skipped(&neutralised(why)))])
            }
            (None, _) => suite(&neutralised(&listed.name), [failure("server", "audited", &neutralised(why))]),
        });
    }
    report.to_string()
}

fn of_server(server: &str, audit: &Audit, failed: bool) -> TestSuite {
    let causes = causes(audit);
    // A cause with a loss is in the tests of its tools.
    let is_case = |cause: &&Cause<'_>| {
        let has_test = !cause.lost_by().is_empty() && !audit.tools.is_empty();
        failed && cause.severity == Severity::Error && !has_test && !is_known(cause, audit)
    };
    let of_cause = |cause: &Cause<'_>| {
        let tool = cause.tools.first().map_or_else(|| "server".to_owned(), |tool| neutralised(tool));
        let losers = cause.losers();
        let lost = match losers.is_empty() || !cause.tools.is_empty() {
            true => String::new(),
            false => format!("; {}", losers_in_words(&losers, audit.in_session())),
        };
        failure(&tool, &cause.rules().join(", "), &format!("{}{lost}", cause.title()))
    };
    let mut cases: Vec<TestCase> = causes.iter().filter(is_case).map(of_cause).collect();
    let is_red = |test: &NamedTest| test.result == TestResult::Failed;
    if failed && cases.is_empty() && !audit.tests.iter().any(is_red) {
        let why = why_failed(audit, Options { failed: Some(failed), notes: true, ..Options::default() });
        cases.push(failure("server", "audit", &why));
    }
    suite(&neutralised(server), cases.into_iter().chain(audit.tests.iter().map(|test| case(test, failed))))
}

fn case(test: &NamedTest, failed: bool) -> TestCase {
    let first = || neutralised(test.text.lines().next().unwrap_or_default());
    let status = match test.result {
        TestResult::Passed => TestCaseStatus::success(),
        TestResult::Failed if !failed => skipped(&format!("--fail-on lets it pass: {}", first())),
        TestResult::Skipped => skipped(&neutralised(&test.text)),
        TestResult::Failed => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(first());
            status.set_description(test.text.lines().map(neutralised).collect::<Vec<_>>().join("\n"));
            status
        }
    };
    let mut case = TestCase::new(test.name.as_str(), status);
    case.set_classname(neutralised(&test.tool));
    case
}
