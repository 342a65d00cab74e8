//! Obstacles between the caller and the tools of a server that the caller can remove.

use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Layer, Observation, Seen};
use mcp_compat_model::transcript::{Entry, Event, Head, Start, Transcript};

/// Obstacle that the caller can remove so that a server opens a session or lists its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The server wants authorization.
    NotAuthorized {
        /// The HTTP status that says so: 401 or 403.
        status: u16,
    },
    /// Nothing is at the address, or no MCP server.
    NotThere {
        /// The HTTP status that says so: 404, 405 or 501.
        status: u16,
    },
    /// The server refuses the name under which it was addressed: HTTP status 421.
    OtherHost,
    /// The server did not answer within the time that it has to start.
    Silent {
        /// True for a program that was started for this, false for a server at an address.
        is_program: bool,
    },
    /// The program ended before it answered anything.
    Ended,
    /// The server opened a session, and did not list its tools within the time of a step.
    SlowList,
}

impl Obstacle {
    /// Next step, in the options of the command line.
    pub fn next_step(self) -> String {
        match self {
            Self::NotAuthorized { status } => format!(
                "The server wants authorization (HTTP status {status}). \
                 Give a valid token with `--header 'Authorization: Bearer …'`."
            ),
            Self::NotThere { status } => format!(
                "HTTP status {status} says that no MCP server is at this address. Is the path right? Most serve /mcp."
            ),
            Self::OtherHost => {
                "The server refuses this host name (HTTP status 421, a protection against DNS rebinding): add it \
                                to the hosts that the server allows, such as `allowed_hosts`."
                    .to_owned()
            }
            Self::Silent { is_program } => {
                let how = "The program runs and does not answer what is sent to its standard input. If it serves HTTP, \
                           start it yourself and give its address with `--url`. If it needs an option to speak over \
                           standard streams, such as `--stdio`, give it. ";
                let how = if is_program { how } else { "" };
                format!("{how}If the server needs longer to start, raise `--start-timeout`.")
            }
            Self::Ended => {
                "If the server needs arguments or variables, such as a token, give them after the command and \
                 with `--env NAME=VALUE`, or in its entry of the configuration file (`args`, `env`)."
                    .to_owned()
            }
            Self::SlowList => "If the server needs longer to list its tools, raise `--timeout`.".to_owned(),
        }
    }

    /// The one between a client and a session, read from all attempts. `mute` says that none of them was answered.
    pub(super) fn to_session<'s>(
        attempts: impl Iterator<Item = (&'s Transcript, &'s Observation)> + Clone,
        mute: bool,
        is_program: bool,
    ) -> Option<Self> {
        let timed_out = |observation: &Observation| matches!(&observation.end, End::NoSession(error) if error.layer == Layer::Timeout);
        let is_silent = || mute && attempts.clone().any(|(_, observation)| timed_out(observation));
        let status = |wanted: &[u16]| attempts.clone().find_map(|(transcript, _)| status_in(transcript, wanted));
        let refused = status(&REFUSALS).map(|status| Self::NotAuthorized { status });
        let silent = || is_silent().then_some(Self::Silent { is_program });
        // A server that sent a message is there, whatever else it refuses.
        let nobody = |transcript: &Transcript| status_in(transcript, &ABSENT).is_some();
        let is_absent = || mute && attempts.clone().all(|(transcript, _)| nobody(transcript));
        let absent = || status(&ABSENT).filter(|_| is_absent()).map(|status| Self::NotThere { status });
        let has_ended = |transcript: &Transcript| {
            let ended = |entry: &Entry| entry.from == Role::Server && matches!(entry.event, Event::Exited { .. });
            transcript.entries.iter().any(ended)
        };
        let all_ended = || mute && is_program && attempts.clone().all(|(transcript, _)| has_ended(transcript));
        let ended = || all_ended().then_some(Self::Ended);
        let elsewhere = || status(&[421]).map(|_| Self::OtherHost);
        refused.or_else(elsewhere).or_else(silent).or_else(absent).or_else(ended)
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
        let status = status_in(transcript, &REFUSALS).map(|status| Self::NotAuthorized { status });
        status.or_else(|| is_slow.then_some(Self::SlowList))
    }
}

/// By which statuses a server asks for authorization.
const REFUSALS: [u16; 2] = [401, 403];

/// By which statuses an address says that nothing is there that takes a request of MCP.
const ABSENT: [u16; 3] = [404, 405, 501];

/// The first of the server's statuses that is one of these.
fn status_in(transcript: &Transcript, wanted: &[u16]) -> Option<u16> {
    let heads = transcript.entries.iter().filter_map(|entry| entry.event.head());
    let status = |head: &Head| match head.start {
        Start::Response { status } => Some(status),
        Start::Request { .. } => None,
    };
    heads.filter_map(status).find(|status| wanted.contains(status))
}
