//! Conclusions from the variations that a client does not bear.

use std::cmp::Reverse;

use mcp_compat_json::{Json, Number};
use mcp_compat_judge::rules;
use mcp_compat_model::audit::Severity;
use mcp_compat_model::client_audit::{BrokenRule, Conclusion};
use mcp_compat_model::verdict::Fault;
use mcp_compat_run::black_box::error_excerpt;

use super::super::clause;
use super::row::{Basis, Kind, Lack, Row, SPEC};
use super::verdict::{Failure, Played};
use super::{Failed, HUNG};

/// The conclusions, those of one cause together.
pub(super) fn conclusions(failed: &[Failed]) -> Vec<Conclusion> {
    let mut together: Vec<Vec<&Failed>> = Vec::new();
    for one in failed.iter().filter(|it| !is_explained(it, failed)) {
        let is_alike = |known: &&mut Vec<&Failed>| is_alike(known[0], one);
        match together.iter_mut().find(is_alike) {
            Some(known) => known.push(one),
            None => together.push(vec![one]),
        }
    }
    together.iter().map(|alike| of(alike)).collect()
}

/// Returns true if another variation shows why. A client that reads no event stream gets nothing of a server that sends one,
/// whatever is in it. One that answers no `ping` leaves a request of a method that it does not know unanswered too.
fn is_explained(one: &Failed, failed: &[Failed]) -> bool {
    let reads_no_events = failed.iter().any(|it| it.row.lacks == Some(Lack::Events));
    if reads_no_events && one.row.lacks.is_none() && one.seen.is_in_events {
        return true;
    }
    let is_silent = |it: &Failed| it.failure == Failure::NoReply && it.row.declared.is_none();
    is_silent(one) && one.row.is_practice && failed.iter().any(|it| is_silent(it) && !it.row.is_practice)
}

/// Returns true if two variations have one cause: the same thing is to be done, or the client ended with the same words in
/// both of a group.
fn is_alike(one: &Failed, other: &Failed) -> bool {
    let words = |it: &Failed| error_excerpt(&it.seen.end.words);
    let has_rule = |it: &Failed| matches!(it.row.basis, Basis::Rule(_));
    let is_same_end = one.group == other.group
        && one.failure == other.failure
        && severity(one) == severity(other)
        && !words(one).is_empty()
        && words(one) == words(other)
        && !has_rule(one)
        && !has_rule(other);
    one.row.remedy == other.row.remedy || is_same_end
}

fn severity(failed: &Failed) -> Severity {
    // A program that ends has no other request to send in a new session.
    let is_of_program = matches!(failed.failure, Failure::NotReopened { later: 0 } | Failure::NotRelisted);
    let is_undeclared = failed.failure == Failure::NoReply && failed.row.declared.is_none();
    // The server broke a rule, and the user is told.
    if failed.row.is_practice && failed.failure == Failure::Ended {
        return Severity::Note;
    }
    // No rule of MCP forbids to send more than the schema has.
    let is_mild = is_of_program || is_undeclared || matches!(failed.failure, Failure::Undeclared(_));
    if is_mild { failed.row.severity.min(Severity::Warning) } else { failed.row.severity }
}

fn of(alike: &[&Failed]) -> Conclusion {
    let badness = |it: &Failed| (severity(it), Reverse(it.failure.stage()));
    let Some(worst) = alike.iter().rev().max_by_key(|it| badness(it)) else { unreachable!("a cause has a variation") };
    let (Failed { row, failure, seen, .. }, severity) = (worst, severity(worst));
    let mut does: Vec<&str> = alike.iter().map(|it| it.row.does).collect();
    does.dedup();
    let mut remedies: Vec<&str> = alike.iter().map(|it| it.row.remedy).collect();
    remedies.dedup();
    if *failure == Failure::NotGivenUp {
        return given_up(worst);
    }
    let lost = lost(failure, row).map_or_else(String::new, |lost| format!(" Lost with such servers: {lost}."));
    let what = format!(
        "The server {}. {} The client {}.{lost} To fix in the client: {}.",
        does.join(", or it "),
        match (row.is_practice, does.len()) {
            (true, _) => "No rule allows that, but servers do it.",
            (false, 1) => "That is legal.",
            (false, _) => "Each is legal.",
        },
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
        silent: matches!(failure, Failure::NotShown(_) | Failure::NotRelisted),
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

/// The note on a fault of servers, for clients that wait on.
fn given_up(failed: &Failed) -> Conclusion {
    let what = format!(
        "The server {}. That is a fault of the server: it may cancel only requests of its own, and owes the client an error as \
         the answer. The client breaks no rule: it waited on, and {}. Lost with such servers: the call, until the client's own \
         time limit. A client may fail such a call at once.",
        failed.row.does,
        if failed.seen.has_hung() { "was stopped".to_owned() } else { ended(&failed.seen) }
    );
    Conclusion {
        is_the_clients: false,
        source: match failed.row.basis {
            Basis::Section(section) => Some(format!("{SPEC}{section}")),
            Basis::Rule(_) | Basis::Address(_) => None,
        },
        variations: vec![failed.id()],
        ..Conclusion::of_client(Severity::Note, what)
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
        Failure::Ended => format!("was sent the answer to its call, and {}", ended()),
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
        Failure::ToolsMissed { called, listed } => format!("called {called} of the {listed} tools"),
        Failure::PagesMissed if seen.ended_well() => "did not ask for every page".to_owned(),
        Failure::PagesMissed => format!("did not ask for every page, and {}", ended()),
        Failure::NoReply => "sent no answer to it".to_owned(),
        Failure::Waited => "ended only after the stream had ended".to_owned(),
        Failure::NotRelisted => "called a tool again later, and asked for no new list".to_owned(),
        Failure::Undeclared(name) => format!("sent the argument `{name}`, which the inputSchema does not declare"),
        Failure::NotGivenUp => "waited on for the answer".to_owned(),
        Failure::WrongType { name, due: Kind::Object(member), sent } => {
            format!("sent `{name}` as {sent}, and its schema requires an object with `{member}`")
        }
        Failure::WrongType { name, due, sent } => {
            format!("sent `{name}` as {sent}, and its schema has the type {}", due.name())
        }
    }
}

/// End of the client, after the words "the client", with its error.
fn ended(seen: &Played) -> String {
    let words = clause(&error_excerpt(&seen.end.words));
    let how = seen.end.exit.map_or_else(|| "did not end".to_owned(), |exit| format!("ended with {exit}"));
    if words.is_empty() || seen.ended_well() { how } else { format!("{how}: {words}") }
}

/// Loss with such servers.
fn lost(failure: &Failure, row: &Row) -> Option<&'static str> {
    match failure {
        Failure::Hung | Failure::NoList => Some("the session"),
        Failure::NoCall => Some("all tools"),
        Failure::NoAnswer | Failure::Ended | Failure::NotResumed => Some("the call"),
        Failure::NotShown(_) if row.lacks == Some(Lack::Events) => Some("every answer, without an error"),
        Failure::NotShown(_) => Some("this part of the result, without an error"),
        Failure::NotTold => Some("the reason of the error"),
        Failure::NotReopened { .. } => {
            Some("every call after a restart or an expiry, until the client is started again")
        }
        Failure::NoReply if row.declared.is_some() || row.is_practice => {
            Some("the call: the server waits for the answer")
        }
        Failure::NoReply => Some("the session, if the server ends those that do not answer"),
        Failure::Waited => Some("the call, until the stream ends"),
        Failure::NotRelisted => Some("the new tools, and calls of removed ones, without an error"),
        Failure::WrongType { .. } => Some("the call, if they validate arguments"),
        Failure::Undeclared(_) => Some("the call, if they refuse unknown arguments, as FastMCP does"),
        Failure::NotGivenUp => Some("the call, until the client's own time limit"),
        Failure::PagesMissed => Some("the tools of the other pages"),
        Failure::ToolsMissed { .. } => Some("the other tools, if it did not choose these, without an error"),
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

/// The conclusion for a client that sent the plain server what is no message.
pub(super) fn unread(plain: &Played) -> Option<Conclusion> {
    let unread = plain.exchanges.iter().find_map(|it| it.unread.as_deref())?;
    let shown = clause(unread.lines().next().unwrap_or_default());
    let (why, remedy) = if unread.to_ascii_lowercase().starts_with("content-length:") {
        (
            "It frames messages with headers, as the Language Server Protocol does. MCP has no headers over stdio",
            "write each message as one line of JSON without a header, and read one message a line",
        )
    } else if unread.starts_with('\u{feff}') {
        ("A byte order mark is no JSON", "write UTF-8 without a byte order mark")
    } else if unread.starts_with('[') {
        ("An array of messages (a batch) is no message since 2025-06-18", "send each message by itself")
    } else if ["{", "}"].contains(&unread.trim()) {
        ("It writes a message in several lines", "write each message as one line, without line feeds inside it")
    } else {
        ("That is no JSON-RPC message", "send only well-formed JSON-RPC 2.0 messages")
    };
    let servers = if plain.works() { "servers that end at such a line" } else { "every server" };
    let what =
        format!("The client sent `{shown}`. {why}. Lost with {servers}: the session. To fix in the client: {remedy}.");
    let rule = rules::find("client-speaks-json-rpc");
    Some(Conclusion {
        fault: Some(Fault::Client),
        rule: rule.map(|rule| BrokenRule { id: rule.id.to_owned(), level: rule.level, source: rule.source.to_owned() }),
        ..Conclusion::of_client(Severity::Error, what)
    })
}

/// The note on a client with which no variation can be compared: it does not work with the plain server.
pub(super) fn unplayed(plain: &Played) -> Conclusion {
    let what = format!(
        "No variation of a plain server was played: that server speaks the revisions before 2026-07-28, and the client does not \
         work with it. It {}.",
        ended(plain)
    );
    Conclusion { is_the_clients: false, ..Conclusion::of_client(Severity::Note, what) }
}

/// The note on variations that were not played.
pub(super) fn skipped(number: usize) -> Option<Conclusion> {
    let others = mcp_compat_model::count::counted(number, "variation");
    let what = format!(
        "The client had to be stopped in {HUNG} variations in a row, so {others} more of a plain server could not be played. \
         Fix the findings about it and audit the client again."
    );
    (number > 0).then(|| Conclusion { is_the_clients: false, ..Conclusion::of_client(Severity::Note, what) })
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

#[cfg(test)]
mod tests {
    use mcp_compat_drive::CommandEnd;
    use mcp_compat_mocks::server::varied::{Exchange, Verb};
    use rstest::rstest;

    use super::super::row::row;
    use super::*;

    #[rstest]
    #[case::headers("Content-Length: 161\r", "write each message as one line of JSON without a header")]
    #[case::several_lines("{", "write each message as one line, without line feeds")]
    #[case::a_mark("\u{feff}{}", "write UTF-8 without a byte order mark")]
    #[case::a_batch("[{}]", "send each message by itself")]
    #[case::anything_else("hello", "send only well-formed JSON-RPC 2.0 messages")]
    fn a_line_that_is_no_message_is_shown_with_the_remedy(#[case] line: &str, #[case] expected: &str) {
        let exchange = Exchange { unread: Some(line.to_owned()), ..Exchange::new(Verb::Post) };
        let end = CommandEnd { exit: None, words: String::new(), output: String::new() };
        let took = std::time::Duration::ZERO;
        let plain = Played { exchanges: vec![exchange], end, is_in_events: false, has_text: true, took };
        let what = unread(&plain).map(|found| found.what);
        assert!(what.as_deref().is_some_and(|what| what.contains(expected)), "{what:?}");
        let silent = Played { exchanges: Vec::new(), ..plain };
        assert!(unread(&silent).is_none());
    }

    #[test]
    fn a_client_that_reads_no_event_stream_is_not_blamed_for_what_is_in_one() {
        const PLAIN: Row = row("plain", "answers with event streams", |_| {}).lacks(Lack::Events);
        const LOG: Row = row("log", "sends a log", |_| {});
        let end = CommandEnd { exit: None, words: String::new(), output: String::new() };
        let failed = |row: &'static Row, is_in_events| {
            let took = std::time::Duration::ZERO;
            let seen = Played { exchanges: Vec::new(), end: end.clone(), is_in_events, has_text: true, took };
            Failed { group: "g", row, failure: Failure::NoAnswer, seen }
        };
        let all = [failed(&PLAIN, true), failed(&LOG, true), failed(&LOG, false)];
        let explained: Vec<bool> = all.iter().map(|one| is_explained(one, &all)).collect();
        assert_eq!(explained, [false, true, false]);
        assert!(!is_explained(&all[1], &all[1..]), "it reads event streams");
    }
}
