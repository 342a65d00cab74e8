//! Traffic written down by hand, and what becomes of it.

use mcp_compat_author::recording::{Recorded, Uncalled, read};
use mcp_compat_model::Role;
use mcp_compat_model::transcript::{Entry, Event, Raw, Transcript};
use mcp_compat_scenario::write::{Draft, Written};
use mcp_compat_scenario::{Scenario, load};

/// A transcript of events, in this order.
pub(crate) fn transcript(events: Vec<(Role, Event)>) -> Transcript {
    let entry = |(seq, (from, event))| Entry { seq: u32::try_from(seq).unwrap(), at_us: 0, from, event };
    Transcript { entries: events.into_iter().enumerate().map(entry).collect() }
}

pub(crate) fn client(text: impl AsRef<[u8]>) -> (Role, Event) {
    (Role::Client, Event::Message { raw: Raw::from_bytes(text.as_ref()), http: None })
}

pub(crate) fn server(text: impl AsRef<[u8]>) -> (Role, Event) {
    (Role::Server, Event::Message { raw: Raw::from_bytes(text.as_ref()), http: None })
}

/// The handshake of a session of 2025-11-25.
pub(crate) fn handshake() -> Vec<(Role, Event)> {
    vec![
        client(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#),
        server(
            r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#,
        ),
        client(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
    ]
}

/// A list of these tools, with the request for it.
pub(crate) fn list(id: u32, tools: &[&str]) -> Vec<(Role, Event)> {
    vec![
        client(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#)),
        server(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{}]}}}}"#, tools.join(","))),
    ]
}

pub(crate) fn ask(id: u32, tool: &str, arguments: &str) -> (Role, Event) {
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
    client(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#))
}

pub(crate) fn answer(id: u32, result: &str) -> (Role, Event) {
    server(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
}

/// A call and its result.
pub(crate) fn call(id: u32, tool: &str, arguments: &str, result: &str) -> Vec<(Role, Event)> {
    vec![ask(id, tool, arguments), answer(id, result)]
}

pub(crate) fn recorded(parts: impl IntoIterator<Item = Vec<(Role, Event)>>) -> Recorded {
    read(&transcript(parts.into_iter().flatten().collect()), Uncalled::Omitted, &[])
}

/// The file of a recording, which must be right.
pub(crate) fn file(recorded: &Recorded) -> Written {
    let written = recorded.draft.as_ref().expect("a draft").write("bug");
    scenarios(&written);
    written
}

/// The scenarios of a file, which must be right.
pub(crate) fn scenarios(written: &Written) -> Vec<Scenario> {
    let beside = |path: &str| written.beside.iter().find(|file| file.name == path).map(|file| file.bytes.clone());
    load("bug.toml", &written.text, &beside).unwrap_or_else(|mistakes| panic!("{}\n{mistakes}", written.text))
}

/// The text of a draft, which must be right.
pub(crate) fn text(draft: &Draft) -> String {
    let written = draft.write("bug");
    scenarios(&written);
    written.text
}
