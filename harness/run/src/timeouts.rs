//! Time limits for the parts of a run, and the cells in which somebody waited in vain. Pure.

use std::time::Duration;

use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Layer, Observation, Seen};
use mcp_compat_model::transcript::{Entry, Event, Raw, Transcript};
use serde::Deserialize;
use serde::de::IgnoredAny;

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
    pub fn start(self) -> Duration {
        self.step.saturating_mul(6)
    }

    /// Returns the limits of a cell that is played once more because it timed out.
    pub(crate) fn extended(self) -> Self {
        Self { step: self.step.saturating_mul(4), ..self }
    }

    /// Returns the limit for a whole cell of `steps` steps.
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

/// Shortest wait for an answer that counts as a timeout when the client goes on without the answer.
const LONG: Duration = Duration::from_secs(1);

/// Returns true if what was seen can be due to the load of the machine: a timeout, a connection that was lost after the time
/// of a step, or something that the machine refused.
pub(crate) fn may_be_load(observation: &Observation, took: Duration, step: Duration) -> bool {
    let lost = |seen: &Seen| matches!(seen, Seen::Failed(error) if error.layer == Layer::Connect);
    has_timeout(observation)
        || observation.refused_by_machine().is_some()
        || (took >= step && observation.steps.iter().any(lost))
}

/// Returns true if a timeout was reported.
fn has_timeout(observation: &Observation) -> bool {
    let by_end = match &observation.end {
        End::TimedOut { .. } => true,
        End::NoSession(error) => error.layer == Layer::Timeout,
        End::Answered {}
        | End::Unsupported { .. }
        | End::Crashed { .. }
        | End::NotStarted { .. }
        | End::HarnessFailed { .. } => false,
    };
    let by_step = |seen: &Seen| matches!(seen, Seen::Failed(error) if error.layer == Layer::Timeout);
    by_end || observation.steps.iter().any(by_step)
}

/// Returns true if the client stopped waiting for an answer and went on without it. A client that speaks both eras does so
/// when it gives up its probe for the new one.
pub(crate) fn stopped_waiting(transcript: &Transcript) -> bool {
    let said = transcript.entries.iter().filter(|entry| !matches!(entry.event, Event::Head { .. }));
    said.clone().zip(said.skip(1)).any(|(asked, next)| is_given_up(asked, next))
}

fn is_given_up(asked: &Entry, next: &Entry) -> bool {
    let waited = Duration::from_micros(next.at_us.saturating_sub(asked.at_us));
    let goes_on = matches!(next.event, Event::Message { .. } | Event::Closed {});
    let both = asked.from == Role::Client && next.from == Role::Client;
    both && goes_on && waited >= LONG && is_request(asked)
}

fn is_request(entry: &Entry) -> bool {
    #[derive(Deserialize)]
    struct Request {
        #[serde(rename = "id")]
        _id: IgnoredAny,
        #[serde(rename = "method")]
        _method: IgnoredAny,
    }
    let Event::Message { raw: Raw::Text(text), .. } = &entry.event else { return false };
    serde_json::from_str::<Request>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::observation::PeerError;

    use super::*;

    fn seen(steps: Vec<Seen>, end: End) -> Observation {
        Observation { negotiated: None, steps, end }
    }

    #[test]
    fn every_reported_timeout_counts() {
        let timeout =
            || PeerError { layer: Layer::Timeout, code: None, message: "no answer within 5000 ms".to_owned() };
        for (observation, expected) in [
            (seen(vec![Seen::Failed(timeout())], End::Answered {}), true),
            (seen(Vec::new(), End::NoSession(timeout())), true),
            (seen(Vec::new(), End::TimedOut { waiting_for: Role::Server, what: String::new() }), true),
            (seen(vec![Seen::Evolved { told: false }], End::Answered {}), false),
        ] {
            assert_eq!(has_timeout(&observation), expected, "{observation:?}");
        }
    }

    #[test]
    fn a_connection_that_was_lost_late_may_be_the_load() {
        let lost = || PeerError { layer: Layer::Connect, code: None, message: "closed".to_owned() };
        let step = Duration::from_secs(5);
        let observation = seen(vec![Seen::Failed(lost())], End::Answered {});
        assert!(may_be_load(&observation, step, step));
        assert!(!may_be_load(&observation, step / 2, step));
        let refused = PeerError { message: "spawn mcp-compat EAGAIN".to_owned(), ..lost() };
        assert!(may_be_load(&seen(Vec::new(), End::NoSession(refused)), Duration::ZERO, step));
    }

    #[test]
    fn a_client_that_goes_on_without_an_answer_has_timed_out() {
        let message = |text: &str| Event::Message { raw: Raw::Text(text.to_owned()), http: None };
        let (request, notice) = (message(r#"{"id":1,"method":"server/discover"}"#), message(r#"{"method":"n"}"#));
        let exited = Event::Exited { how: "ended with 0".to_owned() };
        for (first, seconds, from, last, expected) in [
            (&request, 3, Role::Client, &notice, true),
            (&request, 3, Role::Client, &Event::Closed {}, true),
            (&request, 0, Role::Client, &notice, false),
            (&notice, 3, Role::Client, &notice, false),
            (&request, 3, Role::Server, &notice, false),
            (&request, 3, Role::Client, &exited, false),
        ] {
            let entry = |seq, seconds: u64, from, event: &Event| Entry {
                seq,
                at_us: seconds * 1_000_000,
                from,
                event: event.clone(),
            };
            let entries = vec![entry(0, 0, Role::Client, first), entry(1, seconds, from, last)];
            assert_eq!(stopped_waiting(&Transcript { entries }), expected, "{first:?} {seconds} {last:?}");
        }
    }
}
