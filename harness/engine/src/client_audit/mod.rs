//! What a client that is only a command does with a handful of servers and scenarios, and what follows from it.
//!
//! ```text
//! probes × servers ─ run ─> cells + evidence ─ Deeds ─> what it did ─ conclusions ─> what follows, worst first
//! ```
//!
//! It says no more than the wire and the exit status do.

mod conclusions;

use std::collections::BTreeMap;

use mcp_compat_model::client_audit::{ClientAudit, Probe, Visit};
use mcp_compat_model::record::{CellRecord, Evidence, ScenarioRecord};
use mcp_compat_model::transcript::{self, Transcript};
use mcp_compat_model::verdict::{BlastRadius, Rating};
use mcp_compat_model::{PeerId, Transport};
use mcp_compat_scenario::{Diagnostics, Scenario};

use crate::command::{ClientCommand, Deeds};
use crate::events::{Event, Observer};
use crate::fleet::Fleet;
use crate::hosts::HostError;
use crate::peer::Peer;
use crate::plan::Coverage;
use crate::request::{Request, RequestError};
use crate::run::{Stop, run};

/// What is played: what a client must take, what it may stumble over, and what it must not do.
pub const PROBES: [&str; 10] = [
    "root-type/object",
    "root-type/array",
    "root-type/primitive[zero]",
    "root-type/null",
    "ref/network[absolute]",
    "ref/dangling",
    "structured-missing/prose",
    "invalid-result/wrong-type",
    "error-result/plain-text",
    "fallback/prose",
];

/// With whom: each revision that has structured output, and each conduct towards peers older than the result.
pub const SERVERS: [&str; 7] = [
    "mock/2025-06-18",
    "mock/2025-11-25",
    "mock/2026-07-28",
    "mock/dual",
    "mock/dual/omit",
    "mock/dual/wrap",
    "mock/dual/text-only",
];

/// What the client is called in the cells.
const CLIENT: &str = "client";

/// Why a client was not looked at.
#[derive(Debug, thiserror::Error)]
pub enum ClientAuditError {
    /// The embedded corpus has a mistake.
    #[error("the corpus has a mistake:\n{0}")]
    Corpus(String),
    /// The probes make no run.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The harness failed.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The client never came to a server.
    #[error(
        "{client} never connected to any server: {why}; the address is its last argument, or stands where it says {{url}}"
    )]
    NeverConnected {
        /// The command.
        client: String,
        /// What became of the first probe.
        why: String,
    },
}

impl From<Diagnostics> for ClientAuditError {
    fn from(mistakes: Diagnostics) -> Self {
        Self::Corpus(mistakes.to_string())
    }
}

/// Looks at a client. `limits` has the times and the number of jobs; what else it asks for is not looked at.
///
/// # Errors
/// When the client never connects, or the harness cannot do its own part.
pub async fn client_audit(
    command: &ClientCommand,
    limits: Request,
    observer: &mut dyn Observer,
    stop: Stop,
) -> Result<ClientAudit, ClientAuditError> {
    let corpus: Vec<_> = mcp_compat_scenario::corpus::load()?
        .into_iter()
        .filter(|scenario: &Scenario| PROBES.contains(&scenario.id.as_str()))
        .map(std::sync::Arc::new)
        .collect();
    let id = PeerId::new(CLIENT).unwrap_or_else(|error| unreachable!("a constant: {error}"));
    let mut fleet = Fleet::mocks();
    fleet.clients = vec![Peer::unadapted_client(id, command.clone())];
    let request = Request {
        scenarios: PROBES.map(str::to_owned).to_vec(),
        clients: vec![CLIENT.to_owned()],
        servers: SERVERS.map(str::to_owned).to_vec(),
        transports: vec![Transport::Http],
        coverage: Coverage::Everything,
        shard: None,
        ..limits
    };
    let mut wires = BTreeMap::new();
    let mut keep = |event: Event<'_>| {
        if let Event::Recorded { cell, evidence } = event {
            wires.insert(cell.id.clone(), seen(evidence, command.calls()));
        }
    };
    let record = run(request.prepare(&fleet, &corpus, None)?, &mut [&mut keep, observer], stop).await?;
    if record.complete
        && !wires.values().any(|(deeds, _)| deeds.connected)
        && let Some(first) = record.cells.first()
    {
        return Err(ClientAuditError::NeverConnected { client: command.to_string(), why: first.reason.clone() });
    }
    let visit = |server: &&str| Visit {
        server: PeerId::new(*server).unwrap_or_else(|error| unreachable!("a constant: {error}")),
        probes: PROBES
            .iter()
            .filter_map(|probe| {
                let cell = record
                    .cells
                    .iter()
                    .find(|cell| cell.server.as_str() == *server && cell.scenario.as_str() == *probe)?;
                let (deeds, ended) = wires.get(&cell.id)?;
                Some(probed(cell, &record.scenarios, *deeds, ended))
            })
            .collect(),
    };
    Ok(ClientAudit {
        tool_version: record.tool_version.clone(),
        client: command.to_string(),
        calls: command.calls().to_owned(),
        complete: record.complete,
        servers: SERVERS.iter().map(visit).filter(|visit| !visit.probes.is_empty()).collect(),
        conclusions: conclusions::of(&record.cells),
    })
}

/// What a client did on the wire, and how it ended.
fn seen(evidence: &Evidence, calls: &str) -> (Deeds, String) {
    (Deeds::read(&evidence.transcript, calls), ended(&evidence.transcript))
}

fn ended(transcript: &Transcript) -> String {
    let end = transcript.entries.iter().rev().find_map(|entry| match &entry.event {
        transcript::Event::Exited { how } => Some(how.clone()),
        transcript::Event::Stopped { .. } => Some("did not end".to_owned()),
        transcript::Event::Message { .. }
        | transcript::Event::Head { .. }
        | transcript::Event::Overflow { .. }
        | transcript::Event::Fetched { .. }
        | transcript::Event::Closed {} => None,
    });
    end.unwrap_or_else(|| "was not started".to_owned())
}

fn probed(cell: &CellRecord, scenarios: &[ScenarioRecord], deeds: Deeds, ended: &str) -> Probe {
    let title = scenarios.iter().find(|scenario| scenario.id == cell.scenario);
    let Deeds { connected, revision, listed, called, fetched, .. } = deeds;
    let neighbour = match (cell.rating, cell.blast_radius) {
        (_, _) if !listed => None,
        (Rating::Breaks, Some(BlastRadius::Server | BlastRadius::Session)) => Some(called),
        (Rating::Breaks | Rating::Degraded | Rating::Works | Rating::Skipped, _) => Some(true),
    };
    Probe {
        scenario: cell.scenario.clone(),
        title: title.map_or_else(String::new, |scenario| scenario.title.clone()),
        connected,
        revision,
        listed,
        called,
        fetched,
        neighbour,
        ended: ended.to_owned(),
        outcome: cell.outcome,
        rating: cell.rating,
        reason: cell.reason.clone(),
    }
}
