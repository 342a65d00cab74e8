//! What a failed test says: what the user of the client got, why, whose turn it is, and how to see it again.

use std::fmt::Write as _;

use mcp_compat_model::cause::Cause;
use mcp_compat_model::record::CellRecord;

/// How many causes one failure message tells before it only counts the rest.
const TOLD: usize = 12;

/// The message for one cell.

pub(crate) fn of_cell(cell: &CellRecord) -> String {
    let mut text = String::new();
    let silent = if cell.silent { ", silently" } else { "" };
    let _ = writeln!(text, "{} breaks{silent}: {}", cell.id, cell.reason);
    let _ = writeln!(text, "  outcome   {} ({})", cell.outcome, cell.outcome.meaning());
    if let Some(expected) = cell.expected {
        let _ = writeln!(text, "  expected  {expected}");
    }
    if let Some(revision) = cell.negotiated {
        let _ = writeln!(text, "  revision  {revision}");
    }
    if let Some(radius) = cell.blast_radius {
        let _ = writeln!(text, "  lost      {radius}");
    }
    if let Some(fault) = cell.fault {
        let _ = writeln!(text, "  fault     {fault}");
    }
    for finding in cell.findings.iter().take(4) {
        let _ = writeln!(text, "  rule      {} ({} {}): {}", finding.rule, finding.party, finding.level, finding.detail);
        let _ = writeln!(text, "            {}", finding.source);
    }
    let _ = write!(text, "  again     {}", again(cell));
    text
}

/// The message for a run: each cause once, then the stale entries of the baseline.

pub(crate) fn of_run(causes: &[Cause<'_>], stale: &[String]) -> String {
    let mut text = String::new();
    let cells: usize = causes.iter().map(|cause| cause.cells.len()).sum();
    if cells > 0 {
        let _ = writeln!(text, "{cells} cells break, for {} distinct causes", causes.len());
    }
    for cause in causes.iter().take(TOLD) {
        let _ = writeln!(text, "\n{}", of_cell(cause.example));
        if cause.cells.len() > 1 {
            let _ = writeln!(text, "  and {} more cells for the same cause", cause.cells.len() - 1);
        }
    }
    if causes.len() > TOLD {
        let _ = writeln!(text, "\nand {} more causes", causes.len() - TOLD);
    }
    for entry in stale {
        let _ = writeln!(text, "\nthe baseline entry {entry}: take it out");
    }
    text
}

/// The command that plays a cell again.

pub(crate) fn again(cell: &CellRecord) -> String {
    format!(
        "mcp-compat run --scenario '{}' --client {} --server {} --transport {}",
        cell.scenario, cell.client, cell.server, cell.transport
    )
}
