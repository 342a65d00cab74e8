//! `history prune`: remove what nobody needs any more.

use std::path::PathBuf;

use clap::Args;
use mcp_compat_model::count::counted;
use mcp_compat_run::history::{History, Retention};

use crate::exit::Exit;
use crate::output::println;

const HOW: &str = "\
These runs stay: all of the last --days, the first of each week (from Monday),
every run in which a verdict changed, and the newest. Days are counted back from
the newest run, not from today.

Examples:
  mcp-compat history prune history --dry-run
  mcp-compat history prune history --days 30 --evidence 5";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct PruneArgs {
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

pub(super) fn execute(args: &PruneArgs) -> anyhow::Result<Exit> {
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
