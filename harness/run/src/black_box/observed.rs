//! From the wire and the exit status of a black-box client to what its user got, as far as that can be known. Pure.

use mcp_compat_drive::{CommandEnd, Exit};
use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Layer, Observation, PeerError, Seen};
use mcp_compat_model::peer_contract::BYSTANDER_TOOL;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Means, Step, Tool};

use super::adapted::renamed;
use super::error_excerpt::error_excerpt;
use super::wire_activity::WireActivity;
use crate::observe::ended;

/// The name of the scenario's tool when it is offered beside a plain tool that the client calls.
const NEIGHBOUR: &str = "odd_neighbour";

/// The exit status of a shell for a command that does not exist.
const NO_SUCH_COMMAND: Exit = Exit::Status(127);

/// Returns what the user of a black-box client got.
///
/// An exit without an error says only that the client refused nothing. An exit with an error says where: at the last thing
/// that the client did.
pub(crate) fn observed(scenario: &Scenario, calls: &str, transcript: &Transcript, end: &CommandEnd) -> Observation {
    let activity = WireActivity::read(transcript, calls);
    let words = error_excerpt(&end.words);
    let with_excerpt = |how: &str| if words.is_empty() { how.to_owned() } else { format!("{how}: {words}") };
    let Some(exit) = end.exit else {
        let what = with_excerpt("its command did not end");
        return ended(End::TimedOut { waiting_for: Role::Client, what });
    };
    match exit {
        NO_SUCH_COMMAND if !activity.connected => {
            return ended(End::NotStarted { who: Role::Client, why: with_excerpt("the command does not exist") });
        }
        Exit::Signal(_) | Exit::TooMuchMemory { .. } | Exit::Unknown => {
            return ended(End::Crashed { who: Role::Client, how: with_excerpt(&exit.to_string()) });
        }
        Exit::Status(_) => {}
    }
    let failed = |layer| Seen::Failed(PeerError { layer, code: None, message: with_excerpt(&exit.to_string()) });
    // A client that got no list and called nothing has seen nothing, even if it exits without an error.
    if !activity.listed && !activity.called {
        let message = if activity.connected {
            with_excerpt(&format!("the command was given no list, called nothing, and ended with {exit}"))
        } else {
            with_excerpt(&format!("the command never connected, and ended with {exit}"))
        };
        return ended(End::NoSession(PeerError { layer: Layer::Connect, code: None, message }));
    }
    let of_step = |step: &Step| match step {
        // A failing tool rightly fails some of these programs. Whether the user gets to know why is not known.
        Step::Call(call) if activity.failed && matches!(call.means, Means::ToolError(_)) => Seen::NotReported {},
        Step::Call(call) if call.tool == calls && !exit.is_success() => failed(Layer::Decode),
        Step::List | Step::Call(_) if !exit.is_success() && !activity.called => failed(Layer::Decode),
        Step::List | Step::Call(_) | Step::Evolve { .. } => Seen::NotReported {},
    };
    Observation { negotiated: None, steps: scenario.steps.iter().map(of_step).collect(), end: End::Answered {} }
}

/// Returns true if the client ended between the list and the call. Then it is not known yet whether it lost more than
/// that tool.
pub(crate) fn is_lost_at_the_list(observation: &Observation) -> bool {
    matches!(observation.steps.first(), Some(Seen::Failed(_)))
}

/// The scenario with a plain tool under the name that the client calls. The scenario's own tool is offered beside it.
pub(crate) fn with_plain_tool(scenario: &Scenario, calls: &str) -> Scenario {
    let mut beside = scenario.clone();
    let plain = beside.script().stages.into_iter().flat_map(|stage| stage.tools);
    let plain = plain.into_iter().find(|tool| tool.name == BYSTANDER_TOOL);
    for stage in &mut beside.stages {
        for tool in &mut stage.tools {
            if tool.name == calls {
                *tool = renamed(tool, NEIGHBOUR);
            }
        }
        stage.tools.extend(
            plain
                .iter()
                .map(|plain| renamed(&Tool::new(BYSTANDER_TOOL, plain.definition.get(), plain.reply.clone()), calls)),
        );
    }
    beside
}

/// The observation, given whether the client calls a plain tool that is offered beside the scenario's. If it does, it has
/// lost that one tool and not the list.
pub(crate) fn narrowed_to_the_tool(
    mut seen: Observation,
    scenario: &Scenario,
    calls: &str,
    survives: bool,
) -> Observation {
    if survives {
        for (step, seen) in scenario.steps.iter().zip(&mut seen.steps) {
            match step {
                Step::Call(call) if call.tool == calls => {}
                Step::List | Step::Call(_) | Step::Evolve { .. } => *seen = Seen::NotReported {},
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::transcript::{Entry, Event, Raw};

    use super::*;

    fn corpus(id: &str) -> Scenario {
        let corpus = mcp_compat_scenario::corpus::load().unwrap();
        corpus.into_iter().find(|scenario| scenario.id.as_str() == id).unwrap()
    }

    #[test]
    fn a_client_that_only_connects_has_no_session_however_it_ends() {
        let message =
            Event::Message { raw: Raw::Text(r#"{"jsonrpc":"2.0","method":"ping","id":1}"#.to_owned()), http: None };
        let entry = Entry { seq: 0, at_us: 0, from: Role::Client, event: message };
        let transcript = Transcript { entries: vec![entry] };
        for status in [0, 1] {
            let end = CommandEnd { exit: Some(Exit::Status(status)), words: String::new() };
            let seen = observed(&corpus("root-type/object"), "add_numbers", &transcript, &end);
            assert!(matches!(seen.end, End::NoSession(_)), "{status}: {seen:?}");
        }
    }
}
