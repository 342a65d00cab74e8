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
    use std::fs;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use nix::errno::Errno;
    use nix::sys::prctl::set_child_subreaper;
    use nix::sys::signal::{Signal, kill};
    use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
    use nix::unistd::{Pid, getpid};

    /// Longest time to wait for the end of processes that were killed.
    const LONGEST: Duration = Duration::from_millis(500);

    /// Pause between two looks for processes that are left.
    const PAUSE: Duration = Duration::from_millis(1);

    /// Makes this program the parent of processes below it whose own parent has ended.
    ///
    /// For programs only: what a library's user starts is not ours to adopt.
    pub fn adopt_orphans() {
        if let Err(error) = set_child_subreaper(true) {
            tracing::debug!(%error, "becoming the parent of orphans");
        }
    }

    /// Kills all processes below this program, until none is left. For the end of a program: nothing that it started may
    /// be needed any more.
    ///
    /// A process that forks and ends all the time is below none of the processes of a list for a moment, so a list without
    /// new processes does not show that all have ended. A program that adopted its orphans and has no child does.
    pub fn end_descendants() {
        let began = Instant::now();
        loop {
            for pid in below(getpid()) {
                // This fails if the process has ended, as intended.
                let _ = kill(pid, Signal::SIGKILL);
            }
            if !has_children() || began.elapsed() >= LONGEST {
                return;
            }
            sleep(PAUSE);
        }
    }

    /// Collects the children that have ended. Returns whether others are left.
    fn has_children() -> bool {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => return true,
                Ok(_) | Err(Errno::EINTR) => {}
                Err(_) => return false,
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
