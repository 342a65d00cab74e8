//! The findings of a cell in the order in which reports name them.

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::signature::Ground;
use mcp_compat_model::verdict::{Fault, Finding, Party};

/// The findings, first the one that the verdict rests on, then others of the responsible party: a scenario may have the
/// other side do wrong on purpose.
#[must_use]
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
