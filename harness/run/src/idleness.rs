//! Watches a cell while it plays, for moments in which nobody in it was at work.
//!
//! A peer that does not answer may wait for something, compute, or be kept waiting for the processor by other programs.
//! Only the first is proof that no answer would have come. So the watch looks for moments in which nothing passed and no
//! process of the cell wanted the processor.

use std::time::{Duration, Instant};

use mcp_compat_drive::{Tap, wanted_by, wanted_by_this_process};
use tokio::time::sleep;

use crate::peer::{ClientPeer, ClientStart, ServerPeer, ServerStart};

/// For how long nothing must have passed before the processes are looked at.
const SILENCE: Duration = Duration::from_millis(300);

/// For how long the processes are looked at.
const WINDOW: Duration = Duration::from_millis(500);

/// Of the window, the part that an idle process may want. Virtual machines and timers want some at any time.
const IDLE_SHARE: f64 = 0.05;

/// Of the window, the part that the threads of this process may want. A mock that computes without a pause wants all.
const OWN_SHARE: f64 = 0.9;

/// A watch over one cell.
pub(crate) struct Watch {
    tap: Tap,
    /// How many processes must be known for the watch to see all peers.
    processes: usize,
}

impl Watch {
    /// Over the cell of that tap.
    pub(crate) fn over(tap: &Tap, client: &ClientPeer, server: &ServerPeer) -> Self {
        let client = matches!(client.start(), ClientStart::Adapter(_) | ClientStart::BlackBox(_));
        let server = matches!(server.start(), ServerStart::Adapter { .. });
        Self { tap: tap.clone(), processes: usize::from(client) + usize::from(server) }
    }

    /// Does the work, and gives the moments in which nobody was at work, in the clock of the tap: at least one in each
    /// silence that is long enough to see one.
    pub(crate) async fn during<T>(&self, work: impl Future<Output = T>) -> (T, Vec<Duration>) {
        let mut moments = Vec::new();
        let watch = self.collect(&mut moments);
        let output = tokio::select! {
            output = work => output,
            never = watch => match never {},
        };
        (output, moments)
    }

    async fn collect(&self, moments: &mut Vec<Duration>) -> std::convert::Infallible {
        let mut seen = None;
        loop {
            let silence = self.silence();
            let since = self.tap.elapsed().saturating_sub(silence);
            if silence < SILENCE || seen == Some(since) {
                // One moment of a silence is enough.
                sleep(SILENCE.saturating_sub(silence).max(WINDOW / 5)).await;
            } else if self.is_idle_for_a_window().await {
                moments.push(self.tap.elapsed());
                seen = Some(since);
            }
        }
    }

    /// How long nothing has passed.
    fn silence(&self) -> Duration {
        self.tap.silence().unwrap_or_else(|| self.tap.elapsed())
    }

    /// Whether nothing passes and nobody is at work for the time of a window.
    async fn is_idle_for_a_window(&self) -> bool {
        let processes = self.tap.processes();
        let wanted = || Some((wanted_by(&processes)?, wanted_by_this_process()?));
        let (begun, before) = (Instant::now(), wanted());
        sleep(WINDOW).await;
        let (Some(before), Some(after)) = (before, wanted()) else { return false };
        let window = begun.elapsed();
        let share =
            |before: Duration, after: Duration| after.saturating_sub(before).as_secs_f64() / window.as_secs_f64();
        processes.len() >= self.processes
            && processes == self.tap.processes()
            && self.silence() >= window
            && share(before.0, after.0) <= IDLE_SHARE
            && share(before.1, after.1) <= OWN_SHARE
    }
}
