//! Records and what happened in their cells, for the tests and for the measurement.

use mcp_compat_model::CellId;
use mcp_compat_model::observation::{End, Observation, Seen};
use mcp_compat_model::record::{CellRecord, Evidence, NotPlayedCells, Record, SCHEMA_VERSION, ScenarioRecord};
use mcp_compat_model::transcript::{Entry, Event, Raw, Transcript};
use mcp_compat_model::verdict::{BlastRadius, Fault, Finding, Level, Outcome, Party, Rating, Verdict};
use mcp_compat_model::{Revision, Role};

pub(crate) fn cell(id: &str, rating: Rating, silent: bool, reason: &str) -> CellRecord {
    let (outcome, bad) = match rating {
        Rating::Works => (Outcome::Intact, false),
        Rating::Degraded => (Outcome::Text, true),
        Rating::Breaks if silent => (Outcome::Uncaught, true),
        Rating::Breaks => (Outcome::Rejected, true),
        Rating::Skipped => (Outcome::Unsupported, false),
    };
    let finding = Finding {
        rule: "output-schema-object-root".to_owned(),
        level: Level::Must,
        party: Party::Server,
        revision: Some(Revision::V2025_11_25),
        source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#tool-outputschema".to_owned(),
        detail: reason.to_owned(),
        tool: Some("list_users".to_owned()),
        messages: vec![0],
    };
    let signature = match rating {
        Rating::Breaks if silent => Some("client:uncaught:tools/call:client-validates"),
        Rating::Breaks => Some("server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type"),
        Rating::Degraded => Some("server:text:tools/call:structured-content-omitted"),
        Rating::Works | Rating::Skipped => None,
    };
    let verdict = Verdict {
        negotiated: Some(Revision::V2025_11_25),
        outcome,
        rating,
        silent,
        vacuous: false,
        blast_radius: bad.then_some(BlastRadius::Call),
        expected: Some(Outcome::Intact),
        findings: if bad { vec![finding] } else { Vec::new() },
        fault: bad.then_some(Fault::Server),
        signature: signature.map(|signature| signature.parse().unwrap()),
        reason: reason.to_owned(),
    };
    CellRecord::new(CellId::parse(id).unwrap(), verdict, 1_000, Some(0))
}

pub(crate) fn record(mut cells: Vec<CellRecord>) -> Record {
    cells.sort_by(|a, b| a.id.cmp(&b.id));
    cells.dedup_by(|a, b| a.id == b.id);
    let mut scenarios: Vec<_> = cells.iter().map(|cell| cell.scenario.clone()).collect();
    scenarios.dedup();
    let scenario = |id| ScenarioRecord {
        id,
        title: "An array at the root".to_owned(),
        why: "Clients expect an object.".to_owned(),
        sources: vec!["https://modelcontextprotocol.io/seps/2106".to_owned()],
        since: Revision::V2026_07_28,
        digest: None,
        read_from: None,
    };
    Record {
        schema_version: SCHEMA_VERSION,
        tool_version: "0.1.0".to_owned(),
        judge: None,
        platform: None,
        started: "2026-11-22T03:00:00Z".to_owned(),
        duration_us: 5_000_000,
        complete: true,
        division: None,
        corpus: "fbd5e667d2ee7ce6".to_owned(),
        peers: Vec::new(),
        scenarios: scenarios.into_iter().map(scenario).collect(),
        cells,
        left_out: vec![NotPlayedCells { reason: "not part of the coverage".to_owned(), cells: 12 }],
        stale: Vec::new(),
    }
}

/// Evidence of a cell: messages, and what the user of the client saw.
pub(crate) fn evidence(cell: &CellRecord, messages: Vec<(Role, String)>, steps: Vec<Seen>, end: End) -> Evidence {
    let entry = |(seq, (from, text)): (u32, (Role, String))| Entry {
        seq,
        at_us: u64::from(seq) * 900,
        from,
        event: Event::Message { raw: Raw::Text(text), http: None },
    };
    let entries = (0..).zip(messages).map(entry).collect();
    Evidence::kept(cell.cell(), Transcript { entries }, Observation { negotiated: None, steps, end })
}
