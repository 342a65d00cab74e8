//! Cases for the rules about what stands around a result: envelopes, notifications, pages and names.

use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Layer};
use mcp_compat_model::verdict::{Fault, Level};
use mcp_compat_scenario::scenario::Means;

use crate::play::{Play, failed};
use crate::rules::Case;
use crate::rules_of_servers::listening;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// The request of the call.
const CALL: &str = r#""name":"report","arguments""#;
/// What the modern server lists.
const LISTED: &str = r#"["2026-07-28"]"#;
/// The result of the last call.
const LAST: &str = r#""id":4,"result""#;
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn modern() -> Play {
    Play::at(MODERN)
}

fn legacy() -> Play {
    Play::at(LEGACY)
}

pub(crate) const CASES: &[Case] = &[
    ("request-id-fresh", || legacy().swap(r#""id":3,"#, r#""id":2,"#), || modern().swap(r#""id":3,"#, r#""id":2,"#)),
    ("request-id-fresh", || beside_list("2", "8"), || beside_list("91", "8")),
    ("request-members", || legacy().swap(r#""arguments":{}"#, r#""arguments":[]"#), legacy),
    ("request-members", || modern().swap(r#""arguments":{}"#, r#""arguments":null"#), modern),
    (
        "request-members",
        || legacy().swap(r#""method":"tools/list","params":{"#, r#""method":"tools/list","params":{"cursor":null"#),
        || legacy().swap(r#""method":"tools/list","params":{"#, r#""method":"tools/list","params":{"cursor":"1""#),
    ),
    (
        "server-sends-no-requests",
        || modern().after(CALL, Role::Server, r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#),
        || legacy().after(CALL, Role::Server, r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#),
    ),
    (
        "client-sends-no-responses",
        || modern().after(CALL, Role::Client, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
        || legacy().after(CALL, Role::Client, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
    ),
    ("server-meta-keys", || with_meta("a b"), || with_meta("com.example/a_b")),
    (
        "server-meta-keys",
        || legacy().swap(r#"{"name":"report","#, r#"{"name":"report","_meta":{"/":1},"#),
        || Play::at("2025-06-18").result(r#"{"structuredContent":{"id":1,"_meta":{"/":1}},"content":[]}"#),
    ),
    (
        "server-meta-keys",
        || legacy().result(r#"{"content":[{"type":"text","text":"","_meta":{"1com/a":1}}]}"#),
        || legacy().result(r#"{"content":[{"type":"text","text":"","_meta":{"com/1a":1}}]}"#),
    ),
    (
        "client-meta-keys",
        || modern().swap(r#""_meta":{"io."#, r#""_meta":{"-x":1,"io."#),
        || modern().swap(r#""_meta":{"io."#, r#""_meta":{"x":1,"io."#),
    ),
    ("client-leaves-unknown-revision", unknown_revision, || {
        let left = failed(Layer::Connect, "the server speaks 2099-01-01");
        unknown_revision().cut("notifications/initialized").sees(left).ends(End::Answered {})
    }),
    ("client-leaves-unknown-revision", unknown_revision, legacy),
    ("client-leaves-unknown-revision", no_revision, || {
        let left = failed(Layer::Connect, "the server names no revision");
        no_revision().cut("notifications/initialized").sees(left).ends(End::Answered {})
    }),
    (
        "malformed-request-refused",
        || bare(r#""result":{"resultType":"complete"}"#),
        || bare(r#""error":{"code":-32602,"message":"no revision"}"#),
    ),
    (
        "malformed-request-refused",
        || bare(r#""result":{"resultType":"complete"}"#),
        || bare(r#""result":{"resultType":"complete"}"#).swap("\"bare\"", "\"initialize\""),
    ),
    ("client-speaks-a-listed-revision", || modern().swap(LISTED, r#"["2025-11-25"]"#), modern),
    (
        "client-speaks-a-listed-revision",
        || modern().swap(LISTED, r#"["2025-11-25"]"#),
        || modern().swap(LISTED, r#"["2025-11-25","2026-07-28"]"#),
    ),
    ("probe-comes-first", unprobed, || unprobed().over_http()),
    ("probe-comes-first", unprobed, || unprobed().peers("rmcp@3.9.0+modern", "typescript@2.4.0")),
    ("probe-comes-first", unprobed, || modern().peers("rmcp@3.9.0+auto", "typescript@2.4.0")),
    ("error-code-defined", || refused(MODERN, -32050), || refused(MODERN, -32021)),
    ("error-code-defined", || refused(MODERN, -32002), || refused(LEGACY, -32002)),
    (
        "input-required-where-allowed",
        || modern().swap(r#""complete","tools""#, r#""input_required","requestState":"s","tools""#),
        || asking(r#""requestState":"s","#),
    ),
    ("input-required-asks", || asking(""), || asking(r#""requestState":"s","#)),
    ("input-required-asks", || asking(""), || asking(r#""inputRequests":{},"#)),
    ("input-requests-declared", elicits, || {
        elicits().swap(r#""io.modelcontextprotocol/clientCapabilities":{}"#, ELICITATION)
    }),
    ("input-requests-declared", || elicits_by_address("{}"), || elicits_by_address(r#"{"url":{}}"#)),
    ("input-requests-declared", || elicits_by_address(r#"{"form":{}}"#), || elicits_by_address(r#"{"url":{}}"#)),
    ("server-requests-declared", || samples("{}"), || samples(r#"{"sampling":{}}"#)),
    (
        "server-requests-declared",
        || asks_for("sampling/createMessage", r#"{"tools":[]}"#, r#"{"sampling":{}}"#),
        || asks_for("sampling/createMessage", r#"{"tools":[]}"#, r#"{"sampling":{"tools":{}}}"#),
    ),
    (
        "server-requests-declared",
        || asks_for("elicitation/create", "{}", r#"{"elicitation":{"url":{}}}"#),
        || asks_for("elicitation/create", "{}", r#"{"elicitation":{}}"#),
    ),
    (
        "server-requests-declared",
        || asks_for("roots/list", "{}", "{}"),
        || asks_for("roots/list", "{}", r#"{"roots":{}}"#),
    ),
    ("server-requests-declared", || asks_early("{}"), || asks_early(r#"{"roots":{}}"#)),
    ("progress-token-fresh", || tokens("1.5"), || tokens("1.0")),
    ("progress-token-fresh", || beside_list("91", "7"), || beside_list("91", "8")),
    (
        "progress-token-known",
        || tokens("7").after(CALL, Role::Server, &progress("8", "1")),
        || tokens("7").after(CALL, Role::Server, &progress("7", "1")),
    ),
    (
        "progress-token-known",
        || tokens("7").after(LAST, Role::Server, &progress("7", "1")),
        || tokens("7").after(r#""id":2,"method""#, Role::Server, &progress("7", "1")),
    ),
    (
        "progress-token-known",
        || legacy().after(CALL, Role::Server, &progress(r#""a""#, "1")),
        || {
            let tokens = legacy().swap(r#""params":{"name""#, r#""params":{"_meta":{"progressToken":"a"},"name""#);
            tokens.after(CALL, Role::Server, &progress(r#""a""#, "1"))
        },
    ),
    ("progress-increases", || progresses("1", "1.0"), || progresses("1", "1.1")),
    (
        "progress-increases",
        || progresses("9007199254740993", "9007199254740992"),
        || progresses("9007199254740992", "9007199254740993"),
    ),
    (
        "progress-increases",
        || progresses("1", "\"two\""),
        || {
            // The token is the same, and the call another.
            let first = tokens("7").after(CALL, Role::Server, &progress("7", "5"));
            first.after("mcp_compat_bystander\",\"arg", Role::Server, &progress("7", "1"))
        },
    ),
    (
        "log-only-where-asked",
        || modern().after(CALL, Role::Server, LOG),
        || {
            let asked = r#""_meta":{"io.modelcontextprotocol/logLevel":"info","io."#;
            modern().swap(r#""_meta":{"io."#, asked).after(CALL, Role::Server, LOG)
        },
    ),
    ("log-only-where-asked", || modern().after(CALL, Role::Server, LOG), || legacy().after(CALL, Role::Server, LOG)),
    (
        "logging-capability-declared",
        || legacy().after(CALL, Role::Server, LOG),
        || {
            legacy().swap(r#""tools":{"listChanged""#, r#""logging":{},"tools":{"listChanged""#).after(
                CALL,
                Role::Server,
                LOG,
            )
        },
    ),
    ("list-changed-where-asked", || modern().evolves(true), || listening(true)),
    ("list-changed-where-asked", || listening(true).without("acknowledged"), || legacy().evolves(true)),
    ("subscription-id-carried", || listening(true), || carrying("90")),
    ("subscription-id-carried", || carrying("91"), || carrying("90")),
    ("tools-list-answered", || failing_list(-32603), || failing_list(-32602)),
    (
        "tools-list-answered",
        || failing_list(-32603),
        || failing_list(-32603).swap(r#""tools":{"listChanged":true}"#, ""),
    ),
    (
        "tools-order-stable",
        || relisted(r#"{"name":"mcp_compat_bystander"},{"name":"report"}"#),
        || relisted(r#"{"name":"report"},{"name":"mcp_compat_bystander"}"#),
    ),
    (
        "tools-order-stable",
        || relisted(r#"{"name":"mcp_compat_bystander"},{"name":"report"}"#),
        || relisted(r#"{"name":"mcp_compat_bystander"},{"name":"another"}"#),
    ),
    ("tool-names-unique", || named(LEGACY, "report"), || named(LEGACY, "Report")),
    ("tool-names-unique", || named(MODERN, "report"), || named("2025-06-18", "report")),
    ("tool-names-unique", || paged(r#"{"name":"report"}"#, "private"), || modern().evolves(true)),
    ("tool-names-plain", || named(LEGACY, "re port"), || named(LEGACY, "re-port_1.0")),
    ("tool-names-plain", || named(MODERN, ""), || named("2025-06-18", "")),
    ("tool-names-plain", || named(MODERN, "größe"), || named(MODERN, "groesse")),
    (
        "client-lists-every-page",
        || legacy().swap(r#""tools":["#, r#""nextCursor":"","tools":["#),
        || legacy().swap(r#""tools":["#, r#""nextCursor":null,"tools":["#),
    ),
    (
        "empty-cursor-leads-on",
        || modern().swap(r#""tools":["#, r#""nextCursor":"","tools":["#),
        || modern().swap(r#""tools":["#, r#""nextCursor":"2","tools":["#),
    ),
    (
        "empty-cursor-leads-on",
        || modern().swap(r#""tools":["#, r#""nextCursor":"","tools":["#),
        || legacy().swap(r#""tools":["#, r#""nextCursor":"","tools":["#),
    ),
    (
        "cursor-as-given",
        || paged(r#"{"name":"more"}"#, "private").swap(r#""cursor":"a""#, r#""cursor":"A""#),
        || paged(r#"{"name":"more"}"#, "private"),
    ),
    ("cursor-advances", || leading_to(&["a", "a", "a"]), || leading_to(&["a", "b"])),
    // Pages under one cursor, such as those of a scroll that the server keeps, may end.
    ("cursor-advances", || leading_to(&["a", "a", "a"]), || leading_to(&["a", "a"])),
    ("cursor-advances", || leading_to(&["a", "b", "a", "b"]), || leading_to(&["a", "b", ""])),
    ("cursor-advances", || same_pages(&["a", "b", "c", "d", "e"]), || same_pages(&["a", "b", "c"])),
    ("cursor-advances", || leading_to(&["a", "", "", ""]), || leading_to(&["a"]).swap(r#","cursor":"a""#, "")),
    ("cache-scope-uniform", || paged(r#"{"name":"more"}"#, "public"), || paged(r#"{"name":"more"}"#, "private")),
    ("embedded-resource-capability", embedding, || {
        embedding().swap(r#""tools":{"listChanged""#, r#""resources":{},"tools":{"listChanged""#)
    }),
    ("embedded-resource-capability", embedding, || {
        embedding().swap(r#""type":"resource""#, r#""type":"resource_link""#)
    }),
];

const LOG: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"listing"}}"#;
const ELICITATION: &str = r#""io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}"#;

/// A client that gives every request this progress token.
fn tokens(token: &str) -> Play {
    modern().swap(r#""_meta":{"io."#, &format!(r#""_meta":{{"progressToken":{token},"io."#))
}

/// A second request, sent while the list under the token 7 is still open.
fn beside_list(id: &str, token: &str) -> Play {
    let meta = META.replace("{\"io.", &format!("{{\"progressToken\":{token},\"io."));
    let request = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{{meta},"name":"other"}}}}"#);
    modern()
        .swap(
            r#""method":"tools/list","params":{"_meta":{"#,
            r#""method":"tools/list","params":{"_meta":{"progressToken":7,"#,
        )
        .after("tools/list", Role::Client, &request)
}

fn progress(token: &str, value: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{value}}}}}"#
    )
}

/// Two notifications before the result of the call.
fn progresses(first: &str, second: &str) -> Play {
    // The later one is put in first, so that the other comes before it.
    tokens("7").after(CALL, Role::Server, &progress("7", second)).after(CALL, Role::Server, &progress("7", first))
}

fn with_meta(key: &str) -> Play {
    modern().result(&format!(r#"{{"_meta":{{"{key}":1}},"structuredContent":{{"id":1}},"content":[]}}"#))
}

/// A server that names a revision nobody published, and a client that goes on.
fn unknown_revision() -> Play {
    legacy().swap(r#""result":{"protocolVersion":"2025-11-25""#, r#""result":{"protocolVersion":"2099-01-01""#)
}

fn no_revision() -> Play {
    legacy().swap(r#""result":{"protocolVersion":"2025-11-25","#, r#""result":{"#)
}

/// A client of both eras that starts with the list.
fn unprobed() -> Play {
    modern().peers("rmcp@3.9.0+auto", "typescript@2.4.0").without("server/discover").without(r#""id":1,"result""#)
}

/// A request without `_meta`, and its answer.
fn bare(answer: &str) -> Play {
    let request = r#"{"jsonrpc":"2.0","id":80,"method":"bare","params":{}}"#;
    let answer = format!(r#"{{"jsonrpc":"2.0","id":80,{answer}}}"#);
    modern().after(r#""id":1,"result""#, Role::Client, request).after(request, Role::Server, &answer)
}

/// A server that refuses the call.
fn refused(revision: &str, code: i64) -> Play {
    let error = format!(r#""id":3,"error":{{"code":{code},"message":"no"}},"was""#);
    Play::at(revision).swap(r#""id":3,"result""#, &error)
}

fn failing_list(code: i64) -> Play {
    let error = format!(r#""id":2,"error":{{"code":{code},"message":"no"}},"was""#);
    modern().swap(r#""id":2,"result""#, &error).sees_list(failed(Layer::Protocol, "no"))
}

/// A call that is answered with a result which asks for more.
fn asking(members: &str) -> Play {
    modern().swap(r#""complete","structuredContent""#, &format!(r#""input_required",{members}"structuredContent""#))
}

fn elicits() -> Play {
    asking(r#""inputRequests":{"name":{"method":"elicitation/create","params":{}}},"#)
}

/// A result that asks the user to open an address, to a client that declares this of elicitation.
fn elicits_by_address(declared: &str) -> Play {
    asking(r#""inputRequests":{"name":{"method":"elicitation/create","params":{"mode":"url"}}},"#).swap(
        r#""io.modelcontextprotocol/clientCapabilities":{}"#,
        &format!(r#""io.modelcontextprotocol/clientCapabilities":{{"elicitation":{declared}}}"#),
    )
}

/// A session of 2025-11-25 with a client of these capabilities.
fn declaring(capabilities: &str) -> Play {
    legacy().swap(r#""capabilities":{},"clientInfo""#, &format!(r#""capabilities":{capabilities},"clientInfo""#))
}

/// A call within which the server sends a request, to a client with these capabilities.
fn asks_for(method: &str, params: &str, capabilities: &str) -> Play {
    let asked = format!(r#"{{"jsonrpc":"2.0","id":"s","method":"{method}","params":{params}}}"#);
    declaring(capabilities).after(CALL, Role::Server, &asked)
}

fn samples(capabilities: &str) -> Play {
    asks_for("sampling/createMessage", r#"{"messages":[],"maxTokens":1}"#, capabilities)
}

/// A request of the server before its answer to `initialize`.
fn asks_early(capabilities: &str) -> Play {
    let asked = r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#;
    declaring(capabilities).after(r#""method":"initialize""#, Role::Server, asked)
}

fn level_of_undeclared(revision: &str) -> Level {
    let asked = r#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#;
    let verdict = Play::at(revision).after(CALL, Role::Server, asked).verdict();
    let found = verdict.findings.iter().find(|finding| finding.rule == "server-requests-declared").unwrap();
    assert_eq!(found.tool.as_deref(), Some("report"));
    found.level
}

#[test]
fn a_finding_has_the_level_of_the_negotiated_revision() {
    assert_eq!(["2024-11-05", "2025-03-26"].map(level_of_undeclared), [Level::Should; 2]);
    assert_eq!(["2025-06-18", "2025-11-25"].map(level_of_undeclared), [Level::Must; 2]);
}

#[test]
fn a_request_that_the_client_did_not_declare_is_no_reason_to_refuse_a_result() {
    let verdict = samples("{}").sees(failed(Layer::Validate, "False schema does not allow 5")).verdict();
    assert_eq!(verdict.fault, Some(Fault::Client), "{}", verdict.reason);
}

/// A change of tools that is told on a subscription, under this id.
fn carrying(id: &str) -> Play {
    let with_id = format!(
        r#""method":"notifications/tools/list_changed","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}}}"#
    );
    listening(true).swap(r#""method":"notifications/tools/list_changed"}"#, &with_id)
}

/// A client that lists once more at the end, and what it gets.
fn relisted(tools: &str) -> Play {
    let request = format!(r#"{{"jsonrpc":"2.0","id":91,"method":"tools/list","params":{{{META}}}}}"#);
    let result = format!(
        r#"{{"jsonrpc":"2.0","id":91,"result":{{"resultType":"complete","tools":[{tools}],"ttlMs":0,"cacheScope":"private"}}}}"#
    );
    modern().after(LAST, Role::Client, &request).after(&request, Role::Server, &result)
}

/// A list of two pages, the second of one tool and with this cache scope.
fn paged(tool: &str, scope: &str) -> Play {
    let request = format!(r#"{{"jsonrpc":"2.0","id":91,"method":"tools/list","params":{{{META},"cursor":"a"}}}}"#);
    let result = format!(
        r#"{{"jsonrpc":"2.0","id":91,"result":{{"resultType":"complete","tools":[{tool}],"ttlMs":0,"cacheScope":"{scope}"}}}}"#
    );
    modern()
        .swap(r#""complete","tools":["#, r#""complete","nextCursor":"a","tools":["#)
        .after(r#""id":2,"result""#, Role::Client, &request)
        .after(&request, Role::Server, &result)
}

/// A client that follows each cursor but the last, and the pages that name them.
fn leading_to(cursors: &[&str]) -> Play {
    let mut play = modern();
    let mut last = r#""id":2,"result""#.to_owned();
    for (at, cursor) in cursors.iter().enumerate() {
        let next = format!(r#""complete","nextCursor":"{cursor}","tools":["#);
        play = play.swap(r#""complete","tools":["#, &next);
        let id = 91 + at;
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{{META},"cursor":"{cursor}"}}}}"#);
        let result = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}}}}"#
        );
        play = play.after(&last, Role::Client, &request).after(&request, Role::Server, &result);
        last = format!(r#""id":{id},"result""#);
    }
    play
}

/// A list whose later pages have the same tool.
fn same_pages(cursors: &[&str]) -> Play {
    leading_to(cursors).swap(r#""tools":[],"#, r#""tools":[{"name":"again","inputSchema":{"type":"object"}}],"#)
}

/// A server with a second tool of this name.
fn named(revision: &str, name: &str) -> Play {
    Play::at(revision).swap(r#"{"name":"mcp_compat_bystander","input"#, &format!(r#"{{"name":"{name}","input"#))
}

fn embedding() -> Play {
    let block = r#"{"content":[{"type":"text","text":"hi"},{"type":"resource","resource":{"uri":"a:b","text":""}}]}"#;
    modern().no_schema().result(block).means(Means::Text("hi".to_owned()))
}

/// Each detail names who sent what.
#[test]
fn what_is_wrong_with_a_notification_names_its_sender() {
    let sent = |play: Play, rule: &str| {
        let verdict = play.verdict();
        verdict.findings.into_iter().find(|found| found.rule == rule).unwrap().detail
    };
    let log = |play: Play| play.after(CALL, Role::Server, LOG);
    assert_eq!(
        sent(log(legacy()), "logging-capability-declared"),
        "the server sent a log message, and its capabilities do not have `logging`"
    );
    assert_eq!(
        sent(log(modern()), "log-only-where-asked"),
        "the server sent a log message, and no open request asked for any"
    );
    assert_eq!(
        sent(modern().evolves(true), "list-changed-where-asked"),
        "the server reported a change of its tools, and no subscription asked for it"
    );
    assert_eq!(sent(progresses("1", "\"two\""), "progress-increases"), "the server sent progress without a number");
    assert_eq!(sent(progresses("2", "1"), "progress-increases"), "the server sent progress 1 after 2");
}
