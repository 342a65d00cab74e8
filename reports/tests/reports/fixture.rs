//! A made-up run: what peers do in it is decided by a few rules, so that it has every kind of verdict.
//!
//! The names of the SDKs are made up: nothing here describes a real one.

#![expect(clippy::unwrap_used, reason = "the ids and texts below are valid as they stand")]

use mcp_compat_json::Json;
use mcp_compat_model::observation::{CallResult, End, Layer, Observation, PeerError, Seen, SeenTool};
use mcp_compat_model::record::{CellRecord, Evidence, Known, NotPlayedCells, Record, SCHEMA_VERSION, ScenarioRecord};
use mcp_compat_model::signature::Signature;
use mcp_compat_model::transcript::{Entry, Event, Head, Raw, Start, Transcript};
use mcp_compat_model::verdict::{BlastRadius, Fault, Finding, Level, Outcome, Party, Rating, Verdict};
use mcp_compat_model::{Cell, CellId, PeerId, Revision, Role, ScenarioId, Transport};

const SPECIFICATION: &str = "https://modelcontextprotocol.io/specification";

/// Peers, scenarios and transports of a made-up run.
pub(crate) struct Run {
    pub(crate) scenarios: Vec<String>,
    pub(crate) clients: Vec<&'static str>,
    pub(crate) servers: Vec<&'static str>,
    pub(crate) transports: Vec<Transport>,
}

impl Run {
    /// Few peers, every kind of verdict.
    pub(crate) fn small() -> Self {
        let scenarios = [
            "content-types/image",
            "drift/array-to-object",
            "invalid-result/wrong-type",
            "root-type/array",
            "root-type/primitive[true]",
            "root-type/primitive[zero]",
        ];
        Self {
            scenarios: scenarios.map(str::to_owned).to_vec(),
            clients: vec!["mock/dual", "mock/dual/skip", "ardent@2.0.1+auto", "brisk@3.9.0+legacy"],
            servers: vec!["mock/2025-11-25/wrap", "mock/dual", "ardent@0.9.2"],
            transports: vec![Transport::Stdio, Transport::Http],
        }
    }

    /// As many peers as a nightly run has, with ids as long as they get.
    pub(crate) fn large(scenarios: usize) -> Self {
        let classes = ["root-type", "invalid-result", "drift", "content-types", "unicode", "wrapping", "pagination"];
        let scenario = |number: usize| format!("{}/primitive[case-{}]", classes[number % classes.len()], number);
        Self {
            scenarios: (0..scenarios).map(scenario).collect(),
            clients: vec![
                "ardent@0.9.2",
                "ardent@1.4.0",
                "ardent@2.0.1+auto",
                "ardent@2.0.1+legacy",
                "brisk@3.9.0+auto",
                "brisk@3.9.0+legacy",
                "brisk@3.9.0+modern",
                "mock/2025-06-18",
                "mock/2025-11-25",
                "mock/2025-11-25/lenient",
                "mock/2026-07-28",
                "mock/dual",
                "mock/dual/content",
                "mock/dual/skip",
            ],
            servers: vec![
                "ardent@0.9.2",
                "ardent@1.4.0",
                "ardent@2.0.1",
                "brisk@3.9.0",
                "mock/2025-06-18",
                "mock/2025-11-25",
                "mock/2025-11-25/omit",
                "mock/2025-11-25/text-only",
                "mock/2025-11-25/wrap",
                "mock/2026-07-28",
                "mock/dual",
                "sabotaged/slow-list",
            ],
            transports: vec![Transport::Memory, Transport::Stdio, Transport::Http],
        }
    }

    /// The record of the run.
    pub(crate) fn record(&self) -> Record {
        let mut cells = vec![];
        for scenario in &self.scenarios {
            for client in &self.clients {
                for server in &self.servers {
                    for transport in &self.transports {
                        let cell = cell(scenario, client, server, *transport);
                        let verdict = verdict(&cell);
                        cells.push(CellRecord::new(cell, verdict, 1_234, Some(cells.len() as u64)));
                    }
                }
            }
        }
        Record { scenarios: self.scenarios.iter().map(|id| scenario(id)).collect(), cells, ..empty() }
    }
}

/// A run in which nothing was played.
pub(crate) fn empty() -> Record {
    Record {
        schema_version: SCHEMA_VERSION,
        tool_version: "0.1.0".to_owned(),
        judge: None,
        platform: None,
        started: "2026-11-21T08:51:57Z".to_owned(),
        duration_us: 4_213_000,
        complete: true,
        division: None,
        corpus: "0f3a9c1de57b2468".to_owned(),
        peers: vec![],
        scenarios: vec![],
        cells: vec![],
        left_out: vec![
            NotPlayedCells { reason: "pairs of mocks are played in memory only".to_owned(), cells: 1_204 },
            NotPlayedCells { reason: "ardent@0.9.2 has no HTTP transport".to_owned(), cells: 1 },
        ],
        stale: vec![],
    }
}

/// The record with a baseline that knows what the SDK `brisk` breaks, and knows one thing too many.
pub(crate) fn with_baseline(mut record: Record) -> Record {
    for cell in record.cells.iter_mut().filter(|cell| cell.rating == Rating::Breaks) {
        if cell.client.as_str().starts_with("brisk") {
            cell.known = Some(Known {
                reason: "the list is fetched once a session".to_owned(),
                covers: Some("`drift/*::brisk@*::*::*` with the cause `client:*`".to_owned()),
                issue: Some("https://example.org/brisk/issues/71".to_owned()),
                flaky: cell.transport == Transport::Http,
            });
        }
    }
    record.stale = vec!["`drift/*::brisk@2.*::*::*` (line 12) matches cells that work".to_owned()];
    record
}

pub(crate) fn scenario(id: &str) -> ScenarioRecord {
    ScenarioRecord {
        id: ScenarioId::new(id).unwrap(),
        title: "An array of objects at the root".to_owned(),
        why:
            "Any JSON value is allowed from 2026-07-28 on; who is typed to the wire format of before expects an object."
                .to_owned(),
        sources: vec![],
        since: Revision::V2026_07_28,
        digest: None,
        read_from: None,
    }
}

fn cell(scenario: &str, client: &str, server: &str, transport: Transport) -> Cell {
    Cell {
        scenario: ScenarioId::new(scenario).unwrap(),
        client: PeerId::new(client).unwrap(),
        server: PeerId::new(server).unwrap(),
        transport,
    }
}

/// The cells of the record with that id.
pub(crate) fn found<'a>(record: &'a Record, id: &str) -> &'a CellRecord {
    record.cells.iter().find(|cell| cell.id.as_str() == id).unwrap()
}

/// Verdict on a cell by the rules of the made-up run.
fn verdict(cell: &Cell) -> Verdict {
    let (client, server) = (cell.client.as_str(), cell.server.as_str());
    let old_client = client.contains("+legacy") || client.contains("2025-") || client.starts_with("ardent@0");
    let old_server = server.contains("2025-") || server.starts_with("ardent@0") || server.starts_with("ardent@1");
    let revision = if old_client || old_server { Revision::V2025_11_25 } else { Revision::V2026_07_28 };
    let works = works(revision);
    if old_server && (client.contains("+modern") || client == "mock/2026-07-28") {
        let reason = format!("{client} speaks no revision that {server} knows");
        return Verdict { negotiated: None, outcome: Outcome::Unsupported, rating: Rating::Skipped, reason, ..works };
    }
    if server.starts_with("sabotaged/") {
        let reason = "the server did not answer tools/list within 2 s".to_owned();
        return broken(works, Outcome::Hung, BlastRadius::Session, Fault::Server, "slow-list", reason);
    }
    match cell.scenario.class() {
        "root-type" if client.starts_with("ardent@2") && revision == Revision::V2026_07_28 => {
            let reason = "the client refused the whole tool list: outputSchema.type is \"array\", and it takes only \
                          \"object\""
                .to_owned();
            let finding = finding("output-schema-any-type", Party::Client, revision, &reason);
            let verdict = broken(works, Outcome::Rejected, BlastRadius::Server, Fault::Client, "object-only", reason);
            Verdict { findings: vec![finding], ..verdict }
        }
        "root-type" if server.ends_with("/wrap") => Verdict {
            outcome: Outcome::Wrapped,
            rating: Rating::Degraded,
            signature: Some(signature("wrapped")),
            reason: "the array came under the key \"result\", which the schema that the client was told does not name"
                .to_owned(),
            fault: Some(Fault::Server),
            ..works
        },
        "root-type" if server == "mock/2025-11-25" || server == "ardent@1.4.0" => {
            let reason = "the server sent an array as structuredContent on a 2025-11-25 session".to_owned();
            let finding = finding("structured-content-is-object", Party::Server, revision, &reason);
            let verdict = broken(works, Outcome::Rejected, BlastRadius::Call, Fault::Server, "array-sent", reason);
            Verdict { findings: vec![finding], ..verdict }
        }
        "invalid-result" if client.ends_with("/skip") => {
            let reason = "the client handed on \"seven\" where the schema of the tool asks for an integer".to_owned();
            let finding = finding("client-validates-structured", Party::Client, revision, &reason);
            let verdict = broken(works, Outcome::Uncaught, BlastRadius::Call, Fault::Client, "unchecked", reason);
            Verdict { silent: true, findings: vec![Finding { level: Level::Should, ..finding }], ..verdict }
        }
        "drift" if client.starts_with("brisk") => {
            let reason = "the client read the new value with the schema of before the change, and dropped two of its \
                          members"
                .to_owned();
            let verdict = broken(works, Outcome::Altered, BlastRadius::Tool, Fault::Spec, "stale-schema", reason);
            Verdict { silent: true, ..verdict }
        }
        "content-types" if server == "ardent@0.9.2" => {
            let reason = "ardent@0.9.2 has no images".to_owned();
            Verdict { outcome: Outcome::Unsupported, rating: Rating::Skipped, reason, ..works }
        }
        "wrapping" => Verdict { vacuous: client == "ardent@0.9.2", ..works },
        _ => Verdict { vacuous: client == "mock/dual/skip", ..works },
    }
}

fn works(revision: Revision) -> Verdict {
    Verdict {
        negotiated: Some(revision),
        outcome: Outcome::Intact,
        rating: Rating::Works,
        silent: false,
        vacuous: false,
        blast_radius: None,
        expected: Some(Outcome::Intact),
        findings: vec![],
        fault: None,
        signature: None,
        reason: "the value arrived as it was meant".to_owned(),
    }
}

fn broken(
    works: Verdict,
    outcome: Outcome,
    radius: BlastRadius,
    fault: Fault,
    signature: &str,
    reason: String,
) -> Verdict {
    Verdict {
        outcome,
        rating: Rating::Breaks,
        blast_radius: Some(radius),
        fault: Some(fault),
        signature: Some(self::signature(signature)),
        reason,
        ..works
    }
}

/// A signature of that ground.
fn signature(ground: &str) -> Signature {
    format!("client:rejected:tools/call:{ground}").parse().unwrap()
}

fn finding(rule: &str, party: Party, revision: Revision, detail: &str) -> Finding {
    Finding {
        rule: rule.to_owned(),
        level: Level::Must,
        party,
        revision: Some(revision),
        source: format!("{SPECIFICATION}/{revision}/server/tools#structured-content"),
        detail: detail.to_owned(),
        tool: None,
        messages: vec![3],
    }
}

/// Evidence of a cell over HTTP: a rejected list, a result, and a message that is not JSON.
pub(crate) fn evidence(id: &str) -> Evidence {
    let failed = PeerError {
        layer: Layer::Decode,
        code: None,
        message: "tools[0].outputSchema.type: expected \"object\", got \"array\"".to_owned(),
    };
    let result = CallResult {
        structured: Some(Json::parse(r#"{"rows":[{"id":"u1"},{"id":"u2"}],"total":2.0}"#).unwrap()),
        content: vec![Json::parse(r#"{"type":"text","text":"two rows"}"#).unwrap()],
        is_error: false,
    };
    let tool = |name: &str, schema: Option<&str>| SeenTool {
        name: name.to_owned(),
        output_schema: schema.map(|schema| Json::parse(schema).unwrap()),
        input_schema: None,
        refused: None,
        found: false,
    };
    let tools = vec![tool("list_users", Some(r#"{"type":"array"}"#)), tool("mcp_compat_bystander", None)];
    Evidence::kept(
        CellId::parse(id).unwrap(),
        Transcript { entries: exchange() },
        Observation {
            negotiated: Some("2026-07-28".to_owned()),
            steps: vec![
                Seen::Listed { tools },
                Seen::Failed(failed),
                Seen::Evolved { told: false },
                Seen::Called(result),
                Seen::Called(CallResult { structured: None, content: vec![], is_error: true }),
            ],
            end: End::TimedOut { waiting_for: Role::Server, what: "step 6 (call list_users)".to_owned() },
        },
    )
}

fn exchange() -> Vec<Entry> {
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    let listed = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"list_users","inputSchema":{"type":"object"},"outputSchema":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}}}],"ttlMs":1.0}}"#;
    let refused = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such tool"}}"#;
    let long = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"data":"{}"}}}}"#,
        "word ".repeat(2_000)
    );
    let request = Head {
        exchange: 0,
        start: Start::Request { method: "POST".to_owned() },
        headers: vec![
            ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
            ("mcp-protocol-version".to_owned(), "2026-07-28".to_owned()),
        ],
    };
    let response = Head {
        exchange: 0,
        start: Start::Response { status: 200 },
        headers: vec![("content-type".to_owned(), "text/event-stream".to_owned())],
    };
    let message = |text: &str, http| Event::Message { raw: Raw::Text(text.to_owned()), http };
    let events = [
        (Role::Client, message(list, Some(request.clone()))),
        (Role::Server, Event::Head { http: response.clone() }),
        (Role::Server, message("<html>\u{1b}[31mnot this</html>", None)),
        (Role::Server, message(listed, Some(response))),
        (Role::Server, message(refused, None)),
        (Role::Server, Event::Message { raw: Raw::from_bytes(b"\xff\xfe{}"), http: None }),
        (Role::Server, message(&long, None)),
        (Role::Client, Event::Closed {}),
        (Role::Server, Event::Exited { how: "exit status: 1".to_owned() }),
    ];
    let entry = |(seq, (from, event))| Entry { seq, at_us: u64::from(seq).pow(3) * 1_733, from, event };
    (0..).zip(events).map(entry).collect()
}
