//! One run, as it is stored: `run.json`, and `transcripts.jsonl` beside it.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::{Cell, CellId, ScenarioId, Transport};
use crate::division::Division;
pub use crate::evidence::Evidence;
use crate::missed::Missed;
use crate::peer::{Mode, PeerId, Role};
use crate::revision::Revision;
use crate::shared_evidence::SharedEvidence;
use crate::signature::Signature;
use crate::triangle::Triangle;
use crate::verdict::{BlastRadius, Fault, Finding, Outcome, Rating, Verdict};

/// The version of the record's format. Additions keep it; anything else raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// [`SCHEMA_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// The version of mcp-compat that ran.
    pub tool_version: String,
    /// The digest of the judge that gave the verdicts. Verdicts of another one are given anew before they are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The platform on which it ran, such as `linux x86_64`. Absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// When the run began, RFC 3339, UTC.
    pub started: String,
    /// Its duration, in microseconds.
    pub duration_us: u64,
    /// True if every planned cell has its verdict; false after an interruption.
    pub complete: bool,
    /// Parts of the run that are here, where it is divided among machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub division: Option<Division>,
    /// The digest of the scenarios that were played; records with different ones are compared with care.
    pub corpus: String,
    /// The peers that took part.
    pub peers: Vec<PeerRecord>,
    /// The scenarios that were played.
    pub scenarios: Vec<ScenarioRecord>,
    /// The cells, ordered by id.
    pub cells: Vec<CellRecord>,
    /// The pairings that were not played, and why.
    pub left_out: Vec<NotPlayedCells>,
    /// Baseline entries that no longer hold, each in one line.
    pub stale: Vec<String>,
}

impl Record {
    /// Number of cells that the run was to play, and ended before.
    #[must_use]
    pub fn unplayed(&self) -> u64 {
        self.left_out.iter().filter(|left_out| left_out.reason == ENDED_EARLY).map(|left_out| left_out.cells).sum()
    }
}

/// A peer of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PeerRecord {
    /// Its id.
    pub id: PeerId,
    /// Its role.
    pub role: Role,
    /// The language it is written in, if it says so.
    pub language: Option<String>,
    /// The revisions that it knows.
    pub revisions: Vec<Revision>,
    /// The negotiation mode it was asked for, where it has one.
    pub mode: Option<Mode>,
    /// One line on what it is.
    pub about: String,
    /// For a host: true if it ran in a network of its own, which has loopback alone. Absent for other peers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolated: Option<bool>,
    /// For a client that is only a command: the tool that it calls. Absent for other peers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<String>,
    /// Origin of its messages, if it was not played in this run but recorded before, on another machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
}

/// Origin of a recorded peer: the run in which its messages were recorded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Recorded {
    /// Time at which that run began, RFC 3339, UTC.
    pub started: String,
    /// The version of mcp-compat that ran.
    pub tool_version: String,
    /// The platform on which it ran, if its record says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
}

/// A scenario of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioRecord {
    /// Its id.
    pub id: ScenarioId,
    /// Its subject, in a line.
    pub title: String,
    /// Importance for users.
    pub why: String,
    /// Its origins.
    pub sources: Vec<String>,
    /// The first revision in which a server may do this.
    pub since: Revision,
    /// The digest of what is played and of what must come of it; titles, reasons and sources are no part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The folder or file that it was read from; absent for the embedded corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_from: Option<String>,
}

/// A cell of a run, with its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CellRecord {
    /// The stable id.
    pub id: CellId,
    /// The scenario played.
    pub scenario: ScenarioId,
    /// The client.
    pub client: PeerId,
    /// The server.
    pub server: PeerId,
    /// The transport.
    pub transport: Transport,
    /// The revision that the two spoke, as the wire shows it.
    pub negotiated: Option<Revision>,
    /// A newer revision that both know, where they could have spoken it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<Missed>,
    /// The outcome for what the tool meant.
    pub outcome: Outcome,
    /// Its rating against what is expected.
    pub rating: Rating,
    /// True if it is a silent break: the user gets no error.
    pub silent: bool,
    /// True if it works and the client also took the control: that it works shows nothing.
    pub vacuous: bool,
    /// The damage.
    pub blast_radius: Option<BlastRadius>,
    /// The least that the scenario expects.
    pub expected: Option<Outcome>,
    /// The rules violated.
    pub findings: Vec<Finding>,
    /// The party responsible for the fix.
    pub fault: Option<Fault>,
    /// Between two real peers: what mocks in the place of each say of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triangle: Option<Triangle>,
    /// The cause in short, equal for cells that break alike.
    pub signature: Option<Signature>,
    /// The reason, in a sentence.
    pub reason: String,
    /// Duration of the cell, in microseconds.
    pub duration_us: u64,
    /// The line of `transcripts.jsonl` that holds the evidence, from 0.
    pub transcript: Option<u64>,
    /// The baseline's entry about a known break; absent when there is none.
    pub known: Option<Known>,
}

impl CellRecord {
    /// A cell with its verdict, not yet compared with a baseline.
    #[must_use]
    pub fn new(cell: Cell, verdict: Verdict, duration_us: u64, transcript: Option<u64>) -> Self {
        Self {
            id: cell.id(),
            scenario: cell.scenario,
            client: cell.client,
            server: cell.server,
            transport: cell.transport,
            negotiated: verdict.negotiated,
            missed: None,
            outcome: verdict.outcome,
            rating: verdict.rating,
            silent: verdict.silent,
            vacuous: verdict.vacuous,
            blast_radius: verdict.blast_radius,
            expected: verdict.expected,
            findings: verdict.findings,
            fault: verdict.fault,
            triangle: None,
            signature: verdict.signature,
            reason: verdict.reason,
            duration_us,
            transcript,
            known: None,
        }
    }

    /// The square of the matrix that it is.
    #[must_use]
    pub fn cell(&self) -> Cell {
        Cell {
            scenario: self.scenario.clone(),
            client: self.client.clone(),
            server: self.server.clone(),
            transport: self.transport,
        }
    }

    /// Returns true if the cell breaks and no baseline knows of it.
    #[must_use]
    pub fn is_new_break(&self) -> bool {
        self.rating == Rating::Breaks && self.known.is_none()
    }
}

/// Entry of a baseline about a cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Known {
    /// Reason of the known break: the words of the entry, which may have been written for another cell that it covers.
    pub reason: String,
    /// Cells that the entry covers, as it stands in the baseline; absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<String>,
    /// Address at which it is tracked.
    pub issue: Option<String>,
    /// True if it may also work.
    pub flaky: bool,
}

/// A line of `transcripts.jsonl`: what happened in a cell, enough to judge it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TranscriptLine<'a> {
    /// The evidence of one cell.
    Evidence(SharedEvidence),
    /// The evidence of one cell, with all texts written out. Runs were written so before texts were shared.
    Cell(Cow<'a, Evidence>),
    /// The last line; without it the file is incomplete.
    Footer {
        /// Number of cells in the file.
        cells: u64,
    },
}

/// The reason of those that a run was to play, and ended before.
pub const ENDED_EARLY: &str = "the run ended before they were done";

/// Pairings that were not played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LeftOut")]
pub struct NotPlayedCells {
    /// The reason, in a line.
    pub reason: String,
    /// Number of cells.
    pub cells: u64,
}

impl NotPlayedCells {
    /// Cells that a run was to play, and ended before; `None` if it ended after all of them.
    #[must_use]
    pub fn by_an_early_end(cells: u64) -> Option<Self> {
        (cells > 0).then(|| Self { reason: ENDED_EARLY.to_owned(), cells })
    }
}
