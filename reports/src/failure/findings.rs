//! The findings of a cell in the order in which a failure names them.

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Fault, Finding, Party};

/// The findings, those of the responsible party first: a scenario may have the other side do wrong on purpose.
pub(super) fn responsible_first(cell: &CellRecord) -> Vec<&Finding> {
    let is_responsible = |party: Party| match (cell.fault, party) {
        (Some(Fault::Client | Fault::Both), Party::Client) | (Some(Fault::Server | Fault::Both), Party::Server) => true,
        (Some(Fault::Spec), Party::Spec) => true,
        (Some(_) | None, Party::Client | Party::Server | Party::Spec) => false,
    };
    let mut findings: Vec<&Finding> = cell.findings.iter().collect();
    findings.sort_by_key(|finding| !is_responsible(finding.party));
    findings
}
