//! Cases for the rules of Streamable HTTP.

use crate::play::Play;
use crate::rules::Case;

fn modern() -> Play {
    Play::at("2026-07-28").over_http()
}

fn legacy() -> Play {
    Play::at("2025-11-25").over_http()
}

const LIST: &str = "tools/list";
const CALL: &str = r#""name":"report","arguments""#;

pub(crate) const CASES: &[Case] = &[
    ("header-params-valid", || asking_for("array"), || asking_for("integer")),
    ("header-params-valid", || asking_for("number"), || asking_for("array").swap("x-mcp-header", "x-header")),
    ("header-params-checked", || asking_for("array"), || asking_for("boolean")),
    ("header-params-checked", || asking_for("object"), || Play::at("2026-07-28").swap(PLAIN, &header_for("object"))),
    (
        "http-accept",
        || modern().header(LIST, "accept", Some("application/json")),
        || modern().header(LIST, "accept", Some("text/event-stream, application/json;q=0.9")),
    ),
    ("http-accept", || legacy().header(LIST, "accept", None), || Play::at("2025-11-25").header(LIST, "accept", None)),
    (
        "http-version-header",
        || legacy().header(LIST, "mcp-protocol-version", None),
        || legacy().header("initialize\"", "mcp-protocol-version", None),
    ),
    (
        "http-version-is-negotiated",
        || legacy().header(LIST, "mcp-protocol-version", Some("2025-06-18")),
        || modern().header(LIST, "mcp-protocol-version", Some("2025-06-18")),
    ),
    ("http-version-is-negotiated", || legacy().header(LIST, "mcp-protocol-version", Some("2025-06-18")), legacy),
    ("http-version-is-negotiated", || legacy().gets_as("2025-06-18"), || legacy().gets_as("2025-11-25")),
    ("http-request-headers", || modern().header(LIST, "mcp-method", None), modern),
    (
        "http-request-headers",
        || modern().header(LIST, "mcp-protocol-version", Some("2025-11-25")),
        || legacy().header(LIST, "mcp-protocol-version", Some("2025-06-18")),
    ),
    (
        "http-request-headers",
        || modern().header(CALL, "mcp-name", Some("another")),
        || modern().header(CALL, "mcp-name", Some("=?base64?cmVwb3J0?=")),
    ),
    (
        "http-request-headers",
        || modern().header(CALL, "mcp-name", Some("=?BASE64?cmVwb3J0?=")),
        || modern().header(LIST, "mcp-name", Some("anything")),
    ),
    (
        "http-request-headers",
        || named_abroad().header(ABROAD, "mcp-name", Some("große_Liste")),
        || named_abroad().header(ABROAD, "mcp-name", Some("=?base64?Z3Jvw59lX0xpc3Rl?=")),
    ),
    ("http-headers-are-decoded", || refused(-32020), || refused(-32020).header(CALL, "mcp-name", Some("another"))),
    ("http-headers-are-decoded", || refused(-32020), || refused(-32602)),
    ("http-headers-are-decoded", || refused(-32020), || refused(-32020).swap(PLAIN, &header_for("integer"))),
    (
        "http-session-id",
        || legacy().header(LIST, "mcp-session-id", None),
        || legacy().header("\"initialize\"", "mcp-session-id", None),
    ),
    (
        "http-session-id",
        || legacy().header(LIST, "mcp-session-id", Some("s2")),
        || legacy().header("jsonrpc", "mcp-session-id", None),
    ),
    ("http-error-status", || refused(-32601).status(r#""error""#, 200), || refused(-32601).status(r#""error""#, 404)),
    ("http-error-status", || refused(-32022).status(r#""error""#, 404), || refused(-32022).status(r#""error""#, 400)),
    ("http-error-status", || refused(-32020).status(r#""error""#, 200), || refused(-32602).status(r#""error""#, 200)),
    ("http-notification-accepted", || legacy().accepts_with(200), || legacy().accepts_with(202)),
    ("http-notification-accepted", || legacy().accepts_with(204), || legacy().accepts_with(400)),
    (
        "http-answer-type",
        || legacy().header(RESULT, "content-type", Some("text/plain")),
        || legacy().header(RESULT, "content-type", Some("text/event-stream; charset=utf-8")),
    ),
    (
        "http-answer-type",
        || modern().header(RESULT, "content-type", None),
        || modern().header(RESULT, "content-type", None).status(RESULT, 400),
    ),
    ("http-answer-on-own-stream", || legacy().aside(RESULT), || legacy().gets(None)),
    ("http-get-stream-or-405", || legacy().gets(Some(404)), || legacy().gets(Some(405))),
    ("http-get-stream-or-405", || legacy().gets(Some(406)), || legacy().gets(Some(200))),
    ("http-get-stream-or-405", || legacy().gets(Some(400)), || legacy().gets_as("2025-06-18").gets(Some(400))),
];

const RESULT: &str = r#""id":2,"result""#;

const ABROAD: &str = r#""name":"große_Liste","arguments""#;

/// A call of a tool with a name that no header can hold as it stands.
fn named_abroad() -> Play {
    modern().swap(CALL, ABROAD)
}

/// A server that refuses the call.
fn refused(code: i64) -> Play {
    let error = format!(r#""error":{{"code":{code},"message":"no"}},"was":{{"resultType":"complete","structured"#);
    modern().swap(r#""result":{"resultType":"complete","structured"#, &error)
}

/// The input schema of the tool.
const PLAIN: &str = r#"{"name":"report","inputSchema":{"type":"object"}"#;

/// The same with an argument of this type that is to be repeated in a header.
fn header_for(kind: &str) -> String {
    let argument = format!(r#"{{"type":"{kind}","x-mcp-header":"Id"}}"#);
    format!(r#"{{"name":"report","inputSchema":{{"type":"object","properties":{{"id":{argument}}}}}"#)
}

fn asking_for(kind: &str) -> Play {
    modern().swap(PLAIN, &header_for(kind))
}
