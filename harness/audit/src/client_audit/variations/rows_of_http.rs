//! Variations of sessions, of HTTP and of event streams.

use std::time::Duration;

use mcp_compat_mocks::server::varied::{Accepted, Behaviour, Get, Instead, Refusal, SessionEnd};
use mcp_compat_model::audit::Severity;
use mcp_compat_model::{Revision, Transport};

use super::row::{Basis, Due, Group, Lack, Row, apart, joint, row};
use super::rows_of_results::content;

const TRANSPORT: Basis = Basis::Section("basic/transports#sending-messages-to-the-server");
const LISTENING: Basis = Basis::Section("basic/transports#listening-for-messages-from-the-server");
const SESSIONS: Basis = Basis::Section("basic/transports#session-management");
const EVENTS: Basis =
    Basis::Address("https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation");

pub(super) const GROUPS: [Group; 12] = [
    joint("refusal", &REFUSALS).over(Transport::Http),
    joint("session", &SESSION).over(Transport::Http),
    apart("expiry", &EXPIRY).over(Transport::Http),
    apart("revision", &REVISIONS),
    joint("http", &FORMS).over(Transport::Http),
    apart("http", &HTTP).over(Transport::Http),
    apart("accepted", &ACCEPTED).over(Transport::Http),
    Group { asks: Some("server/discover"), ..apart("discover", &DISCOVERY) },
    Group { of_gets: true, ..apart("get", &GETS).over(Transport::Http) },
    joint("stream", &STREAMS).over(Transport::Http),
    apart("stream-end", &KEPT_OPEN).over(Transport::Http),
    apart("resumption", &RESUMED).over(Transport::Http),
];

/// Requests that lack what they must have. A client that has it is not refused.
const REFUSALS: [Row; 4] = [
    row(
        "accept",
        "answers 406 to a POST whose `Accept` does not list both `application/json` and `text/event-stream`",
        |server| {
            server.refusals.push(Refusal::Accept);
        },
    )
    .common()
    .since(Revision::V2025_03_26)
    .fix(
        "list `application/json` and `text/event-stream` in the Accept header of every POST",
        Basis::Rule("http-accept"),
    ),
    row("content-type", "answers 415 to a POST whose `Content-Type` is not `application/json`", |server| {
        server.refusals.push(Refusal::ContentType);
    })
    .fix("send `Content-Type: application/json` with every POST", TRANSPORT),
    row("not-initialized", "answers 400 to requests before `notifications/initialized`", |server| {
        server.refusals.push(Refusal::NotInitialized);
    })
    .fix(
        "send `notifications/initialized` after the answer to `initialize`, and wait until it is accepted",
        Basis::Rule("initialized-is-told"),
    ),
    row(
        "version-header",
        "answers 400 to requests after `initialize` without the header `MCP-Protocol-Version`",
        |server| {
            server.refusals.push(Refusal::VersionHeader);
        },
    )
    .since(Revision::V2025_06_18)
    .fix(
        "send the negotiated revision in the MCP-Protocol-Version header of every request after `initialize`",
        Basis::Rule("http-version-header"),
    ),
];

const SESSION: [Row; 4] = [
    row("id", "gives a session id, and answers 400 to requests without it", |server| {
        session(server, "0f3c5a52-9d0e-4d6b-8d1c-5d2f7b1f0a11")
    })
    .common()
    .since(Revision::V2025_03_26)
    .fix(
        "send the Mcp-Session-Id of the answer to `initialize` with every later request",
        Basis::Rule("http-session-id"),
    ),
    row("odd-id", "gives a session id with punctuation, and answers 404 to any other id", |server| {
        session(server, "Ab!#$%&'*+-.^_`|~(){}[]<>@;:?=/z");
    })
    .since(Revision::V2025_03_26)
    .fix("send the session id back as it came: it may have every visible ASCII character", SESSIONS),
    row("delete-405", "answers 405 to the DELETE of a session", |server| {
        if server.session.is_none() {
            session(server, "0f3c5a52-9d0e-4d6b-8d1c-5d2f7b1f0a12");
        }
        server.delete = 405;
    })
    .since(Revision::V2025_03_26)
    .fix("accept 405 for a DELETE: the server does not let clients end sessions", SESSIONS),
    row("lower-case", "gives a session id in a header whose name is in lower case (`mcp-session-id`)", |server| {
        if server.session.is_none() {
            session(server, "0f3c5a52-9d0e-4d6b-8d1c-5d2f7b1f0a15");
        }
        server.lower_names = true;
    })
    .since(Revision::V2025_03_26)
    .fix(NAMES, NAMES_BASIS),
];

const NAMES: &str = "compare the names of headers without regard to case";

const NAMES_BASIS: Basis = Basis::Address("https://www.rfc-editor.org/rfc/rfc9110#section-5.1");

/// A client that sends one request after the end shows the fault for sure, so this comes first.
const EXPIRY: [Row; 2] = [
    row("after-call", "ends the session after the first call: it answers later requests with 404", |server| {
        session(server, "0f3c5a52-9d0e-4d6b-8d1c-5d2f7b1f0a14");
        server.session_end = Some(SessionEnd::AfterCall);
    })
    .since(Revision::V2025_03_26)
    .due(Due::Reopen)
    .fix(REOPEN, SESSIONS),
    row("at-call", "ends the session: it answers the call with 404", |server| {
        session(server, "0f3c5a52-9d0e-4d6b-8d1c-5d2f7b1f0a13");
        server.session_end = Some(SessionEnd::AtCall);
    })
    .since(Revision::V2025_03_26)
    .due(Due::Reopen)
    .fix(REOPEN, SESSIONS),
];

const REOPEN: &str = "on 404 to a request with a session id, drop the id, send a new `initialize` without it, and repeat the \
                      request in the new session";

const REVISIONS: [Row; 2] = [
    row("older", "answers `initialize` with 2025-03-26, an older revision than was asked for", |server| {
        server.revision = Some("2025-03-26");
    })
    .since(Revision::V2025_06_18)
    .due(Due::Follow("2025-03-26"))
    .over(Transport::Http)
    .fix(
        "go on at the revision of the answer, and name it in MCP-Protocol-Version, or end the session with an error",
        Basis::Rule("http-version-is-negotiated"),
    ),
    row("unknown", "answers `initialize` with a revision that the client cannot know (2099-01-01)", |server| {
        server.revision = Some("2099-01-01");
    })
    .due(Due::Leave)
    .fix(
        "end the session if it does not speak the revision of the answer",
        Basis::Rule("client-leaves-unknown-revision"),
    )
    .severity(Severity::Warning),
];

/// Forms of a response that go together.
const FORMS: [Row; 4] = [
    row("charset", "answers with `Content-Type: application/json; charset=utf-8`", |server| {
        server.json_type = "application/json; charset=utf-8";
    })
    .fix("read the Content-Type without its parameters", TRANSPORT),
    row("lower-case", "writes the names of headers in lower case (`content-type`)", |server| server.lower_names = true)
        .fix(NAMES, NAMES_BASIS),
    row("gzip", "compresses its answers with gzip, if the client lists gzip in `Accept-Encoding`", |server| {
        server.gzip = true;
    })
    .fix(
        "decode what `Content-Encoding` names, or do not offer it in `Accept-Encoding`",
        Basis::Address("https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3"),
    ),
    row("close", "ends the connection after each response (`Connection: close`)", |server| server.closes = true).fix(
        "open a new connection where the last one was closed",
        Basis::Address("https://www.rfc-editor.org/rfc/rfc9112#section-9.6"),
    ),
];

const HTTP: [Row; 5] = [
    row("redirect", "redirects the endpoint with 307 to the same path with a slash", |server| server.redirects = true)
        .fix(
            "follow redirects of a POST with 307 and 308, within the same origin",
            Basis::Address("https://www.rfc-editor.org/rfc/rfc9110#name-307-temporary-redirect"),
        )
        .severity(Severity::Note),
    row("unauthorized", "answers 401 to `initialize`, with `WWW-Authenticate`", |server| {
        server.instead = Some(Instead {
            method: "initialize",
            status: 401,
            headers: &[("www-authenticate", "Bearer realm=\"mcp\""), ("content-type", "application/json")],
            body: r#"{"error":"invalid_token","error_description":"token-missing"}"#,
            always: true,
        });
    })
    .due(Due::Tell(""))
    .fix("report 401 as an error, or start the authorization", Basis::Section("basic/authorization#error-handling")),
    row("refused-notification", "answers `notifications/initialized` with 400", |server| {
        server.accepted.status = 400;
    })
    .due(Due::Tell(""))
    .fix("report a refused notification as an error, or go on", TRANSPORT),
    row("failing-list", "answers `tools/list` with 500", |server| {
        server.instead = Some(Instead { method: "tools/list", status: 500, headers: &[], body: "", always: true });
    })
    .due(Due::Tell(""))
    .fix("report 500 as an error, or send the request again", TRANSPORT),
    row("busy", "answers the call with 503 and `Retry-After: 1`, once", |server| instead(server, 503, "busy-5530"))
        .due(Due::Tell(""))
        .fix(
            "report 503 as an error, or send the request again after `Retry-After`",
            Basis::Address("https://www.rfc-editor.org/rfc/rfc9110#name-retry-after"),
        ),
];

/// Answers to `notifications/initialized`.
const ACCEPTED: [Row; 4] = [
    row(
        "typed",
        "answers a notification with 202, a content type (text/plain) and an empty body in chunks",
        |server| {
            server.accepted =
                Accepted { status: 202, content_type: Some("text/plain; charset=utf-8"), is_chunked: true };
        },
    )
    .since(Revision::V2025_03_26)
    .fix(NO_BODY, TRANSPORT),
    row(
        "json-typed",
        "answers a notification with 202, the content type application/json and an empty body",
        |server| {
            server.accepted = Accepted { status: 202, content_type: Some("application/json"), is_chunked: false };
        },
    )
    .since(Revision::V2025_03_26)
    .fix(NO_BODY, TRANSPORT),
    row("no-content", "answers a notification with 204, and not with 202", |server| server.accepted.status = 204)
        .since(Revision::V2025_03_26)
        .practice()
        .fix("take every status of 200 to 299 for the acceptance of a notification", TRANSPORT)
        .severity(Severity::Note),
    row("ok", "answers a notification with 200 and an empty body, and not with 202", |server| {
        server.accepted.status = 200;
    })
    .since(Revision::V2025_03_26)
    .practice()
    .fix("take every status of 200 to 299 for the acceptance of a notification", TRANSPORT)
    .severity(Severity::Note),
];

const NO_BODY: &str = "read no body and no content type of a response with status 202";

/// Answers of servers that do not know `server/discover`. They have the older revisions alone.
const DISCOVERY: [Row; 7] = [
    row("bad-request", "has only revisions before 2026-07-28, and answers `server/discover` with 400 and an error whose id is null", |server| {
        discover(server, 400, r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}"#);
    })
    .over(Transport::Http)
    .fix(FALL_BACK, ERAS),
    row("not-found", "has only revisions before 2026-07-28, and answers `server/discover` with 404 and no JSON", |server| {
        discover(server, 404, "Not Found");
    })
    .over(Transport::Http)
    .fix(FALL_BACK, ERAS),
    row("unknown-method", "has only revisions before 2026-07-28, and answers `server/discover` with -32601", |server| {
        discover(server, 200, UNKNOWN_METHOD);
    })
    .fix(FALL_BACK, ERAS),
    row("unknown-method-404", "answers `server/discover` with -32601 and HTTP status 404", |server| {
        discover(server, 404, UNKNOWN_METHOD);
    })
    .over(Transport::Http)
    .fix(FALL_BACK, ERAS),
    row("unknown-method-400", "answers `server/discover` with -32601 and HTTP status 400", |server| {
        discover(server, 400, UNKNOWN_METHOD);
    })
    .over(Transport::Http)
    .fix(FALL_BACK, ERAS),
    row("invalid-params", "has only revisions before 2026-07-28, and answers `server/discover` with -32602", |server| {
        discover(server, 200, r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32602,"message":"Invalid request parameters","data":""}}"#);
    })
    .fix(FALL_BACK, ERAS)
    .severity(Severity::Warning),
    row("silent", "has only revisions before 2026-07-28, and gives no answer to `server/discover`", |server| {
        discover(server, 200, "");
    })
    .over(Transport::Stdio)
    .fix("go on with `initialize` if `server/discover` is not answered within some seconds", ERAS)
    .severity(Severity::Warning),
];

const UNKNOWN_METHOD: &str = r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32601,"message":"Method not found"}}"#;

/// Another answer to `server/discover` than that of the plain server, -32601.
pub(super) fn undiscovered(server: &mut Behaviour) {
    let error =
        r#"{"jsonrpc":"2.0","id":{id},"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#;
    discover(server, 400, error);
}

const FALL_BACK: &str = "take any answer to `server/discover` that names no revision for that of an older server, and go on with `initialize`";

const ERAS: Basis = Basis::Address("https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning");

fn discover(server: &mut Behaviour, status: u16, body: &'static str) {
    let json: &[_] = &[("content-type", "application/json")];
    let headers = if body.starts_with('{') { json } else { &[("content-type", "text/plain")] };
    server.instead = Some(Instead { method: "server/discover", status, headers, body, always: true });
}

const GETS: [Row; 4] = [
    row("open", "answers a GET with an event stream that stays open", |server| server.get = Get::Open)
        .fix("read the stream of a GET beside its other requests, and close it at the end", LISTENING),
    row("closed", "answers a GET with an event stream that ends at once", |server| server.get = Get::Closed)
        .fix("go on when the stream of a GET ends", LISTENING),
    row("not-found", "answers a GET with 404, and not with 405", |server| server.get = Get::NotFound)
        .practice()
        .fix(NO_STREAM, LISTENING)
        .severity(Severity::Note),
    row("json", "answers a GET with 200 and JSON, and not with an event stream or 405", |server| {
        server.get = Get::Json
    })
    .practice()
    .fix(NO_STREAM, LISTENING)
    .severity(Severity::Note),
];

const NO_STREAM: &str = "go on without the stream of a GET if the server gives none";

const STREAMS: [Row; 11] = [
    row("plain", "answers with event streams", |server| {
        server.events();
    })
    .common()
    .lacks(Lack::Events)
    .fix("read answers of the type text/event-stream", TRANSPORT),
    row("crlf", "ends the lines of its event streams with CRLF", |server| server.events().crlf = true)
        .fix("accept CRLF, LF and CR as the end of a line", EVENTS),
    row("terse", "writes `data:` without a space, and no `event:` line", |server| server.events().terse = true).fix(
        "take the space after the colon as optional, and `message` as the type of an event without `event:`",
        EVENTS,
    ),
    row("comments", "writes comment lines (`: keep-alive`) in its event streams", |server| {
        server.events().comments = true
    })
    .fix("ignore lines that begin with a colon", EVENTS),
    row("other-type", "sends an event of the type `ping` before the answer", |server| server.events().foreign = true)
        .practice()
        .fix("ignore events whose type is not `message`", EVENTS)
        .severity(Severity::Warning),
    row("marked", "begins its event streams with a byte order mark", |server| server.events().marked = true)
        .fix("skip a byte order mark at the start of an event stream", EVENTS)
        .severity(Severity::Warning),
    row("numbered", "writes `id:` and `retry:` lines in its event streams", |server| server.events().numbered = true)
        .since(Revision::V2025_03_26)
        .fix("read `id:` and `retry:` lines as fields of the stream", EVENTS),
    row("primed", "begins its event streams with an event that has an id and no data", |server| {
        server.events().primed = true;
    })
    .since(Revision::V2025_11_25)
    .fix("skip events whose data is empty", TRANSPORT),
    row("lines", "writes the data of an event in several lines", |server| server.events().lines = true)
        .fix("join the `data:` lines of an event with line feeds", EVENTS),
    row("pieces", "sends an event in pieces that end inside a line and inside a character", |server| {
        server.events().pieces = true;
        content(server, &[r#"{"type":"text","text":"The sum is 8. Zürich-8812"}"#]);
    })
    .due(Due::Show(&["Zürich-8812"]))
    .fix("collect the bytes of a line before it decodes them", EVENTS),
    row("large", "sends an event of 200 kB", |server| {
        server.events();
        server.content.push(format!(r#"{{"type":"text","text":"{}"}}"#, "mcp-compat ".repeat(20_000)));
    })
    .fix("read events of any size", EVENTS),
];

const KEPT_OPEN: [Row; 1] =
    [row("kept-open", "keeps the event stream of the list open for 1.5 s after the answer", |server| {
        server.events().linger = LINGER
    })
    .due(Due::NoWait(LINGER))
    .fix("take the answer when its event is complete, and do not wait for the end of the stream", TRANSPORT)
    .severity(Severity::Warning)];

const RESUMED: [Row; 1] = [
    row("resumed", "ends the stream of the call after an event with an id, and answers on the stream that a GET with this `Last-Event-ID` resumes", |server| {
        server.events().resumed = true;
    })
    .due(Due::Resume)
    .since(Revision::V2025_11_25)
    .fix("resume a stream that ends without the answer: wait for `retry`, then GET with `Last-Event-ID`", Basis::Section("basic/transports#resumability-and-redelivery"))
    .severity(Severity::Warning),
];

const LINGER: Duration = Duration::from_millis(1500);

fn session(server: &mut Behaviour, id: &'static str) {
    server.session = Some(id);
    server.delete = 200;
    server.refusals.push(Refusal::Session);
}

fn instead(server: &mut Behaviour, status: u16, body: &'static str) {
    server.instead =
        Some(Instead { method: "tools/call", status, headers: &[("retry-after", "1")], body, always: false });
}
