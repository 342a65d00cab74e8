//! JUnit XML of audits: a test suite for each server, a test case for each tool with each client.

use mcp_compat_model::audit::{Audit, NamedTest, Severity, TestResult};
use mcp_compat_model::invisible_chars::neutralised;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::{failure, skipped, suite};
use crate::audit::cause::causes;
use crate::server_list::{AuditedList, ListedState};

/// Renders an audit with its tests. `server` is the name of the suite. If the audit does not fail, no test does: a loss
/// that it lets pass is skipped.
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
    let others =
        causes.iter().filter(|cause| failed && cause.severity == Severity::Error && cause.lost_by().is_empty());
    let others: Vec<TestCase> = others
        .map(|cause| {
            let tool = cause.tools.first().map_or_else(|| "server".to_owned(), |tool| neutralised(tool));
            failure(&tool, &cause.rules().join(", "), &cause.title())
        })
        .collect();
    suite(&neutralised(server), others.into_iter().chain(audit.tests.iter().map(|test| case(test, failed))))
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
