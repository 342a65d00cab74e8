//! The one reason of a cell: a sentence that says what happened, why, and what has to be done by whom.

use mcp_compat_model::Revision;
use mcp_compat_model::signature::Place;
use mcp_compat_model::tool_result::ToolResult;
use mcp_compat_model::verdict::{Fault, Level, Outcome, Party, Rating};
use mcp_compat_scenario::scenario::{Means, SpecStance};

use crate::decision::{Decision, Subject};
use crate::evidence::structured_on_wire;
use crate::facts::Facts;
use crate::responsible_party::ResponsibleParty;
use mcp_compat_model::excerpt::{bounded, excerpt, quoted};

/// How long a reason may be. Everything in it that a peer chose is bounded already.
const LENGTH: usize = 900;

/// The reason of a cell that works or was skipped.
pub(crate) fn of_success(facts: &Facts<'_>, decision: &Decision<'_, '_>, vacuous: bool) -> String {
    let mut reason = match (&decision.note, &decision.subject) {
        (Some(note), _) => note.clone(),
        (None, Subject::Session(ending)) => ending.why.clone(),
        (None, Subject::Call(call)) => {
            let at = facts.revision().map_or_else(String::new, |revision| format!(" at {revision}"));
            let expected = match decision.expected {
                Some(expected) if expected != decision.outcome => format!(", better than the expected `{expected}`"),
                Some(_) | None => ", as expected".to_owned(),
            };
            format!("{} is `{}`{at}{expected}", quoted(&call.call.tool), decision.outcome)
        }
        (None, Subject::List(_) | Subject::Evolve(_)) => decision.outcome.meaning().to_owned(),
    };
    if vacuous && decision.rating == Rating::Works {
        reason.push_str("; but the client also took a result that violates the schema, so it does not validate");
    }
    sentence(&reason)
}

/// The reason of a cell that does not work.
pub(crate) fn of_break(facts: &Facts<'_>, decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> String {
    sentence(&format!("{}{}", what(facts, decision), why(facts, decision, party)))
}

fn sentence(text: &str) -> String {
    let text = bounded(text, LENGTH);
    if text.ends_with(['.', '…']) { text } else { format!("{text}.") }
}

/// What happened.
fn what(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> String {
    let client = &facts.cell.client;
    if let Some(note) = &decision.note {
        return note.clone();
    }
    let call = match &decision.subject {
        Subject::Session(ending) => return of_session(facts, decision.outcome, &ending.why),
        Subject::List(error) | Subject::Evolve(error) => {
            return format!(
                "{client} failed at {} with a {} error (\"{}\")",
                decision.place(facts),
                error.layer,
                excerpt(&error.message)
            );
        }
        Subject::Call(call) => call,
    };
    let tool = quoted(&call.call.tool);
    let with = match decision.error(facts) {
        Some(error) => format!(" with a {} error (\"{}\")", error.layer, excerpt(&error.message)),
        None => String::new(),
    };
    if let Some(missing) = decision.missing_companion(facts) {
        return if missing.is_fed() {
            format!("{tool} {missing} ({client})")
        } else if decision.outcome == Outcome::Masked {
            format!("the user of {client} was told the error of {tool} {missing}{with}")
        } else {
            format!("the user of {client} got {tool} {missing}")
        };
    }
    match decision.outcome {
        Outcome::Rejected => match decision.place(facts) {
            Place::List => format!("{client} refused tools/list{with}, so {tool} cannot be called"),
            Place::Session | Place::Evolve | Place::Call => format!("{client} refused {tool}{with}"),
        },
        Outcome::Wrapped => format!("the user of {client} got the value of {tool} under one key of an object"),
        Outcome::Text => format!("the user of {client} got the value of {tool} only as text"),
        Outcome::Prose => format!("the user of {client} got only prose from {tool}"),
        Outcome::Altered => {
            let where_ = decision
                .difference()
                .map_or_else(String::new, |difference| format!(" ({})", excerpt(&difference.to_string())));
            format!("the user of {client} got another value from {tool} than the one returned{where_}")
        }
        Outcome::Lost => format!("the user of {client} got nothing from {tool}, and no error"),
        Outcome::Masked => format!("{client} hid the error of {tool} behind another{with}"),
        Outcome::Swallowed => format!("{client} presented the error of {tool} as a success"),
        Outcome::Uncaught => format!("{client} handed on an invalid result of {tool} as if it were valid"),
        Outcome::Hung => format!("the call of {tool} by {client} timed out{with}"),
        Outcome::Unreachable => format!("{client} lost the connection at {tool}{with}"),
        Outcome::Intact
        | Outcome::Told
        | Outcome::Caught
        | Outcome::Crashed
        | Outcome::Incomplete
        | Outcome::Unsupported => format!("{tool} is `{}`", decision.outcome),
    }
}

fn of_session(facts: &Facts<'_>, outcome: Outcome, why: &str) -> String {
    if outcome != Outcome::Unreachable {
        return why.to_owned();
    }
    let dates = |dates: &[String]| {
        if dates.is_empty() { "no revision".to_owned() } else { bounded(&dates.join(", "), 120) }
    };
    let (client, server) = (&facts.cell.client, &facts.cell.server);
    let offered = dates(&facts.session.client.dates);
    let answered = dates(&facts.session.server.dates);
    format!("{why}; {client} offered {offered}, {server} named {answered}")
}

/// Why, and what has to be done.
fn why(facts: &Facts<'_>, decision: &Decision<'_, '_>, party: &ResponsibleParty<'_>) -> String {
    if let Some(found) = party.finding {
        let verb = match found.rule.level {
            Level::Must => "must",
            Level::Should => "should",
            Level::May => "may",
        };
        let who = match (party.fault, found.rule.party) {
            (Fault::Harness, bound) => format!("our own mock {bound}"),
            (_, Party::Spec) => "the specification".to_owned(),
            (_, bound) => format!("the {bound}"),
        };
        return format!(": {}; {who} {verb} {}", found.finding.detail, found.rule.remedy);
    }
    if let Some(no_session) = party.no_session {
        return no_session.remedy().to_owned();
    }
    match (party.fault, &facts.scenario.spec) {
        (Fault::Spec, SpecStance::Silent { source }) => {
            format!("; the specification does not say what has to happen ({source})")
        }
        (Fault::Spec, SpecStance::Conflict { source }) => {
            format!("; the specification says two things about it ({source})")
        }
        (Fault::Spec, SpecStance::Clear) => "; no rule of the specification forbids it".to_owned(),
        (Fault::Client, _) => by_client(facts, decision).to_owned(),
        (Fault::Server, _) => by_server(facts, decision).to_owned(),
        (Fault::Both, _) => "; each of them could have prevented it".to_owned(),
        (Fault::Harness, _) => "; this is a fault of the harness or of an adapter, not of a peer".to_owned(),
    }
}

fn by_client(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> &'static str {
    match (&decision.subject, decision.outcome) {
        (Subject::Call(_), Outcome::Altered | Outcome::Lost)
            if decision.missing_companion(facts).is_some_and(|missing| missing.is_fed()) =>
        {
            "; the client must hand on a value so that it can be sent back as it came"
        }
        (Subject::Call(_), Outcome::Masked) if decision.missing_companion(facts).is_some() => {
            "; it was on the wire, and the client must hand on all of an error"
        }
        (Subject::Call(call), Outcome::Altered) if structured_on_wire(facts, call) => {
            "; the right value was on the wire, and the client must hand it on as it came"
        }
        (Subject::Call(_), Outcome::Masked | Outcome::Swallowed) => {
            "; the error was on the wire, and the client must hand it on as one"
        }
        (_, Outcome::Hung) => {
            "; the server left nothing open, and the client must end the call with its answer or an error"
        }
        (_, Outcome::Crashed) => "; the client must live until it has answered",
        _ => "; the client's log may say why",
    }
}

fn by_server(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> &'static str {
    let result = match &decision.subject {
        Subject::Call(call) if matches!(call.call.means, Means::Value(_)) => facts.result_of_call(call),
        Subject::Call(_) | Subject::Session(_) | Subject::List(_) | Subject::Evolve(_) => None,
    };
    if decision.missing_companion(facts).is_some() {
        return "; it was not on the wire, and the server must send what the tool returned";
    }
    match (&decision.subject, decision.outcome, result) {
        (_, _, Some(_)) if !facts.revision().is_some_and(Revision::has_structured_output) => {
            "; the server sent no text that holds the value, and this revision has nothing else to tell it by"
        }
        // It may leave out what it does not promise: nothing forbids it, and nobody else can mend it.
        (_, _, Some((_, result))) if ToolResult::new(result).structured_content().is_none() => {
            "; the server left the structuredContent out, which this revision has, and only the server can send it"
        }
        (_, _, Some(_)) => "; the server sent another structuredContent than the tool returned, and must send that",
        (_, Outcome::Hung, _) => "; the request was left open, and the server must answer it",
        (Subject::Call(_), Outcome::Rejected, _) => {
            "; the server answered with an error, and must send what the tool returned"
        }
        (Subject::Call(_), Outcome::Masked | Outcome::Swallowed, _) => {
            "; the error was not on the wire as the tool returned it, and the server must send it so"
        }
        (_, Outcome::Crashed, _) => "; the server must live until its client ends the session",
        _ => "; the server's log may say why",
    }
}
