//! Decides which cells of a run play side by side.
//!
//! - Most cells compute. As many of them play at once as the run has jobs.
//! - Cells of scenarios that keep their clients waiting compute next to nothing, and so do cells between whose peers
//!   nothing passes any more. They play beside the others. Over stdio a cell starts processes, which compute for long
//!   before they send a message, so those count as idle later.
//! - A heavy cell holds much in memory. One of them plays at a time, beside the others.
//! - A client that is not a mock may hang. Its cells begin early, so that a run does not end by waiting for them.
//! - A cell whose timeout is doubtful is played again after the others, with longer limits. What comes of that
//!   counts. If its processes were kept from work even then, the machine was too busy for a verdict.

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

use crate::context::{Patience, Played, RunContext};
use crate::cores;
use crate::plan::Weight;

/// How many heavy cells play at a time.
const HEAVY: usize = 1;

/// How many cells wait side by side, at least.
const WAITING: usize = 32;

/// How long nothing may pass between the peers of a cell. Then the cell counts as idle.
const IDLE_AFTER: Duration = Duration::from_millis(300);

/// The same for a cell that starts processes.
const IDLE_AFTER_STARTS: Duration = Duration::from_secs(1);

/// How many idle cells play beside the others.
const MAX_IDLE: usize = 32;

/// How far ahead of its place in the plan a cell may begin. A cell that has been played stays in memory until it can be
/// recorded in its place.
const MAX_REORDER: usize = 4096;

/// How many cells wait to be recorded in their places. Then the doubtful cells, for which they wait, are played again.
const MAX_HELD: usize = 4096;

/// The cells of a run, not yet played and playing.
pub(crate) struct Schedule {
    context: Arc<RunContext>,
    jobs: usize,
    computing: Lane,
    waiting: Lane,
    heavy: Lane,
    idle: Arc<Idle>,
    /// Cells to be played again.
    again: Lane,
    /// Whether only those are played.
    settles: bool,
}

/// Cells of one kind, in the order in which they begin.
#[derive(Default)]
struct Lane {
    /// Places in the plan and cells that have not begun.
    queue: VecDeque<(usize, Cell)>,
    /// The places and cells that begin before those of the queue.
    early: VecDeque<(usize, Cell)>,
    plays: JoinSet<Played>,
}

/// How many of the cells that play are idle, and a notification of each new one.
#[derive(Default)]
struct Idle {
    count: AtomicUsize,
    more: Notify,
}

impl Schedule {
    /// The cells of a plan, in its order.
    pub(crate) fn new(cells: &[Cell], jobs: usize, context: Arc<RunContext>) -> Self {
        let (mut computing, mut waiting, mut heavy) = (Lane::default(), Lane::default(), Lane::default());
        for (place, cell) in cells.iter().enumerate() {
            let scenario = context.scenario(&cell.scenario);
            let is_real = !cell.client.is_mock();
            let lane = match Weight::of(scenario) {
                Weight::Heavy => &mut heavy,
                Weight::Light if may_wait(scenario) && waits_for_real(cell) => &mut waiting,
                Weight::Light => &mut computing,
            };
            let queue = if is_real { &mut lane.early } else { &mut lane.queue };
            queue.push_back((place, cell.clone()));
        }
        let (idle, again) = <(Arc<Idle>, Lane)>::default();
        Self { context, jobs: jobs.max(1), computing, waiting, heavy, idle, again, settles: false }
    }

    /// The next cell that has been played for good, in any order, or `None` if all have been. `held` is how many cells wait
    /// to be recorded. Dropping the future loses no cell.
    pub(crate) async fn next(&mut self, held: usize) -> Option<Result<Played, JoinError>> {
        loop {
            self.fill(held);
            let played = tokio::select! {
                Some(played) = self.computing.plays.join_next() => played,
                Some(played) = self.waiting.plays.join_next() => played,
                Some(played) = self.heavy.plays.join_next() => played,
                Some(played) = self.again.plays.join_next() => return Some(played),
                () = self.idle.more.notified(), if self.is_playing() => continue,
                else => return None,
            };
            match played {
                Ok(Played { is_doubtful: true, place, record, .. }) => {
                    self.again.queue.push_back((place, record.cell()));
                }
                played => return Some(played),
            }
        }
    }

    /// Ends whatever is playing.
    pub(crate) async fn shut_down(mut self) {
        self.computing.plays.shutdown().await;
        self.waiting.plays.shutdown().await;
        self.heavy.plays.shutdown().await;
        self.again.plays.shutdown().await;
    }

    fn is_playing(&self) -> bool {
        [&self.computing, &self.waiting, &self.heavy, &self.again].iter().any(|lane| !lane.plays.is_empty())
    }

    /// Starts as many as there is room for.
    fn fill(&mut self, held: usize) {
        let first = [&self.computing, &self.waiting, &self.heavy];
        let (all_begun, all_ended) =
            (first.iter().all(|lane| lane.has_begun()), first.iter().all(|lane| lane.plays.is_empty()));
        self.settles = !self.again.is_over() && (self.settles || all_begun || held >= MAX_HELD);
        let Self { context, jobs, idle, .. } = self;
        let idle_cells = idle.count.load(Ordering::Relaxed).min(MAX_IDLE);
        let play = |patience: Patience| {
            let (context, idle) = (Arc::clone(context), Arc::clone(idle));
            move |place: usize, cell: Cell| {
                let after = match cell.transport {
                    Transport::Stdio => IDLE_AFTER_STARTS,
                    Transport::Memory | Transport::Http => IDLE_AFTER,
                };
                let (tap, idle) = (Tap::default(), Arc::clone(&idle));
                let play = Arc::clone(&context).play_at(place, cell, patience, tap.clone());
                watched(play, tap, after, idle)
            }
        };
        if !self.settles {
            let unwatched = |place, cell| Arc::clone(context).play_at(place, cell, Patience::Usual, Tap::default());
            self.heavy.fill(HEAVY, unwatched);
            self.waiting.fill(WAITING.max(*jobs), unwatched);
            self.computing.fill(*jobs + idle_cells, play(Patience::Usual));
        } else if all_ended {
            // One for each core: the load of the others must not be why it is not in time again. Where nobody can be seen
            // at work, most of them only wait.
            let beside = if cfg!(target_os = "linux") { 0 } else { idle_cells };
            self.again.fill(cores().min(*jobs) + beside, play(Patience::Extended));
        }
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

    /// Whether all of its cells have begun.
    fn has_begun(&self) -> bool {
        self.queue.is_empty() && self.early.is_empty()
    }

    /// Whether all of its cells have ended.
    fn is_over(&self) -> bool {
        self.has_begun() && self.plays.is_empty()
    }

    /// The cell that begins next.
    fn pop(&mut self) -> Option<(usize, Cell)> {
        let place = |queue: &VecDeque<(usize, Cell)>| queue.front().map(|(place, _)| *place);
        match (place(&self.early), place(&self.queue)) {
            (Some(early), Some(next)) if early > next + MAX_REORDER => self.queue.pop_front(),
            (Some(_), _) => self.early.pop_front(),
            (None, _) => self.queue.pop_front(),
        }
    }
}

/// Whether clients may have to wait: for an answer that never comes, or after a message before it that confuses them. Such
/// cells begin first, so that a run does not end by waiting for them.
fn may_wait(scenario: &Scenario) -> bool {
    let mut tools = scenario.stages.iter().flat_map(|stage| &stage.tools);
    scenario.keeps_waiting() || tools.any(|tool| !tool.before.is_empty())
}

/// Whether a client of the cell waits by the clock of the machine. Over stdio a cell starts processes first. Two mocks in
/// memory wait for nothing: their clock jumps.
fn waits_for_real(cell: &Cell) -> bool {
    match cell.transport {
        Transport::Stdio => false,
        Transport::Memory => !(cell.client.is_mock() && cell.server.is_mock()),
        Transport::Http => true,
    }
}

/// Plays a cell, and counts it as idle once nothing passes between its peers any more. A cell whose client has not sent
/// anything yet does not count: that client may still be starting.
async fn watched(play: impl Future<Output = Played>, tap: Tap, idle_after: Duration, idle: Arc<Idle>) -> Played {
    let mut play = pin!(play);
    loop {
        let silence = tap.silence().unwrap_or_default();
        if silence >= idle_after {
            break;
        }
        if let Ok(played) = tokio::time::timeout(idle_after - silence, &mut play).await {
            return played;
        }
    }
    idle.count.fetch_add(1, Ordering::Relaxed);
    idle.more.notify_one();
    let played = play.await;
    idle.count.fetch_sub(1, Ordering::Relaxed);
    played
}
