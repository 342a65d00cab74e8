//! From rules and facts to findings: servers first, clients after them, and then what is reported.

use mcp_compat_model::excerpt::bounded;
use mcp_compat_model::verdict::{Finding, Party};
use mcp_compat_scenario::scenario::Purpose;

use super::findings::{RuleFinding, server_violations};
use super::list::all;
use super::rule::{Check, Rule, Scope, Violation};
use super::server_violations::ServerViolations;
use super::source::source_at;
use crate::facts::Facts;

/// How many violations of one rule are kept. A transcript can hold as many as its author likes.
const KEPT: usize = 1_000;

/// How many violations of one rule are reported of a cell, and how many messages of each.
const REPORTED: usize = 4;

/// The longest name of a tool that a finding carries.
const NAME: usize = 256;

/// Applies the rules of servers, and those of the specification itself, that hold at the negotiated revision.
#[must_use]
pub fn check_servers(facts: &Facts<'_>) -> Vec<RuleFinding> {
    found(facts, &ServerViolations::default(), |rule| rule.party != Party::Client)
}

/// Applies the rules of clients that hold at the negotiated revision. `server` is what [`check_servers`] found.
#[must_use]
pub fn check_clients(facts: &Facts<'_>, server: &[RuleFinding]) -> Vec<RuleFinding> {
    found(facts, &server_violations(server), |rule| rule.party == Party::Client)
}

fn found(facts: &Facts<'_>, server: &ServerViolations, of: fn(&Rule) -> bool) -> Vec<RuleFinding> {
    let in_force = all().iter().copied().filter(|rule| of(rule) && rule.revisions.holds_at(facts.revision()));
    let check = |rule: &'static Rule| {
        let violations = match rule.check {
            Check::Wire(check) => check(facts),
            Check::AfterServer(check) => check(facts, server),
        };
        violations.into_iter().take(KEPT).map(move |violation| finding(facts, rule, violation))
    };
    in_force.flat_map(check).collect()
}

fn finding(facts: &Facts<'_>, rule: &'static Rule, violation: Violation) -> RuleFinding {
    let finding = Finding {
        rule: rule.id.to_owned(),
        level: rule.level,
        party: rule.party,
        revision: facts.revision(),
        source: source_at(rule, facts.revision()).into_owned(),
        detail: bounded(&violation.detail, 400),
        tool: violation.tool.filter(|name| name.len() <= NAME),
        messages: violation.messages,
    };
    RuleFinding { finding, rule, pointer: violation.pointer, remedy: violation.remedy.unwrap_or(rule.remedy) }
}

/// The findings as they are reported of a cell: what repeats itself once, without those about the payload of controls.
#[must_use]
pub fn reported(facts: &Facts<'_>, found: Vec<RuleFinding>) -> Vec<Finding> {
    let controls: Vec<u32> = facts
        .calls
        .iter()
        .filter(|call| call.call.purpose == Purpose::Control)
        .filter_map(|call| facts.result_of_call(call).map(|(message, _)| message.seq))
        .collect();
    let mut reported: Vec<Finding> = Vec::new();
    for RuleFinding { finding, rule, .. } in found {
        let of_controls = finding.messages.iter().all(|seq| controls.contains(seq));
        if rule.party != Party::Client && rule.scope == Scope::Payload && of_controls {
            continue;
        }
        let of_rule = reported.iter().filter(|other| other.rule == finding.rule).count();
        match reported.iter_mut().find(|other| other.rule == finding.rule && other.detail == finding.detail) {
            Some(same) if same.messages.len() < REPORTED => same.messages.extend(finding.messages),
            None if of_rule < REPORTED => reported.push(finding),
            Some(_) | None => {}
        }
    }
    reported
}
