//! Which cells of a run play side by side.
//!
//! Most cells compute, and as many play at once as the run has jobs. Cells of scenarios that keep their clients waiting,
//! and those that turn out to take their time, compute next to nothing and stand in no other's way. A heavy cell holds
//! much in memory, so none computes beside it.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_compat_model::Cell;
use mcp_compat_scenario::Scenario;
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet};

use crate::plan::Weight;
use crate::run::{Played, Stage};

/// How many cells wait side by side, at least.
const WAITING: usize = 32;

/// How long a cell may take before it is thought to wait for something.
const PROMPT: Duration = Duration::from_millis(150);

/// How many cells that are thought to wait stand in no other's way.
const TARDY: usize = 96;

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
    tardy: Arc<Tardy>,
    holds_heavy: bool,
}

/// How many of the cells that play are thought to wait, and word of each new one.
#[derive(Default)]
struct Tardy {
    count: AtomicUsize,
    more: Notify,
}

impl Schedule {
    /// The cells of a plan, in its order.
    pub(crate) fn new(cells: &[Cell], jobs: usize, stage: Arc<Stage>) -> Self {
        let may_wait = |(_, cell): &(usize, Cell)| may_wait(stage.scenario(&cell.scenario));
        let (waiting, computing) = cells.iter().cloned().enumerate().partition(may_wait);
        Self {
            stage,
            jobs: jobs.max(1),
            computing,
            waiting,
            plays: JoinSet::new(),
            waits: JoinSet::new(),
            tardy: Arc::default(),
            holds_heavy: false,
        }
    }

    /// The next cell that has been played, in no order; nothing, when all have been. Dropping the future loses none.
    pub(crate) async fn next(&mut self) -> Option<Result<Played, JoinError>> {
        loop {
            self.fill();
            if self.plays.is_empty() && self.waits.is_empty() {
                return None;
            }
            tokio::select! {
                Some(played) = self.plays.join_next() => return Some(played),
                Some(played) = self.waits.join_next() => return Some(played),
                () = self.tardy.more.notified() => {}
            }
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
        while let Some((_, next)) = self.computing.front() {
            let tardy = self.tardy.count.load(Ordering::Relaxed).min(TARDY);
            let computing = self.plays.len().saturating_sub(tardy);
            let is_heavy = Weight::of(self.stage.scenario(&next.scenario)) == Weight::Heavy;
            if computing >= self.jobs || computing > 0 && (is_heavy || self.holds_heavy) {
                break;
            }
            let Some((place, cell)) = self.computing.pop_front() else { break };
            let play = Arc::clone(&self.stage).play_at(place, cell);
            self.holds_heavy = is_heavy;
            // What is heavy may well take its time, and still is in the way.
            if is_heavy {
                self.plays.spawn(play);
            } else {
                self.plays.spawn(watched(play, Arc::clone(&self.tardy)));
            }
        }
    }
}

/// Whether clients may well be left waiting: for an answer that never comes, or because what comes before it throws them
/// off. Such cells begin first, so that a run does not end with waiting for them.
fn may_wait(scenario: &Scenario) -> bool {
    let mut tools = scenario.stages.iter().flat_map(|stage| &stage.tools);
    scenario.keeps_waiting() || tools.any(|tool| !tool.before.is_empty())
}

/// Plays a cell, and makes room for another one while it takes its time.
async fn watched(play: impl Future<Output = Played>, tardy: Arc<Tardy>) -> Played {
    let mut play = pin!(play);
    if let Ok(played) = tokio::time::timeout(PROMPT, &mut play).await {
        return played;
    }
    tardy.count.fetch_add(1, Ordering::Relaxed);
    tardy.more.notify_one();
    let played = play.await;
    tardy.count.fetch_sub(1, Ordering::Relaxed);
    played
}
