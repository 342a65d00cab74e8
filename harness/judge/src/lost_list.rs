//! Calls that failed because the client did not take the list of tools: then every tool is lost, and the list is what has
//! to be fixed.

use mcp_compat_model::observation::Layer;
use mcp_compat_model::verdict::{Level, Outcome, Party};
use mcp_compat_scenario::scenario::Step;

use crate::facts::{CallFacts, Facts};
use crate::rules::RuleFinding;

/// Whether a call came to its outcome because of the list.
pub(crate) fn is_lost_with_list(
    facts: &Facts<'_>,
    findings: &[RuleFinding],
    call: &CallFacts<'_>,
    outcome: Outcome,
) -> bool {
    let Some(error) = facts.list_error(call) else {
        return outcome == Outcome::Rejected && is_lost_with_unasked_list(facts, findings, call);
    };
    let timed_out = error.layer == Layer::Timeout;
    let was_sent = call.exchange.is_some();
    if outcome == Outcome::Hung {
        timed_out
    } else if matches!(outcome, Outcome::Rejected | Outcome::Uncaught) {
        // A client without the list has no schema to validate with, even where the call is sent.
        !timed_out || !was_sent
    } else {
        !timed_out && !was_sent
    }
}

/// Whether the user asked for no list, the client asked for it behind the user's back, and only that list breaks a
/// MUST. A client may ask for it before the call, which then is never sent, or after its answer.
fn is_lost_with_unasked_list(facts: &Facts<'_>, findings: &[RuleFinding], call: &CallFacts<'_>) -> bool {
    let asked = facts.scenario.steps.iter().any(|step| matches!(step, Step::List));
    let answer = match call.exchange {
        None => None,
        Some(exchange) => match facts.result_of(exchange) {
            Some((message, _)) => Some(message.seq),
            None => return false,
        },
    };
    let lists: Vec<u32> = facts
        .exchanges_of("tools/list")
        .filter_map(|(_, exchange)| Some(facts.messages[exchange.answer.message()?].seq))
        .collect();
    let musts = || findings.iter().filter(|found| found.rule.party == Party::Server && found.rule.level == Level::Must);
    let broken_in =
        |entries: &[u32]| musts().any(|found| found.finding.messages.iter().any(|seq| entries.contains(seq)));
    !asked && broken_in(&lists) && !answer.is_some_and(|answer| broken_in(&[answer]))
}
