//! Cases for the rules that bind clients.

use mcp_compat_model::Role;
use mcp_compat_model::observation::Layer;
use mcp_compat_scenario::scenario::Means;

use crate::play::{Play, called, failed};
use crate::rules::Case;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

fn modern() -> Play {
    Play::at(MODERN)
}

fn legacy() -> Play {
    Play::at(LEGACY)
}

fn refuses(play: Play) -> Play {
    play.sees(failed(Layer::Decode, "expected an object"))
}

fn refuses_list(play: Play) -> Play {
    play.sees_list(failed(Layer::Decode, "expected \"object\""))
}

fn tool_error(revision: &str) -> Play {
    Play::at(revision)
        .result(r#"{"content":[{"type":"text","text":"Out of stock"}],"isError":true}"#)
        .means(Means::ToolError("Out of stock".to_owned()))
}

const WRONG: &str = r#"{"structuredContent":{"name":1},"content":[]}"#;

pub(crate) const CASES: &[Case] = &[
    (
        "client-speaks-json-rpc",
        || modern().swap(r#""id":3,"method""#, r#""id":null,"method""#),
        || modern().swap(r#""id":3,"#, r#""id":"three","#),
    ),
    (
        "client-speaks-json-rpc",
        || legacy().after("initialized", Role::Client, "quit"),
        || {
            legacy().after(
                "initialized",
                Role::Client,
                r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
            )
        },
    ),
    ("initialized-is-told", || legacy().without("notifications/initialized"), legacy),
    (
        "request-meta",
        || modern().swap(r#","io.modelcontextprotocol/clientCapabilities":{}"#, ""),
        || modern().swap(r#"clientCapabilities":{}"#, r#"clientCapabilities":{"sampling":{}}"#),
    ),
    (
        "request-meta",
        || bare_list().swap("\"bare\"", "\"tools/list\""),
        || bare_list().swap("\"bare\"", "\"initialize\""),
    ),
    (
        "client-takes-absent-result-type",
        || refuses(modern().swap(r#""resultType":"complete","structured"#, r#""structured"#)),
        || modern().swap(r#""resultType":"complete","structured"#, r#""structured"#),
    ),
    (
        "client-takes-absent-result-type",
        || refuses(modern().swap(r#""resultType":"complete","structured"#, r#""structured"#)),
        || refuses(modern().swap(r#""resultType":"complete","structured"#, r#""resultType":7,"structured"#)),
    ),
    (
        "client-refuses-unknown-result-type",
        || modern().swap(r#""complete","structured"#, r#""partial","structured"#),
        || refuses(modern().swap(r#""complete","structured"#, r#""partial","structured"#)),
    ),
    ("client-takes-any-value", || refuses(Play::array_at(MODERN)), || refuses(Play::array_at(LEGACY))),
    ("client-takes-any-value", || refuses(Play::array_at(MODERN)), || refuses(modern())),
    (
        "client-takes-any-value",
        || Play::array_at(MODERN).sees(called(Some("[]"), &[], true)),
        || refuses(Play::array_at(MODERN).schema(r#"{"type":"array","maxItems":0}"#)),
    ),
    (
        "client-takes-any-output-schema",
        || refuses_list(Play::array_at(MODERN)),
        || refuses_list(Play::array_at(LEGACY)),
    ),
    (
        "client-takes-any-output-schema",
        || refuses_list(modern().schema(r#"{"anyOf":[{"type":"object"}]}"#)),
        || refuses_list(modern().schema("true")),
    ),
    ("client-takes-conforming-result", || refuses(modern()), || refuses(Play::array_at(MODERN))),
    ("client-takes-conforming-result", || refuses(legacy()), || refuses(legacy().result(WRONG))),
    (
        "client-takes-conforming-result",
        || refuses(legacy()),
        // A value that the validator cannot hold: nobody is accused of refusing it.
        || refuses(modern().result(r#"{"structuredContent":{"id":1e999},"content":[]}"#)),
    ),
    ("client-takes-conforming-result", || refuses(legacy()), || legacy().sees(failed(Layer::Timeout, "5 s"))),
    ("client-takes-conforming-list", || refuses_list(modern()), || refuses_list(Play::array_at(MODERN))),
    (
        "client-takes-conforming-list",
        || refuses_list(legacy()),
        || refuses_list(legacy().swap(r#"{"name":"report","input"#, r#"{"title":"report","input"#)),
    ),
    (
        "client-takes-conforming-list",
        || refuses_list(legacy().schema(r#"{"type":"object","patternProperties":{"^\\p{L}":{}}}"#)),
        || refuses_list(legacy().schema(r#"{"type":"object","patternProperties":{"(?P<x>a)":{}}}"#)),
    ),
    ("client-supports-2020-12", || unsent(modern()), || unsent(modern().schema(DRAFT_7))),
    ("client-supports-2020-12", || unsent(legacy()), || unsent(legacy().schema(r#"{"type":"strnig"}"#))),
    ("client-validates", || modern().result(WRONG), || modern().result(WRONG).sees(failed(Layer::Validate, "no id"))),
    ("client-validates", || legacy().result(WRONG), legacy),
    (
        "client-tells-tool-errors",
        || tool_error(LEGACY).sees(called(None, &["Out of stock"], false)),
        || tool_error(LEGACY),
    ),
    (
        "client-tells-tool-errors",
        || tool_error(MODERN).sees(failed(Layer::Validate, "structured content is missing")),
        || tool_error(MODERN).sees(failed(Layer::Tool, "tool failed: Out of stock")),
    ),
    (
        "client-tells-tool-errors",
        || tool_error(LEGACY).sees(called(None, &[], true)),
        || tool_error("2025-06-18").sees(called(None, &[], true)),
    ),
    (
        "client-tells-unknown-dialect",
        || modern().schema(BISTRO),
        || modern().schema(BISTRO).sees(failed(Layer::Validate, "unknown dialect")),
    ),
    ("client-tells-unknown-dialect", || legacy().schema(BISTRO), || legacy().schema(DRAFT_7)),
    ("client-tells-unknown-dialect", || legacy().schema(BISTRO), || Play::at("2025-06-18").schema(BISTRO)),
    (
        "client-refuses-unresolved-reference",
        || modern().schema(ELSEWHERE),
        || modern().schema(ELSEWHERE).sees(failed(Layer::Validate, "cannot resolve")),
    ),
    (
        "client-refuses-unresolved-reference",
        || modern().schema(ELSEWHERE),
        || modern().schema(r##"{"properties":{"id":{"$ref":"#/$defs/Gone"}}}"##),
    ),
    ("client-refuses-unresolved-reference", || modern().schema(ELSEWHERE), || legacy().schema(ELSEWHERE)),
    ("references-not-fetched", || modern().fetches(), modern),
    ("references-not-fetched", || modern().fetches(), || legacy().fetches()),
    ("network-references-not-followed", || legacy().fetches(), legacy),
    ("network-references-not-followed", || Play::at("2025-06-18").fetches(), || modern().fetches()),
    // A client that did not take the list has no schema, and one that lacks a schema cannot ignore it.
    ("client-validates", || legacy().result(WRONG), || refuses_list(legacy().result(WRONG))),
    (
        "client-validates",
        || endless().means(Means::Invalid),
        || endless().means(Means::Invalid).sees(failed(Layer::Validate, "took too long")),
    ),
    ("client-validates", || endless().means(Means::Invalid), endless),
];

/// A value that takes the judge too many steps to check.
fn endless() -> Play {
    let level = |n: usize| {
        let next = format!(r##"{{"$ref":"#/$defs/level{}"}}"##, n + 1);
        format!(r#""level{n}":{{"anyOf":[{next},{next}]}}"#)
    };
    let levels: Vec<String> = (0..30).map(level).collect();
    let schema = format!(
        r##"{{"type":"object","properties":{{"id":{{"$ref":"#/$defs/level0"}}}},"$defs":{{{},"level30":{{"type":"string"}}}}}}"##,
        levels.join(",")
    );
    modern().schema(&schema)
}

const BISTRO: &str = r#"{"$schema":"https://example.com/dialects/bistro","type":"object"}"#;
const ELSEWHERE: &str = r#"{"type":"object","properties":{"id":{"$ref":"https://example.com/id.json"}}}"#;
const DRAFT_7: &str = r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}"#;

/// A client that also sends a request without `_meta`.
fn bare_list() -> Play {
    modern().after("server/discover", Role::Client, r#"{"jsonrpc":"2.0","id":80,"method":"bare","params":{}}"#)
}

/// A client that refuses the schema before it calls the tool.
fn unsent(play: Play) -> Play {
    play.sees(failed(Layer::Validate, "cannot compile schema"))
        .without(r#""name":"report","arguments""#)
        .without(r#""structuredContent""#)
}
