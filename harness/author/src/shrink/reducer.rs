//! A reduction under way: the smallest scenario so far, and the checks that a candidate has to pass.

use std::collections::HashSet;
use std::ops::ControlFlow;

use mcp_compat_inclusion::Schemas;
use mcp_compat_scenario::{Scenario, corpus};

use super::draft::is_writable;
use super::invariants::Invariants;
use super::size::size;

/// Who knows whether a candidate still breaks.
pub trait Trial {
    /// Whether a candidate breaks as the scenario did from which it comes. `Break` ends the reduction with the best so
    /// far.
    fn breaks(&mut self, candidate: &Scenario) -> ControlFlow<(), bool>;

    /// Why no further candidate is looked at; `None` as long as the reduction may go on. Most candidates are never tried.
    fn halt(&self) -> Option<Halt> {
        None
    }

    /// A candidate was taken.
    fn took(&mut self, step: &Step) {
        let _ = step;
    }
}

/// A candidate that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was done, such as `dropped /outputSchema/title in the definition of list_users`.
    pub what: String,
    /// The size before.
    pub before: usize,
    /// The size after, which is less.
    pub after: usize,
    /// How many candidates had been tried by then, this one among them.
    pub runs: usize,
}

/// Why a reduction ended before nothing more could go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The trial did not go on.
    Interrupted,
    /// It had as many runs as it was allowed.
    OutOfRuns,
    /// It took as long as it was allowed.
    OutOfTime,
}

/// A reduction under way.
pub(super) struct Reducer<'t> {
    best: Scenario,
    size: usize,
    invariants: Invariants,
    schemas: Schemas,
    /// The digests of what was tried.
    tried: HashSet<String>,
    runs: usize,
    max_runs: usize,
    trial: &'t mut dyn Trial,
}

impl<'t> Reducer<'t> {
    pub(super) fn new(best: Scenario, trial: &'t mut dyn Trial, max_runs: usize) -> Self {
        let schemas = Schemas::default();
        let invariants = Invariants::of(&best, &schemas);
        let size = size(&best);
        Self { best, size, invariants, schemas, tried: HashSet::new(), runs: 0, max_runs, trial }
    }

    /// The smallest so far.
    pub(super) fn best(&self) -> &Scenario {
        &self.best
    }

    /// The size of the smallest so far.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// How many candidates were tried.
    pub(super) fn runs(&self) -> usize {
        self.runs
    }

    /// The smallest that was found.
    pub(super) fn into_best(self) -> Scenario {
        self.best
    }

    /// Takes a candidate, if it is smaller, stands as the best does, can be written, and still breaks.
    pub(super) fn attempt(
        &mut self,
        candidate: Option<Scenario>,
        what: impl FnOnce(&Scenario) -> String,
    ) -> ControlFlow<Halt, bool> {
        if let Some(halt) = self.trial.halt() {
            return ControlFlow::Break(halt);
        }
        let Some(candidate) = candidate else { return ControlFlow::Continue(false) };
        let after = size(&candidate);
        if after >= self.size {
            return ControlFlow::Continue(false);
        }
        let invariants = Invariants::of(&candidate, &self.schemas);
        if !invariants.are_part_of(&self.invariants) {
            return ControlFlow::Continue(false);
        }
        if !is_writable(&candidate) || !self.tried.insert(corpus::digest([&candidate])) {
            return ControlFlow::Continue(false);
        }
        if self.runs == self.max_runs {
            return ControlFlow::Break(Halt::OutOfRuns);
        }
        self.runs += 1;
        let breaks = match self.trial.breaks(&candidate) {
            ControlFlow::Continue(breaks) => breaks,
            ControlFlow::Break(()) => return ControlFlow::Break(Halt::Interrupted),
        };
        if breaks {
            let step = Step { what: what(&self.best), before: self.size, after, runs: self.runs };
            (self.best, self.size, self.invariants) = (candidate, after, invariants);
            self.trial.took(&step);
        }
        ControlFlow::Continue(breaks)
    }
}
