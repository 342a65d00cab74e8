//! How long an audit that the user interrupts goes on computing. What was measured by then is reported in time.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// How long an interrupted audit still looks at tools: the report needs time, too.
const STILL_LOOKS: Duration = Duration::from_millis(200);

/// Whether the user interrupted the audit, and when that was noticed.
#[derive(Clone, Debug)]
pub(super) struct Interruption {
    stop: CancellationToken,
    noticed: Arc<OnceLock<Instant>>,
}

impl Interruption {
    /// `stop` is cancelled when the user interrupts the audit.
    pub(super) fn new(stop: CancellationToken) -> Self {
        Self { stop, noticed: Arc::default() }
    }

    /// Whether no further tool is looked at.
    pub(super) fn is_pressing(&self) -> bool {
        self.stop.is_cancelled() && self.noticed.get_or_init(Instant::now).elapsed() >= STILL_LOOKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_presses_only_after_it_came_and_was_noticed_for_a_while() {
        let stop = CancellationToken::new();
        let interruption = Interruption::new(stop.clone());
        assert!(!interruption.is_pressing());
        assert!(interruption.noticed.get().is_none());
        stop.cancel();
        assert!(!interruption.is_pressing());
        let earlier = Interruption { stop, noticed: Arc::new(OnceLock::from(Instant::now() - STILL_LOOKS)) };
        assert!(earlier.is_pressing());
    }
}
