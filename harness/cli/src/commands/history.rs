//! `history`: keep many runs in a folder.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args as ClapArgs, Subcommand};
use mcp_compat_model::count::{counted, kilobytes, thousands};
use mcp_compat_run::history::{Added, Adding, Entry, History, Retention};

use crate::exit::Exit;
use crate::output::{json_text, print, println};
use crate::values::{DEFAULT_OUT, records};

const EXAMPLES: &str = "\
Examples:
  mcp-compat history add --into history
  mcp-compat history log history
  mcp-compat history prune history --dry-run";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HistoryArgs {
    #[command(subcommand)]
    command: HistoryCommand,
}

#[derive(Debug, Subcommand)]
enum HistoryCommand {
    /// Add a run to the history, in a compact file
    Add(AddArgs),
    /// List the runs, and mark those in which a verdict changed
    Log(LogArgs),
    /// Remove old runs in which no verdict changed, and the messages of old runs
    Prune(PruneArgs),
}

pub(crate) fn execute(args: &HistoryArgs) -> Result<Exit> {
    match &args.command {
        HistoryCommand::Add(add) => execute_add(add),
        HistoryCommand::Log(log) => execute_log(log),
        HistoryCommand::Prune(prune) => execute_prune(prune),
    }
}

const ADD_HOW: &str = "\
The run is written to DIR/runs/TIME.mcpc.gz, with all verdicts and reasons. The
messages of the checks that break are written to DIR/evidence, unless
--no-evidence is given. The files are small enough for a branch of a repository.
Adding a run again changes nothing.

Exit status: 0 the history has the run; 2 the run cannot be read, is a shard,
has other built-in scenarios, or began at the same time as another run, or the
disk is full (the history is not changed).

Examples:
  mcp-compat history add --into history
  mcp-compat history add nightly --into history
  mcp-compat report history/runs/2026-11-22T030000Z.mcpc.gz";

#[derive(Debug, ClapArgs)]
#[command(after_help = ADD_HOW)]
struct AddArgs {
    /// The run: its folder, its run.json, or a compact run (.mcpc.gz) [default: .mcp-compat or target/mcp-compat]
    #[arg(value_name = "RUN", default_value = DEFAULT_OUT, hide_default_value = true, value_parser = records())]
    run: PathBuf,
    /// The folder of the history; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    /// Accept that the scenarios changed since the run before
    #[arg(long)]
    new_corpus: bool,
    /// Do not write the messages of the checks that break
    #[arg(long)]
    no_evidence: bool,
}

fn execute_add(args: &AddArgs) -> Result<Exit> {
    let how = Adding { new_corpus: args.new_corpus, without_evidence: args.no_evidence };
    match History::at(&args.into).add(&args.run, how)? {
        Added::New { path, bytes, evidence } => {
            let evidence = evidence.map(|bytes| format!(", and {} of evidence", kilobytes(bytes))).unwrap_or_default();
            println!("added {}: {}{evidence}", path.display(), kilobytes(bytes));
        }
        Added::Known { path } => println!("nothing to do: the history has this run, {}", path.display()),
    }
    Ok(Exit::Success)
}

const LOG_HOW: &str = "\
`changed` marks a run in which a verdict differs from the run before, or in
which checks were added or removed; `diff` shows them. `scenarios`
marks a run whose scenarios differ from those of the run before.

Examples:
  mcp-compat history log history
  mcp-compat history log history --last 10 --json";

#[derive(Debug, ClapArgs)]
#[command(after_help = LOG_HOW)]
struct LogArgs {
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

fn execute_log(args: &LogArgs) -> Result<Exit> {
    let entries = History::at(&args.history).entries()?;
    let first = entries.len() - args.last.unwrap_or(entries.len()).min(entries.len());
    if args.json {
        print!("{}", json_text(&&entries[first..])?);
    } else {
        print!("{}", table(&entries, first));
    }
    Ok(Exit::Success)
}

/// Returns a line of at most 80 columns for each run from `first` on, and a line with their number.
fn table(entries: &[Entry], first: usize) -> String {
    let line = |cells: [&str; 7]| {
        let [run, cells, works, degraded, breaks, silent, note] = cells;
        format!("{run:<18}  {cells:>8}  {works:>8}  {degraded:>8}  {breaks:>7}  {silent:>6}  {note}")
            .trim_end()
            .to_owned()
            + "\n"
    };
    let mut table = line(["run", "checks", "works", "degraded", "breaks", "silent", "changed"]);
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

/// Returns the note about the difference to the run before.
fn note(entry: &Entry, before: Option<&Entry>) -> &'static str {
    match entry.changed {
        _ if !entry.summary.complete => "incomplete",
        None => "",
        Some(_) if before.is_some_and(|before| before.summary.corpus != entry.summary.corpus) => "scenarios",
        Some(true) => "changed",
        Some(false) => "-",
    }
}

const PRUNE_HOW: &str = "\
These runs stay: all of the last --days, the first of each week (from Monday),
every run in which a verdict changed, and the newest. Days are counted back from
the newest run, not from today.

Examples:
  mcp-compat history prune history --dry-run
  mcp-compat history prune history --days 30 --evidence 5";

#[derive(Debug, ClapArgs)]
#[command(after_help = PRUNE_HOW)]
struct PruneArgs {
    /// The folder of the history
    #[arg(value_name = "DIR")]
    history: PathBuf,
    /// Keep all runs of the last N days
    #[arg(long, value_name = "N", default_value_t = Retention::default().days)]
    days: u32,
    /// Keep the messages of the newest N runs
    #[arg(long, value_name = "N", default_value_t = Retention::default().evidence)]
    evidence: usize,
    /// Print what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
}

fn execute_prune(args: &PruneArgs) -> Result<Exit> {
    let history = History::at(&args.history);
    let retention = Retention { days: args.days, evidence: args.evidence };
    let pruned = if args.dry_run { history.superfluous(retention)? } else { history.prune(retention)? };
    for path in pruned.runs.iter().chain(&pruned.evidence) {
        println!("{}", path.display());
    }
    let what = [counted(pruned.runs.len(), "run"), counted(pruned.evidence.len(), "file")].join(" and ");
    let done = if args.dry_run { "would be removed" } else { "removed" };
    println!("{what} of evidence {done}");
    Ok(Exit::Success)
}
