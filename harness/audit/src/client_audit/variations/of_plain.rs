//! Conclusions from what a client does with the plain server, and notes on what could not be played.

use mcp_compat_json::{Json, Number};
use mcp_compat_judge::rules::{self, Rule};
use mcp_compat_mocks::server::varied::Exchange;
use mcp_compat_model::Revision;
use mcp_compat_model::audit::Severity;
use mcp_compat_model::client_audit::{BrokenRule, Conclusion, Loss};
use mcp_compat_model::excerpt::{bounded, quoted};
use mcp_compat_model::verdict::Fault;
use mcp_compat_run::black_box::SUITE_TOOL;

use super::super::clause;
use super::HUNG;
use super::arguments::lacking;
use super::played::{LINE, Played};
use super::row::SPEC;
use super::words::ended_with;

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
        ended_with(plain)
    );
    Some(Conclusion {
        fault: Some(Fault::Client),
        lost: Some(Loss::Tools),
        source: Some(format!("{SPEC}basic/lifecycle#operation")),
        ..Conclusion::of_client(Severity::Error, what)
    })
}

/// The conclusion for a client that offers what is no revision, and asks for nothing after the answer with one that is.
pub(super) fn left_at_revision(plain: &Played) -> Option<Conclusion> {
    let last = plain.exchanges.iter().rfind(|it| it.method.is_some())?;
    let params = last.is_request("initialize").then(|| Json::parse(last.params.as_deref()?).ok()).flatten()?;
    let asked = params.get("protocolVersion").and_then(Json::as_str)?;
    // One that is newer than this program may exist.
    let is_date = asked.len() == 10 && asked.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if asked.parse::<Revision>().is_ok() || is_date || plain.has_hung() {
        return None;
    }
    let told = plain
        .errors_beside(None)
        .next()
        .map_or_else(String::new, |line| format!(" It wrote: {}.", clause(&bounded(line, LINE))));
    let what = format!(
        "The client asked for `{}`. The server answered with {}, a revision that it speaks, as the specification asks it to, and \
         the client asked for nothing more.{told} Lost with every server that does not know `{0}`: the session. To fix in the client: go on at \
         each revision that it speaks, and offer the newest of them.",
        clause(asked),
        Revision::NEWEST_LEGACY
    );
    Some(Conclusion {
        fault: Some(Fault::Client),
        lost: Some(Loss::Session),
        source: Some(format!("{SPEC}basic/lifecycle#version-negotiation")),
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
        lost: Some(Loss::Session),
        rule: rule.map(broken),
        ..Conclusion::of_client(Severity::Error, what)
    })
}

/// The conclusion for a client that gives two calls one id.
pub(super) fn one_id(plain: &Played) -> Option<Conclusion> {
    let calls = calls_of_last_session(&plain.exchanges)?;
    let second = calls.windows(2).find(|two| two[0].id == two[1].id)?[1];
    let (rule, id) = (rules::find("request-id-fresh")?, second.id.as_deref()?);
    let has_waited = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ["timed out", "timeout", "no response", "no answer"].iter().any(|words| line.contains(words))
    };
    let told = plain.errors_beside(None).find(has_waited).map_or_else(String::new, |line| {
        format!(" The server answered both calls, and the client wrote: {}.", clause(&bounded(line, LINE)))
    });
    let what = format!(
        "The client sent two calls with the id {id}.{told} An id is the only link between a call and its answer: of two open \
         calls with one id, one gets no answer or that of the other. Lost with every server: one of two calls that are open \
         at once. To fix in the client: {}.",
        rule.remedy
    );
    Some(Conclusion {
        fault: Some(Fault::Client),
        lost: Some(Loss::Call),
        rule: Some(broken(rule)),
        ..Conclusion::of_client(Severity::Error, what)
    })
}

/// The calls of the last session. `None` if another one may have been open at the same time: ids are of a session, and this
/// server gives sessions no id.
fn calls_of_last_session(exchanges: &[Exchange]) -> Option<Vec<&Exchange>> {
    let opened: Vec<usize> = (0..exchanges.len()).filter(|at| exchanges[*at].is_request("initialize")).collect();
    let has_call = |part: &[Exchange]| part.iter().any(|it| it.is_request("tools/call"));
    if opened.windows(2).any(|two| !has_call(&exchanges[two[0]..two[1]])) {
        return None;
    }
    let last = &exchanges[opened.last().copied().unwrap_or_default()..];
    Some(last.iter().filter(|it| it.is_request("tools/call")).collect())
}

/// The rule that a conclusion cites.
pub(super) fn broken(rule: &Rule) -> BrokenRule {
    BrokenRule { id: rule.id.to_owned(), level: rule.level.newest(), source: rule.source.to_owned() }
}

/// The note on a client with which no variation can be compared: it does not work with the plain server.
pub(super) fn unplayed(plain: &Played) -> Conclusion {
    let what = format!(
        "No variation of a plain server was played: that server speaks the revisions before 2026-07-28, and the client does not \
         work with it. It {}.",
        ended_with(plain)
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
        lost: Some(Loss::Call),
        source: Some(source),
        ..Conclusion::of_client(Severity::Warning, what)
    })
}

/// The conclusion for a client that calls the usual tool without the arguments that it requires: what its caller gave is lost on
/// the way. A tool of another name may be one that the client calls with arguments of its own.
pub(super) fn no_arguments(plain: &Played) -> Option<Conclusion> {
    let (_, names) = lacking(plain).find(|(tool, names)| tool == SUITE_TOOL && !names.is_empty())?;
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let what = format!(
        "The client calls `{SUITE_TOOL}` without {}, which its inputSchema requires. Servers that validate arguments refuse such \
         a call, and others compute with defaults. Lost with such servers: the call. To fix in the client: send the arguments \
         that its caller gave.",
        names.join(" and ")
    );
    Some(Conclusion {
        fault: Some(Fault::Client),
        lost: Some(Loss::Call),
        source: Some(format!("{SPEC}server/tools#calling-tools")),
        ..Conclusion::of_client(Severity::Warning, what)
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::played::tests::{exchange, listing, played};
    use super::*;

    #[rstest]
    #[case::headers("Content-Length: 161\r", "write each message as one line of JSON without a header")]
    #[case::several_lines("{", "write each message as one line, without line feeds")]
    #[case::a_mark("\u{feff}{}", "write UTF-8 without a byte order mark")]
    #[case::a_batch("[{}]", "send each message by itself")]
    #[case::anything_else("hello", "send only well-formed JSON-RPC 2.0 messages")]
    fn a_line_that_is_no_message_is_shown_with_the_remedy(#[case] line: &str, #[case] expected: &str) {
        let mut plain = played(&["initialize"], None, "");
        assert!(unread(&plain).is_none());
        plain.exchanges[0].unread = Some(line.to_owned());
        let what = unread(&plain).map(|found| found.what);
        assert!(what.as_deref().is_some_and(|what| what.contains(expected)), "{what:?}");
    }

    #[rstest]
    #[case::empty("{}", Some("without `a` and `b`, which"))]
    #[case::absent("null", Some("without `a` and `b`, which"))]
    #[case::in_part(r#"{"a":5}"#, Some("without `b`, which"))]
    #[case::whole(r#"{"a":5,"b":3}"#, None)]
    fn arguments_that_get_lost_are_told(#[case] arguments: &str, #[case] expected: Option<&str>) {
        let calling = |tool: &str| {
            let mut plain = listing(&[(tool, r#"{"type":"object","required":["a","b"]}"#)], &[tool], "The sum is 8.");
            plain.exchanges[2].params = Some(format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#));
            no_arguments(&plain).map(|found| found.what)
        };
        assert_eq!(calling("search"), None, "these may be its own");
        let told = calling(SUITE_TOOL);
        assert!(
            expected.map_or(told.is_none(), |words| told.as_deref().is_some_and(|told| told.contains(words))),
            "{told:?}"
        );
    }

    #[test]
    fn two_calls_with_one_id_are_told_with_what_the_client_wrote() {
        let calls = ["initialize", "tools/list", "tools/call", "tools/call"];
        let mut plain = played(&calls, Some(0), "The sum is 8.\nadd_numbers, call 1: no response, timed out");
        let second = Exchange { id: Some("2".to_owned()), ..exchange("tools/call") };
        let what = one_id(&plain).map(|found| found.what).unwrap_or_default();
        assert!(
            what.starts_with(
                "The client sent two calls with the id 1. The server answered both calls, and the client wrote: \
             add_numbers, call 1: no response, timed out. "
            ),
            "{what}"
        );
        plain.exchanges[3] = second;
        assert_eq!(one_id(&plain), None);
    }

    #[test]
    fn a_client_that_offers_what_is_no_revision_and_goes_no_further_is_told_so() {
        let offering = |revision: &str, methods: &[&str]| {
            let mut plain = played(methods, Some(1), "Error: unexpected version 2025-11-25");
            plain.exchanges[0].params = Some(format!(r#"{{"protocolVersion":"{revision}"}}"#));
            left_at_revision(&plain).map(|found| found.what)
        };
        let what = offering("DRAFT-2026-v1", &["initialize"]).unwrap_or_default();
        assert!(
            what.starts_with("The client asked for `DRAFT-2026-v1`. The server answered with 2025-11-25, "),
            "{what}"
        );
        assert_eq!(offering("2025-06-18", &["initialize"]), None, "another reason");
        assert_eq!(offering("2031-01-31", &["initialize"]), None, "a later one may exist");
        assert_eq!(offering("DRAFT-2026-v1", &["initialize", "tools/list"]), None, "it went on");
    }

    #[test]
    fn ids_are_of_a_session() {
        let session = ["initialize", "tools/list", "tools/call"];
        let in_turn = played(&[session, session].concat(), Some(0), "");
        assert_eq!(one_id(&in_turn), None);
        let at_once = ["initialize", "initialize", "tools/list", "tools/list", "tools/call", "tools/call"];
        assert_eq!(one_id(&played(&at_once, Some(0), "")), None);
    }
}
