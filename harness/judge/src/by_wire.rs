//! The responsible party where no rule was broken: what was on the wire tells it.

use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::signature::Place;
use mcp_compat_model::verdict::{Fault, Outcome};

use crate::companions::on_wire;
use crate::decision::{Decision, Subject};
use crate::ending::left_open;
use crate::facts::{CallFacts, Facts};
use crate::proof::{structured_on_wire, words_on_wire};
use mcp_compat_wire::exchange::Answer;

/// Whether the value was on the wire as structured content, in a revision that defines it. A client of an older one does
/// not know the member, so that the value is only sent to it as text.
fn is_sent_as_defined(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    structured_on_wire(facts, call) && facts.revision().is_some_and(Revision::has_structured_output)
}

/// Who left a step without an end.
pub(crate) fn hung(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> Fault {
    let open = match &decision.subject {
        Subject::Call(call) => {
            !matches!(call.reply, Some(Reply::Hang {} | Reply::Exit { .. }))
                && call.exchange.is_some_and(|exchange| matches!(exchange.answer, Answer::None | Answer::Unreadable(_)))
        }
        Subject::Session(_) | Subject::List(_) | Subject::Evolve(_) => left_open(facts).is_some(),
    };
    if open { Fault::Server } else { Fault::Client }
}

/// What the wire tells where no rule was broken.
pub(crate) fn by_wire(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> Fault {
    if decision.place() == Place::List && facts.list_refused_by_server() {
        return Fault::Server;
    }
    let call: &CallFacts<'_> = match &decision.subject {
        Subject::Call(call) => call,
        Subject::Session(_) | Subject::List(_) | Subject::Evolve(_) => return Fault::Spec,
    };
    if call.exchange.is_none() || decision.is_lost_with_list {
        return Fault::Spec;
    }
    let sent = facts.sent(call);
    let companion = decision.missing_companion(facts);
    let missing = companion.is_some();
    if missing && !on_wire(facts, call) {
        return Fault::Server;
    }
    // What a block may hold is defined: annotations and links since 2025-06-18.
    let is_defined = facts.revision().is_some_and(Revision::has_structured_output);
    if is_defined && companion.is_some_and(|companion| companion.is_of_block()) {
        return Fault::Client;
    }
    match decision.outcome {
        // No rule says that a client has to pass on everything beside a value; it has to report an error.
        Outcome::Lost if missing => Fault::Spec,
        // No rule forbids to withhold a value; but a value may not change on the way.
        Outcome::Altered if structured_on_wire(facts, call) => Fault::Client,
        Outcome::Altered => Fault::Server,
        Outcome::Masked if sent.is_failure() && words_on_wire(facts, call) => Fault::Client,
        Outcome::Swallowed if sent.is_failure() => Fault::Client,
        Outcome::Masked | Outcome::Swallowed => Fault::Server,
        Outcome::Rejected if sent.is_failure() => Fault::Server,
        Outcome::Wrapped | Outcome::Text | Outcome::Prose | Outcome::Lost if !is_sent_as_defined(facts, call) => {
            Fault::Server
        }
        Outcome::Intact
        | Outcome::Wrapped
        | Outcome::Text
        | Outcome::Prose
        | Outcome::Rejected
        | Outcome::Lost
        | Outcome::Told
        | Outcome::Caught
        | Outcome::Uncaught
        | Outcome::Unreachable
        | Outcome::Hung
        | Outcome::Crashed
        | Outcome::Incomplete
        | Outcome::Unsupported => Fault::Spec,
    }
}
