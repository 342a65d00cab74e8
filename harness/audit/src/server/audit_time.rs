//! The time that an audit has. After two thirds of it the server is asked nothing more; after nine tenths clients are
//! played nothing more; when it is over, no further tool is judged. If the last answer came late, a tenth of the time is
//! left for judging all the same. What was measured by then is reported, as it is when the user interrupts the audit.

use std::pin::pin;
use std::time::Duration;

use mcp_compat_model::audit::{Audit, CutShort};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::judging_time::JudgingTime;
use super::observed::ObservedServer;
use crate::probe::EndedEarly;

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

    /// The time to judge what was measured, once the server is asked nothing more. A tenth of the time is left for that,
    /// however late the last answer was. `stop` is cancelled when the user interrupts the audit.
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

    /// What the audit left out. `stop` is cancelled when nothing more is played, `interrupted` if it is the user who wants
    /// that.
    pub(super) fn left_out(
        self,
        audit: &Audit,
        observed: &ObservedServer,
        (stop, interrupted): (&CancellationToken, &CancellationToken),
    ) -> Option<CutShort> {
        let mut sessions = observed.probed.spoken.iter().chain(observed.sessions.all());
        if !stop.is_cancelled() && sessions.all(|session| session.cut_short != Some(EndedEarly::TimeOver)) {
            return None;
        }
        Some(CutShort {
            after_ms: (!interrupted.is_cancelled()).then(|| u64::try_from(self.whole.as_millis()).unwrap_or(u64::MAX)),
            not_called: observed.out_of_time().count(),
            not_played: audit.tools.iter().map(|tool| tool.not_played).sum(),
            not_checked: audit.tools.iter().filter(|tool| tool.unchecked).count(),
        })
    }
}
