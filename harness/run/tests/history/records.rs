//! Records by chance.

use mcp_compat_model::cell::{CellId, ScenarioId, Transport};
use mcp_compat_model::division::Division;
use mcp_compat_model::missed::{Because, Missed};
use mcp_compat_model::record::NotPlayedCells;
use mcp_compat_model::record::{CellRecord, Known, PeerRecord, Record, SCHEMA_VERSION, ScenarioRecord};
use mcp_compat_model::triangle::{Testimony, Triangle, Witness};
use mcp_compat_model::verdict::{BlastRadius, Fault, Finding, Level, Outcome, Party, Rating, Verdict};
use mcp_compat_model::{PeerId, Revision, Role};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const PEERS: [&str; 5] = ["mock/dual", "mock/2025-11-25", "rmcp@3.9.0+auto", "typescript@2.4.0", "my-server"];

/// Any run.
pub(crate) fn any_record() -> impl Strategy<Value = Record> {
    let division =
        option::of((1..4_u16).prop_map(|of| Division { of, parts: vec![1], cells: 9, plan: "p".to_owned() }));
    (prop::collection::vec(any_cell(), 0..30), any::<bool>(), division, text()).prop_map(
        |(cells, complete, division, about)| Record {
            division,
            complete,
            stale: vec![about.clone()],
            peers: vec![peer(about)],
            ..record("2026-11-21T02:00:00Z", cells)
        },
    )
}

/// A run with these cells.
pub(crate) fn record(started: &str, cells: Vec<CellRecord>) -> Record {
    Record {
        schema_version: SCHEMA_VERSION,
        tool_version: "0.1.0".to_owned(),
        judge: None,
        platform: None,
        started: started.to_owned(),
        duration_us: 7_485_696,
        complete: true,
        division: None,
        corpus: "fbd5e667d2ee7ce6".to_owned(),
        peers: Vec::new(),
        scenarios: vec![ScenarioRecord {
            id: ScenarioId::new("a/one").unwrap(),
            title: "one".to_owned(),
            why: "because".to_owned(),
            sources: vec!["a source".to_owned()],
            since: Revision::V2025_06_18,
            digest: None,
            read_from: None,
        }],
        cells,
        left_out: vec![NotPlayedCells { reason: "too heavy".to_owned(), cells: 2 }],
        stale: Vec::new(),
    }
}

/// A cell with this outcome, and the rating that goes with it.
pub(crate) fn cell(id: &str, outcome: Outcome) -> CellRecord {
    let breaks = outcome != Outcome::Intact;
    let verdict = Verdict {
        negotiated: Some(Revision::V2025_11_25),
        outcome,
        rating: if breaks { Rating::Breaks } else { Rating::Works },
        silent: outcome.is_silent(),
        vacuous: false,
        blast_radius: breaks.then_some(BlastRadius::Call),
        expected: Some(Outcome::Intact),
        findings: Vec::new(),
        fault: breaks.then_some(Fault::Client),
        signature: breaks.then(|| format!("client:{outcome}:tools/call:no-rule").parse().unwrap()),
        reason: format!("it is {outcome}"),
    };
    CellRecord::new(CellId::parse(id).unwrap(), verdict, 4321, Some(0))
}

fn peer(about: String) -> PeerRecord {
    PeerRecord {
        id: PeerId::new(PEERS[2]).unwrap(),
        role: Role::Client,
        language: Some("rust".to_owned()),
        revisions: Revision::ALL.to_vec(),
        mode: None,
        about,
        isolated: None,
        calls: None,
        recorded: None,
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "\\PC{0,20}",
        Just("a \"quoted\"\nline\u{0}\u{1b}".to_owned()),
        Just("{client} of mock/dual {".to_owned())
    ]
}

fn any_id() -> impl Strategy<Value = String> {
    (select(vec!["a/one", "a/two[x]", "b/three"]), select(&PEERS[..]), select(&PEERS[..]), select(&Transport::ALL[..]))
        .prop_map(|(scenario, client, server, transport)| format!("{scenario}::{client}::{server}::{transport}"))
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    select(&Outcome::ALL[..])
}

fn any_fault() -> impl Strategy<Value = Fault> {
    select(vec![Fault::Client, Fault::Server, Fault::Both, Fault::Spec, Fault::Harness])
}

fn any_finding() -> impl Strategy<Value = Finding> {
    (text(), option::of(text()), prop::collection::vec(0..9_u32, 0..4), option::of(select(&Revision::ALL[..])))
        .prop_map(|(detail, tool, messages, revision)| Finding {
            rule: "a-rule".to_owned(),
            level: Level::Should,
            party: Party::Server,
            revision,
            source: "https://example.org".to_owned(),
            detail,
            tool,
            messages,
        })
}

fn any_witness() -> impl Strategy<Value = Witness> {
    // Also one whose cell is no cell.
    let cell = prop_oneof![any_id(), Just("nothing".to_owned()), Just("a/one::b::c::nowhere".to_owned())];
    (cell, any_outcome(), select(&Rating::ALL[..])).prop_map(|(cell, outcome, rating)| Witness {
        cell: serde_json::from_value(cell.into()).unwrap(),
        outcome,
        rating,
        says: Testimony::Unclear,
    })
}

fn any_triangle() -> impl Strategy<Value = Triangle> {
    (any_fault(), option::of(any_witness()), option::of(any_witness()), option::of(text()))
        .prop_map(|(alone, client, server, also_to_fix)| Triangle { alone, client, server, also_to_fix })
}

fn any_cell() -> impl Strategy<Value = CellRecord> {
    let marks = (any::<bool>(), any::<bool>(), select(&Rating::ALL[..]), option::of(any_fault()));
    let words = (text(), option::of(text()), any::<u64>(), option::of(any::<u64>()));
    let parts = (prop::collection::vec(any_finding(), 0..3), option::of(any_triangle()), option::of(any_outcome()));
    (any_id(), any_outcome(), marks, words, parts).prop_map(|(id, outcome, marks, words, parts)| {
        let (silent, vacuous, rating, fault) = marks;
        let (reason, issue, duration_us, transcript) = words;
        let (findings, triangle, expected) = parts;
        let missed =
            silent.then(|| Missed { revision: Revision::NEWEST, because: Because::NotProbed, said: issue.clone() });
        let known = issue.map(|issue| Known {
            reason: reason.clone(),
            covers: vacuous.then(|| reason.clone()),
            issue: Some(issue),
            flaky: vacuous,
        });
        let plain = cell(&id, outcome);
        CellRecord {
            silent,
            vacuous,
            rating,
            fault,
            reason,
            duration_us,
            transcript,
            findings,
            triangle,
            expected,
            missed,
            known,
            ..plain
        }
    })
}
