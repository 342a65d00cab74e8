//! `history log`: the runs as a table, or as JSON.

use std::path::PathBuf;

use clap::Args;
use mcp_compat_model::count::{counted, kilobytes, thousands};
use mcp_compat_run::history::{Entry, History};

use crate::exit::Exit;
use crate::json_text::json_text;
use crate::output::print;

const HOW: &str = "\
`changed` marks a run in which a verdict differs from the run before, or in
which cells were added or removed; `mcp-compat diff` shows them. `corpus` marks
a run whose scenarios differ from those of the run before.

Examples:
  mcp-compat history log history
  mcp-compat history log history --last 10 --json";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct LogArgs {
    /// The folder of the history
    #[arg(value_name = "DIR")]
    history: PathBuf,
    /// List only the newest N runs
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    /// Print JSON: a list of runs, the oldest first
    #[arg(long)]
    json: bool,
}

pub(super) fn execute(args: &LogArgs) -> anyhow::Result<Exit> {
    let entries = History::at(&args.history).entries()?;
    let first = entries.len() - args.last.unwrap_or(entries.len()).min(entries.len());
    if args.json {
        print!("{}", json_text(&&entries[first..])?);
    } else {
        print!("{}", table(&entries, first));
    }
    Ok(Exit::Success)
}

/// The runs from `first` on, one a line of at most 80 columns, and their number.
fn table(entries: &[Entry], first: usize) -> String {
    let line = |cells: [&str; 7]| {
        let [run, cells, works, degraded, breaks, silent, note] = cells;
        format!("{run:<18}  {cells:>8}  {works:>8}  {degraded:>8}  {breaks:>7}  {silent:>6}  {note}")
            .trim_end()
            .to_owned()
            + "\n"
    };
    let mut table = line(["run", "cells", "works", "degraded", "breaks", "silent", "changed"]);
    for (place, entry) in entries.iter().enumerate().skip(first) {
        let summary = &entry.summary;
        let numbers = [summary.cells, summary.works, summary.degraded, summary.breaks, summary.silent].map(thousands);
        let [cells, works, degraded, breaks, silent] = &numbers;
        let before = place.checked_sub(1).map(|before| &entries[before]);
        table += &line([&entry.name, cells, works, degraded, breaks, silent, note(entry, before)]);
    }
    let bytes = entries.iter().map(|entry| entry.bytes).sum();
    let evidence = entries.iter().filter(|entry| entry.has_evidence).count();
    table + &format!("{} in {}, {evidence} with evidence beside it\n", counted(entries.len(), "run"), kilobytes(bytes))
}

/// How a run differs from the run before.
fn note(entry: &Entry, before: Option<&Entry>) -> &'static str {
    match entry.changed {
        _ if !entry.summary.complete => "incomplete",
        None => "",
        Some(_) if before.is_some_and(|before| before.summary.corpus != entry.summary.corpus) => "corpus",
        Some(true) => "changed",
        Some(false) => "-",
    }
}
