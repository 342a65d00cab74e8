//! Which cells of a run play side by side.
//!
//! Most cells compute, and as many play at once as the run has jobs. Cells of scenarios that keep their clients waiting
//! compute nothing meanwhile and stand in no other's way. A heavy cell holds much in memory, so none computes beside it.

use std::collections::VecDeque;
use std::sync::Arc;

use mcp_compat_model::Cell;
use tokio::task::{JoinError, JoinSet};

use crate::plan::Weight;
use crate::run::{Played, Stage};

/// How many cells wait side by side, at least.
const WAITING: usize = 32;

/// The cells of a run, not yet played and playing.
pub(crate) struct Schedule {
    stage: Arc<Stage>,
    jobs: usize,
    /// Places in the plan and cells that compute.
    computing: VecDeque<(usize, Cell)>,
    /// Those that wait.
    waiting: VecDeque<(usize, Cell)>,
    plays: JoinSet<Played>,
    waits: JoinSet<Played>,
    holds_heavy: bool,
}

impl Schedule {
    /// The cells of a plan, in its order.
    pub(crate) fn new(cells: &[Cell], jobs: usize, stage: Arc<Stage>) -> Self {
        let keeps_waiting = |(_, cell): &(usize, Cell)| stage.scenario(&cell.scenario).keeps_waiting();
        let (waiting, computing) = cells.iter().cloned().enumerate().partition(keeps_waiting);
        Self {
            stage,
            jobs: jobs.max(1),
            computing,
            waiting,
            plays: JoinSet::new(),
            waits: JoinSet::new(),
            holds_heavy: false,
        }
    }

    /// The next cell that has been played, in no order; nothing, when all have been. Dropping the future loses none.
    pub(crate) async fn next(&mut self) -> Option<Result<Played, JoinError>> {
        self.fill();
        tokio::select! {
            Some(played) = self.plays.join_next() => Some(played),
            Some(played) = self.waits.join_next() => Some(played),
            else => None,
        }
    }

    /// Ends whatever is playing.
    pub(crate) async fn shut_down(mut self) {
        self.plays.shutdown().await;
        self.waits.shutdown().await;
    }

    /// Starts as many as there is room for.
    fn fill(&mut self) {
        while self.waits.len() < WAITING.max(self.jobs)
            && let Some((place, cell)) = self.waiting.pop_front()
        {
            self.waits.spawn(Arc::clone(&self.stage).play_at(place, cell));
        }
        while self.plays.len() < self.jobs
            && let Some((_, next)) = self.computing.front()
        {
            let is_heavy = Weight::of(self.stage.scenario(&next.scenario)) == Weight::Heavy;
            if !self.plays.is_empty() && (is_heavy || self.holds_heavy) {
                break;
            }
            if let Some((place, cell)) = self.computing.pop_front() {
                self.holds_heavy = is_heavy;
                self.plays.spawn(Arc::clone(&self.stage).play_at(place, cell));
            }
        }
    }
}
