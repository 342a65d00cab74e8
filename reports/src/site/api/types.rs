//! The files that other programs read. `mcp-compat schema site` prints their JSON Schema.

use std::collections::BTreeMap;

use mcp_compat_model::PeerId;
use mcp_compat_model::cell::CellId;
use mcp_compat_model::record::Recorded;
use mcp_compat_model::signature::Signature;
use mcp_compat_model::verdict::{Fault, Rating};
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::Tally;

/// A file of a site, by its path. `data/<run>/diff.json` is what `mcp-compat schema diff` describes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SiteFile {
    /// `data/runs.json`
    Runs(Runs),
    /// `api/v1/run/latest.json`
    Latest(Latest),
    /// `api/v1/peer/<name>.json`
    Peer(Peer),
    /// `api/v1/cause/<name>.json`
    Cause(Cause),
    /// `api/v1/badge/<name>.json`
    Badge(Endpoint),
}

/// The runs of a site: `data/runs.json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Runs {
    /// `mcp-compat site`.
    pub generator: String,
    /// The version of this format.
    pub format: u32,
    /// The runs, the oldest first.
    pub runs: Vec<RunOfSite>,
}

/// A run, as a list of them has it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunOfSite {
    /// The run.
    #[serde(flatten)]
    pub run: RunName,
    /// Number of its cells.
    pub cells: usize,
    /// Numbers of cells by rating.
    #[serde(flatten)]
    pub counts: Counts,
    /// The SHA-256 of each file of data that the site has of it, by path.
    pub sha256: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunName {
    /// Its name in paths and addresses.
    pub id: String,
    /// Time at which it began, RFC 3339, UTC.
    pub started: String,
    /// The version of mcp-compat that ran.
    pub tool: String,
    /// The digest of the scenarios that were played.
    pub corpus: String,
    /// True if every planned cell has its verdict.
    pub complete: bool,
}

/// Numbers of cells by rating.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Counts {
    /// Cells that were judged: those that work, degrade or break.
    pub judged: usize,
    /// Cells that work.
    pub works: usize,
    /// Cells that degrade.
    pub degraded: usize,
    /// Cells that break.
    pub breaks: usize,
    /// Number of breaks in which the user gets no error.
    pub silent: usize,
    /// Number of breaks that a baseline lists.
    pub known: usize,
    /// Cells that a peer does not support.
    pub unsupported: usize,
}

impl From<Tally> for Counts {
    fn from(tally: Tally) -> Self {
        let Tally { works, degraded, breaks, silent, skipped: unsupported, known } = tally;
        Self { judged: tally.judged(), works, degraded, breaks, silent, known, unsupported }
    }
}

/// The newest run: `api/v1/run/latest.json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Latest {
    /// The version of this format.
    pub format: u32,
    /// The run.
    pub run: RunName,
    /// Number of its cells.
    pub cells: usize,
    /// Numbers of cells by rating.
    pub total: Counts,
    /// Numbers of pairs of a client and a server.
    pub pairs: Pairs,
    /// The clients.
    pub clients: Vec<PeerId>,
    /// The servers.
    pub servers: Vec<PeerId>,
    /// The causes of breaks and of degraded cells, those that hit most users first.
    pub causes: Vec<CauseInShort>,
}

/// Numbers of pairs of a client and a server by their worst cell.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Pairs {
    /// All of them.
    pub played: usize,
    /// Number of pairs that work in all that was played.
    pub work: usize,
    /// Number of pairs that degrade.
    pub degrade: usize,
    /// Number of pairs that break.
    #[serde(rename = "break")]
    pub breaks: usize,
    /// Number of pairs that support nothing that was played.
    pub unsupported: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CauseInShort {
    /// Its name in paths and addresses.
    pub slug: String,
    /// The cause in short; null if the judge could not sign it.
    pub signature: Option<Signature>,
    /// Description without the names of peers.
    pub title: String,
    /// Rating of its cells.
    pub rating: Rating,
    /// True if a user gets no error.
    pub silent: bool,
    /// The party responsible for the fix.
    pub fault: Option<Fault>,
    /// Number of its cells.
    pub cells: usize,
    /// Number of cells of the run.
    pub of: usize,
    /// Number of its cells between newest releases.
    pub newest: usize,
    /// Number of its clients.
    pub clients: usize,
    /// Number of its servers.
    pub servers: usize,
    /// True if a baseline lists all of its breaks.
    pub known: bool,
    /// In how many runs in a row, up to this one, cells broke for it.
    pub runs: usize,
    /// The reports of it elsewhere.
    pub issues: Vec<String>,
    /// The reason of the cell that stands for all.
    pub reason: String,
}

/// A cause: `api/v1/cause/<name>.json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Cause {
    /// The version of this format.
    pub format: u32,
    /// The run.
    pub run: RunName,
    /// The cause.
    #[serde(flatten)]
    pub cause: CauseInShort,
    /// The cell that stands for all.
    pub example: CellId,
    /// At most a hundred of its cells.
    pub some: Vec<CellId>,
}

/// A release: `api/v1/peer/<name>.json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Peer {
    /// The version of this format.
    pub format: u32,
    /// The run.
    pub run: RunName,
    /// Its name.
    pub peer: String,
    /// The ids that it was played as: with modes and flavours.
    pub ids: Vec<PeerId>,
    /// Origin of its messages, if it was not played in this run but recorded before, on another machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// Its cells as client.
    pub as_client: Counts,
    /// Its cells as server.
    pub as_server: Counts,
    /// The causes that it has to fix.
    pub to_fix: Vec<ToFix>,
}

/// A cause that a release has to fix.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToFix {
    /// The name of the cause.
    pub cause: String,
    /// Number of cells of the release that it breaks.
    pub cells: usize,
}

/// Input of a badge service: `api/v1/badge/<name>.json`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    /// The version of the badge service's format.
    pub schema_version: u32,
    /// Subject of the badge.
    pub label: String,
    /// The result, with the day and the corpus.
    pub message: String,
    /// A colour, `#rrggbb`.
    pub color: String,
}
