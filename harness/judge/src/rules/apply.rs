//! From rules and facts to findings: servers first, clients after them, and then what is reported.

use mcp_compat_model::Revision;
use mcp_compat_model::excerpt::bounded;
use mcp_compat_model::verdict::{Finding, Level, Party};
use mcp_compat_scenario::scenario::Purpose;

use super::list::all;
use super::rule::{Affects, Check, Rule, Scope, ServerViolations, Violation};
use super::source::section_at;
use crate::facts::Facts;

/// Limit of the violations of one rule that are kept. A transcript can hold as many as its author likes.
const KEPT: usize = 1_000;

/// Limit of the violations of one rule that are reported of a cell, and of the messages of each.
const REPORTED: usize = 4;

/// The longest name of a tool that a finding carries.
const NAME: usize = 256;

/// A finding, with its rule and its place for the verdict.
#[derive(Clone, Debug)]
pub struct RuleFinding {
    pub finding: Finding,
    pub rule: &'static Rule,
    /// The place in a value or schema.
    pub pointer: Option<String>,
    /// The remedy: as the rule says, or more exactly.
    pub remedy: &'static str,
}

impl RuleFinding {
    /// Returns true if the server broke a MUST for which a client may refuse something.
    pub(crate) fn may_excuse_client(&self) -> bool {
        self.rule.party == Party::Server && self.finding.level == Level::Must && self.rule.affects != Affects::Nothing
    }
}

/// The messages for which a client may refuse something, by these findings.
fn server_violations(findings: &[RuleFinding]) -> ServerViolations {
    let mut violations = ServerViolations::default();
    for found in findings.iter().filter(|found| found.may_excuse_client()) {
        violations.add(found.rule, &found.finding.messages);
    }
    violations
}

/// Applies the rules of servers, and those of the specification itself, that hold at the negotiated revision.
pub fn check_servers(facts: &Facts<'_>) -> Vec<RuleFinding> {
    found(facts, &ServerViolations::default(), facts.revision(), |rule| rule.party != Party::Client)
}

/// Applies the rules of clients that hold at the negotiated revision. A client of the modern era names its revision in each
/// request, and is bound by it if no session opens, too. `server` is what [`check_servers`] found.
pub fn check_clients(facts: &Facts<'_>, server: &[RuleFinding]) -> Vec<RuleFinding> {
    let revision = facts.revision().or_else(|| facts.revision_of_requests());
    found(facts, &server_violations(server), revision, |rule| rule.party == Party::Client)
}

fn found(
    facts: &Facts<'_>,
    server: &ServerViolations,
    revision: Option<Revision>,
    of: fn(&Rule) -> bool,
) -> Vec<RuleFinding> {
    let in_force = all().iter().copied().filter(|rule| of(rule) && rule.revisions.holds_at(revision));
    let check = |rule: &'static Rule| {
        let violations = match rule.check {
            Check::Wire(check) => check(facts),
            Check::AfterServer(check) => check(facts, server),
        };
        violations.into_iter().take(KEPT).map(move |violation| finding(revision, rule, violation))
    };
    in_force.flat_map(check).collect()
}

fn finding(revision: Option<Revision>, rule: &'static Rule, violation: Violation) -> RuleFinding {
    let finding = Finding {
        rule: rule.id.to_owned(),
        level: rule.level.at(revision),
        party: rule.party,
        revision,
        source: section_at(violation.source.unwrap_or(rule.source), revision).into_owned(),
        detail: bounded(&violation.detail, 400),
        tool: violation.tool.filter(|name| name.len() <= NAME),
        messages: violation.messages,
    };
    RuleFinding { finding, rule, pointer: violation.pointer, remedy: violation.remedy.unwrap_or(rule.remedy) }
}

/// The findings as they are reported of a cell: what repeats itself once, without those about the payload of controls.
pub fn reported(facts: &Facts<'_>, found: Vec<RuleFinding>) -> Vec<Finding> {
    let controls: Vec<u32> = facts
        .calls
        .iter()
        .filter(|call| call.call.purpose == Purpose::Control)
        .filter_map(|call| facts.result_of_call(call).map(|(message, _)| message.seq))
        .collect();
    let mut reported: Vec<RuleFinding> = Vec::new();
    for found in found {
        let rule = found.rule;
        let of_controls = found.finding.messages.iter().all(|seq| controls.contains(seq));
        if rule.party != Party::Client && rule.scope == Scope::Payload && of_controls {
            continue;
        }
        let of_rule = reported.iter().filter(|other| other.rule == rule).count();
        let same = reported.iter_mut().find(|other| other.rule == rule && other.finding.detail == found.finding.detail);
        match same.map(|same| &mut same.finding.messages) {
            Some(messages) if messages.len() < REPORTED => messages.extend(found.finding.messages),
            None if of_rule < REPORTED => reported.push(found),
            Some(_) | None => {}
        }
    }
    reported.into_iter().map(|found| found.finding).collect()
}
