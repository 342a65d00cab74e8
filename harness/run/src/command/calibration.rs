//! Whether the exit status of a command says anything: it is played what must end well, and what must not. Pure.
//!
//! ```text
//! Observation ─ doubt ─> Doubt ─ control ─> a scenario ─ (play) ─> Observation, Deeds ─ settled ─> Observation
//! ```
//!
//! That a client ended with an error proves that it refused something only if it ends without one where all is well;
//! that it ended without one proves that it took something only if a call that fails makes it end with one.

use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Observation, Seen};
use mcp_compat_model::peer_contract::{BYSTANDER_TOOL, Reply};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Call, Expect, Means, Purpose, ScenarioStage, Step, Tool};
use serde_json::value::RawValue;

use super::SUITE_ARGUMENTS;
use super::deeds::Deeds;
use super::observed::is_lost_at_the_list;
use super::retold::renamed;

/// The error that a call is answered with which has to fail.
const FAILURE: &str = r#"{"code":-32603,"message":"this call fails, to see whether anybody notices"}"#;

/// What a cell rests on, and what has to be shown for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Doubt {
    /// It called, and ended with an error: does it not do so where all is well?
    Error,
    /// It listed, and did not call: does it call where all is well?
    Call,
    /// It ended without an error although the result is invalid: does it end with one where a call fails?
    Silence,
}

/// What a client is played to settle a doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Control {
    /// A plain tool that answers as it should.
    Plain,
    /// The same tool, and the call fails.
    Failing,
}

impl Doubt {
    /// What settles it.
    pub(crate) fn control(self) -> Control {
        match self {
            Self::Error | Self::Call => Control::Plain,
            Self::Silence => Control::Failing,
        }
    }
}

/// What an observation rests on; nothing where that needs no proof.
pub(crate) fn doubt(scenario: &Scenario, calls: &str, deeds: &Deeds, seen: &Observation) -> Option<Doubt> {
    if seen.end != (End::Answered {}) {
        return None;
    }
    if is_lost_at_the_list(seen) {
        return Some(Doubt::Call);
    }
    let (call, of_call) = scenario.steps.iter().zip(&seen.steps).find_map(|(step, seen)| match step {
        Step::Call(call) if call.tool == calls => Some((call, seen)),
        Step::List | Step::Call(_) | Step::Evolve { .. } => None,
    })?;
    match of_call {
        Seen::Failed(_) if deeds.called => Some(Doubt::Error),
        Seen::NotReported {} if deeds.answered && call.means == Means::Invalid => Some(Doubt::Silence),
        Seen::Failed(_) | Seen::NotReported {} | Seen::Listed { .. } | Seen::Called(_) | Seen::Evolved { .. } => None,
    }
}

/// The scenario that is played for a control, made of one whose server is the same.
pub(crate) fn control(of: &Scenario, calls: &str, control: Control) -> Scenario {
    let mut scenario = Scenario { page_size: None, list: None, ..of.clone() };
    scenario.list_without.clear();
    scenario.answers.clear();
    scenario.stages = vec![ScenarioStage { tools: Vec::new(), told: false }];
    let plain = scenario.script().stages.into_iter().flat_map(|stage| stage.tools);
    let plain = plain.into_iter().find(|tool| tool.name == BYSTANDER_TOOL);
    let answer = |reply| match (control, RawValue::from_string(FAILURE.to_owned())) {
        (Control::Failing, Ok(failure)) => Reply::Error(failure),
        (Control::Plain | Control::Failing, _) => reply,
    };
    let tool =
        plain.map(|plain| renamed(&Tool::new(BYSTANDER_TOOL, plain.definition.get(), answer(plain.reply)), calls));
    scenario.stages[0].tools.extend(tool);
    let means = Means::Text(mcp_compat_scenario::scenario::BYSTANDER_TEXT.to_owned());
    let call = Call::new(calls, Purpose::Subject, means, Expect::both(Outcome::Intact));
    scenario.steps = vec![Step::List, Step::Call(Call { arguments: SUITE_ARGUMENTS.to_owned(), ..call })];
    scenario
}

/// What a client did in a control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// It called the tool.
    called: bool,
    /// Whether it ended without an error; nothing where that is not the client's doing.
    ended_well: Option<bool>,
}

impl Shown {
    /// Reads it off what became of the control.
    pub(crate) fn read(deeds: &Deeds, seen: &Observation) -> Self {
        let ended_well = match &seen.end {
            End::Answered {} => Some(!seen.steps.iter().any(|seen| matches!(seen, Seen::Failed(_)))),
            End::NoSession(_) => Some(false),
            End::TimedOut { waiting_for: who, .. } | End::Crashed { who, .. } | End::NotStarted { who, .. } => {
                (*who == Role::Client).then_some(false)
            }
            End::Unsupported { .. } | End::HarnessFailed { .. } => None,
        };
        Self { called: deeds.called, ended_well }
    }
}

/// The observation as far as it holds once the control is known. What rests on a status that tells nothing is not told.
pub(crate) fn settled(seen: Observation, doubt: Doubt, shown: Shown, calls: &str) -> Observation {
    let Some(ended_well) = shown.ended_well else { return seen };
    let reason = match doubt {
        Doubt::Error if !ended_well => {
            "it ends with an error whatever it is answered, so that its error tells nothing".to_owned()
        }
        Doubt::Silence if ended_well => {
            "it ends with 0 even where a call fails, so that its silence tells nothing".to_owned()
        }
        Doubt::Call if !shown.called => format!(
            "it does not call `{calls}` even where that is a plain tool, so that it tells nothing that it did not; name \
             the tool that it calls with --calls"
        ),
        Doubt::Error | Doubt::Silence | Doubt::Call => return seen,
    };
    Observation { steps: Vec::new(), end: End::Unsupported { by: Role::Client, reason }, ..seen }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::observation::{Layer, PeerError};
    use rstest::rstest;

    use super::super::retold::retold;
    use super::*;

    const CALLS: &str = "add_numbers";

    fn corpus(id: &str) -> Scenario {
        let corpus = mcp_compat_scenario::corpus::load().unwrap();
        let scenario = corpus.into_iter().find(|scenario| scenario.id.as_str() == id).unwrap();
        retold(&scenario, CALLS).into_owned()
    }

    fn failed() -> Seen {
        Seen::Failed(PeerError { layer: Layer::Decode, code: None, message: "exit status 1".to_owned() })
    }

    fn seen(list: Seen, call: Seen) -> Observation {
        Observation { negotiated: None, steps: vec![list, call, Seen::NotReported {}], end: End::Answered {} }
    }

    fn called() -> Deeds {
        Deeds { connected: true, listed: true, called: true, answered: true, ..Deeds::default() }
    }

    #[test]
    fn only_what_rests_on_the_status_is_doubted() {
        let doubt = |id, deeds, seen| doubt(&corpus(id), CALLS, &deeds, &seen);
        let (value, invalid) = ("root-type/array", "invalid-result/wrong-type");
        let at_the_list = Deeds { called: false, answered: false, ..called() };
        assert_eq!(doubt(value, called(), seen(Seen::NotReported {}, failed())), Some(Doubt::Error));
        assert_eq!(doubt(invalid, called(), seen(Seen::NotReported {}, failed())), Some(Doubt::Error));
        assert_eq!(doubt(invalid, called(), seen(Seen::NotReported {}, Seen::NotReported {})), Some(Doubt::Silence));
        assert_eq!(doubt(value, at_the_list, seen(failed(), failed())), Some(Doubt::Call));
        assert_eq!(doubt(value, called(), seen(Seen::NotReported {}, Seen::NotReported {})), None);
        let passed_over = doubt(value, at_the_list, seen(Seen::NotReported {}, failed()));
        assert_eq!(passed_over, None, "the second play has shown that it calls a plain tool");
    }

    #[rstest]
    #[case::an_error_always(Doubt::Error, Some(false), Some("it ends with an error whatever it is answered"))]
    #[case::an_error_where_there_is_one(Doubt::Error, Some(true), None)]
    #[case::never_an_error(Doubt::Silence, Some(true), Some("it ends with 0 even where a call fails"))]
    #[case::an_error_of_a_call_that_fails(Doubt::Silence, Some(false), None)]
    #[case::not_to_be_found_out(Doubt::Error, None, None)]
    #[case::it_calls_plain_tools(Doubt::Call, Some(true), None)]
    fn what_rests_on_a_status_that_tells_nothing_is_not_told(
        #[case] doubt: Doubt,
        #[case] ended_well: Option<bool>,
        #[case] expected: Option<&str>,
    ) {
        let before = seen(Seen::NotReported {}, failed());
        let after = settled(before.clone(), doubt, Shown { called: true, ended_well }, CALLS);
        match (expected, &after.end) {
            (Some(start), End::Unsupported { by: Role::Client, reason }) => {
                assert!(reason.starts_with(start), "{reason}");
                assert_eq!(after.steps, [], "no rule may be held against what is not known");
            }
            (expected, _) => assert_eq!((expected, &after), (None, &before)),
        }
    }

    #[test]
    fn a_client_that_never_calls_is_told_how_to_be_understood() {
        let shown = Shown { called: false, ended_well: Some(false) };
        let End::Unsupported { reason, .. } = settled(seen(failed(), failed()), Doubt::Call, shown, CALLS).end else {
            panic!("it is told");
        };
        assert!(reason.contains("`add_numbers`") && reason.ends_with("--calls"), "{reason}");
    }

    #[test]
    fn the_controls_have_the_tool_alone_and_differ_in_the_answer() {
        let odd = corpus("ref/network[absolute]");
        for (kind, fails) in [(Control::Plain, false), (Control::Failing, true)] {
            let control = control(&odd, CALLS, kind);
            let [tool] = control.stages[0].tools.as_slice() else { panic!("{:?}", control.stages) };
            assert!(tool.name == CALLS && !tool.definition.contains("$ref"), "{tool:?}");
            assert_eq!(matches!(tool.reply, Reply::Error(_)), fails);
        }
    }
}
