//! Cases for the rules that bind servers, and for the one that two pages of the specification disagree about.

use mcp_compat_model::Role;
use mcp_compat_scenario::scenario::Means;

use crate::play::{Play, called};
use crate::rules::Case;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

fn modern() -> Play {
    Play::at(MODERN)
}

fn legacy() -> Play {
    Play::at(LEGACY)
}

/// A tool without a schema whose result is this text.
fn plain(revision: &str, result: &str) -> Play {
    Play::at(revision).no_schema().result(result).means(Means::Text("hi".to_owned()))
}

const TEXT: &str = r#"{"content":[{"type":"text","text":"hi"}]}"#;
const DISCOVER: &str = r#""id":1,"result""#;

pub(crate) const CASES: &[Case] = &[
    (
        "server-speaks-json-rpc",
        || modern().after("tools/list", Role::Server, "INFO listing tools"),
        || modern().after("tools/list", Role::Server, r#"{"jsonrpc":"2.0","method":"notifications/message"}"#),
    ),
    (
        "server-speaks-json-rpc",
        || legacy().swap(r#"{"jsonrpc":"2.0","id":3,"result""#, r#"{"id":3,"result""#),
        || legacy().swap(r#""result":{"content""#, r#""result": {"content""#),
    ),
    (
        "server-speaks-json-rpc",
        || legacy().after("tools/list", Role::Server, r#"[{"jsonrpc":"2.0","method":"notifications/message"}]"#),
        || {
            let batch = r#"[{"jsonrpc":"2.0","method":"notifications/message"}]"#;
            plain("2025-03-26", TEXT).after("tools/list", Role::Server, batch)
        },
    ),
    (
        "server-speaks-json-rpc",
        || legacy().over_http().after("initialized", Role::Server, "Accepted"),
        || legacy().over_http().after("initialized", Role::Server, "Not Found").status("Not Found", 404),
    ),
    (
        "response-matches-request",
        || modern().swap(r#"{"jsonrpc":"2.0","id":3,"result""#, r#"{"jsonrpc":"2.0","id":"3","result""#),
        || modern().swap(r#""id":3,"#, r#""id":"3","#),
    ),
    (
        "response-matches-request",
        || legacy().after(r#""id":3,"result""#, Role::Server, r#"{"jsonrpc":"2.0","id":3,"result":{}}"#),
        || legacy().after(r#""id":3,"result""#, Role::Server, r#"{"jsonrpc":"2.0","method":"notifications/message"}"#),
    ),
    (
        "initialize-names-a-handshake-revision",
        || legacy().swap(r#""result":{"protocolVersion":"2025-11-25""#, r#""result":{"protocolVersion":"2026-07-28""#),
        || legacy().swap(r#""result":{"protocolVersion":"2025-11-25""#, r#""result":{"protocolVersion":"2025-06-18""#),
    ),
    (
        "tools-capability-declared",
        || modern().swap(r#""tools":{"listChanged":true}"#, ""),
        || modern().swap(r#""listChanged":true"#, ""),
    ),
    (
        "discover-answered",
        || modern().swap(DISCOVER, r#""id":1,"error":{"code":-32601,"message":"no"},"was""#),
        || modern().without("server/discover").without(DISCOVER),
    ),
    (
        "discover-answered",
        || modern().swap(r#""supportedVersions":["2026-07-28"],"#, ""),
        || modern().swap(r#""supportedVersions":["2026-07-28"]"#, r#""supportedVersions":[]"#),
    ),
    (
        "refused-version-names-others",
        || modern().swap(DISCOVER, r#""id":1,"error":{"code":-32022,"message":"no"},"was""#),
        || {
            let error = r#""id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}},"was""#;
            modern().swap(DISCOVER, error)
        },
    ),
    ("cache-hints", || modern().list("{\"cacheScope\":\"public\"}"), modern),
    (
        "cache-hints",
        || modern().list(r#"{"ttlMs":-1,"cacheScope":"public"}"#),
        || modern().list(r#"{"ttlMs":0,"cacheScope":"public"}"#),
    ),
    (
        "cache-hints",
        || modern().list(r#"{"ttlMs":1.5,"cacheScope":"public"}"#),
        || modern().list(r#"{"ttlMs":1.0,"cacheScope":"public"}"#),
    ),
    (
        "cache-hints",
        || modern().list(r#"{"ttlMs":1,"cacheScope":"shared"}"#),
        || legacy().list(r#"{"ttlMs":1,"cacheScope":"shared"}"#),
    ),
    ("result-type-present", || modern().swap(r#""resultType":"complete","#, ""), legacy),
    (
        "result-type-known",
        || modern().swap(r#""complete","structuredContent""#, r#""partial","structuredContent""#),
        || modern().swap(r#""complete","structuredContent""#, r#""input_required","structuredContent""#),
    ),
    (
        "result-type-known",
        || modern().swap(r#""complete","structuredContent""#, r#""task","structuredContent""#),
        || {
            let extended = r#""clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
            modern()
                .swap(r#""complete","structuredContent""#, r#""task","structuredContent""#)
                .swap(r#"clientCapabilities":{}"#, &extended[1..])
        },
    ),
    ("tools-list-shape", || modern().swap(r#""tools":[{"#, r#""utilities":[{"#), modern),
    ("tools-list-shape", || legacy().swap(r#"{"name":"report","input"#, r#"{"title":"report","input"#), legacy),
    (
        "tools-list-shape",
        || legacy().swap(r#"{"tools":[{"name":"report""#, r#"{"tools":{},"x":[{"name":"report""#),
        || legacy().swap(r#"{"tools":[{"name":"report""#, r#"{"tools":[],"x":[{"name":"report""#),
    ),
    (
        "input-schema-object-root",
        || modern().swap(r#""inputSchema":{"type":"object"}"#, r#""inputSchema":{"type":"string"}"#),
        || modern().swap(r#""inputSchema":{"type":"object"}"#, r#""inputSchema":{"type":"object","oneOf":[]}"#),
    ),
    ("input-schema-object-root", || legacy().swap(r#""inputSchema":{"type":"object"}"#, r#""x":1"#), legacy),
    ("list-changed-told", || legacy().evolves(false), || legacy().evolves(true)),
    ("list-changed-told", || legacy().evolves(false), || legacy().evolves(false).swap(r#""listChanged":true"#, "")),
    ("list-changed-told", || listening(false), || modern().evolves(false)),
    ("list-changed-told", || listening(false), || listening(true)),
    ("structured-output-known", || Play::at("2025-03-26"), || Play::at("2025-06-18")),
    (
        "structured-output-known",
        || plain("2024-11-05", TEXT).lists_schema(Some(r#"{"type":"object"}"#)),
        || plain("2024-11-05", TEXT),
    ),
    ("output-schema-object-root", || Play::array_at(LEGACY), || Play::array_at(MODERN)),
    (
        "output-schema-object-root",
        || legacy().schema(r#"{"anyOf":[{"type":"object"}]}"#),
        || legacy().schema(r#"{"type":"object","anyOf":[{"type":"object"}]}"#),
    ),
    ("output-schema-object-root", || legacy().schema("null"), || Play::at("2025-03-26").schema("null")),
    ("output-schema-is-object", || modern().schema("true"), || modern().schema("{}")),
    ("output-schema-valid", || modern().schema(r#"{"type":"strnig"}"#), || modern().schema(r#"{"kind":"strnig"}"#)),
    (
        "output-schema-valid",
        || legacy().schema(r#"{"type":"object","items":[{}]}"#),
        || legacy().schema(r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","items":[{}]}"#),
    ),
    (
        "output-schema-valid",
        || legacy().schema(r#"{"type":"object","required":"id"}"#),
        || legacy().schema(r#"{"type":"object","required":["id"]}"#),
    ),
    (
        "output-schema-pattern",
        || legacy().schema(r#"{"type":"object","properties":{"id":{"pattern":"(?i)a"}}}"#),
        || legacy().schema(r#"{"type":"object","properties":{"id":{"pattern":"^(?<x>a)\\k<x>$"}}}"#),
    ),
    (
        "output-schema-pattern",
        || modern().schema(r#"{"patternProperties":{"a++":{}}}"#),
        || modern().schema(r#"{"const":{"pattern":"a++"}}"#),
    ),
    (
        "output-schema-pattern-portable",
        || modern().schema(r#"{"items":{"pattern":"^\\p{L}+$"}}"#),
        || modern().schema(r#"{"items":{"pattern":"^[a-z]\\w*$"}}"#),
    ),
    (
        "output-schema-pattern-portable",
        || legacy().schema(r#"{"type":"object","patternProperties":{"^(?<x>a)":{}}}"#),
        || legacy().schema(r#"{"type":"object","patternProperties":{"(?i)a":{}}}"#),
    ),
    ("structured-content-object", || Play::array_at("2025-06-18"), || Play::array_at(MODERN)),
    (
        "structured-content-object",
        || legacy().result(r#"{"structuredContent":null,"content":[]}"#),
        || legacy().result(r#"{"structuredContent":{},"content":[]}"#),
    ),
    ("structured-content-present", || modern().result(TEXT), || modern().no_schema().result(TEXT)),
    (
        "structured-content-present",
        || legacy().result(TEXT),
        || legacy().result(r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#),
    ),
    (
        "structured-content-present",
        || modern().schema("{}").result(TEXT),
        || modern().schema("{}").result(r#"{"structuredContent":null,"content":[]}"#),
    ),
    (
        "structured-content-conforms",
        || legacy().result(r#"{"structuredContent":{"name":1},"content":[]}"#),
        || legacy().result(r#"{"structuredContent":{"id":1,"name":1},"content":[]}"#),
    ),
    (
        "structured-content-conforms",
        || modern().result(r#"{"structuredContent":{},"content":[]}"#),
        || modern().result(r#"{"structuredContent":{},"content":[],"isError":true}"#),
    ),
    (
        "structured-content-conforms",
        || modern().schema(r#"{"maximum":1}"#).result(r#"{"structuredContent":2,"content":[]}"#),
        // Beyond what the validator holds exactly nothing is claimed.
        || modern().schema(r#"{"maximum":1}"#).result(r#"{"structuredContent":2e999,"content":[]}"#),
    ),
    ("value-keys-unique", || Play::at("2025-11-25").result(TWICE), || Play::at("2025-11-25").result(ONCE)),
    (
        "value-keys-unique",
        || Play::at("2026-07-28").result(TWICE_BELOW),
        || Play::at("2026-07-28").result(SIDE_BY_SIDE),
    ),
    (
        "text-fallback",
        || modern().result(r#"{"structuredContent":{"id":1},"content":[{"type":"text","text":"one"}]}"#),
        || modern().result(r#"{"structuredContent":{"id":1},"content":[{"type":"text","text":" { \"id\" : 1.0 } "}]}"#),
    ),
    (
        "text-fallback-for-non-objects",
        || Play::array_at(MODERN).result(r#"{"structuredContent":[],"content":[{"type":"text","text":"none"}]}"#),
        || modern().result(r#"{"structuredContent":{"id":1},"content":[{"type":"text","text":"one"}]}"#),
    ),
    (
        "text-fallback-for-non-objects",
        || modern().schema("{}").result(r#"{"structuredContent":null,"content":[]}"#),
        || modern().schema("{}").result(r#"{"structuredContent":null,"content":[{"type":"text","text":"null"}]}"#),
    ),
    (
        "content-array",
        || modern().result(r#"{"structuredContent":{"id":1}}"#),
        || modern().result(r#"{"structuredContent":{"id":1},"content":[]}"#),
    ),
    (
        "content-array",
        || legacy().result(r#"{"resultType":"input_required"}"#),
        || modern().result(r#"{"resultType":"input_required"}"#),
    ),
    (
        "content-array",
        || legacy().result(r#"{"structuredContent":{"id":1},"content":null}"#),
        || modern().result(r#"{"resultType":"input_required"}"#),
    ),
    (
        "content-blocks",
        || plain(MODERN, r#"{"content":[{"type":"chart"}]}"#),
        || plain(MODERN, r#"{"content":[{"type":"image","data":"","mimeType":"image/png"}]}"#),
    ),
    (
        "content-blocks",
        || plain("2025-03-26", r#"{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}]}"#),
        || plain("2025-06-18", r#"{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}]}"#),
    ),
    (
        "content-blocks",
        || plain(LEGACY, r#"{"content":[{"type":"text"}]}"#),
        || plain(LEGACY, r#"{"content":[{"type":"text","text":""}]}"#),
    ),
    (
        "content-blocks",
        || plain(LEGACY, r#"{"content":[{"type":"image","data":"aGk","mimeType":"image/png"}]}"#),
        || plain(LEGACY, r#"{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}"#),
    ),
    (
        "content-blocks",
        || plain(LEGACY, r#"{"content":[{"type":"resource","resource":{"uri":"file:///a"}}]}"#),
        || plain(LEGACY, r#"{"content":[{"type":"resource","resource":{"uri":"file:///a","blob":""}}]}"#),
    ),
    (
        "result-members",
        || modern().result(r#"{"structuredContent":{"id":1},"content":[],"isError":"false"}"#),
        || modern().result(r#"{"structuredContent":{"id":1},"content":[],"isError":null}"#),
    ),
    (
        "initialize-members",
        || legacy().swap(r#""serverInfo":{"#, r#""serverInfo":{"title":5,"#),
        || legacy().swap(r#""serverInfo":{"#, r#""serverInfo":{"edition":5,"#),
    ),
    ("initialize-members", || legacy().swap(r#""result":{"protocolVersion":"2025-11-25","#, r#""result":{"#), legacy),
    (
        "initialize-members",
        || legacy().swap(r#""serverInfo":{"#, r#""instructions":null,"serverInfo":{"#),
        || legacy().swap(r#""serverInfo":{"#, r#""instructions":"","serverInfo":{"#),
    ),
    (
        "list-members",
        || modern().swap(r#""tools":[{"#, r#""nextCursor":5,"tools":[{"#),
        || modern().swap(r#""tools":[{"#, r#""nextCursor":null,"tools":[{"#),
    ),
    (
        "optional-members-not-null",
        || modern().swap(r#""tools":[{"#, r#""_meta":null,"tools":[{"#),
        || modern().swap(r#""tools":[{"#, r#""_meta":[],"tools":[{"#),
    ),
    (
        "discover-members",
        || modern().swap(r#""supportedVersions":["#, r#""instructions":null,"supportedVersions":["#),
        || modern().swap(r#""supportedVersions":["#, r#""instructions":"","supportedVersions":["#),
    ),
    ("discover-members", || modern().swap(r#""capabilities":{"#, r#""capabilities":null,"was":{"#), || modern()),
    (
        "tool-definition-members",
        || modern().swap(r#"{"name":"report","#, r#"{"name":"report","annotations":{"title":5},"#),
        || modern().swap(r#"{"name":"report","#, r#"{"name":"report","annotations":{"title":null},"#),
    ),
    (
        "tool-definition-members",
        || legacy().schema(r#"{"type":"object","properties":{"id":true}}"#),
        || modern().schema(r#"{"type":"object","properties":{"id":true}}"#),
    ),
    (
        "tool-definition-members",
        || legacy().swap(r#"{"name":"report","#, r#"{"name":"report","execution":{"taskSupport":"maybe"},"#),
        || modern().swap(r#"{"name":"report","#, r#"{"name":"report","execution":{"taskSupport":"maybe"},"#),
    ),
    (
        "optional-members-not-null",
        || modern().swap(r#"{"name":"report","#, r#"{"name":"report","annotations":{"title":null},"#),
        || modern().swap(r#"{"name":"report","#, r#"{"name":"report","annotations":{"title":5},"#),
    ),
    (
        "optional-members-not-null",
        || modern().swap(r#"{"name":"report","#, r#"{"name":"report","title":null,"#),
        || modern().swap(r#"{"name":"report","#, r#"{"name":"report","title":"","#),
    ),
    (
        "optional-members-not-null",
        || modern().result(r#"{"structuredContent":{"id":1},"content":[],"isError":null}"#),
        || modern().schema("{}").result(r#"{"structuredContent":null,"content":[]}"#),
    ),
    ("optional-members-not-null", || Play::at("2025-06-18").schema("null"), || Play::at("2025-03-26").schema("null")),
    (
        "optional-members-not-null",
        || legacy().result(r#"{"content":[{"type":"text","text":"","annotations":null}]}"#),
        || legacy().result(r#"{"content":[{"type":"text","text":"","annotations":{}}]}"#),
    ),
    ("tool-error-in-result", || raised("-32603"), || raised("-32602")),
    ("tool-error-in-result", || raised("-1"), || removed("-1")),
    ("tool-error-in-result", || raised("-32603"), || raised("-32020")),
    (
        "tool-error-in-result",
        || raised("-32603"),
        || {
            raised("-32603")
                .swap(r#""inputSchema":{"type":"object"}"#, r#""inputSchema":{"type":"object","required":["q"]}"#)
        },
    ),
    (
        "failed-call-is-marked",
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"Error: 404 Not Found"}]}"#),
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"Error: 404 Not Found"}],"isError":true}"#),
    ),
    ("failed-call-is-marked", || plain(MODERN, TEXT).means(Means::ToolError("hi".to_owned())), || plain(MODERN, TEXT)),
    (
        "failed-call-is-marked",
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"Error searching libraries: fetch failed"}]}"#),
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"Error handling in Rust: an overview"}]}"#),
    ),
    (
        "failed-call-is-marked",
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"Database error: null value in column \"id\""}]}"#),
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"Standard error: 0.3"}]}"#),
    ),
    (
        "failed-call-is-marked",
        || {
            plain(
                LEGACY,
                r#"{"content":[{"type":"text","text":"Error retrieving the documentation of the library: no answer"}]}"#,
            )
        },
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"Server error: 12"}]}"#),
    ),
    (
        "failed-call-is-marked",
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"{\"status\":\"error\",\"message\":\"no\"}"}]}"#),
        // The status of what the tool was asked for.
        || {
            plain(
                LEGACY,
                r#"{"content":[{"type":"text","text":"{\"build\":{\"status\":\"error\",\"reason\":\"tests\"}}"}]}"#,
            )
        },
    ),
    (
        "failed-call-is-marked",
        || legacy().schema("{}").result(r#"{"structuredContent":{"status":"error","reason":"no"},"content":[]}"#),
        || {
            legacy()
                .schema(r#"{"type":"object","properties":{"status":{"type":"string"}}}"#)
                .result(r#"{"structuredContent":{"status":"error","reason":"no"},"content":[]}"#)
        },
    ),
    (
        "failed-call-is-marked",
        || legacy().schema("{}").result(r#"{"structuredContent":{"result":"Error: no address"},"content":[]}"#),
        || legacy().schema("{}").result(r#"{"structuredContent":{"result":"no address"},"content":[]}"#),
    ),
    (
        "failed-call-is-marked",
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"{\"error\":\"no\"}"}]}"#),
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"{\"error\":null,\"id\":1}"}]}"#),
    ),
    (
        "failed-call-is-marked",
        || legacy().result(r#"{"structuredContent":{"id":1,"isError":true},"content":[]}"#),
        || legacy().result(r#"{"structuredContent":{"id":1,"isError":false},"content":[]}"#),
    ),
    (
        "failed-call-is-marked",
        || {
            plain(
                LEGACY,
                r#"{"content":[{"type":"text","text":"{\"result\":{\"success\":false,\"message\":\"no\"}}"}]}"#,
            )
        },
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"{\"result\":{\"success\":false,\"rows\":[]}}"}]}"#),
    ),
    (
        "failed-call-is-marked",
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"{\"status\":\"error\",\"reason\":\"no\"}"}]}"#),
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"{\"status\":\"error\",\"count\":3}"}]}"#),
    ),
    (
        "failed-call-is-marked",
        || legacy().result(r#"{"structuredContent":{"id":1,"ok":false,"error":"no"},"content":[]}"#),
        // A flag that is declared is part of the value.
        || {
            legacy()
                .schema(r#"{"type":"object","properties":{"ok":{"type":"boolean"}}}"#)
                .result(r#"{"structuredContent":{"id":1,"ok":false,"error":"no"},"content":[]}"#)
        },
    ),
    (
        "text-is-json",
        || {
            legacy()
                .schema(r#"{"type":"object"}"#)
                .result(r#"{"content":[{"type":"text","text":"\"{\\\"rows\\\":3}\""}]}"#)
        },
        // The value may be a text that is JSON.
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"\"{\\\"rows\\\":3}\""}]}"#),
    ),
    (
        "text-is-json",
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"{\"mean\": NaN}"}]}"#),
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"{\"mean\": \"NaN\"}"}]}"#),
    ),
    (
        "member-names",
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"No such file"}],"is_error":true}"#),
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"No such file"}],"is_empty":true}"#),
    ),
    (
        "member-names",
        || modern().swap(r#""outputSchema""#, r#""output_schema""#),
        || Play::at("2025-03-26").swap(r#""outputSchema""#, r#""output_schema""#),
    ),
    (
        "member-names",
        || legacy().swap(r#"{"name":"report","#, r#"{"name":"report","annotations":{"readonlyHint":true},"#),
        || legacy().swap(r#"{"name":"report","#, r#"{"name":"report","annotations":{"readHint":true},"#),
    ),
    ("member-names", || legacy().list(r#"{"next_cursor":"2"}"#), || legacy().list(r#"{"next_cursor":null}"#)),
    (
        "member-places",
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"hi","structuredContent":{"id":1}}]}"#),
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"hi","value":{"id":1}}]}"#),
    ),
    (
        "member-places",
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"hi","isError":true}]}"#),
        // The value is the tool's own.
        || legacy().result(r#"{"structuredContent":{"id":1,"isError":true},"content":[]}"#),
    ),
    (
        "member-places",
        || {
            plain(
                LEGACY,
                r#"{"content":[{"type":"text","text":"{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"}]}"#,
            )
        },
        || {
            plain(
                LEGACY,
                r#"{"content":[{"type":"text","text":"{\"content\":[{\"type\":\"page\",\"text\":\"hi\"}]}"}]}"#,
            )
        },
    ),
    (
        "member-places",
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"[{\"type\":\"text\",\"text\":\"hi\"}]"}]}"#),
        || plain(LEGACY, r#"{"content":[{"type":"text","text":"[{\"type\":\"page\",\"text\":\"hi\"}]"}]}"#),
    ),
    (
        "member-places",
        || {
            plain(
                LEGACY,
                r#"{"content":[{"type":"text","text":"[{\"type\":\"resource_link\",\"uri\":\"a:b\",\"name\":\"b\"}]"}]}"#,
            )
        },
        || {
            plain(
                LEGACY,
                r#"{"content":[{"type":"text","text":"[{\"type\":\"image\",\"url\":\"https://a.example/b.png\"}]"}]}"#,
            )
        },
    ),
    (
        "member-places",
        || legacy().no_schema().swap(r#"{"name":"report","#, r#"{"name":"report","annotations":{"outputSchema":{}},"#),
        || legacy().swap(r#"{"name":"report","#, r#"{"name":"report","annotations":{"outputSchema":{}},"#),
    ),
    (
        "input-schema-valid",
        || takes(MODERN, r#"{"type":"object","properties":null}"#),
        || takes(MODERN, r#"{"type":"object","properties":{}}"#),
    ),
    (
        "input-schema-valid",
        || takes("2025-06-18", r#"{"type":"object","properties":{"n":{"type":"strin"}}}"#),
        || takes("2025-06-18", r#"{"type":"object","properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}"#),
    ),
    (
        "output-schema-valid",
        || Play::at("2025-06-18").schema(r#"{"type":"object","properties":{"id":{"type":"objekt"}}}"#),
        || Play::at("2025-06-18").schema(r#"{"type":"object","properties":{"id":{"items":[{}]}}}"#),
    ),
    (
        "schema-terminates",
        || legacy().schema(r##"{"type":"object","allOf":[{"$ref":"#"}]}"##),
        || legacy().schema(r##"{"type":"object","properties":{"c":{"items":{"$ref":"#"}}}}"##),
    ),
    (
        "schema-terminates",
        || legacy().schema(r##"{"type":"object","allOf":[{"$ref":"#"}]}"##),
        || Play::at("2025-03-26").schema(r##"{"type":"object","allOf":[{"$ref":"#"}]}"##),
    ),
    (
        "schema-terminates",
        || takes(MODERN, r##"{"type":"object","allOf":[{"$ref":"#"}]}"##),
        || takes(MODERN, r##"{"type":"object","properties":{"c":{"$ref":"#"}}}"##),
    ),
    ("unknown-tool-code", || removed("-32603"), || removed("-32602")),
    ("unknown-tool-code", || gone(), || legacy()),
];

/// A tool with this schema of its arguments.
fn takes(revision: &str, schema: &str) -> Play {
    Play::at(revision).swap(r#""inputSchema":{"type":"object"}"#, &format!(r#""inputSchema":{schema}"#))
}

/// A tool whose error comes as one of the protocol.
fn raised(code: &str) -> Play {
    let error = format!(r#""error":{{"code":{code},"message":"report: out of stock"}},"was":{{"structured"#);
    legacy()
        .means(Means::ToolError("report".to_owned()))
        .sees(called(None, &[], false))
        .swap(r#""result":{"structured"#, &error)
}

/// A server without the tool that answers its call all the same.
fn gone() -> Play {
    legacy().removed().means(Means::ToolError("report".to_owned())).sees(called(None, &[], false))
}

fn removed(code: &str) -> Play {
    let error = format!(r#""error":{{"code":{code},"message":"Unknown tool: report"}},"was":{{"structured"#);
    gone().swap(r#""result":{"structured"#, &error)
}

/// A modern client that asked to be told of changes, and a server that changes and tells, or does not.
pub(crate) fn listening(told: bool) -> Play {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let listen = format!(
        r#"{{"jsonrpc":"2.0","id":90,"method":"subscriptions/listen","params":{{{meta},"notifications":{{"toolsListChanged":true}}}}}}"#
    );
    let acknowledged = r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":90}}}"#;
    modern().evolves(told).after(r#""id":2,"result""#, Role::Client, &listen).after(
        "subscriptions/listen",
        Role::Server,
        acknowledged,
    )
}

const TWICE: &str = r#"{"structuredContent":{"id":1,"id":2},"content":[]}"#;
const ONCE: &str = r#"{"structuredContent":{"id":1,"ID":2},"content":[]}"#;
const TWICE_BELOW: &str = r#"{"structuredContent":{"id":[{"a":1,"b":1,"a":1}]},"content":[]}"#;
const SIDE_BY_SIDE: &str = r#"{"structuredContent":{"id":[{"a":1},{"a":1}]},"content":[]}"#;
