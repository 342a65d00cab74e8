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

/// Where the server broke a MUST, by these findings.
pub(super) fn server_violations(findings: &[RuleFinding]) -> ServerViolations {
    let is_violation = |found: &&RuleFinding| found.rule.party == Party::Server && found.rule.level == Level::Must;
    let mut violations = ServerViolations::default();
    for found in findings.iter().filter(is_violation) {
        violations.add(found.rule.id, found.rule.scope == Scope::Payload, &found.finding.messages);
    }
    violations
}
