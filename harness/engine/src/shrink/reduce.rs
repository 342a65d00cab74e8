//! The reduction itself: candidates in, the smallest that still breaks out.

use std::collections::HashSet;
use std::ops::ControlFlow;

use mcp_compat_judge::schema::Schemas;
use mcp_compat_scenario::{Scenario, corpus};

use super::draft::is_writable;
use super::relation::Relations;
use super::size::size;
use super::{moves, things};

/// Who knows whether a candidate still breaks.
pub trait Trial {
    /// Whether a candidate breaks as the scenario did from which it comes. `Break` ends the reduction with the best so
    /// far.
    fn breaks(&mut self, candidate: &Scenario) -> ControlFlow<(), bool>;

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

/// What a reduction led to.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The smallest scenario that was found to break; the given one, if nothing could go.
    pub scenario: Scenario,
    /// The size of the given one.
    pub before: usize,
    /// The size of what is left.
    pub after: usize,
    /// How many candidates were tried.
    pub runs: usize,
    /// How it ended.
    pub ending: Ending,
}

/// How a reduction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing more can go.
    Minimal,
    /// More might have gone.
    Halted(Halt),
}

/// Why a reduction ended before nothing more could go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The trial did not go on.
    Interrupted,
    /// It had as many runs as it was allowed.
    OutOfRuns,
}

/// Reduces a scenario that breaks, trying at most `max_runs` candidates.
///
/// Every step makes [`size()`] less and is approved by the trial, so this ends for any trial, and what it gives is the
/// given scenario or one that the trial approved.
#[must_use]
pub fn reduce(scenario: &Scenario, trial: &mut dyn Trial, max_runs: usize) -> Reduced {
    let before = size(scenario);
    let mut reducer = Reducer::new(scenario.clone(), trial, max_runs);
    let ending = match reducer.to_the_end() {
        ControlFlow::Continue(()) => Ending::Minimal,
        ControlFlow::Break(halt) => Ending::Halted(halt),
    };
    Reduced { before, after: reducer.size, runs: reducer.runs, ending, scenario: reducer.best }
}

/// A reduction under way.
pub(super) struct Reducer<'t> {
    best: Scenario,
    size: usize,
    relations: Relations,
    schemas: Schemas,
    /// The digests of what was tried.
    tried: HashSet<String>,
    runs: usize,
    max_runs: usize,
    trial: &'t mut dyn Trial,
}

impl<'t> Reducer<'t> {
    fn new(best: Scenario, trial: &'t mut dyn Trial, max_runs: usize) -> Self {
        let schemas = Schemas::default();
        let relations = Relations::of(&best, &schemas);
        let size = size(&best);
        Self { best, size, relations, schemas, tried: HashSet::new(), runs: 0, max_runs, trial }
    }

    /// The smallest so far.
    pub(super) fn best(&self) -> &Scenario {
        &self.best
    }

    /// Goes over everything again and again, until nothing more goes.
    fn to_the_end(&mut self) -> ControlFlow<Halt> {
        loop {
            let before = self.size;
            things::drop_things(self)?;
            moves::shrink_json(self)?;
            if self.size == before {
                return ControlFlow::Continue(());
            }
        }
    }

    /// Takes a candidate, if it is smaller, stands as the best does, can be written, and still breaks.
    pub(super) fn attempt(
        &mut self,
        candidate: Option<Scenario>,
        what: impl FnOnce(&Scenario) -> String,
    ) -> ControlFlow<Halt, bool> {
        let Some(candidate) = candidate else { return ControlFlow::Continue(false) };
        let after = size(&candidate);
        if after >= self.size {
            return ControlFlow::Continue(false);
        }
        let relations = Relations::of(&candidate, &self.schemas);
        if !relations.are_part_of(&self.relations) {
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
            (self.best, self.size, self.relations) = (candidate, after, relations);
            self.trial.took(&step);
        }
        ControlFlow::Continue(breaks)
    }
}
