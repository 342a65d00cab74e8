//! A baseline in an audit of a client: cells, and variations as cells of one server.

use std::collections::BTreeSet;

use mcp_compat_model::client_audit::{Conclusion, Variation};
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::{Outcome, Rating, Verdict};
use mcp_compat_model::{Cell, ScenarioId, Transport};
use mcp_compat_run::baseline::Renewal;
use mcp_compat_run::baseline_file::BaselineFile;

use super::{CLIENT, ClientAuditError, Session, peer_id, place};

/// The id of the varied server in a baseline.
const VARIED: &str = "mock/varied";

/// Entries of a baseline that an audit meets.
#[derive(Default)]
pub(super) struct Settled {
    /// The variations that it knows as broken.
    variations: BTreeSet<String>,
    /// Changes to the file, if it was rewritten.
    pub(super) renewal: Option<Renewal>,
}

impl Session {
    /// Marks the breaks that a baseline knows.
    pub(super) fn settle(
        &mut self,
        baseline: Option<&BaselineFile>,
        variations: &[Variation],
        transport: Transport,
    ) -> Result<Settled, ClientAuditError> {
        let Some(file) = baseline else { return Ok(Settled::default()) };
        let number = self.record.cells.len();
        self.record.cells.extend(variations.iter().filter_map(|variation| cell(variation, transport)));
        let matrix: Vec<Cell> = self.record.cells.iter().map(CellRecord::cell).collect();
        if self.record.complete && !file.renews() {
            file.baseline().check(&matrix)?;
        }
        let renewal = file.settle(&mut self.record, &matrix)?;
        let varied = self.record.cells.split_off(number);
        let known = varied.into_iter().filter(|cell| cell.known.is_some());
        Ok(Settled { variations: known.map(|cell| cell.scenario.to_string()).collect(), renewal })
    }
}

impl Settled {
    /// Returns whether the baseline knows every break that a conclusion is about.
    pub(super) fn is_known(&self, cells: &[CellRecord], conclusion: &Conclusion) -> bool {
        let is_of = |cell: &&CellRecord| cell.rating == Rating::Breaks && conclusion.seen.contains(&place(cell));
        let mut broken = cells.iter().filter(is_of).peekable();
        let has_any = broken.peek().is_some() || !conclusion.variations.is_empty();
        let knows = |id: &String| self.variations.contains(id);
        has_any && broken.all(|cell| cell.known.is_some()) && conclusion.variations.iter().all(knows)
    }
}

/// A variation as a cell.
fn cell(variation: &Variation, transport: Transport) -> Option<CellRecord> {
    let Variation { id, does, passes } = variation;
    let verdict = Verdict {
        negotiated: None,
        outcome: if *passes { Outcome::Intact } else { Outcome::Rejected },
        rating: if *passes { Rating::Works } else { Rating::Breaks },
        silent: false,
        vacuous: false,
        blast_radius: None,
        expected: None,
        findings: Vec::new(),
        fault: None,
        signature: None,
        reason: if *passes { String::new() } else { format!("the client does not bear a server that {does}") },
    };
    let scenario = ScenarioId::new(id.as_str()).ok()?;
    let cell = Cell { scenario, client: peer_id(CLIENT), server: peer_id(VARIED), transport };
    Some(CellRecord::new(cell, verdict, 0, None))
}
