//! The cause of a break in short, equal for cells that break alike.
//!
//! ```text
//! server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type
//! fault  outcome  where      rule, or what stands for one layer  JSON Pointer
//! ```
//!
//! Nothing of one cell alone goes in: no names of peers or tools, no values, ids, ports or words of a peer.

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::Fault;
use mcp_compat_scenario::scenario::SpecStance;

use crate::decision::Decision;
use crate::facts::Facts;
use crate::responsible_party::ResponsibleParty;

/// The signature of a cell that does not work.
pub(crate) fn signature(facts: &Facts<'_>, decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> String {
    let without_rule = || match (party.fault, &facts.scenario.spec) {
        (Fault::Spec, SpecStance::Silent { .. }) => SPEC_SILENT,
        (Fault::Spec, SpecStance::Conflict { .. }) => SPEC_CONFLICT,
        (Fault::Spec | Fault::Client | Fault::Server | Fault::Both | Fault::Harness, _) => "no-rule",
    };
    let rule = match (party.finding, party.no_session) {
        (Some(found), _) => found.rule.id,
        (None, Some(no_session)) => no_session.slug(),
        (None, None) => without_rule(),
    };
    let mut parts =
        vec![party.fault.to_string(), decision.outcome.to_string(), decision.place(facts).to_owned(), rule.to_owned()];
    if let Some(error) = decision.error(facts) {
        parts.push(error.layer.to_string());
        parts.extend(error.code.map(|code| code.to_string()));
    }
    let missing = || decision.missing_companion(facts).map(|missing| missing.pointer());
    let pointer = party.finding.and_then(|found| found.pointer.clone()).or_else(missing);
    let pointer = pointer.or_else(|| decision.difference().map(|difference| difference.pointer));
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
