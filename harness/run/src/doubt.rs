//! Decides whether the timeouts of a cell can be believed. Pure.
//!
//! A timeout is believed if, in each long silence of the cell, nobody was at work for a moment: then the peers waited for
//! something, and would have waited for ever. Otherwise a peer may have computed, or waited for a processor that other
//! programs had, so the cell is played again. A client that does not wait for an answer and sends something else has
//! timed out, too: one that gives up its probe, for instance, and then does without the new revision.

use std::time::Duration;

use mcp_compat_drive::ProcessorTime;
use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Layer, Observation, Seen};
use mcp_compat_model::transcript::{Entry, Event, Raw, Transcript};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::idleness::Watched;

/// Why it is not known whether a timeout is due to the load of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// Somebody was at work until then.
    AtWork,
    /// Other programs kept its processes from work.
    Starved {
        /// What the processes wanted in all.
        time: ProcessorTime,
        /// In how many long silences somebody was at work.
        silences: u32,
    },
}

impl Doubt {
    /// What the processes wanted, if other programs kept them from work and they were on a processor for less than this
    /// time in each silence.
    pub(crate) fn starved_below(self, enough: Duration) -> Option<ProcessorTime> {
        match self {
            Self::Starved { time, silences } if time.ran < enough * silences => Some(time),
            Self::Starved { .. } | Self::AtWork => None,
        }
    }

    /// The one about a cell in which somebody was at work, on a machine with that many cores.
    ///
    /// Its processes were kept from work if they waited for a processor longer than they had one, and not for each other:
    /// together they had less than a third of the cores. A peer that computes in more threads than there are cores has most
    /// of them.
    pub(crate) fn about(transcript: &Transcript, watched: &Watched, cores: usize) -> Self {
        let time = watched.time;
        let ProcessorTime { ran, queued } = time;
        let third = watched.looked * u32::try_from(cores).unwrap_or(u32::MAX) / 3;
        if queued <= ran || ran >= third {
            return Self::AtWork;
        }
        let busy = silences(transcript, watched).iter().filter(|silence| silence.is_busy(watched)).count();
        Self::Starved { time, silences: u32::try_from(busy).unwrap_or(u32::MAX).max(1) }
    }
}

/// From which length on a silence needs a moment in which nobody was at work. A timeout takes longer than this.
const LONG: Duration = Duration::from_secs(1);

/// Peers that made so many entries without a long silence were not kept from work.
const MANY: usize = 20_000;

/// Whether a timeout of the cell may be due to the load of the machine.
pub(crate) fn is_doubtful(observation: &Observation, transcript: &Transcript, watched: &Watched) -> bool {
    let silences = silences(transcript, watched);
    let is_busy = match silences.is_empty() {
        true => transcript.entries.len() < MANY,
        false => silences.iter().any(|silence| silence.is_busy(watched)),
    };
    has_timeout(observation) && is_busy
}

/// Whether the client stopped waiting for an answer, and somebody was at work until then.
pub(crate) fn stopped_waiting(transcript: &Transcript, watched: &Watched) -> bool {
    silences(transcript, watched).iter().any(|silence| silence.is_ended_by_who_waited() && silence.is_busy(watched))
}

/// A time of [`LONG`] or more in which nothing passed.
struct Silence<'a> {
    from: Duration,
    to: Duration,
    before: Option<&'a Entry>,
    after: Option<&'a Entry>,
}

impl Silence<'_> {
    /// Whether it has no moment in which nobody was at work.
    fn is_busy(&self, watched: &Watched) -> bool {
        !watched.idle.iter().any(|moment| (self.from..=self.to).contains(moment))
    }

    /// Whether the client made a request before it, and sends something else or ends the connection after it.
    fn is_ended_by_who_waited(&self) -> bool {
        let goes_on = |entry: &Entry| matches!(entry.event, Event::Message { .. } | Event::Closed {});
        let is_clients = |entry: &&Entry| entry.from == Role::Client;
        self.before.filter(is_clients).is_some_and(is_request) && self.after.filter(is_clients).is_some_and(goes_on)
    }
}

/// Whether an entry is a message that wants an answer.
fn is_request(entry: &Entry) -> bool {
    #[derive(Deserialize)]
    struct Asked {
        #[serde(rename = "id")]
        _id: IgnoredAny,
        #[serde(rename = "method")]
        _method: IgnoredAny,
    }
    let Event::Message { raw: Raw::Text(text), .. } = &entry.event else { return false };
    serde_json::from_str::<Asked>(text).is_ok()
}

/// The long silences of a cell, in order. A head without a message ends a silence, and whoever spoke before it also spoke
/// before the silence after it.
fn silences<'a>(transcript: &'a Transcript, watched: &Watched) -> Vec<Silence<'a>> {
    let mut passed: Vec<(Duration, Option<&Entry>)> =
        transcript.entries.iter().map(|entry| (Duration::from_micros(entry.at_us), Some(entry))).collect();
    passed.push((watched.ended, None));
    // A head may stand before an entry that passed earlier.
    passed.sort_by_key(|(at, _)| *at);
    let (mut from, mut before) = (watched.began, None);
    let mut silences = Vec::new();
    for (at, after) in passed {
        if at.saturating_sub(from) >= LONG {
            silences.push(Silence { from, to: at, before, after });
        }
        from = at;
        if !after.is_some_and(|entry| matches!(entry.event, Event::Head { .. })) {
            before = after;
        }
    }
    silences
}

/// Whether somebody waited in vain.
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

#[cfg(test)]
mod tests {
    use mcp_compat_model::observation::PeerError;

    use super::*;

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    fn timeout() -> PeerError {
        PeerError { layer: Layer::Timeout, code: None, message: "no answer within 5000 ms".to_owned() }
    }

    fn seen(steps: Vec<Seen>, end: End) -> Observation {
        Observation { negotiated: None, steps, end }
    }

    /// A cell in which nobody was at work at these seconds.
    fn watched(idle: &[u64], ended: u64) -> Watched {
        let idle = idle.iter().copied().map(seconds).collect();
        Watched { idle, ended: seconds(ended), ..Watched::default() }
    }

    /// Something passes at these seconds.
    fn passing_at(times: &[u64]) -> Transcript {
        let entry = |(seq, second): (u32, &u64)| Entry {
            seq,
            at_us: second * 1_000_000,
            from: Role::Client,
            event: Event::Closed {},
        };
        Transcript { entries: (0..).zip(times).map(entry).collect() }
    }

    #[test]
    fn a_cell_without_a_timeout_is_never_doubtful() {
        let answered = seen(vec![Seen::Evolved { told: false }], End::Answered {});
        assert!(!is_doubtful(&answered, &passing_at(&[0, 9]), &watched(&[], 9)));
    }

    #[test]
    fn every_kind_of_timeout_is_doubtful_unless_nobody_was_at_work() {
        for waited in [
            seen(vec![Seen::Failed(timeout())], End::Answered {}),
            seen(Vec::new(), End::NoSession(timeout())),
            seen(Vec::new(), End::TimedOut { waiting_for: Role::Server, what: String::new() }),
        ] {
            assert!(is_doubtful(&waited, &passing_at(&[0]), &watched(&[], 5)));
            assert!(!is_doubtful(&waited, &passing_at(&[0]), &watched(&[1], 5)));
        }
    }

    #[test]
    fn each_long_silence_needs_a_moment_of_its_own() {
        let waited = seen(vec![Seen::Failed(timeout()), Seen::Failed(timeout())], End::Answered {});
        let transcript = passing_at(&[0, 5]);
        for (moments, expected) in [(&[1][..], true), (&[6], true), (&[1, 6], false)] {
            assert_eq!(is_doubtful(&waited, &transcript, &watched(moments, 10)), expected, "{moments:?}");
        }
    }

    #[test]
    fn a_timeout_without_a_long_silence_is_doubtful() {
        let waited = seen(vec![Seen::Failed(timeout())], End::Answered {});
        let busy: Vec<u64> = (0..5).collect();
        let mut transcript = passing_at(&busy);
        transcript.entries.iter_mut().for_each(|entry| entry.at_us /= 2);
        assert!(is_doubtful(&waited, &transcript, &watched(&[1], 2)));
        let flood = passing_at(&vec![0; MANY]);
        assert!(!is_doubtful(&waited, &flood, &watched(&[1], 2)), "whoever sent all that was at work");
    }

    /// The doubt about a cell in which something passes at these seconds, and somebody is at work at all times.
    fn doubt(passing: &[u64], ran: u64, queued: u64) -> Doubt {
        let time = ProcessorTime { ran: seconds(ran), queued: seconds(queued) };
        let watched = Watched { time, looked: seconds(9), ..watched(&[], 9) };
        Doubt::about(&passing_at(passing), &watched, 2)
    }

    #[test]
    fn processes_that_wait_for_others_longer_than_they_run_are_starved() {
        let is_starved = |ran, queued| matches!(doubt(&[0], ran, queued), Doubt::Starved { .. });
        assert!(!is_starved(9, 0) && !is_starved(5, 4));
        assert!(is_starved(1, 8));
        assert!(!is_starved(17, 127), "16 threads wait for each other");
        assert!(is_starved(4, 140), "16 threads wait for other programs too");
    }

    #[test]
    fn who_ran_for_long_enough_in_each_silence_is_not_starved() {
        let is_starved = |passing: &[u64], enough| doubt(passing, 4, 9).starved_below(seconds(enough)).is_some();
        assert!(is_starved(&[0], 5) && !is_starved(&[0], 4));
        assert!(is_starved(&[0, 5], 3) && !is_starved(&[0, 5], 2), "two seconds in each of two silences");
        assert!(doubt(&[0], 9, 0).starved_below(seconds(99)).is_none());
    }

    #[test]
    fn the_time_before_the_peers_began_is_no_silence() {
        let waited = seen(vec![Seen::Failed(timeout())], End::Answered {});
        let transcript = passing_at(&[3]);
        let began = |second| Watched { began: seconds(second), ..watched(&[5], 8) };
        assert!(is_doubtful(&waited, &transcript, &began(1)));
        assert!(!is_doubtful(&waited, &transcript, &began(3)));
    }

    #[test]
    fn a_client_that_stops_waiting_is_doubtful_unless_nobody_was_at_work() {
        let message = |text: &str| Event::Message { raw: Raw::Text(text.to_owned()), http: None };
        let (request, notice) = (message(r#"{"id":1,"method":"server/discover"}"#), message(r#"{"method":"n"}"#));
        let entry = |seq, second: u64, from, event| Entry { seq, at_us: second * 1_000_000, from, event };
        let passing = |first: &Event, from, last: Event| Transcript {
            entries: vec![entry(0, 0, Role::Client, first.clone()), entry(1, 3, from, last)],
        };
        for event in [notice.clone(), Event::Closed {}] {
            let gave_up = passing(&request, Role::Client, event.clone());
            assert!(stopped_waiting(&gave_up, &watched(&[], 3)));
            assert!(!stopped_waiting(&gave_up, &watched(&[1], 3)));
            assert!(
                !stopped_waiting(&passing(&notice, Role::Client, event), &watched(&[], 3)),
                "it waited for nothing"
            );
        }
        assert!(!stopped_waiting(&passing(&request, Role::Server, notice), &watched(&[], 3)), "this is an answer");
        let ended = Event::Exited { how: "ended with 0".to_owned() };
        assert!(!stopped_waiting(&passing(&request, Role::Client, ended), &watched(&[], 3)), "this is told otherwise");
    }
}
