//! Proof on the wire, without which no cell passes.
//!
//! A client that reports the value proves nothing by itself: it may have the value from elsewhere, the tap may have
//! missed the session, or the adapter may invent it.

use std::fmt;

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::tool::{ToolResult, texts};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::scenario::Means;

use crate::companions::on_wire;
use crate::facts::{CallFacts, Facts};
use crate::outcome::{holds_words, told_in_text, wraps};
use crate::wire::exchange::Answer;
use crate::wire::session::ToolsCapability;

/// The missing part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// No revision was negotiated on the wire.
    Revision,
    /// The call did not go out.
    Call,
    /// Nothing came back for it.
    Answer,
    /// The answer does not hold what the user saw.
    Content,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Revision => "no revision was negotiated on the wire",
            Self::Call => "the call is not on the wire",
            Self::Answer => "no answer to the call is on the wire",
            Self::Content => "the answer on the wire does not hold what the user saw",
        })
    }
}

/// Returns true if the wire bears out an outcome.
///
/// # Errors
/// What is missing.
pub fn proven(facts: &Facts<'_>, call: &CallFacts<'_>, outcome: Outcome) -> Result<(), Missing> {
    if facts.revision().is_none() {
        return Err(Missing::Revision);
    }
    let refusal = matches!(outcome, Outcome::Caught | Outcome::Rejected);
    // A client may refuse a tool by its definition, or for a server that declares none or does not list them, and then
    // never calls it.
    if refusal && (call.listing.is_some() || facts.session.tools == ToolsCapability::Absent || is_unlisted(facts)) {
        return Ok(());
    }
    let Some(exchange) = call.exchange else { return Err(Missing::Call) };
    let silent = matches!(call.reply, Some(Reply::Hang {} | Reply::Exit { .. }));
    match exchange.answer {
        Answer::None if silent && (refusal || matches!(outcome, Outcome::Hung | Outcome::Crashed)) => Ok(()),
        Answer::None if is_in_stray_answer(facts, call, outcome) => Ok(()),
        Answer::None => Err(Missing::Answer),
        Answer::Result(_) | Answer::Error(_) | Answer::Unreadable(_) | Answer::Status { .. } => {
            if holds(facts, call, outcome) { Ok(()) } else { Err(Missing::Content) }
        }
    }
}

/// Returns true if the server was asked for its tools and answered with nothing but errors.
fn is_unlisted(facts: &Facts<'_>) -> bool {
    let mut lists = facts.exchanges_of("tools/list").peekable();
    lists.peek().is_some() && lists.all(|(_, exchange)| matches!(exchange.answer, Answer::Error(_)))
}

fn holds(facts: &Facts<'_>, call: &CallFacts<'_>, outcome: Outcome) -> bool {
    on_wire(facts, call) && holds_meaning(facts, call, outcome)
}

fn holds_meaning(facts: &Facts<'_>, call: &CallFacts<'_>, outcome: Outcome) -> bool {
    if matches!(outcome, Outcome::Intact | Outcome::Wrapped | Outcome::Text) {
        return value_on_wire(facts, call);
    }
    outcome != Outcome::Told || facts.sent(call).is_failure()
}

/// Returns true if what the tool meant to tell is in a response that belongs to no open request. Some clients take the answer
/// on the stream of their request for its answer, whatever its id is.
fn is_in_stray_answer(facts: &Facts<'_>, call: &CallFacts<'_>, outcome: Outcome) -> bool {
    let mut results = facts.exchanges.strays.iter().filter_map(|place| facts.messages[*place].result());
    matches!(outcome, Outcome::Intact | Outcome::Wrapped | Outcome::Text)
        && results.any(|result| is_in_result(&call.call.means, result))
}

/// Returns true if what the tool meant to tell is in the answer on the wire, in whatever form.
pub fn value_on_wire(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    let result = call.exchange.and_then(|exchange| facts.result_of(exchange));
    result.is_some_and(|(_, result)| is_in_result(&call.call.means, result))
}

fn is_in_result(means: &Means, result: &Json) -> bool {
    let content = ToolResult::new(result).content();
    match means {
        Means::Value(value) => {
            let structured = ToolResult::new(result).structured_content();
            structured.is_some_and(|sent| holds_whole(sent, value)) || told_in_text(value, content)
        }
        // An empty text needs no block on the wire.
        Means::Text(text) => text.is_empty() || texts(content).any(|block| block == text),
        Means::ToolError(_) | Means::Invalid => true,
    }
}

/// Returns true if the value is there as structured content, bare or under one key.
pub fn structured_on_wire(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    let Some((_, result)) = call.exchange.and_then(|exchange| facts.result_of(exchange)) else { return false };
    match (&call.call.means, ToolResult::new(result).structured_content()) {
        (Means::Value(value), Some(sent)) => holds_whole(sent, value),
        (Means::Value(_), None) => false,
        (Means::Text(_) | Means::ToolError(_) | Means::Invalid, _) => value_on_wire(facts, call),
    }
}

/// Returns true if the words of a tool's error are in the answer on the wire, in whatever form.
pub(crate) fn words_on_wire(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    let Means::ToolError(words) = &call.call.means else { return false };
    let answer = call.exchange.and_then(|exchange| exchange.answer.message());
    answer.is_some_and(|at| words.is_empty() || holds_words(&facts.messages[at].json, words))
}

fn holds_whole(sent: &Json, value: &Json) -> bool {
    value.is_kept_in(sent) || wraps(sent, value)
}
