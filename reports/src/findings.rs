//! Findings of a cell in the order in which reports name them.

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::signature::Ground;
use mcp_compat_model::verdict::{Fault, Finding, Party};

/// Findings that are shown with a cause: none if no rule decides. Other findings of the example have nothing to do with
/// the cause, and its other cells may lack them.
pub fn shown_with_cause(example: &CellRecord) -> Vec<&Finding> {
    match example.signature.as_ref().map(|signature| &signature.ground) {
        Some(Ground::NoRule) => Vec::new(),
        Some(_) | None => responsible_first(example),
    }
}

/// The same findings, each rule once: for reports that show the rule without the detail.
pub fn rules_shown_with_cause(example: &CellRecord) -> Vec<&Finding> {
    let mut rules: Vec<&Finding> = Vec::new();
    for finding in shown_with_cause(example) {
        if rules.iter().all(|known| known.rule != finding.rule) {
            rules.push(finding);
        }
    }
    rules
}

/// Findings of a cell: first the one that decides the verdict, then others of the responsible party, because a scenario
/// may script errors of the other side.
pub fn responsible_first(cell: &CellRecord) -> Vec<&Finding> {
    let is_responsible = |party: Party| match (cell.fault, party) {
        (Some(Fault::Client | Fault::Both), Party::Client) | (Some(Fault::Server | Fault::Both), Party::Server) => true,
        (Some(Fault::Spec), Party::Spec) => true,
        (Some(_) | None, Party::Client | Party::Server | Party::Spec) => false,
    };
    let ground = cell.signature.as_ref().map(|signature| &signature.ground);
    let decides = |finding: &Finding| matches!(ground, Some(Ground::Rule(id)) if *id == finding.rule);
    let mut findings: Vec<&Finding> = cell.findings.iter().collect();
    findings.sort_by_key(|finding| (!decides(finding), !is_responsible(finding.party)));
    findings
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::verdict::{Level, Outcome, Rating};

    use super::*;

    #[test]
    fn a_cause_without_a_rule_names_none() {
        let mut cell = crate::specimen::cell("a/b::c@1::d@1::http", Outcome::Rejected, Rating::Breaks, "");
        cell.findings = vec![Finding {
            rule: "a-rule".to_owned(),
            party: Party::Server,
            level: Level::May,
            revision: None,
            tool: None,
            source: "https://example.org".to_owned(),
            detail: String::new(),
            messages: Vec::new(),
        }];
        for (signature, shown) in
            [("server:rejected:tools/list:no-rule:protocol", 0), ("server:rejected:tools/list:a-rule:protocol", 1)]
        {
            cell.signature = Some(signature.parse().unwrap());
            assert_eq!(shown_with_cause(&cell).len(), shown, "{signature}");
            assert_eq!(responsible_first(&cell).len(), 1, "the check has it");
        }
        // The same rule may be violated in two places.
        cell.findings.push(cell.findings[0].clone());
        assert_eq!((shown_with_cause(&cell).len(), rules_shown_with_cause(&cell).len()), (2, 1));
    }
}
