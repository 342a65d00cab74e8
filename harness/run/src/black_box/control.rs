//! Controls: whether the exit status of a black-box client means anything. Pure, but for the results that cells share.
//!
//! ```text
//! Observation ─ control_needed ─> Inference ─ control ─> Scenario ─ (play) ─> ControlResult ─ after_control ─> Observation
//! ```
//!
//! An exit with an error shows that the client refused something only if the client exits without an error when all is
//! well. An exit without an error shows that the client accepted something only if a call that fails makes it exit with an
//! error.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_compat_model::observation::{End, Observation, Seen};
use mcp_compat_model::peer_contract::{BYSTANDER_TOOL, Reply};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{PeerId, Role};
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Call, Expect, Means, Purpose, ScenarioStage, Step, Tool};
use serde_json::value::RawValue;
use tokio::sync::OnceCell;

use super::adapted::renamed;
use super::command::SUITE_ARGUMENTS;
use super::observed::is_lost_at_the_list;
use super::wire_activity::WireActivity;

/// The answer to a call that has to fail.
const FAILURE: &str = r#"{"code":-32603,"message":"this call fails, to see whether anybody notices"}"#;

/// Reason for knowing nothing of a result that a client seems to accept.
pub const ENDS_WELL_ANYHOW: &str = "it ends with 0 even when a call fails, so its exit status shows nothing";

/// Reason for knowing nothing of the calls of a client that gives up after the list.
pub fn gives_up(calls: &str) -> String {
    format!(
        "it does not call `{calls}` even when that is a plain tool; if it looks for another tool, name that tool with --calls"
    )
}

/// Reason for which the exit status of a client that always fails shows nothing.
pub const FAILS_ANYHOW: &str = "it ends with an error even after a valid answer, so its exit status shows nothing";

/// Basis of an inferred outcome, and what has to be shown for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Inference {
    /// The client called, and ended with an error. To be shown: it ends without one when all is well.
    Error,
    /// The client listed, and did not call. To be shown: it calls when all is well.
    NoCall,
    /// The client ended without an error although the result is invalid. To be shown: it ends with one when a call fails.
    NoError,
}

/// Scenario that shows what the exit status of a client means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Control {
    /// A plain tool that answers as it should.
    Plain,
    /// The same tool, and the call fails.
    Failing,
}

impl Inference {
    /// The control that shows whether the inference holds.
    pub(crate) fn control(self) -> Control {
        match self {
            Self::Error | Self::NoCall => Control::Plain,
            Self::NoError => Control::Failing,
        }
    }
}

/// Returns the basis of an inferred observation. `None` if no control is needed.
pub(crate) fn control_needed(
    scenario: &Scenario,
    calls: &str,
    activity: &WireActivity,
    seen: &Observation,
) -> Option<Inference> {
    if seen.end != (End::Answered {}) {
        return None;
    }
    if is_lost_at_the_list(seen) {
        return Some(Inference::NoCall);
    }
    let (call, of_call) = scenario.steps.iter().zip(&seen.steps).find_map(|(step, seen)| match step {
        Step::Call(call) if call.tool == calls => Some((call, seen)),
        Step::List | Step::Call(_) | Step::Evolve { .. } => None,
    })?;
    match of_call {
        Seen::Failed(_) if activity.called => Some(Inference::Error),
        Seen::NotReported {} if activity.answered && call.means == Means::Invalid => Some(Inference::NoError),
        Seen::Failed(_) | Seen::NotReported {} | Seen::Listed { .. } | Seen::Called(_) | Seen::Evolved { .. } => None,
    }
}

/// The scenario of a control, made from the scenario of a cell with the same server.
pub(crate) fn control(of: &Scenario, calls: &str, control: Control) -> Scenario {
    let mut scenario = Scenario { page_size: None, list: None, ..of.clone() };
    scenario.list_without.clear();
    scenario.answers.clear();
    scenario.stages = vec![ScenarioStage { tools: Vec::new(), notified: false }];
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ControlResult {
    /// The client called the tool.
    called: bool,
    /// True if it ended without an error. `None` if something else ended the session.
    ended_well: Option<bool>,
}

impl ControlResult {
    /// Reads the result of a control.
    pub(crate) fn read(activity: &WireActivity, seen: &Observation) -> Self {
        let ended_well = match &seen.end {
            End::Answered {} => Some(!seen.steps.iter().any(|seen| matches!(seen, Seen::Failed(_)))),
            End::NoSession(_) => Some(false),
            End::TimedOut { waiting_for: who, .. } | End::Crashed { who, .. } | End::NotStarted { who, .. } => {
                (*who == Role::Client).then_some(false)
            }
            End::Unsupported { .. } | End::HarnessFailed { .. } => None,
        };
        Self { called: activity.called, ended_well }
    }
}

/// The observation, given the result of the control. If the inference does not hold, the cell is not supported.
pub(crate) fn after_control(
    seen: Observation,
    inference: Inference,
    result: ControlResult,
    calls: &str,
) -> Observation {
    let Some(ended_well) = result.ended_well else { return seen };
    let reason = match inference {
        Inference::Error if !ended_well => FAILS_ANYHOW.to_owned(),
        Inference::NoError if ended_well => ENDS_WELL_ANYHOW.to_owned(),
        Inference::NoCall if !result.called => {
            let error =
                seen.steps.iter().find_map(|step| if let Seen::Failed(error) = step { Some(error) } else { None });
            let how = error.map_or_else(String::new, |error| format!(". It ended with {}", error.message));
            format!("{}{how}", gives_up(calls))
        }
        Inference::Error | Inference::NoError | Inference::NoCall => return seen,
    };
    Observation { steps: Vec::new(), end: End::Unsupported { by: Role::Client, reason }, ..seen }
}

/// Client, server and control.
type Key = (PeerId, PeerId, Control);

/// The results of controls. Each is played once for a client and a server, and their cells share the result.
#[derive(Debug, Default)]
pub(crate) struct ExitStatusControls(Mutex<HashMap<Key, Arc<OnceCell<ControlResult>>>>);

impl ExitStatusControls {
    /// The result of a control. The first cell that asks plays it, and the others wait for it. A result after a timeout is
    /// an error: it is for that cell alone, and the next one plays the control again.
    pub(crate) async fn result<E>(
        &self,
        client: &PeerId,
        server: &PeerId,
        control: Control,
        play: impl Future<Output = Result<ControlResult, E>>,
    ) -> Result<ControlResult, E> {
        let key = (client.clone(), server.clone(), control);
        let cell = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        cell.get_or_try_init(|| play).await.copied()
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::observation::{Layer, PeerError};
    use rstest::rstest;

    use super::super::adapted::adapted;
    use super::*;

    const CALLS: &str = "add_numbers";

    fn corpus(id: &str) -> Scenario {
        let corpus = mcp_compat_scenario::corpus::load().unwrap();
        let scenario = corpus.into_iter().find(|scenario| scenario.id.as_str() == id).unwrap();
        adapted(&scenario, CALLS).into_owned()
    }

    fn failed() -> Seen {
        Seen::Failed(PeerError { layer: Layer::Decode, code: None, message: "exit status 1".to_owned() })
    }

    fn seen(list: Seen, call: Seen) -> Observation {
        Observation { negotiated: None, steps: vec![list, call, Seen::NotReported {}], end: End::Answered {} }
    }

    fn called() -> WireActivity {
        WireActivity { connected: true, listed: true, called: true, answered: true, ..WireActivity::default() }
    }

    #[test]
    fn a_control_is_needed_only_if_the_outcome_rests_on_the_exit_status() {
        let control_needed = |id, activity, seen| control_needed(&corpus(id), CALLS, &activity, &seen);
        let (value, invalid) = ("root-type/array", "invalid-result/wrong-type");
        let at_the_list = WireActivity { called: false, answered: false, ..called() };
        assert_eq!(control_needed(value, called(), seen(Seen::NotReported {}, failed())), Some(Inference::Error));
        assert_eq!(control_needed(invalid, called(), seen(Seen::NotReported {}, failed())), Some(Inference::Error));
        assert_eq!(
            control_needed(invalid, called(), seen(Seen::NotReported {}, Seen::NotReported {})),
            Some(Inference::NoError)
        );
        assert_eq!(control_needed(value, at_the_list, seen(failed(), failed())), Some(Inference::NoCall));
        assert_eq!(control_needed(value, called(), seen(Seen::NotReported {}, Seen::NotReported {})), None);
        let passed_over = control_needed(value, at_the_list, seen(Seen::NotReported {}, failed()));
        assert_eq!(passed_over, None, "the second play has shown that it calls a plain tool");
    }

    #[rstest]
    #[case::an_error_always(Inference::Error, Some(false), Some("it ends with an error even after a valid answer"))]
    #[case::an_error_only_when_something_fails(Inference::Error, Some(true), None)]
    #[case::never_an_error(Inference::NoError, Some(true), Some("it ends with 0 even when a call fails"))]
    #[case::an_error_of_a_call_that_fails(Inference::NoError, Some(false), None)]
    #[case::not_to_be_found_out(Inference::Error, None, None)]
    #[case::it_calls_plain_tools(Inference::NoCall, Some(true), None)]
    fn an_inference_that_does_not_hold_makes_the_cell_unsupported(
        #[case] inference: Inference,
        #[case] ended_well: Option<bool>,
        #[case] expected: Option<&str>,
    ) {
        let before = seen(Seen::NotReported {}, failed());
        let after = after_control(before.clone(), inference, ControlResult { called: true, ended_well }, CALLS);
        match (expected, &after.end) {
            (Some(start), End::Unsupported { by: Role::Client, reason }) => {
                assert!(reason.starts_with(start), "{reason}");
                assert_eq!(after.steps, [], "no rule may apply to what is not known");
            }
            (expected, _) => assert_eq!((expected, &after), (None, &before)),
        }
    }

    #[test]
    fn for_a_client_that_never_calls_the_reason_names_the_option() {
        let result = ControlResult { called: false, ended_well: Some(false) };
        let End::Unsupported { reason, .. } =
            after_control(seen(failed(), failed()), Inference::NoCall, result, CALLS).end
        else {
            panic!("it is unsupported");
        };
        assert_eq!(
            reason,
            "it does not call `add_numbers` even when that is a plain tool; if it looks for another tool, name that tool \
             with --calls. It ended with exit status 1"
        );
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

    #[tokio::test]
    async fn a_control_is_played_once_for_a_client_and_a_server() {
        let (controls, played) = (ExitStatusControls::default(), std::cell::Cell::new(0));
        let result = ControlResult::default();
        for (client, control) in
            [("a", Control::Plain), ("a", Control::Plain), ("a", Control::Failing), ("b", Control::Plain)]
        {
            let play = async {
                played.set(played.get() + 1);
                Ok::<_, ()>(result)
            };
            let id = |id| PeerId::new(id).unwrap();
            assert_eq!(controls.result(&id(client), &id("s"), control, play).await, Ok(result));
        }
        assert_eq!(played.get(), 3);
    }

    #[tokio::test]
    async fn a_control_that_timed_out_is_played_again_for_the_next_cell() {
        let controls = ExitStatusControls::default();
        let id = |id| PeerId::new(id).unwrap();
        let ask = async |played| controls.result(&id("a"), &id("s"), Control::Plain, async { played }).await;
        let result = ControlResult::default();
        assert_eq!(ask(Err("it timed out beside others")).await, Err("it timed out beside others"));
        assert_eq!(ask(Ok(result)).await, Ok(result));
        assert_eq!(ask(Err("it is not played")).await, Ok(result));
    }
}
