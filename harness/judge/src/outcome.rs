//! Outcomes: from what a tool meant and what the user saw to one [`Outcome`], with one function for each meaning, and the
//! damage of a broken call.

use mcp_compat_json::Json;
use mcp_compat_model::observation::{CallResult, End, Layer, Observation, PeerError, Seen, SeenTool};
use mcp_compat_model::peer_contract::BYSTANDER_TOOL;
use mcp_compat_model::tool::texts;
use mcp_compat_model::verdict::{BlastRadius, Outcome};
use mcp_compat_scenario::scenario::{Means, Scenario, Step};

/// Kind of answer to a call, as far as it changes the reading of what the user saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// A result that is not an error.
    Success,
    /// A result with `isError`, or a JSON-RPC error.
    Failure,
    /// An error of either form in place of the result that it was to send: it has checked that one, and refuses it.
    Refusal,
    /// Something that cannot be read as an answer.
    Garbage,
    Nothing,
}

impl Sent {
    /// Returns true if it is an error, of either party.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failure | Self::Refusal)
    }
}

/// The outcome for what the tool meant.
pub fn outcome(means: &Means, seen: &Seen, sent: Sent) -> Outcome {
    match seen {
        Seen::Failed(error) => failed(means, error, sent),
        Seen::Called(result) => match means {
            Means::Value(value) => of_value(value, result, sent),
            Means::Text(text) => of_text(text, result, sent),
            Means::ToolError(words) => of_tool_error(words, result),
            Means::Invalid => of_invalid(result, sent),
        },
        // An answer to another question than the one asked proves nothing.
        Seen::Listed { .. } | Seen::Evolved { .. } => Outcome::Incomplete,
        // Without an error, an invalid result was accepted; of anything else it is not known what the user got.
        Seen::NotReported {} => match (means, sent) {
            (Means::Invalid, Sent::Success) => Outcome::Uncaught,
            (Means::Invalid | Means::Value(_) | Means::Text(_) | Means::ToolError(_), _) => Outcome::Unsupported,
        },
    }
}

fn failed(means: &Means, error: &PeerError, sent: Sent) -> Outcome {
    match (error.layer, means) {
        (Layer::Connect, Means::Value(_) | Means::Text(_) | Means::ToolError(_)) => Outcome::Unreachable,
        // A client that times out on a silent server has noticed; one that misses an answer hangs.
        (Layer::Timeout, Means::Invalid) if sent == Sent::Nothing => Outcome::Caught,
        (Layer::Timeout, _) => Outcome::Hung,
        (_, Means::Invalid) => Outcome::Caught,
        (Layer::Protocol | Layer::Tool, Means::ToolError(words)) if error.message.contains(words.as_str()) => {
            Outcome::Told
        }
        (Layer::Protocol | Layer::Tool | Layer::Decode | Layer::Validate, Means::ToolError(_)) => Outcome::Masked,
        (Layer::Protocol | Layer::Tool | Layer::Decode | Layer::Validate, Means::Value(_) | Means::Text(_)) => {
            Outcome::Rejected
        }
    }
}

fn of_value(value: &Json, result: &CallResult, sent: Sent) -> Outcome {
    if raised(result, sent) {
        return Outcome::Rejected;
    }
    match &result.structured {
        Some(structured) if value.is_kept_in(structured) => Outcome::Intact,
        Some(structured) if wraps(structured, value) => Outcome::Wrapped,
        Some(_) => Outcome::Altered,
        None if told_in_text(value, &result.content) => Outcome::Text,
        None => remains(&result.content),
    }
}

fn of_text(text: &str, result: &CallResult, sent: Sent) -> Outcome {
    if raised(result, sent) {
        Outcome::Rejected
    } else if texts(&result.content).any(|block| block == text) {
        Outcome::Intact
    } else if texts(&result.content).any(|block| !block.is_empty()) || result.structured.is_some() {
        Outcome::Altered
    } else if text.is_empty() {
        // A tool that succeeds without a word has been understood.
        Outcome::Intact
    } else {
        Outcome::Lost
    }
}

fn of_tool_error(words: &str, result: &CallResult) -> Outcome {
    if !result.is_error {
        return Outcome::Swallowed;
    }
    // A tool error without words is reported by the failure alone.
    let in_text = words.is_empty() || texts(&result.content).any(|block| block.contains(words));
    let in_value = result.structured.as_ref().is_some_and(|structured| holds_words(structured, words));
    if in_text || in_value { Outcome::Told } else { Outcome::Masked }
}

fn of_invalid(result: &CallResult, sent: Sent) -> Outcome {
    if raised(result, sent) { Outcome::Caught } else { Outcome::Uncaught }
}

/// Returns true if somebody on the way made an error of what the tool did not return as one.
fn raised(result: &CallResult, sent: Sent) -> bool {
    result.is_error && sent != Sent::Failure
}

/// The outcome of a list or an evolution that failed.
pub(crate) const fn of_layer(layer: Layer) -> Outcome {
    match layer {
        Layer::Connect => Outcome::Unreachable,
        Layer::Timeout => Outcome::Hung,
        Layer::Decode | Layer::Validate | Layer::Protocol | Layer::Tool => Outcome::Rejected,
    }
}

/// Returns true if the value stands whole under the only key of an object.
pub fn wraps(structured: &Json, value: &Json) -> bool {
    let Some(object) = structured.as_object() else { return false };
    object.len() == 1 && object.iter().all(|(_, member)| value.is_kept_in(member))
}

/// Returns true if a text block parses to the value, or the text blocks one by one to the items of a list.
pub fn told_in_text(value: &Json, content: &[Json]) -> bool {
    let parsed: Vec<Option<Json>> = texts(content).map(|text| Json::parse(text).ok()).collect();
    if parsed.iter().flatten().any(|candidate| value.is_kept_in(candidate)) {
        return true;
    }
    let Some(items) = value.as_array() else { return false };
    !items.is_empty()
        && items.len() == parsed.len()
        && items
            .iter()
            .zip(&parsed)
            .all(|(item, candidate)| candidate.as_ref().is_some_and(|candidate| item.is_kept_in(candidate)))
}

fn remains(content: &[Json]) -> Outcome {
    if texts(content).any(|block| !block.trim().is_empty()) { Outcome::Prose } else { Outcome::Lost }
}

pub(crate) fn holds_words(value: &Json, words: &str) -> bool {
    match value {
        Json::String(string) => string.as_str().is_some_and(|text| text.contains(words)),
        Json::Array(elements) => elements.iter().any(|element| holds_words(element, words)),
        Json::Object(object) => object.iter().any(|(_, member)| holds_words(member, words)),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

/// The thing that broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken<'a> {
    Session,
    List,
    /// A step that is neither a list nor a call.
    Step,
    Call(&'a str),
}

/// The damage, by the outcomes of the list and of the plain tool beside the broken one.
pub fn blast_radius(scenario: &Scenario, observation: &Observation, broken: Broken<'_>) -> BlastRadius {
    let tool = match broken {
        Broken::Session => return BlastRadius::Session,
        Broken::List | Broken::Step => "",
        Broken::Call(tool) => tool,
    };
    if observation.end != (End::Answered {}) || is_connection_lost(observation) {
        return BlastRadius::Session;
    }
    if broken == Broken::List {
        return BlastRadius::Server;
    }
    let harmed = |(step, seen): (&Step, &Seen)| match step {
        Step::List => matches!(seen, Seen::Failed(_)),
        Step::Call(call) if call.tool == BYSTANDER_TOOL => {
            !matches!(seen, Seen::NotReported {}) && outcome(&call.means, seen, Sent::Success) != Outcome::Intact
        }
        Step::Call(_) | Step::Evolve { .. } => false,
    };
    if scenario.steps.iter().zip(&observation.steps).any(harmed) {
        BlastRadius::Server
    } else {
        match last_list(observation) {
            Some([]) => BlastRadius::Server,
            Some(tools) if !tools.iter().any(|listed| listed.name == tool) => BlastRadius::Tool,
            // A user who never asked for a list loses nothing by that.
            Some(_) | None => BlastRadius::Call,
        }
    }
}

/// Returns true if nothing succeeds any more, and the last thing that fails is the connection.
fn is_connection_lost(observation: &Observation) -> bool {
    let is_lost = |seen: &Seen| matches!(seen, Seen::Failed(error) if error.layer == Layer::Connect);
    let failed = observation.steps.iter().rev().take_while(|seen| matches!(seen, Seen::Failed(_))).count();
    observation.steps.last().is_none_or(is_lost) && (failed > 1 || failed == observation.steps.len())
}

/// The last list that the user got.
fn last_list(observation: &Observation) -> Option<&[SeenTool]> {
    observation.steps.iter().rev().find_map(|seen| match seen {
        Seen::Listed { tools } => Some(tools.as_slice()),
        Seen::Called(_) | Seen::Evolved { .. } | Seen::Failed(_) | Seen::NotReported {} => None,
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    fn called(structured: Option<&str>, texts: &[&str], is_error: bool) -> Seen {
        let block = |text: &&str| {
            let mut block = mcp_compat_json::Object::new();
            block.push("type", Json::from("text"));
            block.push("text", Json::from(*text));
            Json::from(block)
        };
        let content = texts.iter().map(block).collect();
        Seen::Called(CallResult { structured: structured.map(json), content, is_error })
    }

    fn failed(layer: Layer, message: &str) -> Seen {
        Seen::Failed(PeerError { layer, code: None, message: message.to_owned() })
    }

    #[rstest]
    #[case::equal("[1]", called(Some("[1]"), &[], false), Outcome::Intact)]
    #[case::equal_by_value("1", called(Some("1.0"), &[], false), Outcome::Intact)]
    #[case::a_null_that_is_there("null", called(Some("null"), &[], false), Outcome::Intact)]
    #[case::a_null_that_is_not("null", called(None, &[], false), Outcome::Lost)]
    #[case::under_one_key("[1]", called(Some(r#"{"result":[1]}"#), &[], false), Outcome::Wrapped)]
    #[case::under_one_of_two_keys("[1]", called(Some(r#"{"result":[1],"n":1}"#), &[], false), Outcome::Altered)]
    #[case::as_text("[1]", called(None, &["hi", " [1] "], false), Outcome::Text)]
    #[case::as_text_an_item("[1,2]", called(None, &["1", "2"], false), Outcome::Text)]
    #[case::as_text_but_an_item_short("[1,2]", called(None, &["1"], false), Outcome::Prose)]
    #[case::as_text_in_another_order("[1,2]", called(None, &["2", "1"], false), Outcome::Prose)]
    #[case::an_empty_list_as_nothing("[]", called(None, &[], false), Outcome::Lost)]
    #[case::other_text("[1]", called(None, &["one"], false), Outcome::Prose)]
    #[case::blank_text("[1]", called(None, &[" "], false), Outcome::Lost)]
    #[case::another_text_of_a_double("1152921504606846976", called(Some("1152921504606847000"), &[], false), Outcome::Intact)]
    #[case::another_value("9007199254740993", called(Some("9007199254740992"), &[], false), Outcome::Altered)]
    #[case::another_value_and_the_text("[1]", called(Some("[2]"), &["[1]"], false), Outcome::Altered)]
    #[case::said_to_be_an_error("[1]", called(Some("[1]"), &[], true), Outcome::Rejected)]
    #[case::decode("[1]", failed(Layer::Decode, "expected object"), Outcome::Rejected)]
    #[case::validate("[1]", failed(Layer::Validate, "no"), Outcome::Rejected)]
    #[case::protocol("[1]", failed(Layer::Protocol, "no"), Outcome::Rejected)]
    #[case::tool("[1]", failed(Layer::Tool, "no"), Outcome::Rejected)]
    #[case::timeout("[1]", failed(Layer::Timeout, "5 s"), Outcome::Hung)]
    #[case::connect("[1]", failed(Layer::Connect, "refused"), Outcome::Unreachable)]
    #[case::an_answer_to_another_step("[1]", Seen::Evolved { told: true }, Outcome::Incomplete)]
    fn a_value(#[case] value: &str, #[case] seen: Seen, #[case] expected: Outcome) {
        assert_eq!(outcome(&Means::Value(json(value)), &seen, Sent::Success), expected);
    }

    #[rstest]
    #[case::a_value(Means::Value(json("[1]")), Sent::Success, Outcome::Unsupported)]
    #[case::a_text(Means::Text("hi".to_owned()), Sent::Success, Outcome::Unsupported)]
    #[case::an_error(Means::ToolError("no".to_owned()), Sent::Failure, Outcome::Unsupported)]
    #[case::what_had_to_be_refused(Means::Invalid, Sent::Success, Outcome::Uncaught)]
    #[case::what_was_never_sent(Means::Invalid, Sent::Nothing, Outcome::Unsupported)]
    fn what_is_not_told_is_never_good(#[case] means: Means, #[case] sent: Sent, #[case] expected: Outcome) {
        assert_eq!(outcome(&means, &Seen::NotReported {}, sent), expected);
    }

    #[test]
    fn a_value_that_the_server_itself_calls_an_error_is_judged_as_a_value() {
        let seen = called(Some("[1]"), &[], true);
        assert_eq!(outcome(&Means::Value(json("[1]")), &seen, Sent::Failure), Outcome::Intact);
    }

    #[rstest]
    #[case::equal(called(None, &["hi"], false), Outcome::Intact)]
    #[case::beside_others(called(None, &["oh", "hi"], false), Outcome::Intact)]
    #[case::other_text(called(None, &["ho"], false), Outcome::Altered)]
    #[case::a_value_made_of_it(called(Some("1"), &[], false), Outcome::Altered)]
    #[case::nothing(called(None, &[], false), Outcome::Lost)]
    #[case::said_to_be_an_error(called(None, &["hi"], true), Outcome::Rejected)]
    #[case::an_error(failed(Layer::Decode, "no"), Outcome::Rejected)]
    fn a_text(#[case] seen: Seen, #[case] expected: Outcome) {
        assert_eq!(outcome(&Means::Text("hi".to_owned()), &seen, Sent::Success), expected);
    }

    #[rstest]
    #[case::silence(called(None, &[], false), Outcome::Intact)]
    #[case::an_empty_block(called(None, &[""], false), Outcome::Intact)]
    #[case::words_of_the_clients_own(called(None, &["(no response)"], false), Outcome::Altered)]
    #[case::a_value_made_of_nothing(called(Some("{}"), &[], false), Outcome::Altered)]
    #[case::an_error(failed(Layer::Decode, "no content"), Outcome::Rejected)]
    fn nothing_but_success(#[case] seen: Seen, #[case] expected: Outcome) {
        assert_eq!(outcome(&Means::Text(String::new()), &seen, Sent::Success), expected);
    }

    #[rstest]
    #[case::in_text(called(None, &["Sorry: out of stock."], true), Outcome::Told)]
    #[case::in_the_value(called(Some(r#"{"why":["out of stock"]}"#), &[], true), Outcome::Told)]
    #[case::raised(failed(Layer::Tool, "tool failed: out of stock"), Outcome::Told)]
    #[case::raised_as_protocol_error(failed(Layer::Protocol, "out of stock"), Outcome::Told)]
    #[case::without_its_words(called(None, &["error"], true), Outcome::Masked)]
    #[case::raised_without_its_words(failed(Layer::Tool, "tool failed"), Outcome::Masked)]
    #[case::raised_by_validation(failed(Layer::Validate, "out of stock is no number"), Outcome::Masked)]
    #[case::as_success(called(None, &["out of stock"], false), Outcome::Swallowed)]
    #[case::timeout(failed(Layer::Timeout, ""), Outcome::Hung)]
    fn a_tool_error(#[case] seen: Seen, #[case] expected: Outcome) {
        assert_eq!(outcome(&Means::ToolError("out of stock".to_owned()), &seen, Sent::Failure), expected);
    }

    #[rstest]
    #[case::as_a_failure(called(None, &[], true), Outcome::Told)]
    #[case::raised(failed(Layer::Tool, "the tool failed"), Outcome::Told)]
    #[case::as_success(called(None, &[], false), Outcome::Swallowed)]
    #[case::as_a_mistake_of_the_server(failed(Layer::Decode, "no content"), Outcome::Masked)]
    fn a_tool_error_without_a_word(#[case] seen: Seen, #[case] expected: Outcome) {
        assert_eq!(outcome(&Means::ToolError(String::new()), &seen, Sent::Failure), expected);
    }

    #[rstest]
    #[case::refused(failed(Layer::Validate, "no"), Sent::Success, Outcome::Caught)]
    #[case::raised(called(Some("1"), &[], true), Sent::Success, Outcome::Caught)]
    #[case::refused_by_the_server(called(None, &["no"], true), Sent::Refusal, Outcome::Caught)]
    #[case::only_the_servers_error(called(Some("1"), &[], true), Sent::Failure, Outcome::Uncaught)]
    #[case::handed_on(called(Some("1"), &[], false), Sent::Success, Outcome::Uncaught)]
    #[case::silence_noticed(failed(Layer::Timeout, ""), Sent::Nothing, Outcome::Caught)]
    #[case::an_answer_not_noticed(failed(Layer::Timeout, ""), Sent::Success, Outcome::Hung)]
    #[case::the_end_noticed(failed(Layer::Connect, "closed"), Sent::Nothing, Outcome::Caught)]
    fn an_invalid_result(#[case] seen: Seen, #[case] sent: Sent, #[case] expected: Outcome) {
        assert_eq!(outcome(&Means::Invalid, &seen, sent), expected);
    }
}
