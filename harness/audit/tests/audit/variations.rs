//! Servers that do not bear what released clients send.

use std::sync::Arc;

use mcp_compat_audit::probe::Target;
use mcp_compat_audit::server::{AuditOptions, audit};
use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::audit::{Audit, AuditFinding, CallState, Severity};
use mcp_compat_run::in_process::Streams;
use rstest::rstest;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex};

use crate::server_audit::timeouts;

/// What a server does with a message in place of the usual.
enum Odd {
    Says(String),
    Nothing,
    Ends,
}

const TOOLS: &str = r#"[{"name":"say","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"text":{"type":"string","default":"a"},"times":{"type":"integer","minimum":1},"scale":{"type":"number"}}}}]"#;

fn method(message: &Json) -> Option<&str> {
    message.get("method").and_then(Json::as_str)
}

/// The answer of a server that bears everything.
fn usual(message: &Json) -> Option<String> {
    let id = message.get("id")?.to_compact();
    let argument = message.pointer("/params/arguments/text").and_then(Json::as_str).unwrap_or_default();
    let body = match method(message)? {
        "initialize" => {
            r#""result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"own","version":"1"}}"#
                .to_owned()
        }
        "ping" => r#""result":{}"#.to_owned(),
        "tools/list" => format!(r#""result":{{"tools":{TOOLS}}}"#),
        "tools/call" if message.pointer("/params/name").and_then(Json::as_str) == Some("say") => {
            let text = Json::from(argument).to_compact();
            format!(r#""result":{{"content":[{{"type":"text","text":{text}}}]}}"#)
        }
        "tools/call" => r#""error":{"code":-32602,"message":"Unknown tool"}"#.to_owned(),
        _ => r#""error":{"code":-32601,"message":"Method not found"}"#.to_owned(),
    };
    Some(format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#))
}

fn server(odd: impl Fn(&str, &Json) -> Option<Odd> + Send + Sync + 'static) -> Target {
    let odd = Arc::new(odd);
    Target::Connect(Arc::new(move || {
        let odd = Arc::clone(&odd);
        let (client, own) = duplex(1 << 16);
        tokio::spawn(async move {
            let (reader, mut writer) = tokio::io::split(own);
            let mut lines = BufReader::new(reader).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let message = Json::parse(&line).unwrap();
                let answer = match odd(&line, &message) {
                    Some(Odd::Ends) => return,
                    Some(Odd::Nothing) => None,
                    Some(Odd::Says(text)) => Some(text),
                    None => usual(&message),
                };
                if let Some(answer) = answer
                    && writer.write_all(format!("{answer}\n").as_bytes()).await.is_err()
                {
                    return;
                }
            }
        });
        let (reader, writer) = tokio::io::split(client);
        Streams { reader: Box::new(reader), writer: Box::new(writer) }
    }))
}

/// The errors and warnings of an audit, with the clients that lose something elsewhere.
async fn told(odd: fn(&str, &Json) -> Option<Odd>) -> Vec<(Severity, String, String, Option<String>)> {
    let audited = audit(server(odd), &AuditOptions::default(), timeouts(), |_| {}, &mut |_, _, _| {}).await.unwrap();
    let Audit { findings, tools, .. } = audited.audit;
    let all = findings.into_iter().chain(tools.into_iter().flat_map(|tool| tool.findings));
    let counted = all.filter(|finding| finding.severity > Severity::Note);
    counted
        .map(|AuditFinding { severity, rule, detail, lost_elsewhere, .. }| (severity, rule, detail, lost_elsewhere))
        .collect()
}

fn says(message: &Json, body: &str) -> Option<Odd> {
    Some(Odd::Says(format!(r#"{{"jsonrpc":"2.0","id":{},{body}}}"#, message.get("id")?.to_compact())))
}

fn is(message: &Json, wanted: &str) -> bool {
    method(message) == Some(wanted)
}

#[tokio::test]
async fn a_server_that_bears_everything_has_no_finding() {
    assert_eq!(told(|_, _| None).await, []);
    // It quotes the name of the tool, or a part of it.
    let quotes: fn(&str, &Json) -> Option<Odd> = |_, message| {
        let name = message.pointer("/params/name").and_then(Json::as_str).filter(|name| *name != "say")?;
        says(message, &format!(r#""error":{{"code":-32602,"message":"Unknown tool: {name}"}}"#))
    };
    let cuts: fn(&str, &Json) -> Option<Odd> = |_, message| {
        let name = message.pointer("/params/name").and_then(Json::as_str).filter(|name| *name != "say")?;
        says(
            message,
            &format!(
                r#""error":{{"code":-32602,"message":"Unknown tool: {}"}}"#,
                name.replace(|c: char| !c.is_ascii(), "?")
            ),
        )
    };
    for odd in [quotes, cuts] {
        assert_eq!(told(odd).await, []);
    }
}

#[rstest]
#[case::digits(
    |_: &str, message: &Json| {
        let id = message.get("id")?.as_str()?.parse::<u32>().ok()?;
        Some(Odd::Says(usual(message)?.replacen(&format!("\"{id}\""), &id.to_string(), 1)))
    },
    "request-ids-are-returned",
    "a request with the id \"1\", a string of digits, is answered with the id 1 in place of \"1\""
)]
#[case::zero(
    |_: &str, message: &Json| (message.get("id")?.to_compact() == "0").then_some(Odd::Ends),
    "request-ids-are-returned",
    "`initialize` with the id 0 ends the server"
)]
#[case::initialized(
    |_: &str, message: &Json| is(message, "notifications/initialized")
        .then(|| Odd::Says(r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}}"#.to_owned())),
    "notifications-are-not-answered",
    "`notifications/initialized` is answered, though it is a notification: \
     {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"no\"}}"
)]
#[case::cancelled(
    |_: &str, message: &Json| is(message, "notifications/cancelled").then_some(Odd::Ends),
    "notifications-are-not-answered",
    "`notifications/cancelled` stops the server"
)]
#[case::ping(
    |_: &str, message: &Json| if is(message, "ping") { says(message, r#""error":{"code":-32601,"message":"no"}"#) } else { None },
    "ping-is-answered",
    "`ping` is answered with error -32601 (no)"
)]
#[case::params_of_ping(
    |_: &str, message: &Json| {
        let is_it = is(message, "ping") && message.get("params").is_some();
        if is_it { says(message, r#""error":{"code":-32000,"message":"no"}"#) } else { None }
    },
    "optional-params-are-optional",
    "`ping` with empty `params` is answered with error -32000 (no); `ping` with a progress token in `_meta` is answered with \
     error -32000 (no)"
)]
#[case::array_for_an_object(
    |_: &str, message: &Json| if is(message, "ping") { says(message, r#""result":[]"#) } else { None },
    "ping-is-answered",
    "`ping` is answered with [], where a result is an object"
)]
#[case::early(
    |_: &str, message: &Json| (message.get("id")?.to_compact() == "900").then_some(Odd::Ends),
    "early-requests-are-survived",
    "a request between the answer to `initialize` and `notifications/initialized` (`tools/list`) ends the session: no later \
     request is served"
)]
#[case::large(
    |line: &str, _: &Json| (line.len() > 100_000).then_some(Odd::Ends),
    "large-requests-are-answered",
    "a request of 200 kB ends the server"
)]
#[case::declared(
    |_: &str, message: &Json| {
        let is_it = is(message, "initialize");
        let info = r#""serverInfo":{"name":"own","version":"1"}"#;
        let result = format!(r#""result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}},"logging":{{}}}},{info}}}"#);
        if is_it { says(message, &result) } else { None }
    },
    "declared-requests-are-served",
    "`logging/setLevel`, which the server declares by `logging`, is answered with error -32601 (Method not found)"
)]
#[case::undeclared(
    |_: &str, message: &Json| is(message, "prompts/list").then_some(Odd::Nothing),
    "unknown-method-is-refused",
    "`prompts/list`, which the server does not declare, is not answered"
)]
#[case::params(
    |_: &str, message: &Json| (is(message, "tools/list") && message.get("params").is_none()).then_some(Odd::Ends),
    "optional-params-are-optional",
    "`tools/list` without `params` ends the server"
)]
#[case::unlisted(
    |_: &str, message: &Json| {
        let is_it = is(message, "tools/call") && message.pointer("/params/name").and_then(Json::as_str) != Some("say");
        if is_it { says(message, r#""result":{"content":[{"type":"text","text":"Unknown tool"}]}"#) } else { None }
    },
    "unlisted-tool-is-refused",
    "a call of a tool that the server does not list is answered with a result that is not marked as an error"
)]
#[case::meta(
    |line: &str, message: &Json| {
        let is_it = is(message, "tools/call") && line.contains("progressToken");
        if is_it { says(message, r#""error":{"code":-32602,"message":"Unknown tool"}"#) } else { None }
    },
    "optional-params-are-optional",
    "a call with a progress token and other members in `_meta` failed with error -32602 (Unknown tool)"
)]
#[case::at_once(
    |_: &str, message: &Json| (message.get("id")?.to_compact() == "3002").then_some(Odd::Ends),
    "requests-at-once-are-answered",
    "of two requests that are sent at once, the server does not answer both"
)]
#[case::integers(
    |line: &str, message: &Json| {
        if line.contains(".0}") { says(message, r#""error":{"code":-32602,"message":"invalid type"}"#) } else { None }
    },
    "accepts-its-own-arguments",
    "a call with {\"times\":1.0}, which the inputSchema allows (1.0 is an integer by JSON Schema), failed with error -32602 \
     (invalid type); 1 is accepted"
)]
#[case::whole_numbers(
    |line: &str, message: &Json| {
        if line.contains("\"scale\":1}") { says(message, r#""error":{"code":-32602,"message":"no number"}"#) } else { None }
    },
    "accepts-its-own-arguments",
    "a call with {\"scale\":1}, which the inputSchema allows (`scale` is a number), failed with error -32602 (no number); with \
     {\"scale\":1.5} it succeeds"
)]
#[case::surplus(
    |line: &str, message: &Json| {
        if line.contains("task_progress") { says(message, r#""error":{"code":-32602,"message":"unexpected"}"#) } else { None }
    },
    "accepts-its-own-arguments",
    "a call with `task_progress`, an argument that the inputSchema does not know and does not forbid, failed with error -32602 \
     (unexpected); without it, it succeeds"
)]
#[case::utf_8(
    |line: &str, message: &Json| {
        let is_it = is(message, "tools/call") && line.contains("Größe");
        if is_it { says(message, r#""result":{"content":[{"type":"text","text":"GrÃ¶ÃŸe"}]}"#) } else { None }
    },
    "arguments-are-utf-8",
    "a call with text beyond ASCII in `text` returns it garbled where it is sent as UTF-8, and right where it is \
     escaped"
)]
#[case::a_name(
    |line: &str, message: &Json| {
        let words = if line.contains("_größe") { "mcp_compat_unlisted_grÃ¶ÃŸe" } else { "mcp_compat_unlisted_größe" };
        let is_it = is(message, "tools/call") && message.pointer("/params/name").and_then(Json::as_str) == Some("mcp_compat_unlisted_größe");
        if is_it { says(message, &format!(r#""error":{{"code":-32602,"message":"Unknown tool: {words}"}}"#)) } else { None }
    },
    "arguments-are-utf-8",
    "a call of the unknown tool \"mcp_compat_unlisted_größe\" is answered with Unknown tool: mcp_compat_unlisted_grÃ¶ÃŸe where the name is sent as \
     UTF-8, and with the right name where it is escaped"
)]
#[case::escapes(
    |line: &str, message: &Json| {
        let is_it = is(message, "tools/call") && line.contains("\\ud83d");
        if is_it { says(message, r#""error":{"code":-32603,"message":"lone surrogate"}"#) } else { None }
    },
    "arguments-are-utf-8",
    "a call with text beyond ASCII in `text` failed with error -32603 (lone surrogate) where it is escaped, and \
     succeeds where it is sent as UTF-8"
)]
#[tokio::test]
async fn what_a_server_does_not_bear_is_told_alone(
    #[case] odd: fn(&str, &Json) -> Option<Odd>,
    #[case] rule: &str,
    #[case] detail: &str,
) {
    let told = told(odd).await;
    let [(severity, found, sentence, lost)] = &told[..] else { panic!("{told:?}") };
    assert_eq!((found.as_str(), sentence.as_str()), (rule, detail));
    let is_warning = rule == "accepts-its-own-arguments" && !detail.contains("is a number");
    assert_eq!(*severity, if is_warning { Severity::Warning } else { Severity::Error });
    assert!(lost.as_ref().is_some_and(|words| words.contains(": ")), "{lost:?}");
}

#[tokio::test]
async fn a_call_without_arguments_that_is_refused_is_a_warning() {
    let told = told(|_: &str, message: &Json| {
        let is_it = is(message, "tools/call") && message.pointer("/params/arguments").is_none();
        if is_it { says(message, r#""error":{"code":-32602,"message":"expected object"}"#) } else { None }
    })
    .await;
    let detail = "a call without `arguments` failed with error -32602 (expected object)";
    assert_eq!(
        told.iter().map(|(severity, _, sentence, _)| (*severity, sentence.as_str())).collect::<Vec<_>>(),
        [(Severity::Warning, detail)]
    );
}

/// The finding about a tool `say` with these parameters, whose calls fail where `fails` says so.
async fn told_of_failing(tools: &'static str, fails: fn(&str) -> bool) -> Vec<(Severity, String, String)> {
    let serve = move |line: &str, message: &Json| {
        if is(message, "tools/list") {
            return says(message, &format!(r#""result":{{"tools":[{tools}]}}"#));
        }
        let fails = is(message, "tools/call") && line.contains("\"say\"") && fails(line);
        let failure = r#""result":{"isError":true,"content":[{"type":"text","text":"Decoding error"}]}"#;
        if fails { says(message, failure) } else { None }
    };
    let audited = audit(server(serve), &AuditOptions::default(), timeouts(), |_| {}, &mut |_, _, _| {}).await.unwrap();
    let Audit { tools, .. } = audited.audit;
    assert!(
        matches!(&tools[0].call, CallState::Failed { option: None, .. }),
        "other arguments are no advice: {:?}",
        tools[0].call
    );
    let all = tools.into_iter().flat_map(|tool| tool.findings).filter(|finding| finding.severity > Severity::Note);
    all.map(|finding| (finding.severity, finding.detail, finding.remedy)).collect()
}

#[tokio::test]
async fn a_call_that_fails_by_the_spelling_of_a_number_is_told_with_the_other_one() {
    let tool = r#"{"name":"say","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"y":{"type":"number","default":1}},"required":["y"]}}"#;
    let told = told_of_failing(tool, |line| line.contains("\"y\":1}")).await;
    let [(severity, detail, remedy)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(
        (*severity, detail.as_str()),
        (
            Severity::Error,
            "a call with {\"y\":1}, which the inputSchema allows (`y` is a number), failed (Decoding error); with {\"y\":1.5} it \
             succeeds"
        )
    );
    assert!(remedy.starts_with("accept a whole number where the inputSchema says `number`"), "{remedy}");
}

#[tokio::test]
async fn a_call_that_fails_without_what_is_optional_is_told_with_it() {
    let tool = r#"{"name":"say","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}}"#;
    let told = told_of_failing(tool, |line| !line.contains("\"b\":")).await;
    let [(severity, detail, remedy)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(
        (*severity, detail.as_str(), remedy.as_str()),
        (
            Severity::Warning,
            "a call with {}, which the inputSchema allows, failed (Decoding error); with `b` too, which is optional there, it \
             succeeds",
            "list `b` under `required` of the inputSchema, or serve the call without"
        )
    );
}

#[tokio::test]
async fn a_revision_that_initialize_refuses_costs_its_clients_the_session() {
    let refuses = |_: &str, message: &Json| {
        if !is(message, "initialize") {
            return None;
        }
        if message.pointer("/params/protocolVersion").and_then(Json::as_str) > Some("2025-06-18") {
            return says(message, r#""error":{"code":-32602,"message":"Unsupported protocol version"}"#);
        }
        let info = r#""serverInfo":{"name":"own","version":"1"}"#;
        says(message, &format!(r#""result":{{"protocolVersion":"2025-06-18","capabilities":{{"tools":{{}}}},{info}}}"#))
    };
    let audited =
        audit(server(refuses), &AuditOptions::default(), timeouts(), |_| {}, &mut |_, _, _| {}).await.unwrap();
    let audit = audited.audit;
    let [finding] = &audit.findings[..] else { panic!("{:#?}", audit.findings) };
    assert_eq!(
        (finding.rule.as_str(), finding.at.as_slice()),
        ("initialize-negotiates-the-revision", &[Revision::V2025_11_25][..])
    );
    assert!(finding.detail.ends_with("; one for 2025-06-18 opens a session"), "{}", finding.detail);
    let lost: Vec<&str> = audit.tools[0].breaks().map(|loss| loss.client.as_str()).collect();
    assert!(lost.contains(&"profile/typescript@1") && lost.contains(&"profile/python@2+auto"), "{lost:?}");
}

#[tokio::test]
async fn a_server_with_one_session_is_told_so_and_of_nothing_else() {
    let sessions = std::sync::atomic::AtomicUsize::new(0);
    let refuses = move |_: &str, message: &Json| {
        let is_first = is(message, "initialize") && sessions.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
        if is_first || !is(message, "initialize") {
            return None;
        }
        says(message, r#""error":{"code":-32600,"message":"Invalid Request: Server already initialized"}"#)
    };
    let audited =
        audit(server(refuses), &AuditOptions::default(), timeouts(), |_| {}, &mut |_, _, _| {}).await.unwrap();
    let counted = audited.audit.findings.iter().filter(|finding| finding.severity > Severity::Note);
    assert_eq!(counted.map(|finding| finding.rule.as_str()).collect::<Vec<_>>(), ["sessions-are-many"]);
}
