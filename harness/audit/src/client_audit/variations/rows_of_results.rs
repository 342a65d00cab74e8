//! Variations of the result of a call, of errors, and of what a server sends before it answers.

use mcp_compat_mocks::server::varied::{Behaviour, CallError};
use mcp_compat_model::audit::Severity;
use mcp_compat_model::{Revision, Transport};

use super::row::{Basis, Due, Group, Row, apart, joint, row};

const CONTENT: Basis = Basis::Section("server/tools#tool-result");
const RESULT: Basis = Basis::Section("schema#calltoolresult");
const ERRORS: Basis = Basis::Section("schema#error");

pub(super) const GROUPS: [Group; 4] =
    [joint("content", &BLOCKS), apart("content", &ALONE), joint("result", &RESULTS), apart("error", &FAILURES)];

const IMAGE: &str = r#"{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==","mimeType":"image/png"}"#;

/// Blocks beside the plain text.
const BLOCKS: [Row; 8] = [
    row("two-texts", "returns two text blocks", |server| {
        more(server, r#"{"type":"text","text":"first-block-5521"}"#);
        more(server, r#"{"type":"text","text":"second-block-7734"}"#);
    })
    .due(Due::Show(&["first-block-5521", "second-block-7734"]))
    .fix("show every block of `content`", CONTENT)
    .severity(Severity::Warning),
    row("annotated-text", "returns a text block with `annotations` and `_meta`", |server| {
        more(server, r#"{"type":"text","text":"annotated-block-6642","annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z"},"_meta":{"example.com/a":1}}"#);
    })
    .due(Due::Show(&["annotated-block-6642"]))
    .fix("accept `annotations` and `_meta` of a block", Basis::Section("schema#textcontent")),
    row("embedded-text", "returns an embedded resource with text (`type: \"resource\"`)", |server| {
        resources(server);
        more(server, r#"{"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"embedded-text-4417"}}"#);
    })
    .due(Due::Show(&["embedded-text-4417"]))
    .fix("read `resource.text` and `resource.blob` of blocks whose type is `resource`", Basis::Section("server/tools#embedded-resources"))
    .severity(Severity::Warning),
    row("embedded-blob", "returns an embedded resource with a blob", |server| {
        resources(server);
        more(server, r#"{"type":"resource","resource":{"uri":"file:///a.bin","mimeType":"application/octet-stream","blob":"AAECAw=="}}"#);
    })
    .fix("accept blocks whose `resource` has `blob` in place of `text`", Basis::Section("server/tools#embedded-resources")),
    row("link", "returns a resource link", |server| {
        resources(server);
        more(server, r#"{"type":"resource_link","uri":"file:///linked-8893.txt","name":"linked-8893","title":"A file","mimeType":"text/plain"}"#);
    })
    .since(Revision::V2025_06_18)
    .due(Due::Show(&["linked-8893"]))
    .fix("show the `uri` and the `name` of blocks whose type is `resource_link`", Basis::Section("server/tools#resource-links"))
    .severity(Severity::Warning),
    row("text-and-image", "returns a text and an image", |server| more(server, IMAGE))
        .due(Due::Show(&[SHOWN]))
        .fix("accept image blocks: the bytes are in `data` as base64, the type in `mimeType`", Basis::Section("server/tools#image-content")),
    row("audio", "returns a text and an audio block", |server| {
        more(server, r#"{"type":"audio","data":"UklGRiQAAABXQVZFZm10IBAAAAABAAEA","mimeType":"audio/wav"}"#);
    })
    .since(Revision::V2025_03_26)
    .fix("accept audio blocks: the bytes are in `data` as base64, the type in `mimeType`", Basis::Section("server/tools#audio-content")),
    row("empty-text", "returns a text block whose text is empty", |server| {
        more(server, r#"{"type":"text","text":""}"#);
    })
    .fix("accept a text block whose text is empty", Basis::Section("schema#textcontent")),
];

/// Results whose text is not the value.
const ALONE: [Row; 5] = [
    row("empty", "returns an empty `content`", |server| content(server, &[]))
        .fix("accept an empty array as `content`", RESULT),
    row("image", "returns an image (`data` and `mimeType`)", |server| content(server, &[IMAGE]))
        .due(Due::Mention)
        .fix(
            "accept image blocks, and show that there is one: the bytes are in `data` as base64, the type in `mimeType`",
            Basis::Section("server/tools#image-content"),
        )
        .severity(Severity::Warning),
    row("value-alone", "returns an empty `content` and a `structuredContent`", |server| {
        content(server, &[]);
        server.result.set("structuredContent", r#"{"sum":8,"note":"value-alone-6127"}"#);
    })
    .since(Revision::V2025_06_18)
    .due(Due::Show(&["value-alone-6127"]))
    .fix(SHOW_THE_VALUE, STRUCTURED)
    .severity(Severity::Note),
    row(
        "value-and-summary",
        "returns a `structuredContent`, and a text that does not repeat it, as it should",
        |server| {
            server.result.set("structuredContent", r#"{"sum":8,"note":"value-beside-3305"}"#);
        },
    )
    .since(Revision::V2025_06_18)
    .due(Due::ShowInstead("value-beside-3305"))
    .fix(SHOW_THE_VALUE, STRUCTURED)
    .severity(Severity::Note),
    row("text-beside-value", "returns a `structuredContent`, and a text that says more", |server| {
        server.result.set("structuredContent", r#"{"total":8,"note":"value-beside-4409"}"#);
    })
    .since(Revision::V2025_06_18)
    .common()
    .fix("show `content` beside `structuredContent`, unless it repeats the value", CONTENT)
    .severity(Severity::Warning),
];

const SHOW_THE_VALUE: &str = "show `structuredContent` where no text repeats it";

const STRUCTURED: Basis = Basis::Section("server/tools#structured-content");

const RESULTS: [Row; 6] = [
    row("meta", "returns a result with `_meta`, and a member that the client does not know", |server| {
        server.result.set("_meta", r#"{"example.com/a":{"b":[null]}}"#);
        server.result.set("xExample", "1");
    })
    .fix("accept `_meta`, and ignore members of a result that it does not know", RESULT),
    row("no-error", "returns a result with `isError: false`", |server| server.result.set("isError", "false"))
        .common()
        .fix("take `isError: false` for a success", RESULT),
    row("undeclared-value", "returns `structuredContent` for a tool without `outputSchema`", |server| {
        server
            .result
            .set("structuredContent", r#"{"sum":8,"note":"undeclared-5518","big":9007199254740993,"ratio":1e-7}"#);
    })
    .since(Revision::V2025_06_18)
    .due(Due::WorkOrTell("undeclared-5518"))
    .fix(
        "accept `structuredContent` of a tool that declares no `outputSchema`",
        Basis::Section("server/tools#structured-content"),
    ),
    row("unicode", "returns a text beyond ASCII", |server| {
        content(server, &[r#"{"type":"text","text":"The sum is 8. Zürich-東京-🙂-2231"}"#]);
    })
    .due(Due::Show(&["Zürich-東京-🙂-2231"]))
    .fix(
        "read messages as UTF-8, and write its output in an encoding that has every character",
        Basis::Section("basic/transports"),
    )
    .severity(Severity::Warning),
    row(
        "separators",
        "returns a text with the characters U+2028, U+2029 and U+0085, which are no line feeds",
        |server| {
            // A block of its own would tell of clients that show one block.
            if let Some(block) = server.content.last_mut() {
                let text = block.trim_end_matches("\"}");
                *block = format!("{text} a\u{2028}b\u{2029}c\u{85}separated-7719\"}}");
            }
        },
    )
    .due(Due::Show(&["separated-7719"]))
    .fix("split lines at line feeds (U+000A) alone", Basis::Section("basic/transports")),
    row("large", "returns a text of 200 kB", |server| {
        let text = "mcp-compat ".repeat(20_000);
        server.content.push(format!(r#"{{"type":"text","text":"{text}"}}"#));
    })
    .fix(ANY_SIZE, RESULT),
];

const FAILURES: [Row; 5] = [
    row("json-rpc", "answers the call with a JSON-RPC error", |server| {
        error(server, r#"{"code":-32603,"message":"failure-3391"}"#, 200)
    })
    .due(Due::Tell("failure-3391"))
    .fix("report a JSON-RPC error with its message", ERRORS),
    row("data", "answers the call with a JSON-RPC error that has `data`, and a code of more than 32 bits", |server| {
        error(server, r#"{"code":-4294967297,"message":"failure-3391","data":{"retry":false,"items":[null]}}"#, 200);
    })
    .due(Due::Tell("failure-3391"))
    .fix("accept every integer as the code of an error, and any value as its `data`", ERRORS),
    row("http-400", "answers the call with a JSON-RPC error and HTTP status 400", |server| {
        error(server, r#"{"code":-32602,"message":"failure-3391"}"#, 400);
    })
    .over(Transport::Http)
    .due(Due::Tell("failure-3391"))
    .fix(
        "read the JSON-RPC error in the body of a response whose HTTP status is an error",
        Basis::Section("basic/transports#sending-messages-to-the-server"),
    )
    .severity(Severity::Note),
    row("tool-error", "returns a result with `isError` and an empty `content`", |server| {
        content(server, &[]);
        server.result.set("isError", "true");
    })
    .due(Due::Tell(""))
    .fix("accept an empty `content` of a failed call", RESULT),
    row("tool-error-value", "returns a result with `isError`, a text and `structuredContent`", |server| {
        content(server, &[r#"{"type":"text","text":"failure-3391"}"#]);
        server.result.set("isError", "true");
        server.result.set("structuredContent", r#"{"reason":"no"}"#);
    })
    .since(Revision::V2025_06_18)
    .due(Due::Tell(""))
    .fix("accept `structuredContent` of a failed call", RESULT),
];

pub(super) const ANY_SIZE: &str = "read messages of any size: readers of lines have limits that have to be raised (64 KiB in \
                                   asyncio's StreamReader and in bufio.Scanner)";

/// A text that a plain result has.
pub(super) const SHOWN: &str = "The sum is 8";

const TEXT: &str = r#"{"type":"text","text":"The sum is 8."}"#;

/// Sets the blocks of a result.
pub(super) fn content(server: &mut Behaviour, blocks: &[&str]) {
    server.content = blocks.iter().map(|block| (*block).to_owned()).collect();
}

/// Adds a block to a result.
fn more(server: &mut Behaviour, block: &str) {
    server.content.push(block.to_owned());
}

/// The plain result.
pub(super) fn plain(server: &mut Behaviour) {
    content(server, &[TEXT]);
}

fn resources(server: &mut Behaviour) {
    server.initialize.set("capabilities", r#"{"tools":{},"resources":{}}"#);
}

fn error(server: &mut Behaviour, object: &str, status: u16) {
    server.error = Some(CallError { object: object.to_owned(), status });
}
