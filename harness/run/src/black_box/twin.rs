//! Twins of tool errors: whether a black-box client shows a tool error otherwise than a success. Pure.
//!
//! The exit status says nothing about a tool error: a program may rightly end with 0 after it has shown one. But if it
//! prints the same, and ends in the same way, for a result that differs only in `isError`, its user takes the error for
//! a success.

use mcp_compat_drive::{CommandEnd, Exit};
use mcp_compat_json::{Json, JsonString, Object};
use mcp_compat_model::observation::{CallResult, End, Observation, Seen};
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Means, Step};
use serde_json::value::RawValue;

use super::wire_activity::WireActivity;

/// Least length of a text by which a result is recognised in the output of a program, in bytes.
const RECOGNISED: usize = 8;

/// The scenario whose tool returns the same result without `isError`. `None` if it would show nothing: the client did
/// not print the text of the tool error, or has reported what its user got.
pub(crate) fn twin(
    scenario: &Scenario,
    calls: &str,
    activity: &WireActivity,
    seen: &Observation,
    end: &CommandEnd,
) -> Option<Scenario> {
    if seen.end != (End::Answered {}) || !activity.failed || !end.exit.is_some_and(Exit::is_success) {
        return None;
    }
    let (place, words) = failing_call(scenario, calls)?;
    if !matches!(seen.steps.get(place), Some(Seen::NotReported {})) || !shows(end, words) {
        return None;
    }
    let mut twin = scenario.clone();
    let tool = twin.stages.iter_mut().flat_map(|stage| &mut stage.tools).find(|tool| tool.name == calls)?;
    let Reply::Result(result) = &tool.reply else { return None };
    let Json::Object(members) = Json::parse(result.get()).ok()? else { return None };
    let kept: Object = members.into_iter().filter(|(key, _)| key != "isError").collect();
    tool.reply = Reply::Result(RawValue::from_string(Json::Object(kept).to_compact()).ok()?);
    Some(twin)
}

/// The observation, given the end of the client at the twin. If the user saw the same, the error was shown as a success.
pub(crate) fn after_twin(
    mut seen: Observation,
    scenario: &Scenario,
    calls: &str,
    end: &CommandEnd,
    of_twin: &CommandEnd,
) -> Observation {
    if end != of_twin {
        return seen;
    }
    if let Some((place, words)) = failing_call(scenario, calls)
        && let Some(step) = seen.steps.get_mut(place)
    {
        let block = [("type", "text"), ("text", words)].map(|(key, value)| (JsonString::from(key), Json::from(value)));
        let content = vec![Json::Object(block.into_iter().collect())];
        *step = Seen::Called(CallResult { structured: None, content, is_error: false });
    }
    seen
}

/// The place of the step that calls the tool, and the words of the error that the tool means.
fn failing_call<'s>(scenario: &'s Scenario, calls: &str) -> Option<(usize, &'s str)> {
    scenario.steps.iter().enumerate().find_map(|(place, step)| match step {
        Step::Call(call) if call.tool == calls => match &call.means {
            Means::ToolError(words) => Some((place, words.as_str())),
            Means::Value(_) | Means::Text(_) | Means::Invalid => None,
        },
        Step::List | Step::Call(_) | Step::Evolve { .. } => None,
    })
}

/// Returns true if a program printed a text.
fn shows(end: &CommandEnd, words: &str) -> bool {
    words.len() >= RECOGNISED && (end.output.contains(words) || end.words.contains(words))
}

#[cfg(test)]
mod tests {
    use super::super::adapted::adapted;
    use super::*;

    const CALLS: &str = "add_numbers";

    fn scenario() -> Scenario {
        let corpus = mcp_compat_scenario::corpus::load().unwrap();
        let scenario = corpus.into_iter().find(|scenario| scenario.id.as_str() == "error-result/plain-text").unwrap();
        adapted(&scenario, CALLS).into_owned()
    }

    fn ended(status: i32, output: &str) -> CommandEnd {
        CommandEnd { exit: Some(Exit::Status(status)), words: String::new(), output: output.to_owned() }
    }

    fn seen(scenario: &Scenario) -> Observation {
        let steps = scenario.steps.iter().map(|_| Seen::NotReported {}).collect();
        Observation { negotiated: None, steps, end: End::Answered {} }
    }

    #[test]
    fn a_twin_is_needed_only_where_the_text_was_shown_and_the_client_ended_well() {
        let scenario = scenario();
        let words = failing_call(&scenario, CALLS).unwrap().1.to_owned();
        let failed = WireActivity { called: true, answered: true, failed: true, ..WireActivity::default() };
        let of = |activity, end| twin(&scenario, CALLS, &activity, &seen(&scenario), &end);
        let shown = format!("result: {words}\n");
        assert!(of(failed, ended(1, &shown)).is_none(), "the status has told it");
        assert!(of(failed, ended(0, "done\n")).is_none(), "nothing of the result was shown");
        assert!(of(WireActivity { failed: false, ..failed }, ended(0, &shown)).is_none());
        let twin = of(failed, ended(0, &shown)).unwrap();
        let Reply::Result(result) = &twin.stages[0].tools[0].reply else { panic!("{twin:?}") };
        assert!(result.get().contains(&words) && !result.get().contains("isError"), "{result}");
    }

    #[test]
    fn an_error_that_looks_like_a_success_was_shown_as_one() {
        let scenario = scenario();
        let told = |of_twin: &str| {
            let seen = after_twin(seen(&scenario), &scenario, CALLS, &ended(0, "error: False"), &ended(0, of_twin));
            matches!(&seen.steps[1], Seen::Called(result) if !result.is_error)
        };
        assert!(told("error: False"));
        assert!(!told("error: none"), "the two differ, so the user can tell them apart");
    }
}
