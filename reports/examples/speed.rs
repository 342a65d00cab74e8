//! Time, memory and size of the site of a run of the whole fleet, and how it divides:
//! `cargo run --release -p mcp-compat-reports --example speed -- [FOLDER]`. With a folder, the site is written there.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example measures, prints and writes"
)]

use std::collections::BTreeMap;
use std::time::Instant;

use mcp_compat_model::Role;
use mcp_compat_model::observation::{CallResult, End, Layer, PeerError, Seen};
use mcp_compat_model::record::{CellRecord, Evidence};
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::site::{Earlier, EvidenceBook, Input, Run, site};

#[path = "../tests/reports/site/made.rs"]
mod made;

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
    let record = made::record(cells);
    let resting = memory();
    let begun = Instant::now();
    let mut book = EvidenceBook::default();
    for (n, cell) in record.cells.iter().enumerate() {
        book.add(evidence(cell, n));
    }
    let read = begun.elapsed();
    let earlier = Earlier::than(&record);
    let newest = Run { record: &record, evidence: &book };
    let definitions = BTreeMap::new();
    let (issues, support) = Default::default();
    let input = Input {
        title: "Speed",
        base: None,
        newest,
        earlier: &earlier,
        definitions: &definitions,
        issues: &issues,
        support: &support,
        hosts: None,
        today: None,
        max_bytes: 50 << 20,
    };
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

/// A cell, rated and caused by chance.
fn cell(id: &str, chance: usize, kind: usize) -> CellRecord {
    let silent = kind.is_multiple_of(5);
    let (rating, silent) = match chance {
        0..70 => (Rating::Works, false),
        70..80 => (Rating::Degraded, false),
        80..97 => (Rating::Breaks, silent),
        _ => (Rating::Skipped, false),
    };
    let mut parts = id.split("::").skip(1);
    let (client, server) = (parts.next().unwrap(), parts.next().unwrap());
    let reason = format!(
        "{client} rejected the response to tools/list of {server} (decode error: \"tools[0].outputSchema has to have type\"). The \
         outputSchema of `list_users` has type \"array\" at its root; 2025-11-25 allows only \"object\". To fix in the \
         server: omit this outputSchema, or wrap the value in an object."
    );
    let cell = made::cell(id, rating, silent, &reason);
    let signature =
        |outcome| format!("server:{outcome}:tools/list:rule-{kind}:decode:/outputSchema/type").parse().unwrap();
    CellRecord { signature: cell.signature.as_ref().map(|_| signature(cell.outcome)), ..cell }
}

/// Messages as real SDKs send them: a name of the client in the first one, its own ids, tools by scenario and server.
fn evidence(cell: &CellRecord, n: usize) -> Evidence {
    let tool = r#"{"name":"list_users","inputSchema":{"type":"object"},"outputSchema":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}},"required":["id"]}}}"#;
    let (client, server, scenario) = (&cell.client, &cell.server, &cell.scenario);
    let messages = vec![
        (
            Role::Client,
            format!(
                r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"2025-11-25","clientInfo":{{"name":"{client}"}}}}}}"#
            ),
        ),
        (
            Role::Server,
            format!(
                r#"{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"2025-11-25","serverInfo":{{"name":"{server}"}}}}}}"#
            ),
        ),
        (
            Role::Server,
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tool},{tool}],"note":"{scenario} {server}"}}}}"#),
        ),
        (
            Role::Client,
            format!(
                r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"list_users","_meta":{{"progressToken":{}}}}}}}"#,
                n % 3
            ),
        ),
        (
            Role::Server,
            format!(
                r#"{{"jsonrpc":"2.0","id":2,"result":{{"structuredContent":[{{"id":"u1"}},{{"id":"u2"}}],"content":[{{"type":"text","text":"{scenario}"}}]}}}}"#
            ),
        ),
    ];
    let failed =
        Seen::Failed(PeerError { layer: Layer::Decode, code: None, message: format!("{client}: expected an object") });
    let called = Seen::Called(CallResult { structured: None, content: Vec::new(), is_error: false });
    made::evidence(cell, messages, vec![failed, called], End::Answered {})
}
