//! Watches a cell while it plays, for moments in which nobody in it was at work.
//!
//! A peer that does not answer may wait for something, compute, or be kept waiting for the processor by other programs.
//! Only the first is proof that no answer would have come. So the watch looks for moments in which nothing passed, no
//! process of the cell wanted the processor, and this program left nothing undone.

use std::time::{Duration, Instant};

use mcp_compat_drive::{ProcessorTime, Tap, are_at_work, wanted_by};
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::peer::{ClientPeer, ClientStart, ServerPeer, ServerStart};

/// For how long nothing must have passed before the processes are looked at.
const SILENCE: Duration = Duration::from_millis(300);

/// For how long the processes are looked at.
const WINDOW: Duration = Duration::from_millis(500);

/// For how long nothing must have passed before the cell counts as silent, if it was not seen idle.
const LONG: Duration = Duration::from_secs(1);

/// The same for a cell in which nothing has passed yet. Its peers may still be loading.
const LONG_AT_FIRST: Duration = Duration::from_secs(3);

/// Called while a cell is silent for long and nobody knows whether it is idle.
pub(crate) type Alarm<'a> = &'a (dyn Fn() + Sync);

/// A watch over one cell.
pub(crate) struct Watch<'a> {
    tap: Tap,
    began: Instant,
    /// How many processes must be known for the watch to see all peers.
    processes: usize,
    alarm: Alarm<'a>,
}

/// What a cell has gone through, in the clock of its tap.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    /// When its peers began.
    pub(crate) began: Duration,
    /// The moments in which nobody was at work: at least one in each silence that is long enough to see one.
    pub(crate) idle: Vec<Duration>,
    /// What its processes wanted of the processors, as far as they were looked at.
    pub(crate) time: ProcessorTime,
    /// For how long they were looked at.
    pub(crate) looked: Duration,
    /// When it ended.
    pub(crate) ended: Duration,
}

impl<'a> Watch<'a> {
    /// Over the cell of that tap, whose peers begin now.
    pub(crate) fn over(tap: &Tap, client: &ClientPeer, server: &ServerPeer, alarm: Alarm<'a>) -> Self {
        let client = matches!(client.start(), ClientStart::Adapter(_) | ClientStart::BlackBox(_));
        let server = matches!(server.start(), ServerStart::Adapter { .. });
        let processes = usize::from(client) + usize::from(server);
        Self { tap: tap.clone(), began: Instant::now(), processes, alarm }
    }

    /// Does the work, and gives what was seen meanwhile.
    pub(crate) async fn during<T>(&self, work: impl Future<Output = T>) -> (T, Watched) {
        let began = self.tap.elapsed();
        let mut watched = Watched { began, ..Watched::default() };
        let watch = self.collect(&mut watched);
        let output = tokio::select! {
            output = work => output,
            never = watch => match never {},
        };
        (output, Watched { ended: self.tap.elapsed(), ..watched })
    }

    async fn collect(&self, watched: &mut Watched) -> std::convert::Infallible {
        // The silence in which the cell was seen idle, by what passed last before it.
        let mut seen_idle = None;
        loop {
            let silence = self.silence();
            let last_passed = self.tap.last_passed();
            if silence < SILENCE || seen_idle == Some(last_passed) {
                // One moment of a silence is enough.
                sleep(SILENCE.saturating_sub(silence).max(WINDOW / 5)).await;
            } else if self.is_idle_for_a_window(watched).await {
                watched.idle.push(self.tap.elapsed());
                seen_idle = Some(last_passed);
            } else if self.silence() >= self.tap.silence().map_or(LONG_AT_FIRST, |_| LONG) {
                (self.alarm)();
            }
        }
    }

    /// How long nothing has passed.
    fn silence(&self) -> Duration {
        self.tap.silence().unwrap_or_else(|| self.began.elapsed())
    }

    /// Whether nothing passes and nobody is at work for the time of a window. Adds what the processes want meanwhile.
    async fn is_idle_for_a_window(&self, watched: &mut Watched) -> bool {
        let processes = self.tap.processes();
        let (begun, before, workers) = (Instant::now(), wanted_by(&processes), Workers::now());
        let began_at_work = are_at_work(&processes);
        sleep(WINDOW).await;
        let (Some(before), Some(after)) = (before, wanted_by(&processes)) else { return false };
        let (window, wanted) = (begun.elapsed(), after.since(before));
        watched.time = [watched.time, wanted].into_iter().sum();
        watched.looked += window;
        processes.len() >= self.processes
            && processes == self.tap.processes()
            && self.silence() >= window
            && wanted.is_idle(window)
            && !began_at_work
            && !are_at_work(&processes)
            && workers.have_all_rested()
    }
}

/// How often each worker of the runtime has gone to rest and has been woken.
///
/// A worker rests when no task is left to be run: neither its own, nor one of another worker that it could take. So once
/// each has rested, no task of the cell has been at work or waiting for its turn all the time: no mock computes, and no
/// message lies about. How busy this program is with other cells does not matter.
struct Workers(Vec<u64>);

impl Workers {
    fn now() -> Self {
        let metrics = Handle::current().metrics();
        Self((0..metrics.num_workers()).map(|worker| metrics.worker_park_unpark_count(worker)).collect())
    }

    /// Whether each has rested for a moment since then.
    fn have_all_rested(&self) -> bool {
        // An odd number means that it rests.
        self.0.iter().zip(Self::now().0).all(|(before, after)| before % 2 == 1 || *before != after)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    use tokio::runtime::Builder;

    use super::*;

    #[test]
    fn workers_have_not_rested_while_one_computes() {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
        let long = WINDOW / 5;
        runtime.block_on(async {
            static ENDS: AtomicBool = AtomicBool::new(false);
            let (began, begun) = mpsc::channel();
            let computing = tokio::spawn(async move {
                began.send(()).unwrap();
                while !ENDS.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            begun.recv().unwrap();
            let workers = Workers::now();
            sleep(long).await;
            assert!(!workers.have_all_rested());
            ENDS.store(true, Ordering::Relaxed);
            computing.await.unwrap();
            while !workers.have_all_rested() {
                sleep(long).await;
            }
        });
    }
}
