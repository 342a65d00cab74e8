//! `contract`: a server's tool schemas, recorded in a file and compared with a later version.

mod check;
mod current;
mod save;

use anyhow::Result;
use clap::{Args as ClapArgs, Subcommand};

use self::check::CheckArgs;
use self::save::SaveArgs;
use crate::exit::Exit;

#[derive(Debug, ClapArgs)]
pub(crate) struct ContractArgs {
    #[command(subcommand)]
    command: ContractCommand,
}

#[derive(Debug, Subcommand)]
enum ContractCommand {
    /// Keep a server's tools, as it lists them at every revision that it speaks
    Save(SaveArgs),
    /// Say which changes since then are safe, and whom the others break
    Check(CheckArgs),
}

pub(crate) fn execute(args: &ContractArgs) -> Result<Exit> {
    match &args.command {
        ContractCommand::Save(save) => save::execute(save),
        ContractCommand::Check(check) => check::execute(check),
    }
}
