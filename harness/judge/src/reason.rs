//! The one reason of a cell: a sentence that says what happened, why, and what has to be done by whom.

use mcp_compat_model::Revision;
use mcp_compat_model::verdict::{Fault, Level, Outcome, Party, Rating};
use mcp_compat_scenario::scenario::{Means, SpecStance};

use crate::evidence::structured_on_wire;
use crate::facts::Facts;
use crate::fault::Blame;
use crate::signature::{decided_besides, difference, error, place};
use crate::weigh::{Matter, Weighed};
use mcp_compat_model::excerpt::{bounded, excerpt, quoted};

/// How long a reason may be. Everything in it that a peer chose is bounded already.
const LENGTH: usize = 900;

/// The reason of a cell that works or was skipped.
pub(crate) fn of_success(facts: &Facts<'_>, weighed: &Weighed<'_, '_>, vacuous: bool) -> String {
    let mut reason = match (&weighed.note, &weighed.matter) {
        (Some(note), _) => note.clone(),
        (None, Matter::Session(ending)) => ending.why.clone(),
        (None, Matter::Call(call)) => {
            let at = facts.revision().map_or_else(String::new, |revision| format!(" at {revision}"));
            let expected = match weighed.expected {
                Some(expected) if expected != weighed.outcome => format!(", better than the expected `{expected}`"),
                Some(_) | None => ", as expected".to_owned(),
            };
            format!("{} is `{}`{at}{expected}", quoted(&call.call.tool), weighed.outcome)
        }
        (None, Matter::List(_) | Matter::Evolve(_)) => weighed.outcome.meaning().to_owned(),
    };
    if vacuous && weighed.rating == Rating::Works {
        reason.push_str("; but the client also took a result that violates the schema, so it does not validate");
    }
    sentence(&reason)
}

/// The reason of a cell that does not work.
pub(crate) fn of_break(facts: &Facts<'_>, weighed: &Weighed<'_, '_>, blame: &Blame<'_>) -> String {
    sentence(&format!("{}{}", what(facts, weighed), why(facts, weighed, blame)))
}

fn sentence(text: &str) -> String {
    let text = bounded(text, LENGTH);
    if text.ends_with(['.', '…']) { text } else { format!("{text}.") }
}

/// What happened.
fn what(facts: &Facts<'_>, weighed: &Weighed<'_, '_>) -> String {
    let client = &facts.cell.client;
    if let Some(note) = &weighed.note {
        return note.clone();
    }
    let call = match &weighed.matter {
        Matter::Session(ending) => return of_session(facts, weighed.outcome, &ending.why),
        Matter::List(error) | Matter::Evolve(error) => {
            return format!(
                "{client} failed at {} with a {} error (\"{}\")",
                place(facts, weighed),
                error.layer,
                excerpt(&error.message)
            );
        }
        Matter::Call(call) => call,
    };
    let tool = quoted(&call.call.tool);
    let with = match error(facts, weighed) {
        Some(error) => format!(" with a {} error (\"{}\")", error.layer, excerpt(&error.message)),
        None => String::new(),
    };
    if let Some(besides) = decided_besides(facts, weighed) {
        return if besides.is_fed() {
            format!("{tool} {besides} ({client})")
        } else if weighed.outcome == Outcome::Masked {
            format!("the user of {client} was told the error of {tool} {besides}{with}")
        } else {
            format!("the user of {client} got {tool} {besides}")
        };
    }
    match weighed.outcome {
        Outcome::Rejected => match place(facts, weighed) {
            "tools/list" => format!("{client} refused tools/list{with}, so {tool} cannot be called"),
            _ => format!("{client} refused {tool}{with}"),
        },
        Outcome::Wrapped => format!("the user of {client} got the value of {tool} under one key of an object"),
        Outcome::Text => format!("the user of {client} got the value of {tool} only as text"),
        Outcome::Prose => format!("the user of {client} got only prose from {tool}"),
        Outcome::Altered => {
            let where_ = difference(weighed)
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
        | Outcome::Unsupported => format!("{tool} is `{}`", weighed.outcome),
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
fn why(facts: &Facts<'_>, weighed: &Weighed<'_, '_>, blame: &Blame<'_>) -> String {
    if let Some(found) = blame.finding {
        let verb = match found.rule.level {
            Level::Must => "must",
            Level::Should => "should",
            Level::May => "may",
        };
        let who = match (blame.fault, found.rule.party) {
            (Fault::Harness, party) => format!("our own mock {party}"),
            (_, Party::Spec) => "the specification".to_owned(),
            (_, party) => format!("the {party}"),
        };
        return format!(": {}; {who} {verb} {}", found.finding.detail, found.rule.remedy);
    }
    if let Some(parting) = blame.parting {
        return parting.remedy().to_owned();
    }
    match (blame.fault, &facts.scenario.spec) {
        (Fault::Spec, SpecStance::Silent { source }) => {
            format!("; the specification does not say what has to happen ({source})")
        }
        (Fault::Spec, SpecStance::Conflict { source }) => {
            format!("; the specification says two things about it ({source})")
        }
        (Fault::Spec, SpecStance::Clear) => "; no rule of the specification forbids it".to_owned(),
        (Fault::Client, _) => by_client(facts, weighed).to_owned(),
        (Fault::Server, _) => by_server(facts, weighed).to_owned(),
        (Fault::Both, _) => "; each of them could have prevented it".to_owned(),
        (Fault::Harness, _) => "; this is a fault of the harness or of an adapter, not of a peer".to_owned(),
    }
}

fn by_client(facts: &Facts<'_>, weighed: &Weighed<'_, '_>) -> &'static str {
    match (&weighed.matter, weighed.outcome) {
        (Matter::Call(_), Outcome::Altered | Outcome::Lost)
            if decided_besides(facts, weighed).is_some_and(|besides| besides.is_fed()) =>
        {
            "; the client must hand on a value so that it can be sent back as it came"
        }
        (Matter::Call(_), Outcome::Masked) if decided_besides(facts, weighed).is_some() => {
            "; it was on the wire, and the client must hand on all of an error"
        }
        (Matter::Call(call), Outcome::Altered) if structured_on_wire(facts, call) => {
            "; the right value was on the wire, and the client must hand it on as it came"
        }
        (Matter::Call(_), Outcome::Masked | Outcome::Swallowed) => {
            "; the error was on the wire, and the client must hand it on as one"
        }
        (_, Outcome::Hung) => {
            "; the server left nothing open, and the client must end the call with its answer or an error"
        }
        (_, Outcome::Crashed) => "; the client must live until it has answered",
        _ => "; the client's log may say why",
    }
}

fn by_server(facts: &Facts<'_>, weighed: &Weighed<'_, '_>) -> &'static str {
    let result = match &weighed.matter {
        Matter::Call(call) if matches!(call.call.means, Means::Value(_)) => facts.result_of_call(call),
        Matter::Call(_) | Matter::Session(_) | Matter::List(_) | Matter::Evolve(_) => None,
    };
    if decided_besides(facts, weighed).is_some() {
        return "; it was not on the wire, and the server must send what the tool returned";
    }
    match (&weighed.matter, weighed.outcome, result) {
        (_, _, Some(_)) if !facts.revision().is_some_and(Revision::has_structured_output) => {
            "; the server sent no text that holds the value, and this revision has nothing else to tell it by"
        }
        // It may leave out what it does not promise: nothing forbids it, and nobody else can mend it.
        (_, _, Some((_, result))) if result.get("structuredContent").is_none() => {
            "; the server left the structuredContent out, which this revision has, and only the server can send it"
        }
        (_, _, Some(_)) => "; the server sent another structuredContent than the tool returned, and must send that",
        (_, Outcome::Hung, _) => "; the request was left open, and the server must answer it",
        (Matter::Call(_), Outcome::Rejected, _) => {
            "; the server answered with an error, and must send what the tool returned"
        }
        (Matter::Call(_), Outcome::Masked | Outcome::Swallowed, _) => {
            "; the error was not on the wire as the tool returned it, and the server must send it so"
        }
        (_, Outcome::Crashed, _) => "; the server must live until its client ends the session",
        _ => "; the server's log may say why",
    }
}
