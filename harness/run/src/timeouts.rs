//! How long the parts of a run may take.

use std::time::Duration;

use mcp_compat_drive::ProcessorTime;

/// How long a server may take to end after its client has closed the connection. Then it is stopped.
pub const GRACE: Duration = Duration::from_millis(300);

/// How long the parts of a run may take.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// The limit for each step of a cell, and for connecting.
    pub step: Duration,
    /// The limit for the whole run. Cells that have not been played by then are left out, and the record says that it is
    /// incomplete.
    pub run: Duration,
}

impl Timeouts {
    /// How long an adapter may take to answer for the first time. Some adapters load for seconds, and that time must not
    /// count for the cell that happens to start them.
    #[must_use]
    pub fn start(self) -> Duration {
        self.step.saturating_mul(6)
    }

    /// Limits for playing a cell again whose peers were still at work when the usual ones were over, perhaps because the
    /// machine is busy. A peer that still does not answer is reported as one that does not, unless other programs kept it
    /// from work.
    #[must_use]
    pub fn patient(self) -> Self {
        Self { step: self.step.saturating_mul(4), ..self }
    }

    /// Limits for a cell whose server is at work and has not answered the first message when the [patient](Self::patient)
    /// ones are over.
    /// On a machine that has too much to do, a program of many files takes that long to load.
    #[must_use]
    pub fn while_it_loads(self) -> Self {
        Self { step: self.step.saturating_mul(12), ..self }
    }

    /// These limits for a cell whose processes other programs kept from work: long enough for them to run for as long as
    /// without these programs, with a quarter to spare. From twelve to forty times the usual ones.
    #[must_use]
    pub(crate) fn while_others_run(self, usual: Self, time: ProcessorTime) -> Self {
        let stretch = time.wanted().div_duration_f64(time.ran.max(Duration::from_millis(1)));
        let step = Duration::try_from_secs_f64(self.step.as_secs_f64() * 1.25 * stretch).unwrap_or(Duration::MAX);
        Self { step: step.clamp(usual.step.saturating_mul(12), usual.step.saturating_mul(40)), ..self }
    }

    /// How long a cell of `steps` steps may take in all.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_for_a_processor_gets_the_time_that_others_had() {
        let usual = Timeouts::default();
        let step = |quiet: Timeouts, ran, queued| {
            let [ran, queued] = [ran, queued].map(Duration::from_secs);
            quiet.while_others_run(usual, ProcessorTime { ran, queued }).step.as_secs()
        };
        let patient = |ran, queued| step(usual.patient(), ran, queued);
        assert_eq!((patient(5, 15), patient(10, 10), patient(1, 30), patient(0, 20)), (100, 60, 200, 200));
        assert_eq!(step(usual.while_it_loads(), 10, 10), 150, "what loads gets more on a quiet machine, too");
    }
}
