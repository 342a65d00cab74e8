//! `contract`: a server's tool schemas, recorded in a file and compared with a later version.

mod check;
mod current;
mod save;

use anyhow::Result;
use clap::{Args as ClapArgs, Subcommand};

use self::check::CheckArgs;
use self::save::SaveArgs;
use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  mcp-compat contract save -- node server.js
  mcp-compat contract check -- node server.js";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ContractArgs {
    #[command(subcommand)]
    command: ContractCommand,
}

#[derive(Debug, Subcommand)]
enum ContractCommand {
    /// Write the tools that a server lists, at every revision, to a lock file
    Save(SaveArgs),
    /// Compare a server with a lock file: which changes are safe, which break callers
    Check(CheckArgs),
}

pub(crate) fn execute(args: &ContractArgs) -> Result<Exit> {
    match &args.command {
        ContractCommand::Save(save) => save::execute(save),
        ContractCommand::Check(check) => check::execute(check),
    }
}
