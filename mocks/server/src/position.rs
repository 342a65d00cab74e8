//! How far a script has been played.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The stage that a session, a process or a path has reached in its script.
#[derive(Debug, Default)]
pub(crate) struct Position(AtomicUsize);

impl Position {
    pub(crate) fn stage(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    /// Moves to the stage that `next` returns. Returns the stage before, if there was a move.
    pub(crate) fn advance(&self, next: impl FnMut(usize) -> Option<usize>) -> Option<usize> {
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).ok()
    }
}
