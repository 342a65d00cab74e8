//! Time limits for the parts of a run.

use std::time::Duration;

/// Time for a server to end after its client has closed the connection. Then it is stopped.
pub const GRACE: Duration = Duration::from_millis(300);

/// Time limits for the parts of a run.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// The limit for each step of a cell, and for connecting.
    pub step: Duration,
    /// The limit for the whole run. Cells that have not been played by then are left out, and the record says that it is
    /// incomplete.
    pub run: Duration,
}

impl Timeouts {
    /// Returns the limit for the first answer of an adapter. Some adapters load for seconds, and that time must not count
    /// for the cell that happens to start them.
    #[must_use]
    pub fn start(self) -> Duration {
        self.step.saturating_mul(6)
    }

    /// Returns the limits of a cell that is played once more because it timed out.
    #[must_use]
    pub(crate) fn extended(self) -> Self {
        Self { step: self.step.saturating_mul(4), ..self }
    }

    /// Returns the limit for a whole cell of `steps` steps.
    #[must_use]
    pub fn cell(self, steps: usize) -> Duration {
        // Connecting may take one step's time for the probe and one for the handshake. One more is for stopping.
        self.step.saturating_mul(u32::try_from(steps + 3).unwrap_or(u32::MAX))
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { step: Duration::from_secs(5), run: Duration::from_secs(3600) }
    }
}
