//! A cell for the tests of reports: everything that they do not look at is empty.

use mcp_compat_model::CellId;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Outcome, Rating, Verdict};

/// The cell of that id, such as `root-type/array::a@1.0.0::mock/dual::http`.
pub(crate) fn cell(id: &str, outcome: Outcome, rating: Rating, reason: &str) -> CellRecord {
    let verdict = Verdict {
        negotiated: None,
        outcome,
        rating,
        silent: false,
        vacuous: false,
        blast_radius: None,
        expected: None,
        findings: Vec::new(),
        fault: None,
        signature: None,
        reason: reason.to_owned(),
    };
    CellRecord::new(CellId::parse(id).unwrap(), verdict, 1, None)
}
