//! One tool as it was observed at one revision, and the replay scenario that is made of it.
//!
//! A replay scenario holds the tool as it was listed and as it answered, beside a plain tool. It takes what the tool
//! sent for what the tool meant: the rules judge whether that was correct, the scenario shows what the user of each
//! client gets.

use std::sync::Arc;

use mcp_compat_author::capture::compose::{NoScenario, tool_scenario};
use mcp_compat_author::capture::{CapturedCall, CapturedTool};
use mcp_compat_json::{Json, text_at};
use mcp_compat_judge::rules::has_unseen_error_flag;
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Era, Revision, ScenarioId};
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Expect, Means, Purpose, SpecStance, Step};
use mcp_compat_scenario::write::Answer;
use mcp_compat_schema::inclusion::{Conformance, check};

use super::handshake::Handshake;
use super::list_members::ListMembers;
use super::results::{TextOfValue, contradicts, is_error, text_blocks, violates_a_format};

/// A tool as it was listed and answered in a session of one revision.
#[derive(Clone, Debug)]
pub(super) struct ToolSnapshot {
    pub(super) revision: Revision,
    /// Its entry in the list.
    pub(super) tool: CapturedTool,
    /// Its call and the answer, if it was called.
    pub(super) call: Option<CapturedCall>,
    /// Members of the list beside its tools, where they are not as usual.
    pub(super) list: Option<Arc<ListMembers>>,
    /// The results of `initialize` and `server/discover`, where a schema does not allow them.
    pub(super) handshake: Handshake,
}

/// Most bytes and values of an answer that is replayed. Every client reads it several times.
const MOST_BYTES: usize = 4 << 20;
const MOST_VALUES: usize = 50_000;

/// Most bytes of the name of a tool that is replayed.
const LONGEST_NAME: usize = 1_024;

/// Most values of the answers of all tools together that are replayed.
pub(super) const MOST_VALUES_TOGETHER: usize = 400_000;

/// The page that would have to say whether a client checks formats.
const SCHEMA_DIALECT: &str = "https://modelcontextprotocol.io/specification/2026-07-28/basic#schema-dialect";

/// Reason why a tool is not replayed, if its name is too long: every message about it repeats the name.
fn too_long(name: &str) -> Option<String> {
    (name.len() > LONGEST_NAME)
        .then(|| format!("its name has {} bytes, and tools with at most {LONGEST_NAME} are replayed", name.len()))
}

/// Reason why an answer is not replayed, if it is too large.
fn too_large(answer: &Answer) -> Option<String> {
    let bytes = match answer {
        Answer::Returns(text) | Answer::Error(text) => text.len(),
        Answer::Raw(raw) => raw.len(),
        Answer::Hang | Answer::Exit => 0,
    };
    if bytes > MOST_BYTES {
        return Some(format!("its answer has {bytes} bytes, and at most {MOST_BYTES} are replayed"));
    }
    // A value takes two bytes at least.
    let values = if bytes / 2 > MOST_VALUES { values_of(answer) } else { 0 };
    (values > MOST_VALUES).then(|| format!("its answer has {values} values, and at most {MOST_VALUES} are replayed"))
}

/// Number of values of an answer that are replayed.
fn values_of(answer: &Answer) -> usize {
    match answer {
        Answer::Returns(text) => Json::parse(text).map_or(0, |json| json.count_values()),
        Answer::Error(_) | Answer::Raw(_) | Answer::Hang | Answer::Exit => 0,
    }
}

impl ToolSnapshot {
    /// Number of values of the answer.
    pub(super) fn values_of_answer(&self) -> usize {
        self.call.as_ref().map_or(0, |call| values_of(&call.answer))
    }

    /// The tool as a scenario of its own. A tool that was not called is only listed, because its answer is unknown.
    pub(super) fn replay_scenario(&self, id: &ScenarioId) -> Result<Scenario, NoScenario> {
        let answered = self.call.as_ref().filter(|_| self.is_answered());
        let too_large = || answered.and_then(|call| too_large(&call.answer));
        if let Some(problem) = too_long(&self.tool.name).or_else(too_large) {
            return Err(NoScenario { tool: self.tool.name.clone(), problem });
        }
        let mut scenario = tool_scenario(id, &self.tool, answered)?;
        if let Some(list) = &self.list {
            list.give(&mut scenario);
        }
        self.handshake.give(&mut scenario);
        if self.declared_and_sent().is_some_and(|(schema, value)| violates_a_format(&schema, &value)) {
            scenario.spec = SpecStance::Silent { source: SCHEMA_DIALECT.to_owned() };
        }
        match answered {
            Some(call) => mean_what_was_sent(&mut scenario, call, self.revision, self.has_null_for_nothing()),
            None => {
                scenario.steps.retain(|step| !matches!(step, Step::Call(call) if call.purpose != Purpose::Bystander))
            }
        }
        Ok(scenario)
    }

    /// Returns whether it shows the same as at another revision.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let is_around = self.list == other.list && self.handshake == other.handshake;
        self.tool == other.tool && self.call == other.call && is_around
    }

    /// Returns whether the tool was called and answered. A missing answer cannot be replayed.
    pub(super) fn is_answered(&self) -> bool {
        let answer = self.call.as_ref().map(|call| &call.answer);
        matches!(answer, Some(Answer::Returns(_) | Answer::Error(_) | Answer::Raw(_)))
    }

    pub(super) fn result(&self) -> Option<Json> {
        match &self.call.as_ref()?.answer {
            Answer::Returns(text) => Json::parse(text).ok(),
            Answer::Error(_) | Answer::Raw(_) | Answer::Hang | Answer::Exit => None,
        }
    }

    /// Returns whether the structured content is null because there is none, as serialisers write it: null violates the
    /// declared schema, or no schema is declared at a revision that has only objects.
    pub(super) fn has_null_for_nothing(&self) -> bool {
        let is_null = |result: &Json| result.get("structuredContent").is_some_and(Json::is_null);
        let is_value = || match self.output_schema() {
            Some(schema) => !matches!(check(&schema, &Json::Null), Conformance::Violates { .. }),
            None => self.revision.era() == Era::Modern,
        };
        self.result().as_ref().is_some_and(is_null) && !is_value()
    }

    /// The schema that the tool declares for its results.
    pub(super) fn output_schema(&self) -> Option<Json> {
        self.schema("outputSchema")
    }

    /// The schema under a member of the definition.
    pub(super) fn schema(&self, name: &str) -> Option<Json> {
        text_at(&self.tool.definition, &format!("/{name}")).and_then(|schema| Json::parse(schema).ok())
    }

    /// Reason why the call failed. `None` if it returned a result that is not an error, or was not made.
    pub(super) fn failure(&self) -> Option<String> {
        let reason = match &self.call.as_ref()?.answer {
            Answer::Returns(_) => {
                let result = self.result()?;
                if !is_error(&result) {
                    return None;
                }
                format!("the tool failed: {}", text_of(&result).unwrap_or("it gave no error text"))
            }
            Answer::Error(text) => {
                let error = Json::parse(text).ok();
                let member = |key: &str| error.as_ref().and_then(|error| error.get(key));
                let code = member("code").map(Json::to_compact).unwrap_or_default();
                let message = member("message").and_then(Json::as_str).unwrap_or_default().to_owned();
                format!("it answered with the JSON-RPC error {code}: {message}")
            }
            Answer::Raw(bytes) => match foreign_id(bytes) {
                Some(id) if id.contains("{{id}}") => "its answer has the id of the request as a text".to_owned(),
                Some(id) => format!("its answer has the id {id}, which is not the id of the request"),
                None => "its answer is neither a valid result nor a valid error".to_owned(),
            },
            Answer::Hang => "it did not answer in time".to_owned(),
            Answer::Exit => "the server ended".to_owned(),
        };
        Some(reason)
    }

    /// The JSON object or array in a text block of a result that has no structured content.
    pub(super) fn hidden_value(&self) -> Option<Json> {
        let has_value = |result: &Json| result.get("structuredContent").is_some() && !self.has_null_for_nothing();
        let result = self.result().filter(|result| !has_value(result))?;
        let value = Json::parse(text_of(&result)?).ok()?;
        matches!(value, Json::Object(_) | Json::Array(_)).then_some(value)
    }

    /// The declared schema and the value of a result that is not an error. `None` unless there are both.
    pub(super) fn declared_and_sent(&self) -> Option<(Json, Json)> {
        let result = self.result().filter(|result| !is_error(result))?;
        let value = result.get("structuredContent")?.clone();
        Some((self.output_schema()?, value))
    }

    /// Checks the value by the declared schema. `None` unless there are both.
    pub(super) fn conformance(&self) -> Option<Conformance> {
        let (schema, value) = self.declared_and_sent()?;
        Some(check(&schema, &value))
    }

    /// The JSON of a text block that cannot be true beside the structured content, and the structured content.
    pub(super) fn contradictory_text(&self) -> Option<(Json, Json)> {
        let result = self.result().filter(|result| !is_error(result))?;
        let value = result.get("structuredContent")?;
        let texts: Vec<Json> = text_blocks(&result).filter_map(|text| Json::parse(text).ok()).collect();
        if texts.contains(value) {
            return None;
        }
        let text = texts.into_iter().find(|text| contradicts(text, value))?;
        Some((text, value.clone()))
    }

    /// The list that a text block is, and the structured content, if that is the list as an object with the keys 0, 1 and so
    /// on.
    pub(super) fn copied_list(&self) -> Option<(Json, Json)> {
        let result = self.result().filter(|result| !is_error(result))?;
        let value = result.get("structuredContent")?;
        let list = text_blocks(&result).filter_map(|text| Json::parse(text).ok()).find(|text| is_copy(value, text))?;
        Some((list, value.clone()))
    }

    /// The JSON of a text block that is not the structured content, though it looks like it, and the structured
    /// content.
    pub(super) fn other_text(&self) -> Option<(Json, Json)> {
        if self.copied_list().is_some() {
            return None;
        }
        let other = || {
            let TextOfValue::OtherJson { text, .. } = self.text_of_value()? else { return None };
            Some((text, self.result()?.get("structuredContent")?.clone()))
        };
        self.contradictory_text().or_else(other)
    }

    /// Part of the structured content that the text of a successful result has. `None` if it has all of it.
    pub(super) fn text_of_value(&self) -> Option<TextOfValue> {
        if self.has_null_for_nothing() {
            return None;
        }
        TextOfValue::of(&self.result().filter(|result| !is_error(result))?)
    }

    /// The error with which the server refused the result of its own tool, by its own validation.
    ///
    /// The TypeScript SDK (1.25.3, 1.32.2, 2.4.0: `McpServer.validateToolOutput`) and the Python SDK (1.28.1, 1.30.0:
    /// `Server.call_tool`; 2.3.0: `func_metadata`) begin it with the first words, the TypeScript SDK (1.32.2:
    /// `Server.setRequestHandler`) with the second. pydantic (Python SDK 1.30.0: `func_metadata.convert_result`) names
    /// the model that the SDK makes of what a function returns: the function's name and `Output` or `DictOutput`.
    pub(super) fn own_validation_error(&self) -> Option<String> {
        const WORDS: [&str; 2] = ["Output validation error", "Invalid tools/call result"];
        let words = match &self.call.as_ref()?.answer {
            Answer::Returns(_) => {
                let result = self.result().filter(is_error)?;
                text_of(&result)?.to_owned()
            }
            Answer::Error(text) => Json::parse(text).ok()?.get("message")?.as_str()?.to_owned(),
            Answer::Raw(_) | Answer::Hang | Answer::Exit => return None,
        };
        let name = &self.tool.name;
        let of_model = |rest: &str| ["Output\n", "DictOutput\n"].iter().any(|kind| rest.starts_with(kind));
        let is_of_model = |plural: &str| {
            let named = words.split_once(&format!(" validation error{plural} for {name}"));
            named.is_some_and(|(_, rest)| of_model(rest))
        };
        (WORDS.iter().any(|known| words.contains(known)) || ["", "s"].into_iter().any(is_of_model)).then_some(words)
    }
}

/// The id of a whole message that is a response with an id of its own.
fn foreign_id(bytes: &[u8]) -> Option<String> {
    let message = Json::parse(std::str::from_utf8(bytes).ok()?).ok()?;
    let is_response = message.get("result").is_some() || message.get("error").is_some();
    message.get("id").filter(|_| is_response).map(|id| excerpt(&id.to_compact()))
}

/// The first text block of a result.
fn text_of(result: &Json) -> Option<&str> {
    text_blocks(result).next()
}

/// Null that stands for nothing is no value.
fn mean_what_was_sent(scenario: &mut Scenario, call: &CapturedCall, revision: Revision, null_is_nothing: bool) {
    let Answer::Returns(text) = &call.answer else { return };
    let Ok(result) = Json::parse(text) else { return };
    if is_error(&result) {
        return;
    }
    let values = result.as_object().map_or(0, |result| result.get_all("structuredContent").count());
    let value = result.get("structuredContent").filter(|value| !(null_is_nothing && value.is_null()));
    let sent = match (value, text_of(&result)) {
        _ if values > 1 => return,
        (_, text) if has_unseen_error_flag(&result, revision) => {
            (Means::ToolError(text.unwrap_or_default().to_owned()), Expect::both(Outcome::Told))
        }
        (Some(value), _) => {
            let legacy = if value.as_object().is_some() { Outcome::Intact } else { Outcome::Text };
            (Means::Value(value.clone()), Expect { modern: Outcome::Intact, legacy })
        }
        (None, Some(text)) => (Means::Text(text.to_owned()), Expect::both(Outcome::Intact)),
        (None, None) => (Means::Text(String::new()), Expect::both(Outcome::Intact)),
    };
    for step in &mut scenario.steps {
        if let Step::Call(step) = step
            && step.purpose == Purpose::Subject
        {
            (step.means, step.expect) = sent.clone();
        }
    }
}

/// Makes something of each snapshot. `make` is called once for those that are alike, and must not depend on the
/// revision.
pub(super) fn each_alike<'s, T: Clone>(
    snapshots: impl IntoIterator<Item = &'s ToolSnapshot>,
    make: impl Fn(&'s ToolSnapshot) -> T,
) -> Vec<(&'s ToolSnapshot, T)> {
    let mut made: Vec<(&ToolSnapshot, T)> = Vec::new();
    for snapshot in snapshots {
        let known = made.iter().find(|(known, _)| known.is_alike(snapshot)).map(|(_, known)| known.clone());
        made.push((snapshot, known.unwrap_or_else(|| make(snapshot))));
    }
    made
}

/// The first snapshot that has a problem, with the problem, and the revisions of all that have one. `None` if none has.
pub(super) fn first_problem<'s, P: Clone>(
    snapshots: &'s [ToolSnapshot],
    problem: impl Fn(&'s ToolSnapshot) -> Option<P>,
) -> Option<(&'s ToolSnapshot, P, Vec<Revision>)> {
    let found = each_alike(snapshots, problem).into_iter().filter_map(|(snapshot, problem)| Some((snapshot, problem?)));
    let found: Vec<_> = found.collect();
    let at = found.iter().map(|(snapshot, _)| snapshot.revision).collect();
    found.into_iter().next().map(|(first, problem)| (first, problem, at))
}

/// Returns whether a value is a list as an object with the keys 0, 1 and so on.
fn is_copy(value: &Json, list: &Json) -> bool {
    let (Some(object), Some(items)) = (value.as_object(), list.as_array()) else { return false };
    let is_at = |(index, item): (usize, &Json)| object.get(&index.to_string()) == Some(item);
    !items.is_empty() && object.len() == items.len() && items.iter().enumerate().all(is_at)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use mcp_compat_author::capture::CapturedTool;

    use super::*;
    use crate::server::handshake::Handshake;

    fn snapshot(revision: Revision, definition: &str) -> ToolSnapshot {
        let tool = CapturedTool { name: "a".to_owned(), definition: definition.to_owned() };
        ToolSnapshot { revision, tool, call: None, list: None, handshake: Handshake::default() }
    }

    #[test]
    fn snapshots_that_are_alike_are_looked_at_once() {
        let snapshots = [
            snapshot(Revision::V2025_03_26, "{}"),
            snapshot(Revision::V2025_06_18, "{\"b\":1}"),
            snapshot(Revision::V2025_11_25, "{\"b\":1}"),
        ];
        let looked_at = Cell::new(0);
        let problem = |snapshot: &ToolSnapshot| {
            looked_at.set(looked_at.get() + 1);
            (snapshot.tool.definition != "{}").then_some("it has a b")
        };
        let (first, words, at) = first_problem(&snapshots, problem).unwrap();
        assert_eq!((first.revision, words), (Revision::V2025_06_18, "it has a b"));
        assert_eq!(at, [Revision::V2025_06_18, Revision::V2025_11_25]);
        assert_eq!(looked_at.get(), 2);
        assert!(first_problem(&snapshots, |_| None::<()>).is_none());
    }
}
