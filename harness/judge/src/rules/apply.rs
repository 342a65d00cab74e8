//! From rules and facts to findings.

use mcp_compat_model::verdict::{Finding, Level, Party};
use mcp_compat_scenario::scenario::Purpose;

use super::{Rule, Scope, all};
use crate::facts::Facts;
use mcp_compat_model::excerpt::bounded;

/// How many violations of one rule are kept. A transcript can hold as many as its author likes.
const KEPT: usize = 1_000;

/// How many violations of one rule are told of a cell, and how many messages of each.
const TOLD: usize = 4;

/// A finding, and what the verdict needs to know of it beside.
#[derive(Clone, Debug)]
pub struct Found {
    /// As it is told.
    pub finding: Finding,
    /// The rule.
    pub rule: &'static Rule,
    /// Where in a value or schema.
    pub pointer: Option<String>,
}

/// Applies every rule that holds at the negotiated revision.
///
/// What the server broke is found first: a client is only at fault for refusing what was sent as it should be.
pub fn apply(facts: &mut Facts<'_>) -> Vec<Found> {
    let (servers, clients): (Vec<&Rule>, Vec<&Rule>) = all().iter().partition(|rule| rule.party != Party::Client);
    let mut found = Vec::new();
    for rule in servers {
        try_rule(rule, facts, &mut found);
    }
    facts.violated = found
        .iter()
        .filter(|found: &&Found| found.rule.party == Party::Server && found.rule.level == Level::Must)
        .flat_map(|found| found.finding.messages.iter().map(|seq| (*seq, found.rule)))
        .collect();
    for rule in clients {
        try_rule(rule, facts, &mut found);
    }
    found
}

fn try_rule(rule: &'static Rule, facts: &Facts<'_>, found: &mut Vec<Found>) {
    if !rule.revisions.holds_at(facts.revision()) {
        return;
    }
    found.extend((rule.check)(facts).into_iter().take(KEPT).map(|hit| Found {
        finding: Finding {
            rule: rule.id.to_owned(),
            level: rule.level,
            party: rule.party,
            revision: facts.revision(),
            source: rule.source.to_owned(),
            detail: bounded(&hit.detail, 400),
            messages: hit.messages,
        },
        rule,
        pointer: hit.pointer,
    }));
}

/// The findings as they are told of a cell: what repeats itself once, and nothing of what the controls are made of.
pub fn findings(facts: &Facts<'_>, found: Vec<Found>) -> Vec<Finding> {
    let controls: Vec<u32> = facts
        .calls
        .iter()
        .filter(|call| call.call.purpose == Purpose::Control)
        .filter_map(|call| facts.result_of_call(call).map(|(message, _)| message.seq))
        .collect();
    let mut told: Vec<Finding> = Vec::new();
    for Found { finding, rule, .. } in found {
        let of_controls = finding.messages.iter().all(|seq| controls.contains(seq));
        if rule.party != Party::Client && rule.scope == Scope::Payload && of_controls {
            continue;
        }
        let of_rule = told.iter().filter(|other| other.rule == finding.rule).count();
        match told.iter_mut().find(|other| other.rule == finding.rule && other.detail == finding.detail) {
            Some(same) if same.messages.len() < TOLD => same.messages.extend(finding.messages),
            None if of_rule < TOLD => told.push(finding),
            Some(_) | None => {}
        }
    }
    told
}
