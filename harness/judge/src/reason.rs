//! Reason of a cell, in sentences: what the user of the client got, what was on the wire, and what to fix.
//!
//! ```text
//! Facts + Decision         -> what happened
//! Finding of a rule, if any -> which message caused it
//! ResponsibleParty         -> what to fix, and who
//! ```

use mcp_compat_model::observation::{Layer, Seen};
use mcp_compat_model::signature::Place;
use mcp_compat_model::tool::texts;
use mcp_compat_model::transcript::Event;
use mcp_compat_model::verdict::{Fault, Outcome, Party};
use mcp_compat_scenario::scenario::SpecStance;

use crate::broken_step::is_left_open;
use crate::decision::{Decision, Subject, connected, is_opening_scripted, took_stray};
use crate::facts::{CallFacts, Facts};
use crate::no_session::{NoSession, member_of_later_revisions, probe};
use crate::proof::words_on_wire;
use crate::responsible_party::ResponsibleParty;
use crate::rules::RuleFinding;
use crate::wire::message::first_not_read;
use crate::without_rule::{SentValue, Undecided, by_client, by_server, not_covered, sent_value, undecided};
use mcp_compat_model::excerpt::{bounded, excerpt, in_short, quoted, tool_is, tool_name};

/// Limit of the length of a reason. Everything in it that a peer chose is bounded already.
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
    if vacuous {
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

/// The event: a sentence without its full stop.
fn what(facts: &Facts<'_>, decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> String {
    let client = &facts.cell.client;
    if let Some(note) = &decision.note {
        return note.clone();
    }
    let call = match &decision.subject {
        Subject::Session(ending) => return of_session(facts, decision.outcome, &ending.why, party),
        Subject::List(error) | Subject::Evolve(error) => {
            let error_is_timeout = error.layer == Layer::Timeout;
            let said = in_short(&error.message);
            let error = format!("{} error: {}", error.layer, in_quotes(&error.message));
            return match decision.place() {
                Place::List if error_is_timeout => format!("tools/list of {client} did not end: {said}"),
                Place::List if facts.list_refused_by_server() => {
                    format!("The server answered tools/list of {client} with an error ({error})")
                }
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
        Some(error) => format!(" ({}: {})", kind(facts, decision, call, error.layer), in_quotes(&error.message)),
        None => error_text(call).map_or_else(String::new, |text| format!(" ({})", in_quotes(text))),
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
    if decision.is_left_out {
        return format!("{client} lists its tools without {tool}, and reports no error");
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
        Outcome::Wrapped if sent_value(facts, call) == SentValue::Wrapped => {
            format!("{} sent the value of {tool} inside an object with one key", facts.cell.server)
        }
        Outcome::Wrapped => format!("{client} returned the value of {tool} inside an object with one key"),
        Outcome::Text => format!("{client} returned the value of {tool} only as text"),
        Outcome::Prose => {
            format!("{client} returned only text from {tool}, and the value cannot be parsed from that text")
        }
        Outcome::Altered if took_stray(facts, decision) => {
            format!("{client} returned the value of another response for {tool}")
        }
        Outcome::Altered => {
            let difference = decision
                .difference()
                .map_or_else(String::new, |difference| format!(" ({})", excerpt(&difference.to_string())));
            match sent_value(facts, call) {
                SentValue::Another => format!(
                    "{} sent a structuredContent that differs from the value of {tool}{difference}",
                    facts.cell.server
                ),
                SentValue::Whole | SentValue::Wrapped => {
                    format!("{client} returned a value that differs from the one that {tool} sent{difference}")
                }
                SentValue::Absent => {
                    format!("{client} returned a value that differs from the value of {tool}{difference}")
                }
            }
        }
        Outcome::Lost => format!("{client} returned no value for {tool} and reported no error"),
        Outcome::Masked if facts.sent(call).is_failure() && !words_on_wire(facts, call) => {
            format!("The server answered the call of {tool} by {client} with another error than the tool's{error}")
        }
        Outcome::Masked => format!("{client} replaced the error of {tool} with another one{error}"),
        Outcome::Swallowed => format!("{client} presented the error of {tool} as a success"),
        Outcome::Uncaught => format!("{client} accepted an invalid result of {tool}"),
        Outcome::Hung => {
            let said =
                decision.error(facts).map_or_else(String::new, |error| format!(": {}", in_short(&error.message)));
            format!("The call of {tool} by {client} did not end{said}")
        }
        Outcome::Unreachable => format!("{client} lost the connection while it called {tool}{error}"),
        Outcome::Intact
        | Outcome::Told
        | Outcome::Caught
        | Outcome::Crashed
        | Outcome::Incomplete
        | Outcome::Unsupported => format!("{} `{}`", capitalised(&tool_is(&call.call.tool)), decision.outcome),
    }
}

/// The words of a peer. Words with quotation marks stand without further ones.
fn in_quotes(words: &str) -> String {
    let words = in_short(words);
    if words.contains('"') { words } else { format!("\"{words}\"") }
}

/// The kind of an error in words. A client cannot have got a protocol error where the server answered with a result.
fn kind(facts: &Facts<'_>, decision: &Decision<'_, '_>, call: &CallFacts<'_>, layer: Layer) -> String {
    let is_answered = !decision.is_lost_with_list && facts.result_of_call(call).is_some();
    if layer == Layer::Protocol && is_answered { "error".to_owned() } else { format!("{layer} error") }
}

/// The first text of a result that is a tool error.
fn error_text<'f>(call: &'f CallFacts<'_>) -> Option<&'f str> {
    match call.seen {
        Some(Seen::Called(result)) if result.is_error => texts(&result.content).next(),
        Some(Seen::Called(_) | Seen::Failed(_) | Seen::Listed { .. } | Seen::Evolved { .. } | Seen::NotReported {})
        | None => None,
    }
}

/// Sentence about a call whose client did not take the list of tools.
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
            let verb = if is_opening_scripted(facts) { "agreed on" } else { "share" };
            format!("{client} and {server} {verb} no protocol revision, so {why}")
        }
        Some(NoSession::NoAnswer | NoSession::ProbeUnanswered) => match probe(facts) {
            Some(probe) => format!("{server} did not answer {} of {client}, so {why}", quoted(probe)),
            None => capitalised(why),
        },
        Some(_) | None => capitalised(why),
    };
    let happened = happened.trim_end_matches('.');
    // Where nothing was said of revisions, they explain nothing.
    if facts.session.client.dates.is_empty() && facts.session.server.dates.is_empty() {
        happened.to_owned()
    } else {
        format!("{happened}. {client} offered {offered}; {server} named {answered}")
    }
}

/// The message that caused it, and the fix: whole sentences, none where there is nothing to say.
fn why(facts: &Facts<'_>, decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> String {
    if let Some(found) = party.finding {
        let also = party.also.iter().map(|other| also_fix(party.fault, found, other));
        let own = own_part(decision, party).map(str::to_owned);
        return std::iter::once(fix(party.fault, found)).chain(also).chain(own).collect::<Vec<_>>().join(" ");
    }
    if let Some(no_session) = party.no_session {
        let member = matches!(no_session, NoSession::NoCommonRevisionOrMember | NoSession::MemberDeclined)
            .then(|| member_of_later_revisions(facts))
            .flatten();
        let member = member.map(|member| format!("{member}. ")).unwrap_or_default();
        return format!("{member}{}", no_session.remedy());
    }
    let stance = if is_left_open(facts, decision) { &facts.scenario.spec } else { &SpecStance::Clear };
    match (party.fault, stance) {
        // Its author knows what the value is, whatever the judge can decide.
        (Fault::Spec, SpecStance::Silent { source }) => {
            if undecided(facts, decision) == Some(Undecided::Dangles) {
                Undecided::Dangles.words().to_owned()
            } else {
                format!("The specification does not say what should happen here ({source}).")
            }
        }
        (Fault::Spec, SpecStance::Conflict { source }) => format!("The specification is ambiguous here ({source})."),
        (Fault::Spec, SpecStance::Clear) => {
            undecided(facts, decision).map_or_else(|| not_covered(facts, decision), Undecided::words).to_owned()
        }
        (Fault::Client, _) => by_client(facts, decision).to_owned(),
        (Fault::Server, _) => by_server(facts, decision),
        (Fault::Both, _) => "To fix in the client or in the server: either could have prevented it.".to_owned(),
        (Fault::Harness, _) if first_not_read(&facts.messages).is_some() => {
            "mcp-compat did not read all of that, so it cannot judge the check.".to_owned()
        }
        (Fault::Harness, _) => {
            "No peer is at fault: the cause is in mcp-compat, in an adapter, or in the load of the machine.".to_owned()
        }
    }
}

const WAITS_ON_VIOLATION: &str = "To fix in the client: report an error for an answer that it does not accept.";

const DROPS_VALUE: &str = "The value was on the wire as structuredContent. To fix in the client: return it.";

/// The part of a client that broke no rule itself: it waited after an answer that violates a rule, or it dropped a value.
fn own_part(decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> Option<&'static str> {
    let mut named = party.finding.into_iter().chain(party.also.iter().copied());
    let is_beside = party.fault == Fault::Both && named.all(|found| found.rule.party == Party::Server);
    let waits = decision.outcome == Outcome::Hung;
    let drops = matches!(decision.outcome, Outcome::Prose | Outcome::Lost);
    (is_beside && (waits || drops)).then_some(if waits { WAITS_ON_VIOLATION } else { DROPS_VALUE })
}

/// The violation, and the fix: two sentences.
fn fix(fault: Fault, found: &RuleFinding) -> String {
    let to_fix = match (fault, found.rule.party) {
        (Fault::Harness, bound) => format!("This is a defect of mcp-compat. To fix in its mock {bound}"),
        (_, Party::Spec) => "To fix in the specification".to_owned(),
        (_, bound) => format!("To fix in the {bound}"),
    };
    format!("{} {to_fix}: {}", with_full_stop(&capitalised(&found.finding.detail)), with_full_stop(found.remedy))
}

/// A further fix. The findings say what else the same party violated.
fn also_fix(fault: Fault, first: &RuleFinding, other: &RuleFinding) -> String {
    if other.rule.party == first.rule.party {
        format!("To fix in the {} as well: {}", other.rule.party, with_full_stop(other.remedy))
    } else {
        fix(fault, other)
    }
}
