//! Sums of a run, for lists of runs. They stand at the beginning of a compact run, so that no list reads the cells.

use std::fmt::Write as _;

use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Rating;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Sums of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Time at which the run began, RFC 3339, UTC.
    pub started: String,
    /// The version of mcp-compat that ran.
    pub tool_version: String,
    /// The digest of the scenarios that were played.
    pub corpus: String,
    /// True if every planned cell has its verdict.
    pub complete: bool,
    /// Number of peers; an SDK that is both client and server counts twice.
    pub peers: u64,
    /// Number of cells.
    pub cells: u64,
    /// Number of cells that work.
    pub works: u64,
    /// Number of cells that are degraded.
    pub degraded: u64,
    /// Number of cells that break.
    pub breaks: u64,
    /// Number of cells that were skipped.
    pub skipped: u64,
    /// Number of cells that break silently.
    pub silent: u64,
    /// Number of breaks that no baseline lists.
    pub new_breaks: u64,
    /// The digest of all verdicts: equal for runs in which no verdict differs. Reasons, times and messages have no part
    /// in it.
    pub verdicts: String,
}

impl Summary {
    pub fn of(record: &Record) -> Self {
        let count =
            |counts: &dyn Fn(&CellRecord) -> bool| record.cells.iter().filter(|cell| counts(cell)).count() as u64;
        let rated = |rating: Rating| count(&|cell| cell.rating == rating);
        Self {
            started: record.started.clone(),
            tool_version: record.tool_version.clone(),
            corpus: record.corpus.clone(),
            complete: record.complete,
            peers: record.peers.len() as u64,
            cells: record.cells.len() as u64,
            works: rated(Rating::Works),
            degraded: rated(Rating::Degraded),
            breaks: rated(Rating::Breaks),
            skipped: rated(Rating::Skipped),
            silent: count(&|cell| cell.silent),
            new_breaks: count(&CellRecord::is_new_break),
            verdicts: verdicts(&record.cells),
        }
    }
}

/// The digest of the verdicts of cells, in whatever order they are.
fn verdicts(cells: &[CellRecord]) -> String {
    let mut sorted: Vec<&CellRecord> = cells.iter().collect();
    sorted.sort_by(|one, other| one.id.cmp(&other.id));
    let mut digest = Sha256::new();
    let mut line = String::new();
    for cell in sorted {
        line.clear();
        let word = |value: Option<&str>| value.unwrap_or("-").to_owned();
        let CellRecord {
            id,
            negotiated,
            outcome,
            rating,
            silent,
            vacuous,
            blast_radius,
            expected,
            fault,
            signature,
            ..
        } = cell;
        let parts = [
            word(negotiated.map(|revision| revision.as_str())),
            word(blast_radius.map(|radius| radius.as_str())),
            word(expected.map(|outcome| outcome.as_str())),
            word(fault.map(|fault| fault.as_str())),
            signature.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string),
        ];
        // Nothing of it has a space but the last part.
        let _ = writeln!(line, "{id} {outcome} {rating} {silent} {vacuous} {}", parts.join(" "));
        digest.update(&line);
    }
    hex(&digest.finalize())
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
