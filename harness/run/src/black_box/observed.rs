//! From the wire and the exit status of a black-box client to what its user got, as far as that can be known. Pure.

use mcp_compat_drive::{CommandEnd, Exit};
use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Layer, Observation, PeerError, Seen};
use mcp_compat_model::peer_contract::BYSTANDER_TOOL;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Means, Step, Tool};

use super::adapted::renamed;
use super::report::Report;
use super::wire_activity::{WireActivity, result_of_call};
use crate::observe::ended;

/// The name of the scenario's tool when it is offered beside a plain tool that the client calls.
const NEIGHBOUR: &str = "odd_neighbour";

/// The exit status of a shell for a command that does not exist.
const NO_SUCH_COMMAND: Exit = Exit::Status(127);

/// Returns what the user of a black-box client got.
///
/// An exit without an error says only that the client refused nothing. An exit with an error says where: at the last thing
/// that the client did.
///
/// A value that the client reported counts, unless the client ended with an error after it.
pub(crate) fn observed(
    scenario: &Scenario,
    calls: &str,
    transcript: &Transcript,
    end: &CommandEnd,
    report: Option<&Report>,
) -> Observation {
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
    let sent = result_of_call(transcript, calls);
    let reported = |means: &Means| {
        let report = report.filter(|report| activity.answered && (exit.is_success() || report.is_error()))?;
        report.clone().result(means, sent.as_ref())
    };
    let of_step = |step: &Step| match step {
        Step::Call(call) if call.tool == calls && reported(&call.means).is_some() => {
            reported(&call.means).map_or(Seen::NotReported {}, Seen::Called)
        }
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

/// Longest excerpt in characters.
const MAX_CHARS: usize = 600;

/// Frame around a group of errors in Python.
const MARKS: [char; 4] = [' ', '|', '+', '-'];

/// Beginning of a line of Pydantic that only has a link.
const FURTHER_INFORMATION: &str = "For further information visit";

/// The error in what a program wrote before it ended: the text from the last line that names an exception, or else from
/// the last line that mentions an error, or else the last line. Stack frames are left out.
pub fn error_excerpt(text: &str) -> String {
    let lines = without_frames(text);
    let exception = lines.iter().rposition(|line| names_an_exception(line));
    let error = || lines.iter().rposition(|line| mentions_an_error(line));
    let from = exception.or_else(error).unwrap_or(lines.len().saturating_sub(1));
    let words: Vec<&str> = lines[from..].iter().flat_map(|line| line.split_whitespace()).collect();
    words.join(" ").chars().take(MAX_CHARS).collect()
}

/// The lines with text, without stack frames and without the marks around groups of errors.
fn without_frames(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    // How far a frame is indented in Python. The source line that follows it is indented further.
    let mut frame = None;
    for line in text.lines() {
        let said = line.trim_start_matches(MARKS);
        let indent = line.len() - said.len();
        if said.starts_with("File \"") {
            frame = Some(indent);
        } else if frame.is_none_or(|frame| indent <= frame) {
            frame = None;
            if !said.is_empty() && !said.starts_with("at ") && !said.starts_with(FURTHER_INFORMATION) {
                lines.push(said);
            }
        }
    }
    lines
}

/// Returns true if a line has the name of an exception followed by a colon, or is such a name:
/// `pydantic.ValidationError: …`.
fn names_an_exception(line: &str) -> bool {
    let is_name = |word: &str| {
        let of_a_name = |c: char| c.is_alphanumeric() || "._$:".contains(c);
        word.chars().all(of_a_name) && ["Error", "Exception", "ExceptionGroup"].iter().any(|end| word.ends_with(end))
    };
    is_name(line.trim_end()) || line.split_whitespace().filter_map(|word| word.strip_suffix(':')).any(is_name)
}

/// Returns true if a line mentions an error, and not only in an address.
fn mentions_an_error(line: &str) -> bool {
    line.split_whitespace().any(|word| !word.contains("://") && word.to_ascii_lowercase().contains("error"))
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
            let end = CommandEnd { exit: Some(Exit::Status(status)), words: String::new(), output: String::new() };
            let seen = observed(&corpus("root-type/object"), "add_numbers", &transcript, &end, None);
            assert!(matches!(seen.end, End::NoSession(_)), "{status}: {seen:?}");
        }
    }

    #[test]
    fn the_excerpt_begins_at_the_error() {
        let python =
            "Traceback (most recent call last):\n  File \"a.py\", line 1\n    x()\npydantic.ValidationError: no\n";
        assert_eq!(error_excerpt(python), "pydantic.ValidationError: no");
        let node = "listing\nError: ZodError: expected object\n    at a (b.js:1:1)\n    at c\n";
        assert_eq!(error_excerpt(node), "Error: ZodError: expected object");
        let zod = "Error: [\n  {\n    \"code\": \"invalid_type\"\n  }\n]\n    at a (b.js:1:1)\n";
        assert_eq!(error_excerpt(zod), r#"Error: [ { "code": "invalid_type" } ]"#);
        assert_eq!(error_excerpt("2026/01/01 tool not found\n\n"), "2026/01/01 tool not found");
        assert_eq!(error_excerpt(""), "");
    }

    #[test]
    fn for_pydantic_the_excerpt_has_the_exception_and_the_fields() {
        let plain = "Traceback (most recent call last):
  File \"client.py\", line 9, in <module>
    asyncio.run(main(sys.argv[1]))
    ~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^
  File \"mcp/client/session.py\", line 300, in send_request
    return result_type.model_validate(response_or_error.result)
pydantic_core._pydantic_core.ValidationError: 1 validation error for ListToolsResult
tools.0.outputSchema
  Input should be a valid dictionary [type=dict_type, input_value=True, input_type=bool]
    For further information visit https://errors.pydantic.dev/2.12/v/dict_type
";
        let expected = "pydantic_core._pydantic_core.ValidationError: 1 validation error for ListToolsResult \
                        tools.0.outputSchema \
                        Input should be a valid dictionary [type=dict_type, input_value=True, input_type=bool]";
        assert_eq!(error_excerpt(plain), expected);
        let grouped: String = plain.lines().map(|line| format!("    | {line}\n")).collect();
        let grouped = format!(
            "  + Exception Group Traceback (most recent call last):\n\
             \x20 |   File \"client.py\", line 9, in <module>\n\
             \x20 |     asyncio.run(main(sys.argv[1]))\n\
             \x20 | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n\
             \x20 +-+---------------- 1 ----------------\n{grouped}    +------------------------------------\n"
        );
        assert_eq!(error_excerpt(&grouped), expected);
    }

    #[test]
    fn an_address_is_not_an_error() {
        assert_eq!(
            error_excerpt("error: no such tool\nsee https://errors.example/1\n"),
            "error: no such tool see https://errors.example/1"
        );
        assert_eq!(error_excerpt("see https://errors.example/1\nbye\n"), "bye");
    }
}
