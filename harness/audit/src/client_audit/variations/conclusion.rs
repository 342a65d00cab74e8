//! Conclusions from the variations that a client does not bear.

use mcp_compat_json::{Json, Number};
use mcp_compat_judge::rules;
use mcp_compat_model::audit::Severity;
use mcp_compat_model::client_audit::{BrokenRule, Conclusion};
use mcp_compat_model::verdict::Fault;
use mcp_compat_run::black_box::error_excerpt;

use super::super::clause;
use super::Failed;
use super::row::{Basis, SPEC};
use super::verdict::{Failure, Played};

/// The conclusions, equal ones of a group together.
pub(super) fn conclusions(failed: &[Failed]) -> Vec<Conclusion> {
    let mut together: Vec<Vec<&Failed>> = Vec::new();
    for one in failed {
        let is_alike = |known: &&mut Vec<&Failed>| is_alike(known[0], one);
        match together.iter_mut().find(is_alike) {
            Some(known) => known.push(one),
            None => together.push(vec![one]),
        }
    }
    together.iter().map(|alike| of(alike)).collect()
}

/// Returns true if two variations of a group have one cause: the same thing is to be done, or the client ended with the same
/// words.
fn is_alike(one: &Failed, other: &Failed) -> bool {
    let words = |it: &Failed| error_excerpt(&it.seen.end.words);
    let has_rule = |it: &Failed| matches!(it.row.basis, Basis::Rule(_));
    let is_same_end = one.failure == other.failure
        && severity(one) == severity(other)
        && !words(one).is_empty()
        && words(one) == words(other)
        && !has_rule(one)
        && !has_rule(other);
    one.group == other.group && (one.row.remedy == other.row.remedy || is_same_end)
}

fn severity(failed: &Failed) -> Severity {
    // A program that ends has no other request to send in a new session.
    let is_mild = matches!(failed.failure, Failure::NotReopened { later: 0 } | Failure::NoPong);
    if is_mild { Severity::Warning } else { failed.row.severity }
}

fn of(alike: &[&Failed]) -> Conclusion {
    let Some(worst) = alike.iter().rev().max_by_key(|it| severity(it)) else { unreachable!("a cause has a variation") };
    let (Failed { row, failure, seen, .. }, severity) = (worst, severity(worst));
    let mut does: Vec<&str> = alike.iter().map(|it| it.row.does).collect();
    does.dedup();
    let mut remedies: Vec<&str> = alike.iter().map(|it| it.row.remedy).collect();
    remedies.dedup();
    let lost = lost(failure).map_or_else(String::new, |lost| format!(" Lost with such servers: {lost}."));
    let what = format!(
        "The server {}. {} legal. The client {}.{lost} To fix in the client: {}.",
        does.join(", or it "),
        if does.len() == 1 { "That is" } else { "Each is" },
        did(failure, seen),
        remedies.join("; ")
    );
    let rule = match row.basis {
        Basis::Rule(id) => rules::find(id),
        Basis::Section(_) | Basis::Address(_) => None,
    };
    Conclusion {
        is_the_clients: severity > Severity::Note,
        fault: (severity > Severity::Note).then_some(Fault::Client),
        silent: matches!(failure, Failure::NotShown(_)),
        rule: rule.map(|rule| BrokenRule { id: rule.id.to_owned(), level: rule.level, source: rule.source.to_owned() }),
        source: match row.basis {
            Basis::Rule(_) => None,
            Basis::Section(section) => Some(format!("{SPEC}{section}")),
            Basis::Address(address) => Some(address.to_owned()),
        },
        variations: alike.iter().map(|it| it.id()).collect(),
        ..Conclusion::of_client(severity, what)
    }
}

/// Action of the client, after the words "the client".
fn did(failure: &Failure, seen: &Played) -> String {
    let ended = || ended(seen);
    match failure {
        Failure::Hung => "did not end and was stopped".to_owned(),
        Failure::NoList => format!("got no list of tools, and {}", ended()),
        Failure::NoCall => format!("called nothing after the list, and {}", ended()),
        Failure::NoAnswer => format!("got no answer to its call, and {}", ended()),
        Failure::Ended => format!("got the answer to its call, and {}", ended()),
        Failure::NotShown(text) if seen.ended_well() => format!("showed nothing of it (`{text}`)"),
        Failure::NotShown(text) => format!("showed nothing of it (`{text}`), and {}", ended()),
        Failure::NotTold => format!("did not show the message of the error, and {}", ended()),
        Failure::NotReopened { later: 0 } => format!("opened no new session, and {}", ended()),
        Failure::NotReopened { later } => {
            let requests = mcp_compat_model::count::counted(*later, "more request");
            format!("opened no new session, and sent {requests} with the id of the old one")
        }
        Failure::Stayed => "went on at this revision".to_owned(),
        Failure::OtherRevision(version) => format!("went on with MCP-Protocol-Version: {version}"),
        Failure::NotResumed if seen.ended_well() => "did not resume the stream".to_owned(),
        Failure::NotResumed => format!("did not resume the stream, and {}", ended()),
        Failure::PagesMissed if seen.ended_well() => "did not ask for every page".to_owned(),
        Failure::PagesMissed => format!("did not ask for every page, and {}", ended()),
        Failure::NoPong => "sent no answer to the ping".to_owned(),
    }
}

/// End of the client, after the words "the client", with its error.
fn ended(seen: &Played) -> String {
    let words = clause(&error_excerpt(&seen.end.words));
    let how = seen.end.exit.map_or_else(|| "did not end".to_owned(), |exit| format!("ended with {exit}"));
    if words.is_empty() || seen.ended_well() { how } else { format!("{how}: {words}") }
}

/// Loss with such servers.
fn lost(failure: &Failure) -> Option<&'static str> {
    match failure {
        Failure::Hung | Failure::NoList => Some("the session"),
        Failure::NoCall => Some("all tools"),
        Failure::NoAnswer | Failure::Ended | Failure::NotResumed => Some("the call"),
        Failure::NotShown(_) => Some("this part of the result, without an error"),
        Failure::NotTold => Some("the reason of the error"),
        Failure::NotReopened { .. } => {
            Some("every call after a restart or an expiry, until the client is started again")
        }
        Failure::NoPong => Some("the session, if the server ends those that do not answer"),
        Failure::PagesMissed => Some("the tools of the other pages"),
        Failure::OtherRevision(_) => Some("the session, with servers that check the header"),
        Failure::Stayed => None,
    }
}

/// The conclusion for a client that asks for what was not declared, and gives up when that is refused.
pub(super) fn undeclared(plain: &Played) -> Option<Conclusion> {
    let refused = plain.gave_up_at()?;
    let method = refused.method.as_deref()?;
    let capability = match method.split('/').next()? {
        "resources" => "resources",
        "prompts" => "prompts",
        "logging" => "logging",
        "completion" => "completions",
        "tasks" => "tasks",
        _ => return None,
    };
    let told = refused
        .told
        .as_deref()
        .map_or_else(String::new, |told| format!(" ({}: {})", refused.code.unwrap_or_default(), clause(told)));
    let what = format!(
        "The server declares tools alone, and answers {method} with an error{told}. The client asked for {method} all the \
         same, took the error for the end of the session, and {}. With a server that answers with an empty list, it goes on. \
         Lost with such servers: all tools. To fix in the client: ask only for capabilities that the server declared \
         (`{capability}` was not), and go on after -32601.",
        ended(plain)
    );
    Some(Conclusion {
        fault: Some(Fault::Client),
        source: Some(format!("{SPEC}basic/lifecycle#operation")),
        ..Conclusion::of_client(Severity::Error, what)
    })
}

/// The conclusion from the arguments of the call to the plain server, whose tool takes the integer `a` and the number `b`.
pub(super) fn arguments(plain: &Played) -> Option<Conclusion> {
    let call = plain.exchanges.iter().find(|it| it.is_request("tools/call"))?;
    let params = Json::parse(call.params.as_deref()?).ok()?;
    let arguments = params.get("arguments")?;
    let is_number = |text: &&str| text.parse::<f64>().is_ok();
    let as_text = ["a", "b"].iter().find_map(|name| Some((name, arguments.get(name)?.as_str().filter(is_number)?)));
    let is_pointed = |number: &&Number| number.is_integer() && number.lexeme().contains(['.', 'e', 'E']);
    let pointed = arguments.get("a").and_then(Json::as_number).filter(is_pointed);
    let (what, source) = match (as_text, pointed) {
        (Some((name, text)), _) => (
            format!(
                "The client sends `{name}` as the text \"{text}\", though the inputSchema of the tool asks for a number. Servers \
                 that validate arguments refuse it. Lost with such servers: the call. To fix in the client: send the types \
                 that the inputSchema declares."
            ),
            format!("{SPEC}server/tools#calling-tools"),
        ),
        (None, Some(number)) => (
            format!(
                "The client sends the integer `a` as {}. JSON Schema takes it for an integer, but some servers read integers \
                 by their spelling and refuse it with -32602 (those in Rust with serde: `invalid type: floating point, \
                 expected usize`). Lost with such servers: the call. To change in the client: write integers without a point \
                 or an exponent.",
                number.lexeme()
            ),
            "https://json-schema.org/draft/2020-12/json-schema-validation#section-6.1.1".to_owned(),
        ),
        (None, None) => return None,
    };
    Some(Conclusion {
        fault: as_text.map(|_| Fault::Client),
        source: Some(source),
        ..Conclusion::of_client(Severity::Warning, what)
    })
}
