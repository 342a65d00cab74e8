//! Time, memory and size of the site of a run of the whole fleet, and how it divides:
//! `cargo run --release -p mcp-compat-site --example speed -- [FOLDER]`. With a folder, the site is written there.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example measures, prints and writes"
)]

use std::collections::BTreeMap;
use std::time::Instant;

use mcp_compat_model::observation::{CallResult, End, Layer, Observation, PeerError, Seen};
use mcp_compat_model::record::{CellRecord, Evidence, Record, SCHEMA_VERSION, ScenarioRecord};
use mcp_compat_model::transcript::{Entry, Event, Raw, Transcript};
use mcp_compat_model::verdict::{BlastRadius, Fault, Finding, Level, Outcome, Party, Rating, Verdict};
use mcp_compat_model::{CellId, Revision, Role};
use mcp_compat_site::{EvidenceBook, Input, Run, site};

/// Clients and servers by family, and scenarios: 45 × 50 × 58 cells.
const FAMILIES: [&str; 9] = ["typescript", "python", "rmcp", "go", "mcp-go", "java", "kotlin", "fastmcp", "csharp"];
const SCENARIOS: usize = 58;

fn peers(number: usize) -> Vec<String> {
    (0..number).map(|n| format!("{}@{}.{}.0", FAMILIES[n % FAMILIES.len()], 1 + n / 18, n / FAMILIES.len())).collect()
}

fn main() {
    let (clients, servers) = (peers(45), peers(50));
    let scenarios: Vec<String> = (0..SCENARIOS).map(|n| format!("class-{}/scenario-{n}", n % 12)).collect();
    let mut cells = Vec::new();
    for (s, scenario) in scenarios.iter().enumerate() {
        for (c, client) in clients.iter().enumerate() {
            for (v, server) in servers.iter().enumerate() {
                cells.push(cell(
                    &format!("{scenario}::{client}::{server}::http"),
                    (s * 31 + c * 7 + v * 3) % 101,
                    s % 40,
                ));
            }
        }
    }
    cells.sort_by(|a: &CellRecord, b| a.id.cmp(&b.id));
    let record = record(&scenarios, cells);
    let resting = memory();
    let begun = Instant::now();
    let mut book = EvidenceBook::default();
    for (n, cell) in record.cells.iter().enumerate() {
        book.add(&evidence(cell, n));
    }
    let read = begun.elapsed();
    let runs = [Run { record: &record, evidence: &book }];
    let meant = BTreeMap::new();
    let input = Input { title: "Speed", base: None, runs: &runs, meant: &meant, changes: None, max_bytes: 50 << 20 };
    let begun = Instant::now();
    let files = site(&input).unwrap();
    let built = begun.elapsed();
    let size: usize = files.values().map(Vec::len).sum();
    println!("{} cells; memory of the record alone {resting} MB", record.cells.len());
    println!("evidence read in {read:.2?}, site built in {built:.2?}, peak memory {} MB", memory());
    println!("{} files, {} KB; index {} KB", files.len(), size / 1000, files["index.html"].len() / 1000);
    let mut folders = BTreeMap::<&str, (usize, usize, usize)>::new();
    for (path, bytes) in &files {
        let (number, all, largest) = folders.entry(path.split('/').next().unwrap()).or_default();
        (*number, *all, *largest) = (*number + 1, *all + bytes.len(), (*largest).max(bytes.len()));
    }
    for (folder, (number, all, largest)) in folders {
        println!("  {folder:16} {number:5} files {:8} KB, the largest {:6} KB", all / 1000, largest / 1000);
    }
    if let Some(folder) = std::env::args().nth(1) {
        for (path, bytes) in &files {
            let path = std::path::Path::new(&folder).join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
    }
}

/// The most memory that was in use, in MB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default() / 1000
}

fn cell(id: &str, chance: usize, kind: usize) -> CellRecord {
    let (rating, outcome) = match chance {
        0..70 => (Rating::Works, Outcome::Intact),
        70..80 => (Rating::Degraded, Outcome::Text),
        80..97 => (Rating::Breaks, if kind.is_multiple_of(5) { Outcome::Altered } else { Outcome::Rejected }),
        _ => (Rating::Skipped, Outcome::Unsupported),
    };
    let bad = matches!(rating, Rating::Breaks | Rating::Degraded);
    let parsed = CellId::parse(id).unwrap();
    let finding = || Finding {
        rule: "output-schema-object-root".to_owned(),
        level: Level::Must,
        party: Party::Server,
        revision: Some(Revision::V2025_11_25),
        source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#tool-outputschema".to_owned(),
        detail: "the outputSchema of `list_users` has type \"array\" at its root; 2025-11-25 allows only an object"
            .to_owned(),
        tool: Some("list_users".to_owned()),
        messages: vec![2, 4],
    };
    let signature = format!("server:{}:tools/list:rule-{kind}:decode:/outputSchema/type", outcome.as_str());
    let verdict = Verdict {
        negotiated: Some(Revision::V2025_11_25),
        outcome,
        rating,
        silent: outcome == Outcome::Altered,
        vacuous: false,
        blast_radius: bad.then_some(BlastRadius::Server),
        expected: Some(Outcome::Intact),
        findings: if bad { vec![finding()] } else { Vec::new() },
        fault: bad.then_some(Fault::Server),
        signature: bad.then(|| signature.parse().unwrap()),
        reason: format!(
            "{} rejected the response to tools/list of {} (decode error: \"tools[0].outputSchema has to have type\"). The \
             outputSchema of `list_users` has type \"array\" at its root; 2025-11-25 allows only \"object\". To fix in the \
             server: omit this outputSchema, or wrap the value in an object.",
            parsed.client, parsed.server
        ),
    };
    CellRecord::new(parsed, verdict, 20_000, Some(0))
}

fn record(scenarios: &[String], cells: Vec<CellRecord>) -> Record {
    let scenario = |id: &String| ScenarioRecord {
        id: id.parse().unwrap(),
        title: "An array of objects at the root".to_owned(),
        why: "Clients that are typed to the earlier wire format expect an object.".to_owned(),
        sources: vec!["https://modelcontextprotocol.io/seps/2106".to_owned()],
        since: Revision::V2026_07_28,
        digest: None,
        read_from: None,
    };
    Record {
        schema_version: SCHEMA_VERSION,
        tool_version: "0.1.0".to_owned(),
        judge: None,
        started: "2026-11-22T03:00:00Z".to_owned(),
        duration_us: 3_600_000_000,
        complete: true,
        division: None,
        corpus: "fbd5e667d2ee7ce6".to_owned(),
        peers: Vec::new(),
        scenarios: scenarios.iter().map(scenario).collect(),
        cells,
        left_out: Vec::new(),
        stale: Vec::new(),
        schema_suite: None,
    }
}

/// Messages as real SDKs send them: a name of the client in the first one, its own ids, tools by scenario and server.
fn evidence(cell: &CellRecord, n: usize) -> Evidence {
    let message = |seq: u32, from: Role, text: String| Entry {
        seq,
        at_us: u64::from(seq) * 900,
        from,
        event: Event::Message { raw: Raw::Text(text), http: None },
    };
    let tool = r#"{"name":"list_users","inputSchema":{"type":"object"},"outputSchema":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}},"required":["id"]}}}"#;
    let (client, server, scenario) = (&cell.client, &cell.server, &cell.scenario);
    let entries = vec![
        message(
            0,
            Role::Client,
            format!(
                r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-11-25","clientInfo":{{"name":"{client}"}}}}}}"#
            ),
        ),
        message(
            1,
            Role::Server,
            format!(
                r#"{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"2025-11-25","serverInfo":{{"name":"{server}"}}}}}}"#
            ),
        ),
        message(
            2,
            Role::Server,
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tool},{tool}],"note":"{scenario} {server}"}}}}"#),
        ),
        message(
            3,
            Role::Client,
            format!(
                r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"list_users","_meta":{{"progressToken":{}}}}}}}"#,
                n % 3
            ),
        ),
        message(
            4,
            Role::Server,
            format!(
                r#"{{"jsonrpc":"2.0","id":2,"result":{{"structuredContent":[{{"id":"u1"}},{{"id":"u2"}}],"content":[{{"type":"text","text":"{scenario}"}}]}}}}"#
            ),
        ),
    ];
    let failed =
        Seen::Failed(PeerError { layer: Layer::Decode, code: None, message: format!("{client}: expected an object") });
    let called = Seen::Called(CallResult { structured: None, content: Vec::new(), is_error: false });
    let observation = Observation { negotiated: None, steps: vec![failed, called], end: End::Answered {} };
    Evidence::kept(cell.cell(), Transcript { entries }, observation)
}
