//! Decides which cells of a run play side by side.
//!
//! - As many cells play at once as the run has jobs. Cells between whose peers nothing passes any more compute next to
//!   nothing, and play beside those.
//! - A heavy cell holds much in memory. One of them plays at a time, beside the others.
//! - A client that is not a mock may hang. Its cells begin early, so that a run does not end by waiting for them.
//! - A cell that timed out is played once more: in the place of a new cell, in adapters of its own, and with four times the
//!   time. What it does then is its result.

use std::collections::{HashSet, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_compat_drive::Tap;
use mcp_compat_model::{Cell, Transport};
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet};

use crate::context::{Played, Round, RunContext};
use crate::plan::Weight;

/// Number of heavy cells that play at a time.
const HEAVY: usize = 1;

/// Time without a message after which a cell counts as idle.
const IDLE_AFTER: Duration = Duration::from_millis(300);

/// The same for a cell that starts processes.
const IDLE_AFTER_STARTS: Duration = Duration::from_secs(1);

/// Number of idle cells that play beside the others.
const MAX_IDLE: usize = 32;

/// Distance from its place in the plan at which a cell may begin early. A cell that has been played stays in memory
/// until it can be recorded in its place.
const MAX_REORDER: usize = 4096;

/// Number of cells that wait to be recorded while others are played once more, from which on no new cells begin.
const MAX_HELD: usize = 4096;

/// The cells of a run, not yet played and playing.
pub(crate) struct Schedule {
    context: Arc<RunContext>,
    jobs: usize,
    light: Lane,
    heavy: Lane,
    idle: Arc<Idle>,
    /// The places of cells that are played once more.
    repeated: HashSet<usize>,
}

/// A cell that has been played.
pub(crate) enum Progress {
    Finished(Box<Played>),
    /// It is played once more.
    Repeats,
}

/// Cells of one kind, in the order in which they begin.
#[derive(Default)]
struct Lane {
    /// Places in the plan and cells that have not begun.
    queue: VecDeque<(usize, Cell)>,
    /// The places and cells that begin before those of the queue.
    early: VecDeque<(usize, Cell)>,
    /// The places and cells that are to be played once more. They begin first.
    again: VecDeque<(usize, Cell)>,
    plays: JoinSet<Played>,
}

/// Number of playing cells that are idle, and a notification of each new one.
#[derive(Default)]
struct Idle {
    count: AtomicUsize,
    more: Notify,
}

impl Schedule {
    /// The cells of a plan, in its order.
    pub(crate) fn new(cells: &[Cell], jobs: usize, context: Arc<RunContext>) -> Self {
        let (mut light, mut heavy) = (Lane::default(), Lane::default());
        for (place, cell) in cells.iter().enumerate() {
            let lane = match Weight::of(context.scenario(&cell.scenario)) {
                Weight::Heavy => &mut heavy,
                Weight::Light => &mut light,
            };
            let queue = if cell.client.is_mock() { &mut lane.queue } else { &mut lane.early };
            queue.push_back((place, cell.clone()));
        }
        Self { context, jobs: jobs.max(1), light, heavy, idle: Arc::default(), repeated: HashSet::new() }
    }

    /// Number of cells that are played once more and have not been played for good.
    pub(crate) fn repeats(&self) -> usize {
        self.repeated.len()
    }

    /// The next cell that has been played for good or is to be played once more, in any order, or `None` if all have been
    /// played. `held` is how many cells wait to be recorded. Dropping the future loses no cell.
    pub(crate) async fn next(&mut self, held: usize) -> Option<Result<Progress, JoinError>> {
        loop {
            self.fill(held);
            let (lane, played) = tokio::select! {
                Some(played) = self.light.plays.join_next() => (&mut self.light, played),
                Some(played) = self.heavy.plays.join_next() => (&mut self.heavy, played),
                () = self.idle.more.notified(), if !self.light.plays.is_empty() => continue,
                else => return None,
            };
            match played {
                Ok(Played { timed_out: true, place, record, .. }) => {
                    self.repeated.insert(place);
                    lane.again.push_back((place, record.cell()));
                    return Some(Ok(Progress::Repeats));
                }
                Ok(played) => {
                    self.repeated.remove(&played.place);
                    return Some(Ok(Progress::Finished(Box::new(played))));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Starts as many as there is room for.
    fn fill(&mut self, held: usize) {
        let only_again = held >= MAX_HELD && !self.repeated.is_empty();
        let idle_cells = self.idle.count.load(Ordering::Relaxed).min(MAX_IDLE);
        for (lane, room) in [(&mut self.heavy, HEAVY), (&mut self.light, self.jobs + idle_cells)] {
            while lane.plays.len() < room
                && let Some((place, cell, round)) = lane.pop(only_again)
            {
                let after = match cell.transport {
                    Transport::Stdio => IDLE_AFTER_STARTS,
                    Transport::Memory | Transport::Http => IDLE_AFTER,
                };
                let tap = Tap::default();
                let play = Arc::clone(&self.context).play_at(place, cell, round, tap.clone());
                lane.plays.spawn(watched(play, tap, after, Arc::clone(&self.idle)));
            }
        }
    }

    /// Ends whatever is playing.
    pub(crate) async fn shut_down(mut self) {
        self.light.plays.shutdown().await;
        self.heavy.plays.shutdown().await;
    }
}

impl Lane {
    /// The cell that begins next.
    fn pop(&mut self, only_again: bool) -> Option<(usize, Cell, Round)> {
        if let Some((place, cell)) = self.again.pop_front() {
            return Some((place, cell, Round::Alone));
        }
        if only_again {
            return None;
        }
        let place = |queue: &VecDeque<(usize, Cell)>| queue.front().map(|(place, _)| *place);
        let (place, cell) = match (place(&self.early), place(&self.queue)) {
            (Some(early), Some(next)) if early > next + MAX_REORDER => self.queue.pop_front(),
            (Some(_), _) => self.early.pop_front(),
            (None, _) => self.queue.pop_front(),
        }?;
        Some((place, cell, Round::BesideOthers))
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
