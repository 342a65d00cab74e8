//! Ends a peer that takes more memory than it may, with all that it started.
//!
//! The memory of a process is read from `/proc/PID/status`, so there is no limit on other systems than Linux. It is watched and
//! not set as a limit of the system: a refused allocation looks like any other crash, and a limit of one process
//! (`RLIMIT_AS`) counts what a runtime reserves and never uses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::group::Group;

/// Interval at which the memory is looked at.
const PERIOD: Duration = Duration::from_millis(500);

/// Interval at which it is looked at once half of it is taken.
const NEAR_PERIOD: Duration = Duration::from_millis(100);

/// A watch over the memory of a peer. Dropping it ends the watch.
#[derive(Debug)]
pub(crate) struct MemoryWatch {
    limit: u64,
    exceeded: Arc<AtomicBool>,
    watch: JoinHandle<()>,
}

impl MemoryWatch {
    /// Ends that group once it has taken more than `limit` bytes.
    pub(crate) fn over(group: Group, limit: u64) -> Self {
        let exceeded = Arc::<AtomicBool>::default();
        let watch = tokio::spawn(watch(group, limit, Arc::clone(&exceeded)));
        Self { limit, exceeded, watch }
    }

    /// The limit, if the peer was ended because it took more.
    pub(crate) fn exceeded(&self) -> Option<u64> {
        self.exceeded.load(Ordering::Relaxed).then_some(self.limit)
    }
}

impl Drop for MemoryWatch {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

async fn watch(group: Group, limit: u64, exceeded: Arc<AtomicBool>) {
    let mut period = PERIOD;
    loop {
        sleep(period).await;
        let Some(taken) = group.leader().and_then(taken_by) else { return };
        if taken > limit {
            exceeded.store(true, Ordering::Relaxed);
            group.signal(Signal::SIGKILL);
            return;
        }
        period = if taken > limit / 2 { NEAR_PERIOD } else { PERIOD };
    }
}

/// The bytes that a process, and all below it, have in memory. `None` if it has ended, or the system does not say it.
#[cfg(target_os = "linux")]
fn taken_by(leader: i32) -> Option<u64> {
    use crate::descendants::below;

    let below = below(nix::unistd::Pid::from_raw(leader));
    let leader = resident(leader)?;
    Some(below.into_iter().filter_map(|process| resident(process.as_raw())).fold(leader, u64::saturating_add))
}

#[cfg(not(target_os = "linux"))]
fn taken_by(_leader: i32) -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
fn resident(process: i32) -> Option<u64> {
    parsed(&std::fs::read_to_string(format!("/proc/{process}/status")).ok()?)
}

/// The line `VmRSS` of a status. A process that has ended and was not waited for has none.
#[cfg(target_os = "linux")]
fn parsed(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_status_is_read() {
        assert_eq!(parsed("Name:\tx\nVmRSS:\t    2048 kB\nThreads:\t1\n"), Some(2 << 20));
        assert_eq!(parsed("Name:\tx\nState:\tZ (zombie)\n"), None);
    }
}
