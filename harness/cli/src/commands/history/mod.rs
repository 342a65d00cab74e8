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

#[derive(Debug, ClapArgs)]
pub(crate) struct HistoryArgs {
    #[command(subcommand)]
    command: HistoryCommand,
}

#[derive(Debug, Subcommand)]
enum HistoryCommand {
    /// Add a run, in a form that takes a few hundred kilobytes
    Add(AddArgs),
    /// List the runs, and in which of them a verdict changed
    Log(LogArgs),
    /// Remove old runs in which nothing changed, and the evidence of old runs
    Prune(PruneArgs),
}

pub(crate) fn execute(args: &HistoryArgs) -> Result<Exit> {
    match &args.command {
        HistoryCommand::Add(add) => add::execute(add),
        HistoryCommand::Log(log) => log::execute(log),
        HistoryCommand::Prune(prune) => prune::execute(prune),
    }
}
