//! Troubles of a session: sessions side by side may have disturbed each other.

use std::collections::HashMap;

use mcp_compat_model::observation::{End, Layer, Observation, Seen};
use mcp_compat_model::peer_contract::JobStep;

/// One thing that went wrong.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    /// A step failed so. `tool` is what was called; `None` if the tools were listed.
    Step { tool: Option<String>, seen: Seen },
    /// The session ended so.
    End(End),
}

/// Finds the troubles of a session. A server that refuses a revision with a message has done nothing wrong; one that
/// stops answering before the session is open has.
pub(super) fn troubles(observation: &Observation, steps: &[JobStep], sent_a_message: bool) -> Vec<Trouble> {
    let failed = |seen: &Seen| match seen {
        Seen::Called(result) => result.is_error,
        Seen::Failed(_) => true,
        Seen::Listed { .. } | Seen::Evolved { .. } | Seen::NotReported {} => false,
    };
    let tool = |step: &JobStep| match step {
        JobStep::Call { tool, .. } => Some(tool.clone()),
        JobStep::List {} | JobStep::Evolve { .. } => None,
    };
    let of_steps = observation.steps.iter().zip(steps).filter(|(seen, _)| failed(seen));
    let mut troubles: Vec<Trouble> =
        of_steps.map(|(seen, step)| Trouble::Step { tool: tool(step), seen: seen.clone() }).collect();
    let ended_well = match observation.end {
        End::Answered {} => true,
        End::NoSession(ref error) => sent_a_message && error.layer != Layer::Timeout,
        End::Unsupported { .. }
        | End::TimedOut { .. }
        | End::Crashed { .. }
        | End::NotStarted { .. }
        | End::HarnessFailed { .. } => false,
    };
    if !ended_well {
        troubles.push(Trouble::End(observation.end.clone()));
    }
    troubles
}

impl Trouble {
    fn tool(&self) -> Option<&str> {
        match self {
            Self::Step { tool, .. } => tool.as_deref(),
            Self::End(_) => None,
        }
    }
}

/// Troubles of sessions that were alone, by tool: the server's own doing.
#[derive(Debug, Default)]
pub(super) struct OwnTroubles(HashMap<String, Vec<Trouble>>);

impl OwnTroubles {
    /// Adds those of a session that was alone.
    pub(super) fn add(&mut self, troubles: Vec<Trouble>) {
        for trouble in troubles {
            self.0.entry(trouble.tool().unwrap_or_default().to_owned()).or_default().push(trouble);
        }
    }

    /// Returns whether each of these is one of them.
    pub(super) fn explain(&self, troubles: &[Trouble]) -> bool {
        let of = |trouble: &Trouble| self.0.get(trouble.tool().unwrap_or_default());
        troubles.iter().all(|trouble| of(trouble).is_some_and(|own| own.contains(trouble)))
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_json::Json;
    use mcp_compat_model::Role;
    use mcp_compat_model::observation::{CallResult, PeerError};
    use serde_json::value::RawValue;

    use super::*;

    fn seen(end: End, results: &[(&str, bool)]) -> Observation {
        let called = |(text, is_error): &(&str, bool)| {
            Seen::Called(CallResult { structured: None, content: vec![Json::from(*text)], is_error: *is_error })
        };
        Observation { negotiated: None, steps: results.iter().map(called).collect(), end }
    }

    fn steps() -> Vec<JobStep> {
        ["look", "read"].map(|tool| JobStep::call(tool, RawValue::from_string("{}".to_owned()).unwrap())).to_vec()
    }

    #[test]
    fn a_tool_that_fails_is_told_from_another_and_from_another_error() {
        let of = |results: &[(&str, bool)]| troubles(&seen(End::Answered {}, results), &steps(), true);
        assert_eq!(of(&[("a", false), ("b", false)]), []);
        let first = of(&[("no", true), ("b", false)]);
        assert_eq!(first.len(), 1);
        assert_eq!(first, of(&[("no", true), ("other", false)]));
        assert_ne!(first, of(&[("locked", true), ("b", false)]));
        assert_ne!(first, of(&[("a", false), ("no", true)]));
        let mut own = OwnTroubles::default();
        assert!(own.explain(&[]) && !own.explain(&first));
        own.add(first.clone());
        assert!(own.explain(&first) && !own.explain(&of(&[("no", true), ("no", true)])));
    }

    #[test]
    fn an_end_counts_unless_the_server_refused() {
        let no_session = |layer| End::NoSession(PeerError { layer, code: None, message: "no".to_owned() });
        let refused = || no_session(Layer::Connect);
        assert_eq!(troubles(&seen(refused(), &[]), &steps(), true), []);
        assert_eq!(troubles(&seen(refused(), &[]), &steps(), false), [Trouble::End(refused())]);
        let silent = || no_session(Layer::Timeout);
        assert_eq!(troubles(&seen(silent(), &[]), &steps(), true), [Trouble::End(silent())]);
        let late = End::TimedOut { waiting_for: Role::Server, what: "step 2".to_owned() };
        assert_eq!(troubles(&seen(late.clone(), &[("a", false)]), &steps(), true), [Trouble::End(late)]);
    }
}
