//! JUnit XML of audits: a test suite for each server, a test case for each tool with each client.

use mcp_compat_model::audit::{Audit, NamedTest, Severity, TestResult};
use mcp_compat_model::invisible_chars::neutralised;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::{failure, skipped, suite};
use crate::server_list::{AuditedList, ListedState};

/// Renders an audit with its tests. `server` is the name of the suite.
///
/// # Errors
/// If the XML writer fails.
pub fn of_audit(server: &str, audit: &Audit) -> Result<String, SerializeError> {
    let mut report = Report::new("mcp-compat");
    report.add_test_suite(of_server(server, audit));
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
            (Some(audit), _) => of_server(&listed.name, audit),
            (None, ListedState::Disabled) => {
                suite(&neutralised(&listed.name), [TestCase::new("audited", skipped(&neutralised(why)))])
            }
            (None, _) => suite(&neutralised(&listed.name), [failure("server", "audited", &neutralised(why))]),
        });
    }
    report.to_string()
}

fn of_server(server: &str, audit: &Audit) -> TestSuite {
    let errors = audit.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let general = errors.map(|finding| failure("server", &finding.rule, &neutralised(&finding.detail)));
    suite(&neutralised(server), general.chain(audit.tests.iter().map(case)))
}

fn case(test: &NamedTest) -> TestCase {
    let status = match test.result {
        TestResult::Passed => TestCaseStatus::success(),
        TestResult::Skipped => skipped(&neutralised(&test.text)),
        TestResult::Failed => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(neutralised(test.text.lines().next().unwrap_or_default()));
            status.set_description(test.text.lines().map(neutralised).collect::<Vec<_>>().join("\n"));
            status
        }
    };
    let mut case = TestCase::new(test.name.as_str(), status);
    case.set_classname(neutralised(&test.tool));
    case
}
