//! The cause of a break in short, equal for cells that break alike.
//!
//! ```text
//! server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type
//! fault  outcome  where      rule, or what stands for one layer  JSON Pointer
//! ```
//!
//! Nothing of one cell alone goes in: no names of peers or tools, no values, ids, ports or words of a peer.

use mcp_compat_json::Json;
use mcp_compat_model::observation::{Layer, PeerError, Seen};
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Fault, Outcome};
use mcp_compat_scenario::scenario::{Means, SpecStance};

use crate::beside::Besides;
use crate::facts::Facts;
use crate::fault::Blame;
use crate::weigh::{Matter, Weighed};

/// The signature of a cell that does not work.
pub(crate) fn signature(facts: &Facts<'_>, weighed: &Weighed<'_, '_>, blame: &Blame<'_>) -> String {
    let without_rule = || match (blame.fault, &facts.scenario.spec) {
        (Fault::Spec, SpecStance::Silent { .. }) => SPEC_SILENT,
        (Fault::Spec, SpecStance::Conflict { .. }) => SPEC_CONFLICT,
        (Fault::Spec | Fault::Client | Fault::Server | Fault::Both | Fault::Harness, _) => "no-rule",
    };
    let rule = match (blame.finding, blame.parting) {
        (Some(found), _) => found.rule.id,
        (None, Some(parting)) => parting.slug(),
        (None, None) => without_rule(),
    };
    let mut parts =
        vec![blame.fault.to_string(), weighed.outcome.to_string(), place(facts, weighed).to_owned(), rule.to_owned()];
    if let Some(error) = error(facts, weighed) {
        parts.push(error.layer.to_string());
        parts.extend(error.code.map(|code| code.to_string()));
    }
    let besides = || decided_besides(facts, weighed).map(|besides| besides.pointer());
    let pointer = blame.finding.and_then(|found| found.pointer.clone()).or_else(besides);
    let pointer = pointer.or_else(|| altered_at(weighed));
    parts.extend(pointer.filter(|pointer| !pointer.is_empty()).map(|pointer| without_indices(&pointer)));
    parts.join(":")
}

/// What a recorded break looks like, whoever is at fault and by whichever rule: the outcome, where, and which error.
pub(crate) fn symptom(cell: &CellRecord) -> Vec<&str> {
    let parts = cell.signature.as_deref().map(cause).unwrap_or_default().split(':').enumerate();
    parts.filter(|(place, _)| ![FAULT, RULE].contains(place)).map(|(_, part)| part).collect()
}

/// Whether a recorded break is one that the specification leaves open, as the scenario says.
pub(crate) fn is_left_open(cell: &CellRecord) -> bool {
    let rule = cell.signature.as_deref().and_then(|signature| signature.split(':').nth(RULE));
    rule.is_some_and(|rule| [SPEC_SILENT, SPEC_CONFLICT].contains(&rule))
}

/// The signature of the same break by the fault of somebody else.
pub(crate) fn with_fault(signature: &str, fault: Fault) -> String {
    signature.split_once(':').map_or_else(|| signature.to_owned(), |(_, rest)| format!("{fault}:{rest}"))
}

/// Which part of a signature names who is at fault.
const FAULT: usize = 0;

/// Which part of a signature names the rule, or what stands for one.
const RULE: usize = 3;

/// What stands for a rule where the specification says nothing.
const SPEC_SILENT: &str = "spec-silent";

/// What stands for a rule where the specification says two things.
const SPEC_CONFLICT: &str = "spec-conflict";

/// A signature without the JSON Pointer at its end: what stays equal when only the place in the schema or the value
/// changes.
#[must_use]
pub fn cause(signature: &str) -> &str {
    // Only a pointer begins with a slash.
    signature.split_once(":/").map_or(signature, |(cause, _)| cause)
}

/// Where it broke: the method whose answer was refused, or what stands for it.
pub(crate) fn place(facts: &Facts<'_>, weighed: &Weighed<'_, '_>) -> &'static str {
    match &weighed.matter {
        Matter::Session(_) => "session",
        Matter::List(_) => "tools/list",
        Matter::Evolve(_) => "evolve",
        // A call that never went out fell where the list did.
        Matter::Call(call) if call.exchange.is_none() && list_error(facts).is_some() => "tools/list",
        Matter::Call(_) => "tools/call",
    }
}

/// The error that the user got.
pub(crate) fn error<'f>(facts: &'f Facts<'_>, weighed: &Weighed<'f, '_>) -> Option<&'f PeerError> {
    match &weighed.matter {
        Matter::Session(_) => None,
        Matter::List(error) | Matter::Evolve(error) => Some(error),
        Matter::Call(call) => match call.seen {
            Some(Seen::Failed(_)) if call.exchange.is_none() && list_error(facts).is_some() => list_error(facts),
            Some(Seen::Failed(error)) => Some(error),
            Some(Seen::Called(_) | Seen::Listed { .. } | Seen::Evolved { .. } | Seen::Untold {}) | None => None,
        },
    }
}

/// The error of the first list that failed in the client.
fn list_error<'f>(facts: &'f Facts<'_>) -> Option<&'f PeerError> {
    let steps = facts.scenario.steps.iter().zip(&facts.observation.steps);
    steps.into_iter().find_map(|(step, seen)| match (step, seen) {
        (mcp_compat_scenario::scenario::Step::List, Seen::Failed(error)) if error.layer != Layer::Timeout => {
            Some(error)
        }
        _ => None,
    })
}

/// What had to come besides and decides the cell, because it did not.
pub(crate) fn decided_besides<'f>(facts: &'f Facts<'_>, weighed: &Weighed<'f, '_>) -> Option<Besides<'f>> {
    match &weighed.matter {
        Matter::Call(call) if weighed.despite.is_none() => facts.decided_besides(call),
        Matter::Call(_) | Matter::Session(_) | Matter::List(_) | Matter::Evolve(_) => None,
    }
}

/// Where the value that the user saw parts from the one meant.
pub(crate) fn altered_at(weighed: &Weighed<'_, '_>) -> Option<String> {
    difference(weighed).map(|difference| difference.pointer)
}

/// How the value that the user saw parts from the one meant.
pub(crate) fn difference(weighed: &Weighed<'_, '_>) -> Option<mcp_compat_json::Difference> {
    let (Outcome::Altered, Matter::Call(call)) = (weighed.outcome, &weighed.matter) else { return None };
    let (Means::Value(meant), Some(Seen::Called(result))) = (&call.call.means, call.seen) else { return None };
    let seen: &Json = result.structured.as_ref()?;
    meant.first_difference(seen)
}

/// A pointer without the places in lists, which depend on what else stands there.
fn without_indices(pointer: &str) -> String {
    let token = |token: &str| {
        let index = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
        if index { "*".to_owned() } else { mcp_compat_model::excerpt::bounded(token, 40) }
    };
    pointer.split('/').map(token).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_the_signature_without_its_pointer() {
        let cause_in_list = "client:rejected:tools/list:no-rule:decode:-32603";
        assert_eq!(cause(&format!("{cause_in_list}:/outputSchema/a:/b")), cause_in_list);
        assert_eq!(cause(cause_in_list), cause_in_list);
    }

    #[test]
    fn places_in_lists_do_not_part_causes() {
        assert_eq!(without_indices("/content/3/type"), "/content/*/type");
        assert_eq!(without_indices("/items/a1"), "/items/a1");
        assert_eq!(without_indices(""), "");
    }
}
