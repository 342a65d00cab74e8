//! From rules and facts to findings.

use mcp_compat_model::verdict::{Finding, Level, Party};

use super::{Rule, all};
use crate::excerpt::bounded;
use crate::facts::Facts;

/// How many places of one rule are told of a cell. A server that repeats itself is not worse for it.
const PLACES: usize = 4;

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
    found.extend((rule.check)(facts).into_iter().take(PLACES).map(|hit| Found {
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
