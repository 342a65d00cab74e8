//! What became of each cell, and of each of its steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_compat_judge::step_outcomes;
use mcp_compat_model::observation::End;
use mcp_compat_model::record::{CellRecord, Evidence};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Cell, Role, ScenarioId};
use mcp_compat_scenario::Scenario;

use mcp_compat_run::events::{Event, Observer};

/// What became of a cell.
#[derive(Clone, Debug)]
pub(super) struct Fate {
    pub(super) record: CellRecord,
    /// What each step came to, as far as the session went.
    pub(super) steps: Vec<Option<Outcome>>,
    /// The peer that says that it cannot play the cell.
    pub(super) declined_by: Option<Role>,
}

/// What became of the cells. Of one that is played again, what came last.
#[derive(Debug)]
pub(super) struct Fates<'s> {
    scenarios: BTreeMap<&'s ScenarioId, &'s Scenario>,
    fates: BTreeMap<Cell, Fate>,
}

impl<'s> Fates<'s> {
    pub(super) fn new(corpus: &'s [Arc<Scenario>]) -> Self {
        let scenarios = corpus.iter().map(|scenario| (&scenario.id, scenario.as_ref())).collect();
        Self { scenarios, fates: BTreeMap::new() }
    }

    pub(super) fn of(&self, cell: &Cell) -> Option<&Fate> {
        self.fates.get(cell)
    }
}

impl Observer for Fates<'_> {
    fn notice(&mut self, event: Event<'_>) {
        let Event::Recorded { cell: record, evidence } = event else { return };
        let Evidence { cell, transcript, observation, .. } = evidence;
        // Where messages are too long to be kept whole, both peers are judged by what is kept.
        let steps = self.scenarios.get(&cell.scenario);
        let steps = steps.map(|scenario| step_outcomes(scenario, cell, transcript, observation)).unwrap_or_default();
        let declined_by = match &observation.end {
            End::Unsupported { by, .. } => Some(*by),
            End::Answered {}
            | End::NoSession(_)
            | End::TimedOut { .. }
            | End::Crashed { .. }
            | End::NotStarted { .. }
            | End::HarnessFailed { .. } => None,
        };
        self.fates.insert(cell.clone(), Fate { record: record.clone(), steps, declined_by });
    }
}
