//! Ends processes that are no longer in the group of the peer that started them, as after `setsid`.
//!
//! ```text
//! /proc/PID/task/*/children ──> the processes below PID ──> signals
//! ```
//!
//! A process keeps its parent when it leaves a group, so it is found below that parent while the parent lives. When the
//! parent has ended, the process is an orphan. A program that called [`adopt_orphans`] becomes the parent of its
//! orphans, and [`end_descendants`] finds them there. Only Linux has both; elsewhere a group is all that can be ended.

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::below;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{adopt_orphans, end_descendants};
#[cfg(target_os = "linux")]
pub(crate) use linux::below;
#[cfg(target_os = "linux")]
pub use linux::{adopt_orphans, end_descendants};

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeSet;
    use std::fs;

    use nix::sys::prctl::set_child_subreaper;
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::{Pid, getpid};

    /// Number of times this program looks for processes that were started while it killed the ones before.
    const ROUNDS: usize = 20;

    /// Makes this program the parent of processes below it whose own parent has ended.
    ///
    /// For programs only: what a library's user starts is not ours to adopt.
    pub fn adopt_orphans() {
        if let Err(error) = set_child_subreaper(true) {
            tracing::debug!(%error, "becoming the parent of orphans");
        }
    }

    /// Kills all processes below this program. For the end of a program: nothing that it started may be needed any more.
    pub fn end_descendants() {
        let mut killed = BTreeSet::new();
        for _ in 0..ROUNDS {
            let found: Vec<Pid> = below(getpid()).into_iter().filter(|pid| !killed.contains(pid)).collect();
            if found.is_empty() {
                return;
            }
            for pid in found {
                // This fails if the process has ended, as intended.
                let _ = kill(pid, Signal::SIGKILL);
                killed.insert(pid);
            }
        }
    }

    /// The processes below another one, whatever group they are in. Empty if it has ended.
    pub(crate) fn below(top: Pid) -> Vec<Pid> {
        let mut found: Vec<Pid> = Vec::new();
        let mut next = vec![top];
        while let Some(parent) = next.pop() {
            for child in children(parent) {
                if child != top && !found.contains(&child) {
                    found.push(child);
                    next.push(child);
                }
            }
        }
        found
    }

    /// The children of all threads of a process.
    fn children(parent: Pid) -> Vec<Pid> {
        let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else { return Vec::new() };
        let lists = threads.flatten().filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        let ids = |list: String| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<i32>>();
        lists.flat_map(ids).map(Pid::from_raw).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use nix::unistd::Pid;

    /// Does nothing: this system gives orphans to its first process.
    pub fn adopt_orphans() {}

    /// Does nothing: this system does not list the children of a process.
    pub fn end_descendants() {}

    /// Empty: this system does not list the children of a process.
    pub(crate) fn below(_top: Pid) -> Vec<Pid> {
        Vec::new()
    }
}
