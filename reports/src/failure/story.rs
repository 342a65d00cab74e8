//! Facts for a failure message from the evidence of a cell: the intended value, the result of the user, and the
//! message.

use mcp_compat_json::Json;
use mcp_compat_judge::facts::{CallFacts, Facts};
use mcp_compat_model::observation::{CallResult, End, Observation, PeerError, Seen};
use mcp_compat_model::record::{CellRecord, Evidence};
use mcp_compat_model::transcript::{Raw, Transcript};
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Means, Purpose, Step};
use mcp_compat_schema::inclusion::Schemas;

use crate::findings::responsible_first;

/// Number of characters of a value that are shown.
const VALUE: usize = 160;

/// Number of characters of a message that are shown.
const MESSAGE: usize = 320;

/// Number of characters that are shown before the place that a message is about.
const CONTEXT_BEFORE: usize = 60;

/// Facts about a cell that its verdict lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    pub title: String,
    /// Intended result of the tool; `None` if no call is affected.
    pub intended: Option<String>,
    /// Result of the user of the client.
    pub got: String,
    /// Message that shows the break, after its sender.
    pub wire: Option<String>,
    /// Change that fixes it, if it is known.
    pub change: Option<String>,
    /// Commands that play it again.
    pub again: Vec<String>,
}

impl Story {
    /// Story of a cell by its evidence.
    pub fn of(scenario: &Scenario, record: &CellRecord, evidence: &Evidence) -> Self {
        let schemas = Schemas::default();
        let Evidence { cell, transcript, observation, shortened: _ } = evidence;
        let facts = Facts::gather(scenario, cell, transcript, observation, &schemas);
        let (call, refused) = (at_stake(&facts, record), refused(&facts));
        let subject = call.or_else(|| facts.calls.iter().find(|call| call.call.purpose == Purpose::Subject));
        Self {
            title: scenario.title.clone(),
            intended: subject.map(|call| format!("`{}` {}", call.call.tool, intended(&call.call.means))),
            got: got(call, refused, observation),
            wire: shown(&facts, record, call).and_then(|seq| message(transcript, seq, subject)),
            change: None,
            again: Vec::new(),
        }
    }
}

/// Call that the verdict is about: one with the outcome of the cell, the scenario's subject before the others. `None`
/// if the list or the session broke.
fn at_stake<'f, 'a>(facts: &'f Facts<'a>, record: &CellRecord) -> Option<&'f CallFacts<'a>> {
    let has_outcome =
        |call: &&CallFacts<'a>| call.seen.is_some_and(|seen| facts.outcome_of(call, seen) == record.outcome);
    let subjects = || facts.calls.iter().filter(|call| call.call.purpose == Purpose::Subject);
    subjects().find(has_outcome).or_else(|| facts.calls.iter().find(has_outcome))
}

/// Error of a list request, or of a step to the next stage.
fn refused<'a>(facts: &Facts<'a>) -> Option<&'a PeerError> {
    let steps = facts.scenario.steps.iter().zip(&facts.observation.steps);
    steps.into_iter().find_map(|(step, seen)| match (step, seen) {
        (Step::List | Step::Evolve { .. }, Seen::Failed(error)) => Some(error),
        (Step::List | Step::Evolve { .. } | Step::Call(_), _) => None,
    })
}

fn intended(means: &Means) -> String {
    match means {
        Means::Value(value) => format!("returns {}", short(&value.to_compact(), VALUE)),
        Means::Text(text) => format!("says {}", short(&format!("{text:?}"), VALUE)),
        Means::ToolError(words) => format!("fails, and says {}", short(&format!("{words:?}"), VALUE)),
        Means::Invalid => "violates its own outputSchema, so the client should reject its result".to_owned(),
    }
}

fn got(call: Option<&CallFacts<'_>>, refused: Option<&PeerError>, observation: &Observation) -> String {
    match (call.and_then(|call| call.seen), refused) {
        (Some(Seen::Called(result)), _) => result_in_words(result),
        (Some(Seen::Failed(error)), _) => error_in_words(error),
        (Some(Seen::NotReported {}), _) => "no error; a command does not report what its user got".to_owned(),
        (Some(Seen::Listed { .. } | Seen::Evolved { .. }), _) => "the answer to another step".to_owned(),
        (None, Some(error)) => format!("before any call, {}", error_in_words(error)),
        (None, None) => end_in_words(&observation.end),
    }
}

fn result_in_words(CallResult { structured, content, is_error }: &CallResult) -> String {
    let value = structured.as_ref().map_or_else(
        || "no structured value".to_owned(),
        |value| format!("the value {}", short(&value.to_compact(), VALUE)),
    );
    let blocks = match content.as_slice() {
        [] => "no content".to_owned(),
        blocks => format!("content {}", short(&Json::Array(blocks.to_vec()).to_compact(), VALUE)),
    };
    format!("{value} and {blocks}{}", if *is_error { ", as a tool error" } else { "" })
}

fn error_in_words(PeerError { layer, code, message }: &PeerError) -> String {
    let code = code.map_or(String::new(), |code| format!(" {code}"));
    format!("a {layer} error{code}: {}", short(message, VALUE))
}

fn end_in_words(end: &End) -> String {
    let why = |why: &str| short(why, VALUE);
    match end {
        End::Answered {} => "nothing: the client ended before this call".to_owned(),
        End::NoSession(error) => format!("no session: {}", error_in_words(error)),
        End::Unsupported { by, reason } => format!("nothing: the {by} does not support it: {}", why(reason)),
        End::TimedOut { waiting_for, what } => {
            format!("nothing: the {waiting_for} did not answer in time: {}", why(what))
        }
        End::Crashed { who, how } => format!("nothing: the {who} crashed: {}", why(how)),
        End::NotStarted { who, why: reason } => format!("nothing: the {who} did not start: {}", why(reason)),
        End::HarnessFailed { why: reason } => format!("nothing: mcp-compat failed: {}", why(reason)),
    }
}

/// Message that shows the break: the one that the first finding refers to, or the answer to the call, or the one to the
/// list request, or the last answer.
fn shown(facts: &Facts<'_>, record: &CellRecord, call: Option<&CallFacts<'_>>) -> Option<u32> {
    let pointed_at = responsible_first(record).first().and_then(|finding| finding.messages.first()).copied();
    let answer = |at: usize| facts.messages.get(at).map(|message| message.seq);
    let of_call = || call?.exchange?.answer.message().and_then(answer);
    let listed = || {
        if call.is_some() {
            return None;
        }
        let (_, exchange) = facts.exchanges_of("tools/list").last()?;
        exchange.answer.message().and_then(answer)
    };
    let last = || facts.exchanges.all.iter().rev().find_map(|exchange| exchange.answer.message()).and_then(answer);
    let is_list = |seq: &u32| {
        let mut lists = facts.exchanges_of("tools/list").filter_map(|(_, exchange)| exchange.answer.message());
        lists.any(|at| answer(at) == Some(*seq))
    };
    // The answer to the call shows more than the list.
    let pointed_at = pointed_at.filter(|seq| !is_list(seq) || of_call().is_none());
    pointed_at.or_else(of_call).or_else(listed).or_else(last)
}

/// Sender and text of a message, from the place where it names the tool.
fn message(transcript: &Transcript, seq: u32, call: Option<&CallFacts<'_>>) -> Option<String> {
    let entry = transcript.entry(seq)?;
    let text = match entry.event.message_or_its_start()? {
        Raw::Text(text) => text.clone(),
        Raw::Base64(bytes) => format!("(base64) {bytes}"),
    };
    let tool = call.map(|call| format!("\"{}\"", call.call.tool));
    let at = tool.and_then(|tool| text.find(&tool)).map_or(0, |byte| text[..byte].chars().count());
    Some(format!("{}: {}", entry.from, window(&text, at, MESSAGE)))
}

/// Part of a text with at most `limit` characters, around the one at `at`.
fn window(text: &str, at: usize, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let from = at.saturating_sub(CONTEXT_BEFORE).min(length - limit);
    let shown: String = text.chars().skip(from).take(limit).collect();
    let (before, after) = (if from > 0 { "…" } else { "" }, if from + limit < length { "…" } else { "" });
    format!("{before}{shown}{after}")
}

/// Beginning of a text.
pub(super) fn short(text: &str, limit: usize) -> String {
    window(text, 0, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_shown_around_the_name_of_the_tool() {
        let text = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let shown = window(&text, 500, 100);
        assert!(shown.starts_with("…a") && shown.contains("aXb") && shown.ends_with("b…"), "{shown}");
        assert_eq!(shown.chars().count(), 102);
        assert!(window(&text, 1000, 100).ends_with("bb"), "the end is the end");
        assert_eq!(window("short", 3, 100), "short");
    }
}
