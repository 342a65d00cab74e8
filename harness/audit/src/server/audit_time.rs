//! The time that an audit has. After two thirds of it the server is asked nothing more; after nine tenths clients are
//! played nothing more; when it is over, no further tool is judged. If the last answer came late, a tenth of the time
//! is left for judging all the same. What was measured by then is reported, as it is when the user interrupts the
//! audit.

use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::{self, Duration};

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// When the parts of an audit end.
#[derive(Clone, Copy, Debug)]
pub(super) struct AuditTime {
    whole: Duration,
    begun: Instant,
}

impl AuditTime {
    /// It begins now.
    pub(super) fn of(whole: Duration) -> Self {
        Self { whole, begun: Instant::now() }
    }

    /// When the server is asked nothing more: the clients need time, too.
    pub(super) fn asking_ends(self) -> Instant {
        self.begun + self.whole * 2 / 3
    }

    /// The time to judge what was measured, once the server is asked nothing more. A tenth of the time is left for
    /// that, however late the last answer was. `stop` is cancelled when the user interrupts the audit.
    pub(super) fn judging(self, stop: CancellationToken) -> JudgingTime {
        let end = (self.begun + self.whole).max(Instant::now() + self.whole / 10);
        JudgingTime::up_to(end.into_std(), stop)
    }

    /// Does the work, and cancels the token when clients are played nothing more: what was played is then judged.
    pub(super) async fn bound<T>(self, stop: &CancellationToken, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        tokio::select! {
            done = &mut work => return done,
            () = sleep_until(self.begun + self.whole * 9 / 10) => stop.cancel(),
        }
        work.await
    }

    /// Time that the audit had, in milliseconds.
    pub(super) fn whole_ms(self) -> u64 {
        u64::try_from(self.whole.as_millis()).unwrap_or(u64::MAX)
    }
}

/// Time that an interrupted audit still looks at tools: the report needs time, too.
const STILL_LOOKS: Duration = Duration::from_millis(200);

/// When an audit looks at no further tool.
#[derive(Clone, Debug)]
pub(super) struct JudgingTime {
    end: time::Instant,
    /// Cancelled when the user interrupts the audit.
    stop: CancellationToken,
    /// When the interruption was noticed.
    noticed: Arc<OnceLock<time::Instant>>,
}

impl JudgingTime {
    /// `stop` is cancelled when the user interrupts the audit.
    pub(super) fn up_to(end: time::Instant, stop: CancellationToken) -> Self {
        Self { end, stop, noticed: Arc::default() }
    }

    /// Returns whether no further tool is looked at.
    pub(super) fn is_over(&self) -> bool {
        time::Instant::now() >= self.end
            || self.stop.is_cancelled() && self.noticed.get_or_init(time::Instant::now).elapsed() >= STILL_LOOKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn it_is_over_only_when_an_interruption_was_noticed_for_a_while() {
        let stop = CancellationToken::new();
        let time = JudgingTime::up_to(time::Instant::now() + LONG, stop.clone());
        assert!(!time.is_over());
        assert!(time.noticed.get().is_none());
        stop.cancel();
        assert!(!time.is_over());
        let earlier = JudgingTime { noticed: Arc::new(OnceLock::from(time::Instant::now() - STILL_LOOKS)), ..time };
        assert!(earlier.is_over());
    }

    #[test]
    fn it_is_over_with_the_time_of_the_audit() {
        let up_to = |end| JudgingTime::up_to(end, CancellationToken::new()).is_over();
        assert!(up_to(time::Instant::now()));
        assert!(!up_to(time::Instant::now() + LONG));
    }
}
