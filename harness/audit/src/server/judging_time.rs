//! How long an audit looks at what was measured: until its time is over, or until shortly after the user interrupts it.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// How long an interrupted audit still looks at tools: the report needs time, too.
const STILL_LOOKS: Duration = Duration::from_millis(200);

/// When an audit looks at no further tool.
#[derive(Clone, Debug)]
pub(super) struct JudgingTime {
    /// When the time is over.
    end: Instant,
    /// Cancelled when the user interrupts the audit.
    stop: CancellationToken,
    /// When the interruption was noticed.
    noticed: Arc<OnceLock<Instant>>,
}

impl JudgingTime {
    /// `stop` is cancelled when the user interrupts the audit.
    pub(super) fn up_to(end: Instant, stop: CancellationToken) -> Self {
        Self { end, stop, noticed: Arc::default() }
    }

    /// Whether no further tool is looked at.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.end
            || self.stop.is_cancelled() && self.noticed.get_or_init(Instant::now).elapsed() >= STILL_LOOKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn it_is_over_only_when_an_interruption_was_noticed_for_a_while() {
        let stop = CancellationToken::new();
        let time = JudgingTime::up_to(Instant::now() + LONG, stop.clone());
        assert!(!time.is_over());
        assert!(time.noticed.get().is_none());
        stop.cancel();
        assert!(!time.is_over());
        let earlier = JudgingTime { noticed: Arc::new(OnceLock::from(Instant::now() - STILL_LOOKS)), ..time };
        assert!(earlier.is_over());
    }

    #[test]
    fn it_is_over_with_the_time_of_the_audit() {
        let up_to = |end| JudgingTime::up_to(end, CancellationToken::new()).is_over();
        assert!(up_to(Instant::now()));
        assert!(!up_to(Instant::now() + LONG));
    }
}
