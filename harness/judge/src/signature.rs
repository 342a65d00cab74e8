//! The signature of a cell that does not work: the fields that name its cause.

use mcp_compat_model::excerpt::bounded;
use mcp_compat_model::signature::{ErrorKind, Ground, Signature};
use mcp_compat_model::verdict::Fault;
use mcp_compat_scenario::scenario::SpecStance;

use crate::broken_step::is_left_open;
use crate::decision::{Decision, Subject};
use crate::facts::Facts;
use crate::no_session::NoSession;
use crate::responsible_party::ResponsibleParty;
use crate::without_rule::{is_refused_for_root, unsent_member};

/// The signature of a cell that does not work.
pub(crate) fn signature(facts: &Facts<'_>, decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> Signature {
    let stance = if is_left_open(facts, decision) { &facts.scenario.spec } else { &SpecStance::Clear };
    let without_rule = || match (party.fault, stance) {
        (Fault::Spec, SpecStance::Silent { .. }) => Ground::SpecSilent,
        (Fault::Spec, SpecStance::Conflict { .. }) => Ground::SpecConflict,
        (Fault::Spec | Fault::Client | Fault::Server | Fault::Both | Fault::Harness, _) => Ground::NoRule,
    };
    let ended_by = match &decision.subject {
        Subject::Session(ending) => ending.cause,
        Subject::List(_) | Subject::Evolve(_) | Subject::Call(_) => None,
    };
    let ground = match (party.finding, party.no_session.map(NoSession::cause).or(ended_by)) {
        (Some(found), _) => Ground::Rule(found.rule.id.to_owned()),
        (None, Some(cause)) => Ground::NoSession(cause),
        (None, None) => without_rule(),
    };
    let pointer = party
        .finding
        .and_then(|found| found.pointer.clone())
        .or_else(|| decision.missing_companion(facts).map(|missing| missing.pointer()))
        .or_else(|| decision.difference().map(|difference| difference.pointer))
        .or_else(|| is_of_root(facts, decision, party).then(|| "/outputSchema".to_owned()))
        .or_else(|| {
            if party.fault == Fault::Server { unsent_member(facts, decision) } else { None }.map(str::to_owned)
        });
    Signature {
        fault: party.fault,
        outcome: decision.outcome,
        place: decision.place(),
        ground,
        error: decision.error(facts).map(ErrorKind::from),
        pointer: pointer.filter(|pointer| !pointer.is_empty()).map(|pointer| without_indices(&pointer)),
    }
}

/// Returns true if the server's refusal of the list is about the root of an outputSchema, although no rule says so.
fn is_of_root(facts: &Facts<'_>, decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> bool {
    party.fault == Fault::Server && party.finding.is_none() && is_refused_for_root(facts, decision)
}

/// A pointer without the places in lists, which depend on what else stands there.
fn without_indices(pointer: &str) -> String {
    let token = |token: &str| {
        let index = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
        if index { "*".to_owned() } else { bounded(token, 40) }
    };
    pointer.split('/').map(token).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    #[test]
    fn places_in_lists_do_not_part_causes() {
        assert_eq!(without_indices("/content/3/type"), "/content/*/type");
        assert_eq!(without_indices("/items/a1"), "/items/a1");
        assert_eq!(without_indices(""), "");
    }

    #[test]
    fn no_rule_has_the_name_of_another_ground() {
        for rule in rules::all() {
            assert_eq!(Ground::from(rule.id), Ground::Rule(rule.id.to_owned()));
        }
    }
}
