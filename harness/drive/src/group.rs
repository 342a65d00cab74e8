//! Sends signals to everything that a peer started: its process group, and what left the group but is still below it.

use std::sync::{Arc, Mutex, PoisonError};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, getpgid};

use crate::descendants;

/// The group of a process that was started as its leader. Clones are the same group.
///
/// When the leader has ended and the rest was killed, the group id is dropped: the system may reuse it for another
/// process, which must not get our signals.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    leader: Arc<Mutex<Option<Pid>>>,
}

impl Group {
    pub(crate) fn led_by(leader: Pid) -> Self {
        Self { leader: Arc::new(Mutex::new(Some(leader))) }
    }

    /// The process that leads it, while any may be left.
    pub(crate) fn leader(&self) -> Option<i32> {
        self.leader.lock().unwrap_or_else(PoisonError::into_inner).map(Pid::as_raw)
    }

    /// Sends a signal to all that are left.
    pub(crate) fn signal(&self, signal: Signal) {
        let leader = self.leader.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pid) = *leader {
            send(pid, signal);
        }
    }

    /// Kills all that are left, for the last time.
    pub(crate) fn end(&self) {
        let mut leader = self.leader.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pid) = leader.take() {
            send(pid, Signal::SIGKILL);
        }
    }
}

fn send(group: Pid, signal: Signal) {
    // Before the signal: a process whose parent has ended is no longer below the leader.
    let below = descendants::below(group);
    match killpg(group, signal) {
        // The group is already empty, as intended.
        Ok(()) | Err(Errno::ESRCH) => {}
        // Some systems refuse where only zombies are left.
        Err(error) => tracing::debug!(%group, %signal, %error, "signalling a peer's process group"),
    }
    for pid in below {
        // Members of the group have the signal already. This fails if the process has ended, as intended.
        if getpgid(Some(pid)).is_ok_and(|of| of != group) {
            let _ = kill(pid, signal);
        }
    }
}
