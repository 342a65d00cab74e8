//! Checks a recording: all of its cells are judged again, and the verdicts of the file have to be the same.
//!
//! Verdicts of another judge than that of this program may differ, and are counted. Those of the same judge may not: the
//! same evidence gives the same verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_drive::files::input_file;
use mcp_compat_judge::DIGEST;
use mcp_compat_model::record::{CellRecord, PeerRecord, Record};
use mcp_compat_model::verdict::Fault;
use mcp_compat_model::{Cell, CellId, PeerId};
use mcp_compat_scenario::{Scenario, corpus};
use tokio_util::sync::CancellationToken;

use super::{Recording, RecordingError, TRANSCRIPT_BYTES};
use crate::context::{IsKnown, Run};
use crate::environment::DEFAULT_PEER_MEMORY;
use crate::events::{Event, Observer};
use crate::peer::{ClientPeer, PeerInfo, ServerPeer};
use crate::peer_set::PeerSet;
use crate::plan::Plan;
use crate::programs::Programs;
use crate::redact::find_secrets;
use crate::request::default_jobs;
use crate::run::run;
use crate::store::transcripts::TRANSCRIPTS;
use crate::store::{Store, StoreError};
use crate::timeouts::Timeouts;

/// Number of bytes that the messages of all cells may have, each written out wherever it stands.
const MESSAGE_BYTES: usize = 1 << 30;

/// A recording whose verdicts are those of its evidence.
#[derive(Debug)]
pub struct Checked {
    /// Its record, with the verdicts of this program, and only with what can be judged here.
    pub record: Record,
    /// Number of verdicts of the file that another judge gave, and this one gives otherwise.
    pub changed: usize,
    /// Scenarios that were recorded, and are another one now or no built-in one.
    pub left_out: BTreeSet<String>,
}

impl Recording {
    /// Judges all cells again. `store` gets their evidence, and is closed with the record.
    ///
    /// # Errors
    /// If a verdict of the file is not that of its evidence, if the evidence has something that looks like a credential, or
    /// if there is nothing to judge.
    pub async fn check(self: &Arc<Self>, store: Option<Store>) -> Result<Checked, RecordingError> {
        let run_again = self.run()?;
        self.find_secrets(&run_again.scenarios)?;
        let played: BTreeSet<&str> = run_again.scenarios.iter().map(|scenario| scenario.id.as_str()).collect();
        let recorded = self.cells.iter().map(|cell| cell.scenario.as_str()).collect::<BTreeSet<_>>();
        let left_out = recorded.difference(&played).map(ToString::to_string).collect();
        let mut watch = Watch { store, bytes: 0, stop: CancellationToken::new() };
        let stop = watch.stop.clone();
        let mut record = run(run_again, &mut [&mut watch], stop).await?;
        if watch.bytes > MESSAGE_BYTES {
            let most = MESSAGE_BYTES >> 20;
            return Err(RecordingError::Unsound(format!("its messages have more than {most} MB, each written out")));
        }
        let of_file: BTreeMap<&CellId, &CellRecord> = self.record.cells.iter().map(|cell| (&cell.id, cell)).collect();
        let mut changed = 0;
        for cell in &mut record.cells {
            if cell.fault == Some(Fault::Harness) {
                return Err(RecordingError::OfTheHarness { cell: cell.id.clone(), why: cell.reason.clone() });
            }
            let Some(before) = of_file.get(&cell.id) else { continue };
            cell.duration_us = before.duration_us;
            match difference(before, cell) {
                Some(why) if self.record.judge.as_deref() == Some(DIGEST) => {
                    return Err(RecordingError::Edited { cell: cell.id.clone(), why });
                }
                Some(_) => changed += 1,
                None => {}
            }
        }
        record.tool_version.clone_from(&self.recorded.tool_version);
        record.platform.clone_from(&self.recorded.platform);
        record.duration_us = self.record.duration_us;
        let as_handed_in = |peer: PeerRecord| PeerRecord { recorded: None, ..peer };
        record.peers = record.peers.into_iter().map(as_handed_in).collect();
        if let Some(store) = watch.store {
            store.close(&record)?;
        }
        Ok(Checked { record, changed, left_out })
    }

    /// The run of all cells that can be judged: of scenarios that are built in and did not change, with mocks that there
    /// are.
    fn run(self: &Arc<Self>) -> Result<Run, RecordingError> {
        let files: BTreeSet<&str> = self.cells.iter().map(|cell| cell.scenario.file()).collect();
        let all = corpus::load_of(|file| files.contains(file));
        let all = all.map_err(|mistakes| RecordingError::Corpus(mistakes.to_string()))?;
        let digests = corpus::digests(&all.iter().collect::<Vec<_>>()).scenarios;
        let unchanged = all.into_iter().zip(digests).filter(|(scenario, digest)| self.has(&scenario.id, digest));
        let mut scenarios: Vec<Arc<Scenario>> = unchanged.map(|(scenario, _)| Arc::new(scenario)).collect();
        let mut peers = PeerSet::default();
        peers.extend(self.peers());
        let mocks = |id: fn(&Cell) -> &PeerId| {
            let ids: BTreeSet<&PeerId> = self.cells.iter().map(id).filter(|id| id.is_mock()).collect();
            ids.into_iter().map(PeerId::as_str)
        };
        peers.clients.extend(mocks(|cell| &cell.client).filter_map(|id| ClientPeer::mock(id).ok()));
        peers.servers.extend(mocks(|cell| &cell.server).filter_map(|id| ServerPeer::mock(id).ok()));
        let is_there = |cell: &&Cell| {
            scenarios.iter().any(|scenario| scenario.id == cell.scenario)
                && peers.clients.iter().any(|client| *client.id() == cell.client)
                && peers.servers.iter().any(|server| *server.id() == cell.server)
        };
        let cells: Vec<Cell> = self.cells.iter().filter(is_there).cloned().collect();
        if cells.is_empty() {
            return Err(RecordingError::NothingToJudge);
        }
        let plays = |peer: &PeerInfo, of: fn(&Cell) -> &PeerId| cells.iter().any(|cell| of(cell) == peer.id());
        peers.clients.retain(|client| plays(client.as_ref(), |cell| &cell.client));
        peers.servers.retain(|server| plays(server.as_ref(), |cell| &cell.server));
        scenarios.retain(|scenario| cells.iter().any(|cell| cell.scenario == scenario.id));
        Ok(Run {
            plan: Plan { cells, left_out: Vec::new(), division: None },
            scenarios,
            clients: peers.clients,
            servers: peers.servers,
            timeouts: Timeouts::default(),
            jobs: default_jobs(),
            started: self.recorded.started.clone(),
            programs: Programs::None,
            logs: None,
            peer_memory: DEFAULT_PEER_MEMORY,
            is_known: IsKnown::default(),
        })
    }

    /// Finds credentials in the evidence, in which each message stands once. The values of scenarios may look like some.
    fn find_secrets(&self, scenarios: &[Arc<Scenario>]) -> Result<(), RecordingError> {
        let path = self.folder.join(TRANSCRIPTS);
        let text = input_file::read_text(&path, TRANSCRIPT_BYTES);
        let text = text.map_err(|error| StoreError::Read { path, error })?;
        let scripts: Vec<String> =
            scenarios.iter().filter_map(|scenario| serde_json::to_string(&scenario.script()).ok()).collect();
        let is_scripted = |secret: &str| scripts.iter().any(|script| script.contains(secret));
        let has_secret = |line: &str| find_secrets(line).into_iter().any(|found| !is_scripted(&line[found]));
        match text.lines().position(has_secret) {
            Some(line) => Err(RecordingError::Secret { line: line + 1 }),
            None => Ok(()),
        }
    }
}

/// Watches the cells that are judged again.
struct Watch {
    store: Option<Store>,
    /// Bytes of the messages of all cells so far.
    bytes: usize,
    stop: CancellationToken,
}

impl Observer for Watch {
    fn notice(&mut self, event: Event<'_>) {
        if let Event::Recorded { evidence, .. } = event {
            self.bytes = self.bytes.saturating_add(evidence.transcript.message_bytes());
        }
        if self.bytes > MESSAGE_BYTES {
            self.stop.cancel();
        }
        if let Some(store) = &mut self.store {
            store.notice(event);
        }
    }
}

/// Returns the difference between the verdict of the file and that of its evidence.
fn difference(of_file: &CellRecord, judged: &CellRecord) -> Option<String> {
    let verdict = |cell: &CellRecord| CellRecord {
        duration_us: 0,
        transcript: None,
        known: None,
        triangle: None,
        ..cell.clone()
    };
    let (one, other) = (verdict(of_file), verdict(judged));
    if one == other {
        return None;
    }
    if (one.outcome, one.rating) != (other.outcome, other.rating) {
        let (said, given) = ((one.outcome, one.rating), (other.outcome, other.rating));
        return Some(format!("the file says `{}` ({}), they give `{}` ({})", said.0, said.1, given.0, given.1));
    }
    let members = |cell: &CellRecord| match serde_json::to_value(cell) {
        Ok(serde_json::Value::Object(members)) => members,
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    let (one, other) = (members(&one), members(&other));
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let differing = names.into_iter().filter(|name| one.get(*name) != other.get(*name));
    let differing: Vec<String> = differing.map(|name| format!("`{name}`")).collect();
    Some(format!("the file has another {}", differing.join(" and ")))
}
