//! Variations of what a server sends before the answer to a call: notifications, requests, and answers to nothing.

use mcp_compat_mocks::server::varied::Behaviour;
use mcp_compat_model::Revision;
use mcp_compat_model::audit::Severity;

use super::row::{Basis, Due, Group, Row, apart, joint, row};

const RESPONSES: Basis = Basis::Section("basic/index#responses");

pub(super) const GROUPS: [Group; 4] =
    [joint("before", &BEFORE), joint("requests", &REQUESTS), joint("stray", &STRAY), apart("given-up", &GIVEN_UP)];

/// A client that reads nothing more after a log loses all that comes later, so the first row is the worst.
const BEFORE: [Row; 6] = [
    row("log-at-list", "sends `notifications/message` before the answer to `tools/list`", |server| {
        server.initialize.set("capabilities", r#"{"tools":{"listChanged":true},"logging":{}}"#);
        server.before_list.push(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"a log"}}"#.to_owned());
    })
    .common()
    .fix("accept messages that are no answer", Basis::Section("server/utilities/logging#message-flow")),
    row("log", "sends `notifications/message` before the answer to the call", |server| {
        server.initialize.set("capabilities", r#"{"tools":{"listChanged":true},"logging":{}}"#);
        before(server, r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"a","data":{"text":"a log"}}}"#);
        before(server, r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"notice","data":"a text"}}"#);
    })
    .common()
    .fix("accept messages that are no answer", Basis::Section("server/utilities/logging#message-flow")),
    row("list-changed", "sends `notifications/tools/list_changed` before the answer to the call", |server| {
        server.initialize.set("capabilities", r#"{"tools":{"listChanged":true},"logging":{}}"#);
        before(server, r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
        server.grows = true;
    })
    .due(Due::Relist)
    .fix("accept notifications without `params`, and ask for the list again after `notifications/tools/list_changed`", Basis::Section("server/tools#list-changed-notification")),
    row("unknown-notification", "sends a notification that the client does not know before the answer to the call", |server| {
        before(server, r#"{"jsonrpc":"2.0","method":"notifications/example","params":{"a":1}}"#);
    })
    .fix("ignore notifications that it does not know", Basis::Section("basic/index#notifications")),
    row("progress", "sends `notifications/progress` under the token of the call, with whole numbers and fractions, with and without `total`", |server| {
        before(server, r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{token},"progress":1}}"#);
        before(server, r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{token},"progress":1.5,"total":2.5}}"#);
    })
    .fix("accept every number as `progress` and `total`, and a progress without `total`", Basis::Section("basic/utilities/progress#progress-flow")),
    row("ping", "sends `ping` before the answer to the call", |server| {
        before(server, r#"{"jsonrpc":"2.0","id":"ping-1","method":"ping"}"#);
    })
    .due(Due::Serve("\"ping-1\""))
    .fix("answer `ping` with an empty result, in every session", Basis::Section("basic/utilities/ping#behavior-requirements")),
];

/// Requests for what the client declares, and one that it does not know.
const REQUESTS: [Row; 4] = [
    row("roots", "sends `roots/list`, which the client declared (`roots`), before the answer to the call", |server| {
        before(server, r#"{"jsonrpc":"2.0","id":"roots-1","method":"roots/list"}"#);
    })
    .declared("roots")
    .due(Due::Serve("\"roots-1\""))
    .fix("answer `roots/list` with its roots, or do not declare `roots`", Basis::Section("client/roots#protocol-messages")),
    row("sampling", "sends `sampling/createMessage`, which the client declared (`sampling`), before the answer to the call", |server| {
        before(server, r#"{"jsonrpc":"2.0","id":"sampling-1","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Say yes."}}],"maxTokens":10}}"#);
    })
    .declared("sampling")
    .due(Due::Serve("\"sampling-1\""))
    .fix("answer `sampling/createMessage` with a message or an error, or do not declare `sampling`", Basis::Section("client/sampling#creating-messages"))
    .severity(Severity::Warning),
    row("elicitation", "sends `elicitation/create`, which the client declared (`elicitation`), before the answer to the call", |server| {
        before(server, r#"{"jsonrpc":"2.0","id":"elicitation-1","method":"elicitation/create","params":{"message":"Your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}"#);
    })
    .since(Revision::V2025_06_18)
    .declared("elicitation")
    .due(Due::Serve("\"elicitation-1\""))
    .fix("answer `elicitation/create` with an action (`accept`, `decline` or `cancel`), or do not declare `elicitation`", Basis::Section("client/elicitation#protocol-messages"))
    .severity(Severity::Warning),
    row("unknown", "sends a request that the client does not know before the answer to the call", |server| {
        before(server, r#"{"jsonrpc":"2.0","id":"unknown-1","method":"example/unknown","params":{}}"#);
    })
    .practice()
    .due(Due::Answer("\"unknown-1\""))
    .fix("answer requests that it does not know with the error -32601 (method not found)", Basis::Address("https://www.jsonrpc.org/specification#error_object"))
    .severity(Severity::Note),
];

/// Answers that match no request. The first is the worst: a client takes it for its result. An error without an id may be about
/// the request that is open: to fail it is no fault.
const STRAY: [Row; 3] = [
    row("unknown-id", "sends an answer to a request that was never sent before the answer to the call", |server| {
        before(server, r#"{"jsonrpc":"2.0","id":914027,"result":{"content":[{"type":"text","text":"another answer"}]}}"#);
    })
    .practice()
    .due(Due::Ignore("another answer"))
    .fix(STRAY_FIX, RESPONSES)
    .severity(Severity::Warning),
    row("null-id", "sends an error whose id is null before the answer to the call", |server| {
        before(server, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"stray-error"}}"#);
    })
    .practice()
    .due(Due::WorkOrTell("stray-error"))
    .fix(STRAY_FIX, RESPONSES)
    .severity(Severity::Note),
    row("progress", "sends `notifications/progress` under a token that no request has", |server| {
        before(server, r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"unknown-7","progress":1,"total":2}}"#);
    })
    .practice()
    .fix("ignore the progress of a token that it does not know", Basis::Section("basic/utilities/progress#behavior-requirements"))
    .severity(Severity::Note),
];

/// Servers do it, and only they can mend it: they may cancel requests of their own alone.
const GIVEN_UP: [Row; 1] = [row(
    "cancelled",
    "gives the call up: it sends `notifications/cancelled` with the id of the call, and no answer",
    |server| server.gives_up = true,
)
.practice()
.due(Due::GiveUp)
.fix(
    "fail the call at once; no rule asks for that. The server is at fault: it may cancel only requests of its own, and owes an \
     error as the answer",
    Basis::Section("basic/utilities/cancellation#behavior-requirements"),
)
.severity(Severity::Note)];

const STRAY_FIX: &str =
    "match answers to requests by their id: log one that matches none, and go on waiting for the answer";

fn before(server: &mut Behaviour, message: &str) {
    server.before.push(message.to_owned());
}
