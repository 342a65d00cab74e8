//! Judges the evidence of a run again, so that verdicts of an earlier judge can be compared with new ones.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_judge::{DIGEST, Judge, triangulate};
use mcp_compat_model::observation::Seen;
use mcp_compat_model::record::{CellRecord, Evidence, Record};
use mcp_compat_model::{CellId, ScenarioId};
use mcp_compat_scenario::{Scenario, corpus};

/// Run that is being judged again, cell by cell in any order.
#[derive(Debug)]
pub struct Rejudge<'s> {
    judge: Judge,
    record: Record,
    /// Scenarios that did not change since the run.
    scenarios: BTreeMap<ScenarioId, &'s Scenario>,
    /// Cells that were not judged again yet, with their places.
    waiting: BTreeMap<CellId, usize>,
}

/// Run that was judged again.
#[derive(Clone, Debug)]
pub struct Rejudged {
    /// Record, with new verdicts where the evidence allows it.
    pub record: Record,
    /// Number of cells with a new verdict.
    pub judged_anew: u64,
    /// Cells that keep their old verdicts: their evidence is missing or incomplete, their scenario changed, or their
    /// client is only a command.
    pub old_verdicts: BTreeSet<CellId>,
}

/// Returns whether the verdicts of a record are of the judge of this program.
pub fn is_judged_by_this(record: &Record) -> bool {
    record.judge.as_deref() == Some(DIGEST)
}

impl<'s> Rejudge<'s> {
    /// Starts with a record and the present scenarios.
    pub fn new<'a: 's>(record: Record, scenarios: impl IntoIterator<Item = &'a Scenario>) -> Self {
        let today: BTreeMap<&ScenarioId, &Scenario> =
            scenarios.into_iter().map(|scenario| (&scenario.id, scenario)).collect();
        let played: Vec<&'s Scenario> =
            record.scenarios.iter().filter_map(|played| today.get(&played.id).copied()).collect();
        let digests = corpus::digests(&played);
        let all_unchanged = digests.corpus == record.corpus;
        let of_run: BTreeMap<&ScenarioId, Option<&String>> =
            record.scenarios.iter().map(|of_run| (&of_run.id, of_run.digest.as_ref())).collect();
        let mut unchanged = BTreeMap::new();
        for (scenario, digest) in played.into_iter().zip(&digests.scenarios) {
            let known = of_run.get(&scenario.id).copied().flatten();
            // The digests of earlier versions include the name.
            let is_unchanged = |known: &String| known == digest || *known == corpus::digest([scenario]);
            if known.map_or(all_unchanged, is_unchanged) {
                unchanged.insert(scenario.id.clone(), scenario);
            }
        }
        let waiting = record.cells.iter().enumerate().map(|(place, cell)| (cell.id.clone(), place)).collect();
        Self { judge: Judge::new(), record, scenarios: unchanged, waiting }
    }

    /// Judges a cell by its evidence, if that is whole.
    pub fn see(&mut self, evidence: &Evidence) {
        // The observation of a command needs the name by which it calls the tool, which the record does not have.
        let is_command = evidence.observation.steps.iter().any(|step| matches!(step, Seen::NotReported {}));
        let Some(scenario) = self.scenarios.get(&evidence.cell.scenario) else { return };
        if evidence.shortened || is_command {
            return;
        }
        let Some(place) = self.waiting.remove(&evidence.cell.id()) else { return };
        let verdict = self.judge.judge(scenario, &evidence.cell, &evidence.transcript, &evidence.observation);
        let cell = &mut self.record.cells[place];
        let again = CellRecord::new(evidence.cell.clone(), verdict, cell.duration_us, cell.transcript);
        *cell = CellRecord { missed: cell.missed.take(), known: cell.known.take(), ..again };
    }

    /// Returns the record with the new verdicts.
    pub fn finish(self) -> Rejudged {
        let Self { mut record, waiting, .. } = self;
        let judged_anew = (record.cells.len() - waiting.len()) as u64;
        triangulate(&mut record);
        record.judge = Some(DIGEST.to_owned());
        Rejudged { record, judged_anew, old_verdicts: waiting.into_keys().collect() }
    }
}
