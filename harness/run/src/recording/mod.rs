//! Recordings: records of releases that cannot be started here, made on another machine.
//!
//! ```text
//! folder of a run ── Recording::open ──> Recording ── peers ──> clients and servers of a run
//!                                           │                     └─ their cells: evidence, judged as any other
//!                                           └─ check ──> Checked: the verdicts of the file are those of the evidence
//! ```
//!
//! A recorded peer takes part in a run as any other, but is not started: of each cell that was recorded, the run takes the
//! evidence, and judges it. No verdict of the file is used. A recorded peer meets the mocks that it met there, in
//! scenarios that are built in and did not change since.
//!
//! Files are a stranger's: their size, their texts and their work are bounded.

mod check;
mod sound;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use mcp_compat_model::record::{CellRecord, Evidence, PeerRecord, Record, Recorded};
use mcp_compat_model::{Cell, CellId, PeerId, Role, ScenarioId, Transport};
use mcp_compat_scenario::{Scenario, corpus};

use crate::peer::{ClientPeer, Peer, ServerPeer};
use crate::plan::Plan;
use crate::store::transcripts::{TRANSCRIPTS, Transcripts};
use crate::store::{FILES, StoreError, read_record};

pub use check::Checked;

/// Size limit of the record of a recording, in bytes.
const RECORD_BYTES: u64 = 32 << 20;

/// Size limit of its transcripts, in bytes.
const TRANSCRIPT_BYTES: u64 = 64 << 20;

/// Reason for leaving out a cell that a recording does not have.
pub(crate) const NOT_RECORDED: &str = "one of the two was recorded on another machine, and not in this check";

/// Reason for leaving out a cell whose scenario is another one than at the time of the recording.
const CHANGED: &str = "one of the two was recorded on another machine, and the scenario has changed since";

/// A release whose cells were played on another machine.
#[derive(Debug)]
pub struct Recording {
    folder: PathBuf,
    release: PeerId,
    recorded: Recorded,
    peers: Vec<PeerRecord>,
    /// Cells that can be judged: of these peers with mocks, with whole evidence.
    cells: Arc<BTreeSet<Cell>>,
    /// Digest of each of their scenarios.
    scenarios: BTreeMap<ScenarioId, Option<String>>,
    transcripts: Mutex<Transcripts>,
    /// Record of the file.
    record: Record,
}

/// Reason why a recording cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(
        "{file} has {} MB, and that of a recording has at most {} MB. Record fewer scenarios, as with `--coverage smoke`",
        .bytes.div_ceil(1 << 20), .limit >> 20
    )]
    TooLarge { file: &'static str, bytes: u64, limit: u64 },
    #[error("mcp-compat {found} recorded it, and this is {}: update mcp-compat", env!("CARGO_PKG_VERSION"))]
    NewerProgram { found: String },
    #[error("its run ended before every check was played. Play it again")]
    Incomplete,
    #[error("it is a part of a run. Join its parts first, with `mcp-compat report --merge`")]
    Part,
    #[error(
        "it has no client and no server but those of mcp-compat. Record one with `mcp-compat run --client peer.toml`"
    )]
    NoRelease,
    #[error("it has several releases: {}. Record one at a time, with --no-peers", .0.join(", "))]
    Several(Vec<String>),
    #[error(
        "{0} is not the name of a release. Name the SDK and its version, as in csharp@1.2.0: `id` in peer.toml, or --client-name"
    )]
    NoVersion(PeerId),
    #[error("{0}")]
    Unsound(String),
    #[error(
        "it has no check that can be judged here: none is of a built-in scenario with a mock and with whole messages"
    )]
    NothingToJudge,
    #[error(
        "the verdict on {cell} is not that of its messages: {why}. Hand in the record as `mcp-compat run` wrote it"
    )]
    Edited { cell: CellId, why: String },
    #[error(
        "the messages of {cell} say nothing about the release, since mcp-compat is at fault there: {why}. Record again \
         without its scenario"
    )]
    OfTheHarness { cell: CellId, why: String },
    #[error(
        "line {line} of transcripts.jsonl has something that looks like a credential. Remove it from the environment of the \
         client or the server, and record again"
    )]
    Secret { line: usize },
    #[error("the built-in scenarios cannot be read: {0}")]
    Corpus(String),
    #[error(transparent)]
    Harness(#[from] crate::environment::HarnessError),
}

impl Recording {
    /// Opens a recording: the folder of a run.
    ///
    /// # Errors
    /// If it cannot be read, is too large, is of a later format or program, or is not sound.
    pub fn open(folder: &Path) -> Result<Self, RecordingError> {
        for (file, limit) in FILES.into_iter().zip([RECORD_BYTES, TRANSCRIPT_BYTES]) {
            let bytes = fs::metadata(folder.join(file)).map_or(0, |found| found.len());
            if bytes > limit {
                return Err(RecordingError::TooLarge { file, bytes, limit });
            }
        }
        let mut record = read_record(folder)?;
        let recorded = sound::origin(&record)?;
        let release = sound::release(&record)?;
        let mut peers = sound::peers(&record, &recorded);
        let mut transcripts = Transcripts::open(folder)?;
        let whole = whole_evidence(folder, &record, &mut transcripts)?;
        let is_ours = |role, id: &PeerId| peers.iter().any(|peer| (peer.role, &peer.id) == (role, id));
        let with_mock = |cell: &CellRecord| {
            (is_ours(Role::Client, &cell.client) && cell.server.is_mock())
                || (is_ours(Role::Server, &cell.server) && cell.client.is_mock())
        };
        record.cells.retain(|cell| whole.contains(&cell.id) && with_mock(cell));
        // A server that only met the client of its own release was its partner.
        peers.retain(|peer| {
            record.cells.iter().any(|cell| match peer.role {
                Role::Client => cell.client == peer.id,
                Role::Server => cell.server == peer.id,
            })
        });
        if peers.is_empty() {
            return Err(RecordingError::NothingToJudge);
        }
        let cells: Arc<BTreeSet<Cell>> = Arc::new(record.cells.iter().map(|cell| cell.cell()).collect());
        let scenarios = record.scenarios.iter().map(|played| (played.id.clone(), played.digest.clone())).collect();
        let (folder, transcripts) = (folder.to_owned(), Mutex::new(transcripts));
        Ok(Self { folder, release, recorded, peers, cells, scenarios, transcripts, record })
    }

    /// The release, without a mode: `csharp@1.2.0`.
    pub fn release(&self) -> &PeerId {
        &self.release
    }

    /// The role in which it was recorded; `None` for both.
    pub fn only_role(&self) -> Option<Role> {
        let has = |role| self.peers.iter().any(|peer| peer.role == role);
        match (has(Role::Client), has(Role::Server)) {
            (true, false) => Some(Role::Client),
            (false, true) => Some(Role::Server),
            (_, _) => None,
        }
    }

    /// Returns whether another recording has a client or a server of the same id.
    pub fn meets(&self, other: &Self) -> bool {
        let is_same = |peer: &PeerRecord| other.peers.iter().any(|it| (it.role, &it.id) == (peer.role, &peer.id));
        self.peers.iter().any(is_same)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The run in which it was recorded.
    pub fn recorded(&self) -> &Recorded {
        &self.recorded
    }

    /// Number of checks that can be judged.
    pub fn checks(&self) -> usize {
        self.cells.len()
    }

    /// The clients and servers that were recorded.
    pub fn peers(self: &Arc<Self>) -> Vec<Peer> {
        let peer = |record: &PeerRecord| -> Option<Peer> {
            let transports = self.transports(record);
            let recording = Arc::clone(self);
            (!transports.is_empty()).then(|| match record.role {
                Role::Client => ClientPeer::recorded(record.clone(), transports, recording).into(),
                Role::Server => ServerPeer::recorded(record.clone(), transports, recording).into(),
            })
        };
        self.peers.iter().filter_map(peer).collect()
    }

    /// The transports over which a peer was recorded, in the order that adapters have them.
    fn transports(&self, peer: &PeerRecord) -> Vec<Transport> {
        let of_peer = |cell: &&Cell| match peer.role {
            Role::Client => cell.client == peer.id,
            Role::Server => cell.server == peer.id,
        };
        let used: BTreeSet<Transport> = self.cells.iter().filter(of_peer).map(|cell| cell.transport).collect();
        [Transport::Memory, Transport::Http, Transport::Stdio].into_iter().filter(|it| used.contains(it)).collect()
    }

    /// Cells that it has.
    pub(crate) fn cells(&self) -> &Arc<BTreeSet<Cell>> {
        &self.cells
    }

    /// Reads what happened in a cell.
    pub(crate) fn evidence(&self, cell: &Cell) -> Result<Evidence, StoreError> {
        self.transcripts.lock().unwrap_or_else(PoisonError::into_inner).of_cell(&cell.id())
    }

    /// Returns whether a scenario is the one that was recorded.
    fn has(&self, scenario: &ScenarioId, digest: &str) -> bool {
        self.scenarios.get(scenario).is_some_and(|recorded| recorded.as_deref() == Some(digest))
    }
}

/// Leaves out the cells of a plan whose scenarios have changed since they were recorded.
pub(crate) fn leave_out_changed<'p>(
    plan: &mut Plan,
    peers: impl Iterator<Item = ((Role, &'p PeerId), &'p Arc<Recording>)>,
    scenarios: &[&Arc<Scenario>],
) {
    // The client and the server of a release have the same id.
    let recordings: BTreeMap<(Role, &PeerId), &Arc<Recording>> = peers.collect();
    let of_cell = |cell: &Cell| {
        let of_client = recordings.get(&(Role::Client, &cell.client));
        of_client.or_else(|| recordings.get(&(Role::Server, &cell.server))).copied()
    };
    let asked: BTreeSet<ScenarioId> =
        plan.cells.iter().filter(|cell| of_cell(cell).is_some()).map(|cell| cell.scenario.clone()).collect();
    let asked: Vec<&Scenario> =
        scenarios.iter().map(AsRef::as_ref).filter(|scenario: &&Scenario| asked.contains(&scenario.id)).collect();
    let digests = corpus::digests(&asked).scenarios;
    let digests: BTreeMap<&ScenarioId, &String> = asked.iter().map(|scenario| &scenario.id).zip(&digests).collect();
    plan.leave_out(CHANGED, |cell| {
        of_cell(cell).is_some_and(|recording| {
            !digests.get(&cell.scenario).is_some_and(|digest| recording.has(&cell.scenario, digest))
        })
    });
}

/// Makes sure that the transcripts are those of the record, in its order. Returns the cells whose evidence is whole.
fn whole_evidence(
    folder: &Path,
    record: &Record,
    transcripts: &mut Transcripts,
) -> Result<BTreeSet<CellId>, StoreError> {
    let unlike = |why: String| StoreError::Unlike { path: folder.join(TRANSCRIPTS), why };
    let mut whole = BTreeSet::new();
    for cell in &record.cells {
        match transcripts.next_outline()? {
            Some((id, is_whole)) if id == cell.id => drop(is_whole.then(|| whole.insert(id))),
            Some((id, _)) => return Err(unlike(format!("{id} stands where {} should", cell.id))),
            None => return Err(unlike(format!("it ends before {}", cell.id))),
        }
    }
    match transcripts.next_outline()? {
        None => Ok(whole),
        Some(_) => Err(unlike("it has more checks than the record".to_owned())),
    }
}
