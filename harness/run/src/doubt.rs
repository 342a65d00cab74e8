//! Decides whether the timeouts of a cell can be believed. Pure.
//!
//! A timeout is believed if, in each long silence of the cell, nobody was at work for a moment: then the peers waited for
//! something, and would have waited for ever. Otherwise a peer may have computed, or waited for a processor that other
//! programs had, so the cell is played again.

use std::collections::BTreeSet;
use std::time::Duration;

use mcp_compat_model::observation::{End, Layer, Observation, Seen};
use mcp_compat_model::transcript::Transcript;

use crate::idleness::Watched;

/// From which length on a silence needs a moment in which nobody was at work. A timeout takes longer than this.
const LONG: Duration = Duration::from_secs(1);

/// Whether a timeout of the cell may be due to the load of the machine.
pub(crate) fn is_doubtful(observation: &Observation, transcript: &Transcript, watched: &Watched) -> bool {
    if !has_timeout(observation) {
        return false;
    }
    let Watched { began, idle, ended } = watched;
    let times = transcript.entries.iter().map(|entry| Duration::from_micros(entry.at_us)).chain([*ended]);
    // A head may stand before an entry that passed earlier.
    let times = BTreeSet::from_iter(times);
    let mut long = 0;
    let mut before = *began;
    for time in times {
        if time.saturating_sub(before) >= LONG {
            long += 1;
            if !idle.iter().any(|moment| (before..=time).contains(moment)) {
                return true;
            }
        }
        before = time;
    }
    long == 0
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
    use mcp_compat_model::Role;
    use mcp_compat_model::observation::PeerError;
    use mcp_compat_model::transcript::{Entry, Event};

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
        Watched { began: Duration::ZERO, idle, ended: seconds(ended) }
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
    }

    #[test]
    fn the_time_before_the_peers_began_is_no_silence() {
        let waited = seen(vec![Seen::Failed(timeout())], End::Answered {});
        let transcript = passing_at(&[3]);
        let began = |second| Watched { began: seconds(second), ..watched(&[5], 8) };
        assert!(is_doubtful(&waited, &transcript, &began(1)));
        assert!(!is_doubtful(&waited, &transcript, &began(3)));
    }
}
