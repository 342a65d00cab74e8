//! The same cell judged again is the same verdict, and nothing that a peer sends stops the judge.

use mcp_compat_judge::Judge;
use mcp_compat_model::Role;
use mcp_compat_model::observation::{Layer, Observation};
use mcp_compat_model::transcript::{Entry, Event, Raw, Transcript};
use proptest::prelude::*;

use crate::play::{Play, called, failed};

fn plays() -> Vec<Play> {
    let invalid = r#"{"structuredContent":{"name":1},"content":[]}"#;
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
        .into_iter()
        .flat_map(|revision| {
            [
                Play::at(revision),
                Play::array_at(revision).over_http(),
                Play::array_at(revision).sees(failed(Layer::Decode, "no")),
                Play::at(revision).control(invalid, called(Some(r#"{"name":1}"#), &[], false)),
                Play::at(revision).evolves(true),
            ]
        })
        .collect()
}

#[test]
fn judging_twice_gives_the_same_verdict_whatever_was_judged_between() {
    let judge = Judge::new();
    let all = |judge: &Judge| -> Vec<String> {
        let verdict = |play: &Play| {
            let (scenario, cell, transcript, observation) = play.parts();
            serde_json::to_string(&judge.judge(&scenario, &cell, &transcript, &observation)).unwrap()
        };
        plays().iter().map(verdict).collect()
    };
    let first = all(&judge);
    assert_eq!(first, all(&judge));
    assert_eq!(first, all(&Judge::new()));
}

#[test]
fn a_stored_transcript_is_judged_as_the_one_recorded() {
    for play in plays() {
        let (scenario, cell, transcript, observation) = play.parts();
        let stored = serde_json::to_string(&(&transcript, &observation)).unwrap();
        let (read, seen): (Transcript, Observation) = serde_json::from_str(&stored).unwrap();
        let judge = Judge::new();
        let recorded = judge.judge(&scenario, &cell, &transcript, &observation);
        assert_eq!(judge.judge(&scenario, &cell, &read, &seen), recorded);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_message_stops_the_judge(
        play in 0..25_usize,
        noise in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), message()), 1..8),
    ) {
        let (scenario, cell, mut transcript, observation) = plays()[play].parts();
        for (client, place, bytes) in noise {
            let from = if client { Role::Client } else { Role::Server };
            let event = Event::Message { raw: Raw::from_bytes(&bytes), http: None };
            let at = place.index(transcript.entries.len() + 1);
            transcript.entries.insert(at, Entry { seq: 0, at_us: 0, from, event });
        }
        for (seq, entry) in transcript.entries.iter_mut().enumerate() {
            entry.seq = u32::try_from(seq).unwrap();
        }
        let verdict = Judge::new().judge(&scenario, &cell, &transcript, &observation);
        prop_assert!(verdict.findings.iter().all(|finding| finding.detail.chars().count() <= 400));
        prop_assert!(verdict.reason.chars().count() <= 901);
    }
}

/// Messages that nearly make sense, and bytes that do not.
fn message() -> impl Strategy<Value = Vec<u8>> {
    let value = prop::sample::select(vec![
        "null",
        "1",
        "-0",
        "1e999",
        "\"\\ud800\"",
        "[]",
        "{}",
        "[{}]",
        "{\"tools\":[1]}",
        "{\"tools\":{}}",
        "{\"content\":[1,{\"type\":\"text\"}]}",
        "{\"structuredContent\":null,\"content\":7}",
        "{\"capabilities\":[]}",
        "{\"protocolVersion\":\"2099-01-01\"}",
        "{\"name\":\"report\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}",
    ]);
    let method = prop::sample::select(vec![
        "initialize",
        "tools/list",
        "tools/call",
        "server/discover",
        "subscriptions/listen",
        "x",
    ]);
    prop_oneof![
        (0..9, value.clone())
            .prop_map(|(id, value)| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{value}}}"#).into_bytes()),
        (0..9, method, value.clone()).prop_map(|(id, method, value)| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{value}}}"#).into_bytes()
        }),
        (0..9, value.clone())
            .prop_map(|(id, value)| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{value}}}"#).into_bytes()),
        value.prop_map(|value| format!("[{value},{value}]").into_bytes()),
        prop::collection::vec(any::<u8>(), 0..40),
    ]
}
