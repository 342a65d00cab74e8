//! Companions of the result of a call besides its own meaning: the blocks beside a value, the structured part of a tool
//! error, and arguments that a later call takes from the value. What is missing decides what became of the call.

use std::fmt;

use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::observation::{CallResult, Seen};
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::tool::{ToolResult, block_type_since};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::scenario::AlsoExpect;

use crate::facts::{CallFacts, Facts};
use crate::outcome::outcome;
use mcp_compat_model::excerpt::{bounded, quoted};

/// Limit of the characters of a block or value in a sentence.
const SHOWN: usize = 80;

/// A companion of a call that is missing although its own meaning came.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MissingCompanion<'f> {
    /// A content block did not come.
    NoBlock(&'f Json),
    /// A content block came, and its text or data too, without this one of its members as it was sent.
    BlockAltered(&'f Json, String),
    /// The structured part did not come, or came as another.
    NoValue(&'f Json),
    /// An argument should have been taken from the value of the call before, and was left out.
    NotFed(Fed<'f>),
    /// It was taken, and is not what the server had sent.
    FedAltered(Fed<'f>, &'f Json),
}

/// An argument that comes from a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fed<'f> {
    /// The place among the arguments, as a JSON Pointer.
    argument: &'f str,
    /// The value that the server had sent.
    sent: &'f Json,
}

impl MissingCompanion<'_> {
    /// The outcome of a call that misses this, from the outcome that it would have had.
    pub(crate) fn downgrade(&self, outcome: Outcome) -> Outcome {
        use Outcome::{Intact, Prose, Rejected, Text, Told, Wrapped};
        if !matches!(outcome, Intact | Wrapped | Text | Prose | Rejected | Told) {
            return outcome;
        }
        match self {
            Self::FedAltered(..) => Outcome::Altered,
            Self::NotFed(_) => Outcome::Lost,
            // A client that raised an error in place of the value did not lose what stands beside it.
            Self::NoBlock(_) | Self::BlockAltered(..) | Self::NoValue(_) if outcome == Rejected => outcome,
            Self::NoBlock(_) | Self::BlockAltered(..) | Self::NoValue(_) if outcome == Told => Outcome::Masked,
            Self::NoBlock(_) | Self::BlockAltered(..) | Self::NoValue(_) => Outcome::Lost,
        }
    }

    /// Returns true if it is about what the client sent, and so nobody else's doing.
    pub(crate) const fn is_fed(&self) -> bool {
        matches!(self, Self::NotFed(_) | Self::FedAltered(..))
    }

    /// Returns true if the client took one member out of a block that it returned.
    pub(crate) const fn is_of_block(&self) -> bool {
        matches!(self, Self::BlockAltered(..))
    }

    /// Its place, as a JSON Pointer into a result or a request, without the places in lists.
    pub(crate) fn pointer(&self) -> String {
        match self {
            Self::NoBlock(block) => of_block(block),
            Self::BlockAltered(block, member) => format!("{}{}", of_block(block), bounded(member, 80)),
            Self::NoValue(_) => "/structuredContent".to_owned(),
            Self::NotFed(fed) | Self::FedAltered(fed, _) => format!("/arguments{}", fed.argument),
        }
    }
}

/// The place of a block of this type.
fn of_block(block: &Json) -> String {
    let kind = block.get("type").and_then(Json::as_str).unwrap_or_default();
    format!("/content/{}", bounded(kind, 40))
}

impl fmt::Display for MissingCompanion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |json: &Json| bounded(&json.to_compact(), SHOWN);
        match self {
            Self::NoBlock(block) => write!(f, "without the content block {}", shown(block)),
            Self::BlockAltered(block, member) => {
                let kind = block.get("type").and_then(Json::as_str).unwrap_or_default();
                write!(f, "without {} of a content block of the type {}", quoted(member), quoted(kind))
            }
            Self::NoValue(value) => write!(f, "without the structured part {}", shown(value)),
            Self::NotFed(Fed { argument, sent }) => {
                write!(f, "without {}, for which the server had sent {}", quoted(argument), shown(sent))
            }
            Self::FedAltered(Fed { argument, sent }, arrived) => {
                let (sent, arrived) = (shown(sent), shown(arrived));
                write!(f, "with {arrived} as {}, for which the server had sent {sent}", quoted(argument))
            }
        }
    }
}

impl Facts<'_> {
    /// The outcome of a call, by what the user saw of it and of its companions.
    pub fn outcome_of(&self, call: &CallFacts<'_>, seen: &Seen) -> Outcome {
        let own = self.own_outcome_of(call, seen);
        missing_companion(self, call, seen).map_or(own, |missing| missing.downgrade(own))
    }

    /// The outcome of a call without its companions.
    pub fn own_outcome_of(&self, call: &CallFacts<'_>, seen: &Seen) -> Outcome {
        let outcome = outcome(&call.call.means, seen, self.sent(call));
        // The connection went with the server, which ends here as the scenario says.
        let ends = matches!(call.reply, Some(Reply::Exit { .. })) && call.exchange.is_some();
        if ends && outcome == Outcome::Unreachable { Outcome::Crashed } else { outcome }
    }

    /// The missing companion that decides what became of a call.
    pub(crate) fn deciding_companion<'f>(&'f self, call: &'f CallFacts<'_>) -> Option<MissingCompanion<'f>> {
        let seen = call.seen?;
        let own = self.own_outcome_of(call, seen);
        missing_companion(self, call, seen).filter(|missing| missing.downgrade(own) != own)
    }
}

/// The first companion that is missing. An argument comes first: it was sent before the result.
fn missing_companion<'f>(facts: &'f Facts<'_>, call: &'f CallFacts<'_>, seen: &Seen) -> Option<MissingCompanion<'f>> {
    fed(facts, call).or_else(|| missing(&call.call.also_expect, seen, facts.revision()?))
}

/// Returns true if the wire holds all that must come besides.
pub(crate) fn on_wire(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    let also = &call.call.also_expect;
    let Some(revision) = facts.revision() else { return true };
    also.is_empty()
        || facts.result_of_call(call).is_some_and(|(_, result)| {
            let content = ToolResult::new(result).content();
            lacking(also, ToolResult::new(result).structured_content(), content, revision).is_none()
        })
}

fn missing<'f>(also: &'f AlsoExpect, seen: &Seen, revision: Revision) -> Option<MissingCompanion<'f>> {
    match seen {
        Seen::Called(CallResult { structured, content, .. }) => lacking(also, structured.as_ref(), content, revision),
        // An error of the client's own has words, and nothing beside them.
        Seen::Failed(_) => lacking(also, None, &[], revision),
        Seen::Listed { .. } | Seen::Evolved { .. } | Seen::NotReported {} => None,
    }
}

/// The missing companion, of those that the revision has: before structured output nothing is structured, and each type
/// of block has its beginning.
fn lacking<'f>(
    also: &'f AlsoExpect,
    structured: Option<&Json>,
    content: &[Json],
    revision: Revision,
) -> Option<MissingCompanion<'f>> {
    if let Some(value) = &also.value
        && revision.has_structured_output()
        && !structured.is_some_and(|structured| holds(structured, value))
    {
        return Some(MissingCompanion::NoValue(value));
    }
    // Each block that came stands for one that was sent.
    let mut came: Vec<&Json> = content.iter().collect();
    let in_revision = |block: &&Json| {
        let kind = block.get("type").and_then(Json::as_str);
        kind.and_then(block_type_since).is_none_or(|since| since <= revision)
    };
    let mut blocks = also.blocks.iter().filter(in_revision);
    let gone = blocks.find(|block| match came.iter().position(|candidate| holds(candidate, block)) {
        Some(place) => {
            came.remove(place);
            false
        }
        None => true,
    });
    let gone = gone?;
    let same = came.into_iter().find(|candidate| PAYLOADS.iter().all(|key| candidate.get(key) == gone.get(key)));
    match same.and_then(|same| not_held(same, gone)) {
        Some(member) => Some(MissingCompanion::BlockAltered(gone, member)),
        None => Some(MissingCompanion::NoBlock(gone)),
    }
}

/// The members that say which block it is.
const PAYLOADS: [&str; 5] = ["type", "text", "data", "uri", "resource"];

/// The place of the first member, as a JSON Pointer, that was sent and did not come as it was.
fn not_held(came: &Json, sent: &Json) -> Option<String> {
    let (Json::Object(came), Json::Object(sent)) = (came, sent) else {
        return (!holds(came, sent)).then(String::new);
    };
    sent.iter().find_map(|(key, member)| {
        let there = came.iter().find(|pair| pair.0 == key);
        let rest = there.map_or(Some(String::new()), |(_, there)| not_held(there, member))?;
        Some(format!("/{}{rest}", key.to_string_lossy()))
    })
}

/// Returns true if all of what was sent is there. What stands beside it, such as a null that an API puts where nothing
/// was, is no loss.
fn holds(came: &Json, sent: &Json) -> bool {
    match (came, sent) {
        (Json::Object(came), Json::Object(sent)) => {
            let has = |key: &mcp_compat_json::JsonString, member: &Json| {
                came.iter().any(|(name, candidate)| name == key && holds(candidate, member))
            };
            sent.iter().all(|(key, member)| has(key, member))
        }
        (Json::Array(came), Json::Array(sent)) => {
            came.len() == sent.len() && came.iter().zip(sent).all(|(came, sent)| holds(came, sent))
        }
        (came, sent) => sent.is_kept_in(came),
    }
}

/// The first argument that is not what the server had sent for it.
fn fed<'f>(facts: &'f Facts<'_>, call: &'f CallFacts<'_>) -> Option<MissingCompanion<'f>> {
    if call.call.args_from.is_empty() {
        return None;
    }
    let place = facts.calls.iter().position(|other| other.step == call.step)?;
    let before = facts.calls.get(place.checked_sub(1)?)?;
    // A client that got an error has no value to pass on.
    if !matches!(before.seen, Some(Seen::Called(seen)) if !seen.is_error) {
        return None;
    }
    let (_, result) = facts.result_of_call(before)?;
    let arguments = facts.messages[call.exchange?.request].param("arguments");
    call.call.args_from.iter().find_map(|(argument, from)| {
        let sent = ToolResult::new(result).structured_content()?.pointer(from)?;
        let fed = Fed { argument, sent };
        match arguments.and_then(|arguments| arguments.pointer(argument)) {
            None => Some(MissingCompanion::NotFed(fed)),
            Some(arrived) if sent.is_kept_in(arrived) => None,
            Some(arrived) => Some(MissingCompanion::FedAltered(fed, arrived)),
        }
    })
}
