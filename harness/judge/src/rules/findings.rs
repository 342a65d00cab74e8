//! What was violated, with the rule beside it.

use mcp_compat_model::verdict::{Finding, Level, Party};

use super::rule::{Rule, Scope};
use super::server_violations::ServerViolations;

/// A finding, with its rule and its place for the verdict.
#[derive(Clone, Debug)]
pub struct RuleFinding {
    /// As it is reported.
    pub finding: Finding,
    /// The rule.
    pub rule: &'static Rule,
    /// Where in a value or schema.
    pub pointer: Option<String>,
    /// What mends it: as the rule says, or more exactly.
    pub remedy: &'static str,
}

impl RuleFinding {
    /// Whether the server broke a MUST.
    pub(crate) fn is_must_of_server(&self) -> bool {
        self.rule.party == Party::Server && self.rule.level == Level::Must
    }
}

/// Where the server broke a MUST, by these findings.
pub(super) fn server_violations(findings: &[RuleFinding]) -> ServerViolations {
    let mut violations = ServerViolations::default();
    for found in findings.iter().filter(|found| found.is_must_of_server()) {
        violations.add(found.rule.id, found.rule.scope == Scope::Payload, &found.finding.messages);
    }
    violations
}
