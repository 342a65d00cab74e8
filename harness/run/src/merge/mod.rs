//! Joining the records of shards into one, as if all had been played at once. [`merge`] is a pure function of the
//! records; `keep` reads and writes what stands beside them.
//!
//! ```text
//! Part(name, Record)… ── agree: one plan, one corpus, the same peers ──> join: cells in plan order ──> Merged
//! ```
//!
//! - **Cells** come in the order of the plan. Where two records have the same one, it must have come out the same, and
//!   the first record's is taken, evidence and all.
//! - **Times**: the run began when the first part did, and took as long as the part that took longest, since parts are
//!   for machines side by side.
//! - **Faults** between two real peers are settled anew: what a mock shows may have been in another part.
//! - **What is missing** is counted: parts that are not among the records, and cells that a part did not come to.
//!
//! Merging some parts and merging the outcome with the rest gives the same as merging all at once.

mod agree;
mod keep;

use std::collections::BTreeMap;

use mcp_compat_judge::triangulate;
use mcp_compat_model::Cell;
use mcp_compat_model::division::Division;
use mcp_compat_model::record::ENDED_EARLY;
use mcp_compat_model::record::{CellRecord, NotPlayedCells, Record};

pub use agree::{MergeError, Part};
pub use keep::{check, keep};

/// Records that have become one.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    pub record: Record,
    /// For each of its cells, which record it is taken from and the line of that record's transcripts.
    pub sources: Vec<Source>,
    /// Cells that are missing for it to be complete.
    pub missing: Missing,
}

/// Origin of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Index of the record, from 0.
    pub part: usize,
    /// Index of the cell in it, from 0.
    pub line: usize,
}

/// Missing parts and cells of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// The parts that no record holds, each with how many cells it has.
    pub parts: Vec<(u16, u64)>,
    /// Number of cells that are missing in the parts that are there.
    pub cells: u64,
}

/// Joins records of shards into one.
///
/// # Errors
/// When they are not parts of the same run, or a cell that two of them have came out differently.
pub fn merge(parts: &[Part]) -> Result<Merged, MergeError> {
    let (first, division) = agree::of_one_run(parts)?;
    let mut cells = BTreeMap::<Cell, (Source, &CellRecord)>::new();
    for (part, Part { record, .. }) in parts.iter().enumerate() {
        for (line, cell) in record.cells.iter().enumerate() {
            let source = Source { part, line };
            let (known, other) = cells.entry(cell.cell()).or_insert((source, cell));
            if !agree::have_equal_results(other, cell) {
                return Err(MergeError::Disagree {
                    cell: cell.id.clone(),
                    one: (parts[known.part].name.clone(), other.outcome),
                    other: (parts[part].name.clone(), cell.outcome),
                });
            }
        }
    }
    let (sources, cells): (Vec<Source>, Vec<&CellRecord>) = cells.into_values().unzip();
    let numbered =
        |(number, cell): (usize, &CellRecord)| CellRecord { transcript: Some(number as u64), ..cell.clone() };
    let is_of_first = |part: &Part| part.record.platform == first.platform;
    let mut record = Record {
        platform: first.platform.clone().filter(|_| parts.iter().all(is_of_first)),
        started: parts.iter().map(|part| part.record.started.clone()).min().unwrap_or_default(),
        duration_us: parts.iter().map(|part| part.record.duration_us).max().unwrap_or_default(),
        complete: cells.len() as u64 == division.cells,
        left_out: left_out(&first.left_out, &division, division.held().saturating_sub(cells.len() as u64)),
        cells: cells.into_iter().enumerate().map(numbered).collect(),
        stale: stale(parts),
        division: None,
        ..first.clone()
    };
    let missing = Missing {
        parts: division.missing().map(|part| (part, division.cells_of(part))).collect(),
        cells: division.held().saturating_sub(record.cells.len() as u64),
    };
    // With all its parts it is a whole, as if it had never been divided.
    record.division = Some(division).filter(|division| division.missing().next().is_some());
    triangulate(&mut record);
    Ok(Merged { record, sources, missing })
}

/// Returns what the whole leaves out: the same in every part, but for what other parts play, and what parts did not
/// come to.
fn left_out(of_a_part: &[NotPlayedCells], division: &Division, missing: u64) -> Vec<NotPlayedCells> {
    let elsewhere = division.elsewhere();
    let of_the_part = [elsewhere.reason.as_str(), ENDED_EARLY];
    let of_all = of_a_part.iter().filter(|left| !of_the_part.contains(&left.reason.as_str()));
    let mut left_out: Vec<NotPlayedCells> = of_all.cloned().collect();
    left_out.extend(NotPlayedCells::by_an_early_end(missing));
    left_out.extend((elsewhere.cells > 0).then_some(elsewhere));
    left_out.sort_by(|one, other| one.reason.cmp(&other.reason));
    left_out
}

/// Returns the stale entries of all parts, each once. A baseline that is compared with the whole shows it better.
fn stale(parts: &[Part]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in parts.iter().flat_map(|part| &part.record.stale) {
        if !lines.contains(line) {
            lines.push(line.clone());
        }
    }
    lines
}

#[cfg(test)]
mod tests;
