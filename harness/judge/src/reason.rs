//! The one reason of a cell, in sentences: what the user of the client got, what was on the wire, and what to fix.
//!
//! ```text
//! Facts + Decision         -> what happened
//! Finding of a rule, if any -> which message caused it
//! ResponsibleParty         -> what to fix, and who
//! ```

use mcp_compat_inclusion::{Conformance, Validity};
use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::observation::Layer;
use mcp_compat_model::signature::{NoSessionCause, Place};
use mcp_compat_model::tool_definition::{ToolDefinition, root_type};
use mcp_compat_model::tool_result::ToolResult;
use mcp_compat_model::transcript::Event;
use mcp_compat_model::verdict::{Fault, Outcome, Party, Rating};
use mcp_compat_scenario::scenario::{Means, SpecStance};

use crate::decision::{Decision, Subject, connected};
use crate::ending::{Ending, waits_for_stream};
use crate::facts::{CallFacts, Facts};
use crate::naming::{tool_is, tool_name};
use crate::no_session::{NoSession, probe};
use crate::proof::structured_on_wire;
use crate::responsible_party::ResponsibleParty;
use crate::rules::RuleFinding;
use crate::wire::Shape;
use mcp_compat_model::excerpt::{bounded, excerpt, quoted};

/// How long a reason may be. Everything in it that a peer chose is bounded already.
const LENGTH: usize = 900;

/// The reason of a cell that works or was skipped.
pub(crate) fn of_success(facts: &Facts<'_>, decision: &Decision<'_, '_>, vacuous: bool) -> String {
    let reason = with_full_stop(&success(facts, decision, vacuous));
    let fetched = facts.transcript.entries.iter().any(|entry| matches!(entry.event, Event::Fetched { .. }));
    if fetched { format!("{reason} {}", with_full_stop(&connected(facts))) } else { reason }
}

fn success(facts: &Facts<'_>, decision: &Decision<'_, '_>, vacuous: bool) -> String {
    let mut reason = match (&decision.note, &decision.subject) {
        (Some(note), _) => note.clone(),
        (None, Subject::Session(ending)) => capitalised(&ending.why),
        (None, Subject::Call(call)) => {
            let at = facts.revision().map_or_else(String::new, |revision| format!(" at {revision}"));
            let expected = match decision.expected {
                Some(expected) if expected != decision.outcome => format!(", better than the expected `{expected}`"),
                Some(_) | None => ", as expected".to_owned(),
            };
            format!("{} `{}`{at}{expected}", capitalised(&tool_is(&call.call.tool)), decision.outcome)
        }
        (None, Subject::List(_) | Subject::Evolve(_)) => capitalised(decision.outcome.meaning()),
    };
    if vacuous && decision.rating == Rating::Works {
        reason.push_str(
            ". Vacuous: the client also accepted a result that violates the schema, so this cell does not show that it \
             validates",
        );
    }
    reason
}

/// The reason of a cell that does not work.
pub(crate) fn of_break(facts: &Facts<'_>, decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> String {
    let what = with_full_stop(&what(facts, decision, party));
    let why = why(facts, decision, party);
    bounded(if why.is_empty() { what } else { format!("{what} {why}") }.as_str(), LENGTH)
}

/// The text with a full stop at its end.
fn with_full_stop(text: &str) -> String {
    let text = bounded(text, LENGTH);
    if text.ends_with(['.', '…']) { text } else { format!("{text}.") }
}

/// The text with a capital at its beginning. Not for a text that begins with the id of a peer, which keeps its spelling.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// What happened: a sentence without its full stop.
fn what(facts: &Facts<'_>, decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> String {
    let client = &facts.cell.client;
    if let Some(note) = &decision.note {
        return note.clone();
    }
    let call = match &decision.subject {
        Subject::Session(ending) => return of_session(facts, decision.outcome, &ending.why, party),
        Subject::List(error) | Subject::Evolve(error) => {
            let error_is_timeout = error.layer == Layer::Timeout;
            let error = format!("{} error: \"{}\"", error.layer, excerpt(&error.message));
            return match decision.place() {
                Place::List if error_is_timeout => format!("tools/list timed out for {client} ({error})"),
                Place::List => format!("{client} rejected the response to tools/list ({error})"),
                place @ (Place::Session | Place::Evolve | Place::Call) => {
                    format!("{client} failed at {place} ({error})")
                }
            };
        }
        Subject::Call(call) => call,
    };
    let tool = tool_name(&call.call.tool);
    let error = match decision.error(facts) {
        Some(error) => format!(" ({} error: \"{}\")", error.layer, excerpt(&error.message)),
        None => String::new(),
    };
    if let Some(missing) = decision.missing_companion(facts) {
        return if missing.is_fed() {
            format!("{client} called {tool} {missing}")
        } else if decision.outcome == Outcome::Masked {
            format!("{client} reported the error of {tool} {missing}{error}")
        } else {
            format!("{client} returned the value of {tool} {missing}")
        };
    }
    if decision.is_lost_with_list {
        if facts.list_refused_by_server() {
            return format!(
                "The server answered tools/list of {client} with an error{error}, so {tool} cannot be used"
            );
        }
        return format!("{client} {}", without_list(decision.outcome, call, &tool, &error));
    }
    match decision.outcome {
        Outcome::Rejected if facts.sent(call).is_failure() => {
            format!("The server answered the call of {tool} by {client} with an error{error}")
        }
        Outcome::Rejected => format!("{client} rejected the result of {tool}{error}"),
        Outcome::Wrapped => format!("{client} returned the value of {tool} inside an object with one key"),
        Outcome::Text => format!("{client} returned the value of {tool} only as text"),
        Outcome::Prose => {
            format!("{client} returned only text from {tool}, and the value cannot be parsed from that text")
        }
        Outcome::Altered => {
            let difference = decision
                .difference()
                .map_or_else(String::new, |difference| format!(" ({})", excerpt(&difference.to_string())));
            format!("{client} returned a value that differs from the one that {tool} sent{difference}")
        }
        Outcome::Lost => format!("{client} returned no value for {tool} and reported no error"),
        Outcome::Masked => format!("{client} replaced the error of {tool} with another one{error}"),
        Outcome::Swallowed => format!("{client} presented the error of {tool} as a success"),
        Outcome::Uncaught => format!("{client} accepted an invalid result of {tool}"),
        Outcome::Hung => format!("The call of {tool} by {client} timed out{error}"),
        Outcome::Unreachable => format!("{client} lost the connection while it called {tool}{error}"),
        Outcome::Intact
        | Outcome::Told
        | Outcome::Caught
        | Outcome::Crashed
        | Outcome::Incomplete
        | Outcome::Unsupported => format!("{} `{}`", capitalised(&tool_is(&call.call.tool)), decision.outcome),
    }
}

/// What became of a call whose client did not take the list of tools.
fn without_list(outcome: Outcome, call: &CallFacts<'_>, tool: &str, error: &str) -> String {
    match (outcome, call.exchange) {
        (Outcome::Hung, _) => format!("did not take the response to tools/list{error}, so {tool} cannot be called"),
        (Outcome::Uncaught, _) => format!(
            "rejected the response to tools/list{error}, had no outputSchema to validate with, and accepted an invalid \
             result of {tool}"
        ),
        (_, Some(_)) => format!("rejected the response to tools/list{error}, and the call of {tool} failed too"),
        (_, None) => format!("rejected the response to tools/list{error}, so {tool} cannot be called"),
    }
}

fn of_session(facts: &Facts<'_>, outcome: Outcome, why: &str, party: &ResponsibleParty<'_>) -> String {
    if outcome != Outcome::Unreachable {
        return capitalised(why);
    }
    let dates = |dates: &[String]| {
        if dates.is_empty() { "no revision".to_owned() } else { bounded(&dates.join(", "), 120) }
    };
    let (client, server) = (&facts.cell.client, &facts.cell.server);
    let offered = dates(&facts.session.client.dates);
    let answered = dates(&facts.session.server.dates);
    let happened = match party.no_session {
        Some(NoSession::NoCommonRevision | NoSession::NoCommonEra(_)) => {
            format!("{client} and {server} share no protocol revision, so {why}")
        }
        Some(NoSession::NoAnswer | NoSession::ProbeUnanswered) => match probe(facts) {
            Some(probe) => format!("{server} did not answer {} of {client}, so {why}", quoted(probe)),
            None => capitalised(why),
        },
        Some(_) | None => capitalised(why),
    };
    format!("{}. {client} offered {offered}; {server} named {answered}", happened.trim_end_matches('.'))
}

/// Which message caused it, and what to fix: whole sentences, none where there is nothing to say.
fn why(facts: &Facts<'_>, decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> String {
    if let Some(found) = party.finding {
        let also = party.also.iter().map(|other| also_fix(party.fault, found, other));
        let waits = waits_on_violation(decision, party).then(|| WAITS_ON_VIOLATION.to_owned());
        return std::iter::once(fix(party.fault, found)).chain(also).chain(waits).collect::<Vec<_>>().join(" ");
    }
    if let Some(no_session) = party.no_session {
        return no_session.remedy().to_owned();
    }
    match (party.fault, &facts.scenario.spec) {
        (Fault::Spec, SpecStance::Silent { source }) => {
            format!("The specification does not say what should happen here ({source}).")
        }
        (Fault::Spec, SpecStance::Conflict { source }) => format!("The specification is ambiguous here ({source})."),
        (Fault::Spec, SpecStance::Clear) => match undecided(facts, decision) {
            Some(what) => format!("mcp-compat cannot decide {what}, so it names no party to fix it."),
            None => not_covered(decision).to_owned(),
        },
        (Fault::Client, _) => by_client(facts, decision).to_owned(),
        (Fault::Server, _) => by_server(facts, decision).to_owned(),
        (Fault::Both, _) => "To fix in the client or in the server: either could have prevented it.".to_owned(),
        (Fault::Harness, _) if facts.messages.iter().any(|message| message.shape == Shape::TooDeep) => {
            "mcp-compat reads no deeper, so it cannot judge the cell.".to_owned()
        }
        (Fault::Harness, _) => "This is a defect of mcp-compat or of an adapter, not of a peer.".to_owned(),
    }
}

/// What the specification leaves to the peers, where nobody broke a rule.
fn not_covered(decision: &Decision<'_, '_>) -> &'static str {
    let of_list = decision.place() == Place::List || decision.is_lost_with_list;
    if decision.outcome == Outcome::Lost {
        "The specification does not oblige a client to return all that a result holds."
    } else if decision.outcome == Outcome::Rejected && of_list {
        "The list violates no rule, and the specification does not oblige a client to accept every valid list."
    } else if decision.outcome == Outcome::Rejected {
        "The result violates no rule, and the specification does not oblige a client to accept every valid result."
    } else {
        "The specification has no rule for this."
    }
}

const WAITS_ON_VIOLATION: &str = "To fix in the client: report an error for an answer that it does not accept.";

/// Whether the client waited after an answer that violates a rule, and broke no rule itself.
fn waits_on_violation(decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> bool {
    let mut named = party.finding.into_iter().chain(party.also.iter().copied());
    decision.outcome == Outcome::Hung
        && party.fault == Fault::Both
        && named.all(|found| found.rule.party == Party::Server)
}

/// What the judge cannot decide about the schema that the step hangs on.
fn undecided(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> Option<&'static str> {
    // What an address outside of the schema leads to is open for everybody.
    let is_closed = |schema: &&Json| facts.schemas.outside(schema).is_none();
    let is_undecided = |schema: &Json| matches!(facts.schemas.validity(schema), Validity::Undecided { .. });
    let call = match &decision.subject {
        Subject::Call(call) if !decision.is_lost_with_list => call,
        Subject::Call(_) | Subject::List(_) => {
            let schemas = facts.listings.iter().filter_map(|listing| facts.definition(*listing)?.output_schema());
            let any = schemas.filter(is_closed).any(is_undecided);
            return any.then_some("whether the outputSchemas of the list are valid");
        }
        Subject::Session(_) | Subject::Evolve(_) => return None,
    };
    let schema = facts.declared_schema(call).filter(is_closed)?;
    let value = facts.result_of_call(call).and_then(|(_, result)| ToolResult::new(result).structured_content());
    match value.map(|value| facts.schemas.check(schema, value)) {
        Some(Conformance::Undecided { .. }) => Some("whether the value conforms to its outputSchema"),
        None if is_undecided(schema) => Some("whether the outputSchema is valid"),
        Some(Conformance::Conforms | Conformance::Violates { .. }) | None => None,
    }
}

/// What was violated, and what to fix: two sentences.
fn fix(fault: Fault, found: &RuleFinding) -> String {
    let to_fix = match (fault, found.rule.party) {
        (Fault::Harness, bound) => format!("This is a defect of mcp-compat. To fix in its mock {bound}"),
        (_, Party::Spec) => "To fix in the specification".to_owned(),
        (_, bound) => format!("To fix in the {bound}"),
    };
    format!("{} {to_fix}: {}", with_full_stop(&capitalised(&found.finding.detail)), with_full_stop(found.rule.remedy))
}

/// What else to fix. The findings say what else the same party violated.
fn also_fix(fault: Fault, first: &RuleFinding, other: &RuleFinding) -> String {
    if other.rule.party == first.rule.party {
        format!("To fix in the {} as well: {}", other.rule.party, with_full_stop(other.rule.remedy))
    } else {
        fix(fault, other)
    }
}

fn by_client(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> &'static str {
    match (&decision.subject, decision.outcome) {
        (Subject::Call(_), Outcome::Altered | Outcome::Lost)
            if decision.missing_companion(facts).is_some_and(|missing| missing.is_fed()) =>
        {
            "To fix in the client: return values in a form that can be sent back unchanged."
        }
        (Subject::Call(_), Outcome::Masked) if decision.missing_companion(facts).is_some() => {
            "The whole error was on the wire. To fix in the client: return all of it."
        }
        (Subject::Call(call), Outcome::Altered) if structured_on_wire(facts, call) => {
            "The right value was on the wire. To fix in the client: return it unchanged."
        }
        (Subject::Call(_), Outcome::Masked | Outcome::Swallowed) => {
            "The error was on the wire. To fix in the client: report it as an error, with its text."
        }
        (Subject::Session(Ending { cause: Some(NoSessionCause::RefusalIgnored), .. }), _) => {
            "To fix in the client: report an error answer to `initialize` as an error, and do not wait for another answer."
        }
        (_, Outcome::Hung) if undecided(facts, decision).is_some() => {
            "The server had answered every request. To fix in the client: bound the work of a validation, and report an \
             error where it ends."
        }
        (_, Outcome::Hung) => {
            "The server had answered every request. To fix in the client: end the call with its answer or with an error."
        }
        (_, Outcome::Crashed) => "To fix in the client: keep running until the job is answered.",
        (_, Outcome::Unreachable) if decision.is_lost_with_list && !facts.listings.is_empty() => {
            "The list was on the wire. To fix in the client: read it, or report an error and keep the session."
        }
        (Subject::Call(call), Outcome::Unreachable) if facts.result_of_call(call).is_some() => {
            "The result was on the wire. To fix in the client: read it, or report an error and keep the session."
        }
        _ => "To fix in the client. Its log may say why.",
    }
}

/// Whether structured output is an object at the revision.
fn only_objects(facts: &Facts<'_>) -> bool {
    facts.revision().is_some_and(|it| it.has_structured_output() && !it.has_any_value_output())
}

/// Whether the scenario's tool has an outputSchema whose root is not an object.
fn declares_no_object(call: &CallFacts<'_>) -> bool {
    let definition = call.scripted.and_then(|tool| Json::parse(&tool.definition).ok());
    let schema = definition.as_ref().and_then(|definition| ToolDefinition::new(definition).output_schema());
    schema.is_some_and(|schema| root_type(schema) != Some("object"))
}

fn by_server(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> &'static str {
    let result = match &decision.subject {
        Subject::Call(call) if matches!(call.call.means, Means::Value(_)) => facts.result_of_call(call),
        Subject::Call(_) | Subject::Session(_) | Subject::List(_) | Subject::Evolve(_) => None,
    };
    if decision.missing_companion(facts).is_some() {
        return "It was not on the wire. To fix in the server: send everything that the tool returned.";
    }
    let value = decision.call().map(|call| &call.call.means);
    if decision.place() == Place::List {
        return if only_objects(facts) && decision.call().is_some_and(declares_no_object) {
            "To fix in the server: answer tools/list with the tools; for clients of this revision, omit every outputSchema \
             whose root is not an object, and send the value in a text block."
        } else {
            "To fix in the server: answer tools/list with the tools."
        };
    }
    let is_object = !matches!(value, Some(Means::Value(value)) if value.as_object().is_none());
    match (&decision.subject, decision.outcome, result) {
        (Subject::Call(_), Outcome::Rejected, None) if only_objects(facts) && !is_object => {
            "This revision allows only objects as structuredContent. To fix in the \
             server: for clients of this revision, send the value in a text block or inside an object, and declare no \
             outputSchema of another type."
        }
        (_, _, Some(_)) if only_objects(facts) && !is_object => {
            "This revision allows only objects as structuredContent. To fix in the server: for clients of this revision, \
             send the value in a text block or inside an object."
        }
        (_, _, Some(_)) if !facts.revision().is_some_and(Revision::has_structured_output) => {
            "This revision has no structuredContent, and no text block held the value. To fix in the server: send the \
             value in a text block."
        }
        // The server may leave out what it does not promise: no rule forbids it, and nobody else can fix it.
        (_, _, Some((_, result))) if ToolResult::new(result).structured_content().is_none() => {
            "The server omitted structuredContent, although this revision supports it. To fix in the server: send it."
        }
        (_, _, Some(_)) => {
            "The server sent a structuredContent that differs from what the tool returned. To fix in the server: send \
             what the tool returned."
        }
        (Subject::Session(Ending { cause: Some(NoSessionCause::StreamWithheld), .. }), ..) => {
            "To fix in the server: answer the GET with the headers of a stream at once, or with status 405."
        }
        (Subject::Session(Ending { cause: Some(NoSessionCause::RequestUnanswered), .. }), ..) => {
            "To fix in the server: answer every request. If the server only starts slowly, allow more time with --timeout."
        }
        (_, Outcome::Hung, _) if waits_for_stream(facts) => {
            "The server did not answer the GET for its stream, and the client waits for that. To fix in the server: answer \
             the GET with the headers of a stream at once, or with status 405."
        }
        (Subject::Session(_), Outcome::Hung, _) if facts.messages.is_empty() => {
            "Nothing was sent to the server yet. To fix in its adapter: take up every scenario, or answer `unsupported`."
        }
        (_, Outcome::Hung, _) => "The server did not answer the request. To fix in the server: answer it.",
        (Subject::Call(_), Outcome::Rejected, _) => "To fix in the server: send what the tool returned.",
        (Subject::Call(_), Outcome::Masked | Outcome::Swallowed, _) => {
            "The error on the wire is not the one that the tool returned. To fix in the server: send the tool's error."
        }
        (_, Outcome::Crashed, _) => "To fix in the server: keep running until the client ends the session.",
        _ => "To fix in the server. Its log may say why.",
    }
}
