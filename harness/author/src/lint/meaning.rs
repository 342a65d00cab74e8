//! An answer that does not do what its tool means, by the judge's own reading of schemas and results.
//!
//! The judge may be undecided about a schema, or the scenario may be about one that nobody can use: then nothing is said.

use std::collections::BTreeSet;

use mcp_compat_json::{Json, Object};
use mcp_compat_judge::expectation::rating;
use mcp_compat_judge::outcome::{Sent, outcome};
use mcp_compat_model::observation::{CallResult, Layer, PeerError, Seen};
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::transcript::Raw;
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_scenario::places::CallPlaces;
use mcp_compat_scenario::scenario::{Call, Means, Purpose, Step, Tool};
use mcp_compat_scenario::{Diagnostic, Placed};
use mcp_compat_schema::inclusion::{Conformance, Schemas};

/// The answers of a scenario that do not do what is said of them, each with the step that gets it.
pub(crate) fn mistakes(placed: &Placed, schemas: &Schemas) -> Vec<(usize, Diagnostic)> {
    let scenario = &placed.scenario;
    let mut found = Vec::new();
    let mut stage = 0;
    for (number, (step, places)) in scenario.steps.iter().zip(&placed.places.steps).enumerate() {
        match step {
            Step::List => {}
            Step::Evolve { .. } => stage += 1,
            Step::Call(call) => {
                let offered = scenario.stages.get(stage).and_then(|stage| stage.tool(&call.tool));
                if let (Some(tool), Some(places)) = (offered, places) {
                    let spoken = Spoken { placed, call, tool, places, stage };
                    found.extend(spoken.mistake(schemas).map(|mistake| (number, mistake)));
                }
            }
        }
    }
    found
}

/// The steps at which no client can get what is meant, because of what the server does: its tool fails and the server does
/// not say so, or it answers under the id of another request. That is the subject of the scenario.
pub(crate) fn lost_at_the_server(placed: &Placed) -> BTreeSet<usize> {
    let scenario = &placed.scenario;
    let mut stage = 0;
    let mut found = BTreeSet::new();
    for (number, step) in scenario.steps.iter().enumerate() {
        match step {
            Step::List => {}
            Step::Evolve { .. } => stage += 1,
            Step::Call(call) => {
                let tool = scenario.stages.get(stage).and_then(|stage| stage.tool(&call.tool));
                let is_lost = |tool: &&Tool| is_swallowed(call, tool) || has_own_id(tool);
                found.extend(tool.filter(is_lost).map(|_| number));
            }
        }
    }
    found
}

/// Returns true if a whole message is a response with an id of its own.
fn has_own_id(tool: &Tool) -> bool {
    let Reply::Raw(bytes) = &tool.reply else { return false };
    let bytes = Raw::Base64(bytes.clone()).to_bytes();
    let message = std::str::from_utf8(&bytes).ok().and_then(|text| Json::parse(text).ok());
    message.is_some_and(|message| {
        let is_response = message.get("result").is_some() || message.get("error").is_some();
        is_response && message.get("id").is_some_and(|id| id.as_str() != Some("{{id}}"))
    })
}

/// Returns true if the words of a tool error are in a result without `isError`.
fn is_swallowed(call: &Call, tool: &Tool) -> bool {
    let (Means::ToolError(words), Reply::Result(result)) = (&call.means, &tool.reply) else { return false };
    let Ok(Json::Object(result)) = Json::parse(result.get()) else { return false };
    let failed = result.get("isError").and_then(Json::as_bool) == Some(true);
    let blocks = result.get("content").and_then(Json::as_array).unwrap_or_default();
    let is_said =
        |block: &Json| block.get("text").and_then(Json::as_str).is_some_and(|text| text.contains(words.as_str()));
    !failed && !words.is_empty() && blocks.iter().any(is_said)
}

/// A call and the tool that answers it.
struct Spoken<'s> {
    placed: &'s Placed,
    call: &'s Call,
    tool: &'s Tool,
    places: &'s CallPlaces,
    stage: usize,
}

impl Spoken<'_> {
    fn mistake(&self, schemas: &Schemas) -> Option<Diagnostic> {
        match &self.tool.reply {
            Reply::Result(result) => {
                let Ok(Json::Object(result)) = Json::parse(result.get()) else { return None };
                self.of_result(&result, schemas)
            }
            Reply::Error(error) => self.of_failure(|words| mentions(error.get(), words)),
            Reply::Raw(bytes) => self.of_failure(|words| raw_mentions(bytes, words)),
            Reply::Hang {} | Reply::Exit { .. } | Reply::Evolve {} => None,
        }
    }

    /// An answer without a result. `says` returns whether it has the words of a tool error.
    fn of_failure(&self, says: impl Fn(&str) -> bool) -> Option<Diagnostic> {
        let Means::ToolError(words) = &self.call.means else { return None };
        (!says(words)).then(|| self.unsaid(words))
    }

    fn of_result(&self, result: &Object, schemas: &Schemas) -> Option<Diagnostic> {
        let failed = result.get("isError").and_then(Json::as_bool) == Some(true);
        let conformance = || Some(schemas.check(&self.schema()?, only(result, "structuredContent")?));
        match (&self.call.means, self.call.purpose) {
            (Means::Invalid, purpose) => {
                if conformance()? != Conformance::Conforms || !is_plain(result) {
                    return None;
                }
                Some(if purpose == Purpose::Control { self.tame_control() } else { self.valid_after_all() })
            }
            (Means::Value(_), _) => {
                if let Some(mistake) = self.elsewhere(result) {
                    return Some(mistake);
                }
                match conformance()? {
                    Conformance::Violates { instance_pointer, message, .. } if !failed && self.is_to_arrive() => {
                        Some(self.refused(&instance_pointer, &message))
                    }
                    Conformance::Conforms | Conformance::Violates { .. } | Conformance::Undecided { .. } => None,
                }
            }
            (Means::ToolError(_), _) if is_swallowed(self.call, self.tool) => None,
            (Means::ToolError(words), _) => {
                let said = outcome(&self.call.means, &seen(result, true), Sent::Failure) == Outcome::Told;
                (!said && self.expects_more_than(Outcome::Masked)).then(|| self.unsaid(words))
            }
            (Means::Text(_), _) => {
                let outcome = outcome(&self.call.means, &seen(result, false), Sent::Success);
                let found = outcome == Outcome::Intact || !self.expects_more_than(Outcome::Rejected);
                (!found).then(|| self.nowhere("text", "in no text block of the answer"))
            }
        }
    }

    /// A value that is meant, and neither in `structuredContent` nor in the text.
    fn elsewhere(&self, result: &Object) -> Option<Diagnostic> {
        let of_value = outcome(&self.call.means, &seen(result, true), Sent::Failure);
        let of_text = outcome(&self.call.means, &seen(result, false), Sent::Failure);
        let found = matches!(of_value, Outcome::Intact | Outcome::Wrapped) || of_text == Outcome::Text;
        (!found && self.expects_more_than(Outcome::Prose))
            .then(|| self.nowhere("value", "neither in `structuredContent` nor in a text block of the answer"))
    }

    fn schema(&self) -> Option<Json> {
        Json::parse(&self.tool.definition).ok()?.get("outputSchema").cloned()
    }

    /// Returns true if the value is to arrive as one: a scenario that asks for less may well be about a refusal.
    fn is_to_arrive(&self) -> bool {
        self.expects_more_than(Outcome::Text)
    }

    fn expects_more_than(&self, outcome: Outcome) -> bool {
        let expect = self.call.expect;
        [expect.legacy, expect.modern].into_iter().any(|least| rating(outcome, least) != Rating::Works)
    }

    fn valid_after_all(&self) -> Diagnostic {
        let place = self.places.means.as_ref().unwrap_or(&self.places.call);
        let message = format!("the result of `{}` satisfies its schema, so it is not invalid", self.tool.name);
        let mistake = self.placed.mistake(place, message).label("expected a result that violates the `outputSchema`");
        self.beside_the_answer(mistake, "this one conforms")
    }

    fn tame_control(&self) -> Diagnostic {
        let message = format!("the control `{}` satisfies the schema, so nobody can catch it", self.tool.name);
        let mistake = self.placed.mistake(&self.places.call, message);
        mistake.label("expected a result that violates the `outputSchema`")
    }

    fn refused(&self, pointer: &str, why: &str) -> Diagnostic {
        let place = if pointer.is_empty() { "at its root".to_owned() } else { format!("at `{pointer}`") };
        let message = format!("the schema of `{}` rejects the value that it means to return", self.tool.name);
        let written = self.placed.places.tool(self.stage, &self.tool.name);
        let answer = written.and_then(|tool| tool.answer.clone()).unwrap_or_else(|| self.places.call.clone());
        let mut mistake = self.placed.mistake(&answer, message).label(format!("{place}: {why}"));
        if let Some(tool) = written {
            mistake = mistake.context(tool.definition.clone(), "by its `outputSchema`");
        }
        mistake.help("fix one of the two; or, if the value is to be rejected, write `means = \"invalid\"`")
    }

    fn unsaid(&self, words: &str) -> Diagnostic {
        self.nowhere("tool-error", &format!("nowhere in the answer as an error: {words:?}"))
    }

    fn nowhere(&self, what: &str, label: &str) -> Diagnostic {
        let place = self.places.means.as_ref().unwrap_or(&self.places.call);
        let message = format!("the answer of `{}` does not contain its `means.{what}`", self.tool.name);
        let mistake = self.placed.mistake(place, message).label(label);
        self.beside_the_answer(mistake, "this is what it answers")
    }

    fn beside_the_answer(&self, mistake: Diagnostic, label: &str) -> Diagnostic {
        let tool = self.placed.places.tool(self.stage, &self.tool.name);
        match tool.and_then(|tool| tool.answer.clone()).filter(|answer| *answer != mistake.span) {
            Some(answer) => mistake.context(answer, label),
            None => mistake,
        }
    }
}

/// Returns what a perfect reader sees of a result, with or without its value.
fn seen(result: &Object, with_value: bool) -> Seen {
    Seen::Called(CallResult {
        structured: only(result, "structuredContent").filter(|_| with_value).cloned(),
        content: result.get("content").and_then(Json::as_array).unwrap_or_default().to_vec(),
        is_error: result.get("isError").and_then(Json::as_bool) == Some(true),
    })
}

/// Returns a member that is there once.
pub(crate) fn only<'o>(object: &'o Object, key: &'o str) -> Option<&'o Json> {
    let mut members = object.get_all(key);
    members.next().filter(|_| members.next().is_none())
}

/// Returns true if nothing but the value could be wrong with a result.
fn is_plain(result: &Object) -> bool {
    let is_block = |block: &Json| block.get("type").and_then(Json::as_str).is_some();
    let content = only(result, "content").and_then(Json::as_array).is_some_and(|blocks| blocks.iter().all(is_block));
    let failed = result.get("isError").is_none_or(|failed| matches!(failed, Json::Bool(_)));
    let complete = result.get("resultType").is_none_or(|kind| kind.as_str() == Some("complete"));
    content && failed && complete
}

/// Returns true if a JSON-RPC error says the words.
fn mentions(error: &str, words: &str) -> bool {
    let message = Json::parse(error).ok().and_then(|error| error.get("message")?.as_str().map(str::to_owned));
    let raised = |message| Seen::Failed(PeerError { layer: Layer::Protocol, code: None, message });
    let means = Means::ToolError(words.to_owned());
    message.is_some_and(|message| outcome(&means, &raised(message), Sent::Failure) == Outcome::Told)
}

/// Returns true if raw bytes hold the words, as they are or as JSON writes them.
fn raw_mentions(bytes: &str, words: &str) -> bool {
    let bytes = Raw::Base64(bytes.to_owned()).to_bytes();
    let text = String::from_utf8_lossy(&bytes);
    let quoted = Json::from(words).to_compact();
    text.contains(words) || text.contains(quoted.trim_matches('"'))
}
