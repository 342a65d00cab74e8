//! Which cells of a run play side by side.
//!
//! Most cells compute, and as many play at once as the run has jobs. Cells of scenarios that keep their clients waiting,
//! and those that have fallen silent, compute next to nothing and stand in no other's way. Over stdio they start
//! processes, which compute for long before they say a word, so that those never count as waiting. A heavy cell holds
//! much in memory: one plays at a time, beside the others. Clients that are no mocks may hang, so that their cells run
//! ahead: a run that begins with them does not end with waiting for them.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_compat_drive::Tap;
use mcp_compat_model::{Cell, Transport};
use mcp_compat_scenario::Scenario;
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet};

use crate::plan::Weight;
use crate::run::{Played, Stage};

/// How many heavy cells play at a time.
const HEAVY: usize = 1;

/// How many cells wait side by side, at least.
const WAITING: usize = 32;

/// How long nothing may pass between the peers of a cell before it is thought to wait for something.
const PROMPT: Duration = Duration::from_millis(300);

/// How many cells that are thought to wait stand in no other's way.
const TARDY: usize = 32;

/// How many places a cell may begin before those that the plan has before it. What has been played waits for its turn in
/// the record, and is held in memory so long.
const AHEAD: usize = 4096;

/// The cells of a run, not yet played and playing.
pub(crate) struct Schedule {
    stage: Arc<Stage>,
    jobs: usize,
    computing: Lane,
    waiting: Lane,
    heavy: Lane,
    tardy: Arc<Tardy>,
}

/// Cells of one kind, in the order in which they begin.
#[derive(Default)]
struct Lane {
    /// Places in the plan and cells that have not begun.
    queue: VecDeque<(usize, Cell)>,
    /// Those of them that run ahead.
    ahead: VecDeque<(usize, Cell)>,
    plays: JoinSet<Played>,
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
        let (mut computing, mut waiting, mut heavy) = (Lane::default(), Lane::default(), Lane::default());
        for (place, cell) in cells.iter().enumerate() {
            let scenario = stage.scenario(&cell.scenario);
            let is_real = !cell.client.is_mock();
            let lane = match Weight::of(scenario) {
                Weight::Heavy => &mut heavy,
                Weight::Light if may_wait(scenario) && cell.transport != Transport::Stdio => &mut waiting,
                Weight::Light => &mut computing,
            };
            let queue = if is_real { &mut lane.ahead } else { &mut lane.queue };
            queue.push_back((place, cell.clone()));
        }
        Self { stage, jobs: jobs.max(1), computing, waiting, heavy, tardy: Arc::default() }
    }

    /// The next cell that has been played, in no order; nothing, when all have been. Dropping the future loses none.
    pub(crate) async fn next(&mut self) -> Option<Result<Played, JoinError>> {
        loop {
            self.fill();
            tokio::select! {
                Some(played) = self.computing.plays.join_next() => return Some(played),
                Some(played) = self.waiting.plays.join_next() => return Some(played),
                Some(played) = self.heavy.plays.join_next() => return Some(played),
                () = self.tardy.more.notified(), if !self.computing.plays.is_empty() => {}
                else => return None,
            }
        }
    }

    /// Ends whatever is playing.
    pub(crate) async fn shut_down(mut self) {
        self.computing.plays.shutdown().await;
        self.waiting.plays.shutdown().await;
        self.heavy.plays.shutdown().await;
    }

    /// Starts as many as there is room for.
    fn fill(&mut self) {
        let Self { stage, jobs, tardy, .. } = self;
        let tardies = tardy.count.load(Ordering::Relaxed).min(TARDY);
        self.heavy.fill(HEAVY, |place, cell| Arc::clone(stage).play_at(place, cell, Tap::default()));
        self.waiting.fill(WAITING.max(*jobs), |place, cell| Arc::clone(stage).play_at(place, cell, Tap::default()));
        self.computing.fill(*jobs + tardies, |place, cell| {
            let starts = cell.transport == Transport::Stdio;
            let (tap, tardy) = (Tap::default(), Arc::clone(tardy));
            let play = Arc::clone(stage).play_at(place, cell, tap.clone());
            async move { if starts { play.await } else { watched(play, tap, tardy).await } }
        });
    }
}

impl Lane {
    /// Starts cells until so many play.
    fn fill<Play>(&mut self, room: usize, play: impl Fn(usize, Cell) -> Play)
    where
        Play: Future<Output = Played> + Send + 'static,
    {
        while self.plays.len() < room
            && let Some((place, cell)) = self.pop()
        {
            self.plays.spawn(play(place, cell));
        }
    }

    /// The cell that begins next.
    fn pop(&mut self) -> Option<(usize, Cell)> {
        let place = |queue: &VecDeque<(usize, Cell)>| queue.front().map(|(place, _)| *place);
        match (place(&self.ahead), place(&self.queue)) {
            (Some(ahead), Some(next)) if ahead > next + AHEAD => self.queue.pop_front(),
            (Some(_), _) => self.ahead.pop_front(),
            (None, _) => self.queue.pop_front(),
        }
    }
}

/// Whether clients may well be left waiting: for an answer that never comes, or because what comes before it throws them
/// off. Such cells begin first, so that a run does not end with waiting for them.
fn may_wait(scenario: &Scenario) -> bool {
    let mut tools = scenario.stages.iter().flat_map(|stage| &stage.tools);
    scenario.keeps_waiting() || tools.any(|tool| !tool.before.is_empty())
}

/// Plays a cell, and makes room for another one from when nothing passes between its peers any more. A client that has not
/// begun may still be starting, and makes none.
async fn watched(play: impl Future<Output = Played>, tap: Tap, tardy: Arc<Tardy>) -> Played {
    let mut play = pin!(play);
    loop {
        let silence = tap.silence().unwrap_or_default();
        if silence >= PROMPT {
            break;
        }
        if let Ok(played) = tokio::time::timeout(PROMPT - silence, &mut play).await {
            return played;
        }
    }
    tardy.count.fetch_add(1, Ordering::Relaxed);
    tardy.more.notify_one();
    let played = play.await;
    tardy.count.fetch_sub(1, Ordering::Relaxed);
    played
}
