//! `contract`: what a server promises, kept in a file and held against a later version.

mod check;
mod save;

use anstream::eprintln;
use anyhow::Result;
use clap::{Args as ClapArgs, Subcommand};
use mcp_compat::HostError;
use mcp_compat::contract::{Lock, lock_of};
use mcp_compat::survey::Surveyor;

use self::check::CheckArgs;
use self::save::SaveArgs;
use crate::exit::Exit;
use crate::interrupt::{Interrupts, LAST_MOMENTS};
use crate::target::TargetArgs;
use crate::terminal;

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

/// Asks a server for what it promises; nothing, when interrupted.
fn ask(server: &TargetArgs) -> Result<Option<Lock>> {
    let target = server.target()?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| HostError::System { what: "threads", error })?;
    let survey = runtime.block_on(async {
        let mut interrupts = Interrupts::listen()?;
        let surveyor = Surveyor::open(target, server.patience()).await?;
        let tell = |revision| {
            if terminal::draws_progress() {
                eprintln!("asking for the tools at {revision}");
            }
        };
        tokio::select! {
            survey = surveyor.list(tell) => Ok(Some(survey?)),
            () = interrupts.next() => anyhow::Ok(None),
        }
    });
    runtime.shutdown_timeout(LAST_MOMENTS);
    Ok(survey?.map(|survey| lock_of(&survey)).transpose()?)
}
