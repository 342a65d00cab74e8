//! What stands between the caller and the tools of a server, where the caller can change it.

use mcp_compat_model::observation::{End, Layer, Observation, Seen};
use mcp_compat_model::transcript::{Head, Start, Transcript};

/// What the caller can change so that a server opens a session or lists its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The server wants authorization.
    NotAuthorized {
        /// The HTTP status that says so: 401 or 403.
        status: u16,
    },
    /// The server did not answer within the time that it has to start.
    Silent {
        /// Whether it is a program that was started for this, and not a server at an address.
        is_program: bool,
    },
    /// The server opened a session, and did not list its tools within the time of a step.
    SlowList,
}

impl Obstacle {
    /// The one between a client and a session, read from all attempts. `mute` says that none of them was answered.
    pub(super) fn to_session<'s>(
        attempts: impl Iterator<Item = (&'s Transcript, &'s Observation)> + Clone,
        mute: bool,
        is_program: bool,
    ) -> Option<Self> {
        let timed_out = |observation: &Observation| match &observation.end {
            End::NoSession(error) => error.layer == Layer::Timeout,
            End::Answered {}
            | End::Unsupported { .. }
            | End::TimedOut { .. }
            | End::Crashed { .. }
            | End::NotStarted { .. }
            | End::HarnessFailed { .. } => false,
        };
        let is_silent = || mute && attempts.clone().any(|(_, observation)| timed_out(observation));
        let status = attempts.clone().find_map(|(transcript, _)| refusal(transcript));
        status
            .map(|status| Self::NotAuthorized { status })
            .or_else(|| is_silent().then_some(Self::Silent { is_program }))
    }

    /// The one between an open session and the tools.
    pub(super) fn to_tools(transcript: &Transcript, observation: &Observation) -> Option<Self> {
        let is_slow = match (observation.steps.first(), &observation.end) {
            (Some(Seen::Failed(error)), _) => error.layer == Layer::Timeout,
            (None, End::TimedOut { .. }) => true,
            (Some(Seen::Listed { .. } | Seen::Called(_) | Seen::Evolved { .. } | Seen::NotReported {}) | None, _) => {
                false
            }
        };
        let status = refusal(transcript).map(|status| Self::NotAuthorized { status });
        status.or_else(|| is_slow.then_some(Self::SlowList))
    }
}

/// The status by which a server asks for authorization.
fn refusal(transcript: &Transcript) -> Option<u16> {
    let heads = transcript.entries.iter().filter_map(|entry| entry.event.head());
    let status = |head: &Head| match head.start {
        Start::Response { status } => Some(status),
        Start::Request { .. } => None,
    };
    heads.filter_map(status).find(|status| matches!(status, 401 | 403))
}
