//! `show` of a cell of a run.

use std::path::Path;

use anyhow::{anyhow, bail};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::view::View;
use mcp_compat_reports::{cell, terminal as terminal_report};
use mcp_compat_run::glob::{Glob, nothing};
use mcp_compat_run::history::{OpenedRun, is_compact, open};
use mcp_compat_run::store::read_evidence;

use crate::exit::Exit;
use crate::inputs::numbered_causes;
use crate::output::print;
use crate::terminal;
use crate::values::named_run;

/// Number of cells that are listed if several match.
const NAMED: usize = 10;

/// Shows a cell of the run that is stored in `run`.
pub(super) fn execute(run: &Path, wanted: &str) -> anyhow::Result<Exit> {
    let OpenedRun { record, evidence } = open(run)?;
    let found = find(&record, wanted)?;
    // A history has only the messages of breaks.
    let is_kept = !is_compact(run) || found.rating == Rating::Breaks;
    let evidence = match evidence {
        Some(mut transcripts) if is_kept => transcripts.of_cell(&found.id)?,
        _ if is_compact(run) => bail!(
            "{} does not have the messages of this check, which is `{}`: {}\n\
             A history keeps the messages of breaks, of its newest runs only.",
            run.display(),
            found.outcome,
            neutralised(&found.reason)
        ),
        _ => read_evidence(run, &found.id)?,
    };
    print!("{}", cell::of_run(found, &record, &evidence, terminal::style()));
    Ok(Exit::Success)
}

/// Shows the cause with a number, and a cell of it.
pub(super) fn numbered(run: &Path, number: usize) -> anyhow::Result<Exit> {
    let OpenedRun { record, .. } = open(run)?;
    let path = named_run(run);
    let view = View::of(&record).at(path.as_deref());
    let cause = numbered_causes::find(&view, run, number)?;
    print!("{}\n", terminal_report::cause(cause, &view, terminal::style()));
    execute(run, cause.example.id.as_str())
}

/// Returns whether `run` has a stored run with cells that the pattern matches.
pub(super) fn is_there(run: &Path, wanted: &str) -> bool {
    let fits = |glob: Glob, record: Record| record.cells.iter().any(|cell| glob.matches(cell.id.as_str()));
    Glob::new(wanted).is_ok_and(|glob| open(run).is_ok_and(|opened| fits(glob, opened.record)))
}

/// Finds the cell of an id, or the only cell that a pattern matches.
fn find<'a>(record: &'a Record, wanted: &str) -> anyhow::Result<&'a CellRecord> {
    if let Some(cell) = record.cells.iter().find(|cell| cell.id.as_str() == wanted) {
        return Ok(cell);
    }
    let glob = Glob::new(wanted)?;
    let fitting: Vec<_> = record.cells.iter().filter(|cell| glob.matches(cell.id.as_str())).collect();
    if let [cell] = fitting[..] {
        return Ok(cell);
    }
    if !fitting.is_empty() {
        return Err(several(&format!("{wanted:?} fits {} checks of this run", fitting.len()), &fitting));
    }
    let near: Vec<_> = record.cells.iter().filter(|cell| cell.id.as_str().contains(wanted)).collect();
    if near.len() > 1 {
        return Err(several(&format!("{wanted:?} is not the id of a check, but is part of {} ids", near.len()), &near));
    }
    let mut error = nothing("check of this run", wanted, record.cells.iter().map(|cell| cell.id.as_str()));
    if let [cell] = near[..] {
        error.nearest = Some(cell.id.to_string());
    }
    // The list of all ids would be too long to help.
    error.known.clear();
    Err(anyhow!(error))
}

fn several(what: &str, cells: &[&CellRecord]) -> anyhow::Error {
    let mut lines: Vec<_> = cells.iter().take(NAMED).map(|cell| format!("  {}", cell.id)).collect();
    if cells.len() > NAMED {
        lines.push(format!("  and {} more", cells.len() - NAMED));
    }
    anyhow!("{what}; name one of them:\n{}", lines.join("\n"))
}
