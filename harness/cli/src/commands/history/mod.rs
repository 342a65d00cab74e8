//! `history`: the runs of months, in a folder.

mod add;
mod log;
mod prune;

use anyhow::Result;
use clap::{Args as ClapArgs, Subcommand};

use self::add::AddArgs;
use self::log::LogArgs;
use self::prune::PruneArgs;
use crate::exit::Exit;

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
        HistoryCommand::Add(add) => add::execute(add),
        HistoryCommand::Log(log) => log::execute(log),
        HistoryCommand::Prune(prune) => prune::execute(prune),
    }
}
