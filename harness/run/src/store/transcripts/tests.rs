//! Transcripts come back, in the form of today and in that of before; what is wrong with a file is an error that
//! names the line.

use std::io::Cursor;
use std::path::PathBuf;

use mcp_compat_json::Json;
use mcp_compat_model::observation::{CallResult, End, Observation, Seen};
use mcp_compat_model::record::Evidence;
use mcp_compat_model::transcript::{Entry, Event, Head, Raw, Start, StopStage, Transcript};
use mcp_compat_model::{Cell, CellId, Role};
use proptest::prelude::*;
use proptest::sample::select;

use super::{TranscriptWriter, Transcripts};
use crate::store::StoreError;

/// A file of before texts were shared: two cells, over HTTP and stdio.
const WRITTEN_OUT: &str = include_str!("../../../tests/fixtures/transcripts-written-out.jsonl");

/// A file with shared texts, and the same cells.
const SHARED: &str = include_str!("../../../tests/fixtures/transcripts-shared.jsonl");

fn reader(text: impl Into<Vec<u8>>) -> Transcripts<Cursor<Vec<u8>>> {
    Transcripts::of_file(PathBuf::from("t.jsonl"), Cursor::new(text.into()))
}

fn all(text: impl Into<Vec<u8>>) -> Result<Vec<Evidence>, StoreError> {
    let mut reader = reader(text);
    let mut cells = Vec::new();
    while let Some(evidence) = reader.next_cell()? {
        cells.push(evidence);
    }
    Ok(cells)
}

fn written(cells: &[Evidence]) -> Vec<u8> {
    let mut writer = TranscriptWriter::new(Vec::new());
    cells.iter().for_each(|evidence| writer.write(evidence).unwrap());
    writer.finish().unwrap()
}

fn cell(number: usize) -> Cell {
    CellId::parse(&format!("a/s{number}::mock/c::mock/s::memory")).unwrap()
}

fn any_event() -> impl Strategy<Value = Event> {
    let raw = prop_oneof![
        select(vec!["", "{}", "{\"a\":1}", "\u{1b}\"\\\n"]).prop_map(|text| Raw::Text(text.to_owned())),
        Just(Raw::Text("AA==".to_owned())),
        Just(Raw::Base64("AA==".to_owned())),
    ];
    let start = prop_oneof![Just(Start::Request { method: "POST".to_owned() }), Just(Start::Response { status: 202 }),];
    let head = (0..3_u32, start, select(vec!["1", "2"])).prop_map(|(exchange, start, value)| Head {
        exchange,
        start,
        headers: vec![("mcp-session-id".to_owned(), value.to_owned())],
    });
    prop_oneof![
        4 => (raw.clone(), proptest::option::of(head.clone())).prop_map(|(raw, http)| Event::Message { raw, http }),
        1 => head.prop_map(|http| Event::Head { http }),
        1 => raw.prop_map(|start| Event::Overflow { limit: 9, start }),
        1 => select(vec![
            Event::Fetched { path: "/x".to_owned() },
            Event::Closed {},
            Event::Exited { how: "exit status 1".to_owned() },
            Event::Stopped { stage: StopStage::Killed },
        ]),
    ]
}

fn any_seen() -> impl Strategy<Value = Seen> {
    let value = select(vec!["null", "1e400", "1.0", "{\"a\":1,\"a\":2}", "\"\\ud800\""]);
    let called = proptest::option::of(value).prop_map(|value| {
        let structured = value.map(|value| Json::parse(value).unwrap());
        Seen::Called(CallResult { structured, content: Vec::new(), is_error: false })
    });
    prop_oneof![called, Just(Seen::NotReported {}), any::<bool>().prop_map(|told| Seen::Evolved { told })]
}

fn any_cells() -> impl Strategy<Value = Vec<Evidence>> {
    let entry = (0..99_u64, select(vec![Role::Client, Role::Server]), any_event());
    let transcript = prop::collection::vec(entry, 0..8).prop_map(|entries| Transcript {
        entries: (0..).zip(entries).map(|(seq, (at_us, from, event))| Entry { seq, at_us, from, event }).collect(),
    });
    let observation = (prop::collection::vec(any_seen(), 0..4), any::<bool>()).prop_map(|(steps, said)| Observation {
        negotiated: said.then(|| "2025-11-25".to_owned()),
        steps,
        end: if said { End::Answered {} } else { End::HarnessFailed { why: "why".to_owned() } },
    });
    prop::collection::vec((transcript, observation, any::<bool>()), 0..8).prop_map(|cells| {
        let evidence = |(number, (transcript, observation, shortened))| Evidence {
            cell: cell(number),
            transcript,
            observation,
            shortened,
        };
        cells.into_iter().enumerate().map(evidence).collect()
    })
}

proptest! {
    #[test]
    fn what_was_written_comes_back(cells in any_cells(), at in any::<prop::sample::Index>()) {
        let text = written(&cells);
        prop_assert_eq!(&all(text.clone()).unwrap(), &cells);
        prop_assert_eq!(written(&all(text.clone()).unwrap()), text.clone(), "it is written the same again");
        if !cells.is_empty() {
            let wanted = &cells[at.index(cells.len())];
            let mut reader = reader(text);
            prop_assert_eq!(&reader.of_cell(&wanted.cell.id()).unwrap(), wanted);
            let next = reader.next_cell().unwrap();
            prop_assert_eq!(next.as_ref(), cells.first(), "what comes next stays the same");
            prop_assert_eq!(&reader.of_cell(&wanted.cell.id()).unwrap(), wanted);
        }
    }

    #[test]
    fn a_file_that_is_cut_off_is_an_error(cells in any_cells(), at in any::<prop::sample::Index>()) {
        let text = written(&cells);
        // Without the line break at its end it is still whole.
        let cut = text[..at.index(text.len() - 1)].to_vec();
        prop_assert!(all(cut).is_err());
    }
}

#[test]
fn each_message_stands_once_in_the_file() {
    let cells: Vec<Evidence> = (0..100).map(|number| evidence(number, "a message that is not short")).collect();
    let text = String::from_utf8(written(&cells)).unwrap();
    assert_eq!(text.matches("a message that is not short").count(), 1);
    assert!(text.lines().nth(1).unwrap().contains(r#""wire":[{"at":7,"server":0}]"#), "{text}");
}

fn evidence(number: usize, message: &str) -> Evidence {
    let event = Event::Message { raw: Raw::Text(message.to_owned()), http: None };
    Evidence {
        cell: cell(number),
        transcript: Transcript { entries: vec![Entry { seq: 0, at_us: 7, from: Role::Server, event }] },
        observation: Observation { negotiated: None, steps: Vec::new(), end: End::Answered {} },
        shortened: false,
    }
}

#[test]
fn both_forms_of_the_same_cells_read_alike() {
    let before = all(WRITTEN_OUT).unwrap();
    assert_eq!(before.len(), 2);
    assert_eq!(all(SHARED).unwrap(), before);
    assert_eq!(
        String::from_utf8(written(&before)).unwrap(),
        SHARED,
        "today's form changed: keep a fixture of the old one"
    );
    let two = before[1].cell.id();
    for text in [WRITTEN_OUT, SHARED] {
        assert_eq!(reader(text).of_cell(&two).unwrap(), before[1]);
    }
}

#[test]
fn what_is_not_in_the_cache_any_more_is_read_again() {
    // Each message is more than a third of the cache, so the first ones are gone when the last cells refer to them.
    let text = |number: usize| number.to_string().repeat(12 << 20);
    let cells: Vec<Evidence> =
        [0, 1, 2, 3, 4, 0, 1, 4].iter().enumerate().map(|(place, number)| evidence(place, &text(*number))).collect();
    assert!(all(written(&cells)).unwrap() == cells);
}

/// Error message for a file.
fn said(text: &str) -> String {
    all(text).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_with_a_line_is_said_with_its_number() {
    let line = |members: &str| {
        format!(r#"{{"evidence":{{"cell":"a/s::mock/c::mock/s::memory",{members},"end":{{"answered":{{}}}}}}}}"#)
    };
    let footer = |cells: u64| format!("{{\"footer\":{{\"cells\":{cells}}}}}\n");
    let good = line(r#""messages":["m"],"wire":[{"at":1,"client":0}],"steps":[]"#);
    assert_eq!(all(format!("{good}\n{}", footer(1))).unwrap().len(), 1);
    for (second, words) in [
        (
            r#""wire":[{"at":1,"client":1}],"steps":[]"#,
            "t.jsonl, line 2: it refers to message 1, which the file does not",
        ),
        (r#""wire":[],"steps":[0]"#, "line 2: it refers to step 0, which the file does not have"),
        (r#""wire":[{"at":1,"client":0,"http":[0,0]}],"steps":[]"#, "line 2: it refers to head 0"),
        (r#""wire":[{"at":1}],"steps":[]"#, "line 2: entry 0 of its wire is not of one side"),
        (r#""wire":[{"at":1,"client":0,"server":0}],"steps":[]"#, "entry 0 of its wire is not of one side"),
        (r#""wire":[{"at":1,"client":{"head":{}}}],"steps":[]"#, "entry 0 of its wire lacks its `http`"),
        (r#""wire":[{"at":1,"client":-1}],"steps":[]"#, "line 2: data did not match"),
        (r#""wire":[]"#, "line 2: missing field `steps`"),
    ] {
        let said = said(&format!("{good}\n{}\n{}", line(second), footer(2)));
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(said(&format!("{good}\n{}", footer(2))).contains("line 2: the footer counts 2 cells; the file has 1"));
    assert!(said(&format!("{good}\n")).contains("line 2: the file ends before its last line"));
    assert!(said(&format!("{good}\n{}", &good[..40])).contains("line 2: it is cut off: EOF"), "{}", said(&good[..40]));
    assert!(said("").contains("line 1: the file ends"));
    assert!(matches!(reader(footer(0)).of_cell(&cell(1).id()), Err(StoreError::NoTranscript { .. })));
    let binary = [b"\xff\n".as_slice(), footer(0).as_bytes()].concat();
    assert!(all(binary).unwrap_err().to_string().contains("line 1: it is not UTF-8"));
}

#[test]
fn a_bomb_of_references_is_refused() {
    let entries = vec![r#"{"at":0,"client":0}"#; 1_000].join(",");
    let text = format!(
        "{{\"evidence\":{{\"cell\":\"a/s::mock/c::mock/s::memory\",\"messages\":[\"{}\"],\"wire\":[{entries}],\"steps\":[],\"end\":{{\"answered\":{{}}}}}}}}\n",
        "x".repeat(1 << 20)
    );
    assert!(said(&text).contains("line 1: its messages have more than 256 MiB"));
}

#[test]
fn a_message_that_no_run_keeps_is_refused() {
    let text = |bytes: usize| {
        format!(
            "{{\"evidence\":{{\"cell\":\"a/s::mock/c::mock/s::memory\",\"messages\":[\"{}\"],\"wire\":[{{\"at\":0,\"client\":0}}],\"steps\":[],\"end\":{{\"answered\":{{}}}}}}}}\n{{\"footer\":{{\"cells\":1}}}}\n",
            "x".repeat(bytes)
        )
    };
    assert!(said(&text(25 << 20)).contains("line 1: one of its messages has more than 24 MiB"));
    assert_eq!(all(text(22 << 20)).unwrap().len(), 1, "16 MiB in base64");
}
