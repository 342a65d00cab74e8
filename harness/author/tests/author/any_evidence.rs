//! Whatever passes over a wire, and whatever is pasted: no panic, and no file that is wrong.

use mcp_compat_author::recording::{Uncalled, read};
use mcp_compat_author::report;
use mcp_compat_model::Role;
use mcp_compat_model::transcript::Event;
use proptest::prelude::*;

use crate::wire::{answer, ask, client, list, server, text, transcript};

const DEFINITIONS: [&str; 4] = [
    r#"{"name":"a","inputSchema":{"type":"object"}}"#,
    r#"{"name":"a","outputSchema":{"type":"object","required":["x"]}}"#,
    r#"{"name":"b","outputSchema":{"type":"array"}}"#,
    r#"{"name":"c d","outputSchema":false}"#,
];

const RESULTS: [&str; 7] = [
    r#"{"content":[{"type":"text","text":"''' \u0000"}]}"#,
    r#"{"structuredContent":{"x":1.0},"content":[]}"#,
    r#"{"structuredContent":null,"structuredContent":[]}"#,
    r#"{"content":[{"type":"image"}]}"#,
    r#"{"isError":true}"#,
    "{}",
    "[1]",
];

/// One or two entries of a transcript, with ids that may meet.
fn event() -> impl Strategy<Value = Vec<(Role, Event)>> {
    let tools = prop::collection::vec(prop::sample::select(&DEFINITIONS[..]), 0..3);
    let name = prop::sample::select(vec!["a", "b", "c d", "mcp_compat_bystander"]);
    let arguments = prop::sample::select(vec!["{}", r#"{"token":"secret-1"}"#, "null", "[]"]);
    prop_oneof![
        (1_u32..6, tools).prop_map(|(id, tools)| list(id, &tools)),
        (1_u32..6, name, arguments).prop_map(|(id, name, arguments)| vec![ask(id, name, arguments)]),
        (1_u32..6, prop::sample::select(&RESULTS[..])).prop_map(|(id, result)| vec![answer(id, result)]),
        (1_u32..6).prop_map(|id| vec![server(format!(r#"{{"id":{id},"error":{{"code":1,"message":"m"}}}}"#))]),
        (1_u32..6).prop_map(|id| {
            let cancelled = r#"{"method":"notifications/cancelled","params":{"requestId":ID}}"#;
            vec![client(cancelled.replace("ID", &id.to_string()))]
        }),
        Just(vec![server(r#"{"method":"notifications/tools/list_changed"}"#)]),
        Just(vec![server(b"\xff\x00'''")]),
        Just(vec![(Role::Server, Event::Closed {})]),
        Just(vec![(Role::Client, Event::Closed {})]),
    ]
}

proptest! {
    #[test]
    fn every_recording_with_a_call_makes_a_file_that_is_right(events in prop::collection::vec(event(), 0..24), all: bool) {
        let uncalled = if all { Uncalled::Placeholder } else { Uncalled::Omitted };
        let recorded = read(&transcript(events.concat()), uncalled, &[]);
        prop_assert!(recorded.draft.is_some() || recorded.calls == 0);
        if let Some(draft) = &recorded.draft {
            let written = draft.write("bug");
            crate::wire::scenarios(&written);
            prop_assert!(!written.text.contains("secret-1"), "{}", written.text);
        }
    }

    #[test]
    fn every_report_makes_a_file_that_is_right_or_is_refused(
        parts in prop::collection::vec(prop_oneof![
            prop::sample::select(&DEFINITIONS[..]).prop_map(str::to_owned),
            prop::sample::select(&RESULTS[..]).prop_map(str::to_owned),
            prop::sample::select(vec!["```json\n", "\n```\n", "{", "[", "\"tool\":", "\"result\":", "}", "é", ",", "{\"name\":"])
                .prop_map(str::to_owned),
        ], 0..8),
    ) {
        if let Ok(reported) = report::read(&parts.concat(), Vec::new()) {
            text(&reported.draft);
        }
    }
}
