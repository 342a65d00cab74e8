//! `peers`: what there is of real peers on this machine, and what is done about it.

mod doctor;
mod install;
mod list;
mod new;
mod remove;
mod state;
mod versions;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::exit::{Exit, RESUMABLE};
use crate::output::eprintln;
use crate::runtime::interruptible;

const PEERS: &str = "\
A peer is named by its SDK and version: rmcp@3.9.0. Any release within the range
of an adapter can be installed; peers/fleet.toml lists the default fleet.

Examples:
  mcp-compat peers install                     the whole fleet
  mcp-compat peers install 'rmcp@*'            what the fleet has of rmcp
  mcp-compat peers install rmcp@3.8.0          any other release
  mcp-compat peers doctor";

#[derive(Debug, Args)]
#[command(after_help = PEERS)]
pub(crate) struct PeersArgs {
    #[command(subcommand)]
    command: PeersCommand,
    /// The folder of the real peers [default: `peers`, here or above]
    #[arg(long, value_name = "DIR", global = true)]
    peers: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum PeersCommand {
    /// Set peers up: all of the fleet, or those that are named
    Install(install::InstallArgs),
    /// List the fleet, and whatever else is installed
    List(list::ListArgs),
    /// Start every peer that is installed, and say what mends the others
    Doctor(doctor::DoctorArgs),
    /// Take away what was installed
    Remove(remove::RemoveArgs),
    /// List the releases of a family, as its registry has them
    Versions(versions::VersionsArgs),
    /// List the releases that came after those of the fleet
    New(new::NewArgs),
}

pub(crate) fn execute(args: &PeersArgs) -> Result<Exit> {
    let folder = args.peers.as_deref();
    match &args.command {
        PeersCommand::Install(install) => until_interrupted(install::execute(install, folder)),
        PeersCommand::List(list) => list::execute(list, folder),
        PeersCommand::Doctor(doctor) => until_interrupted(doctor::execute(doctor, folder)),
        PeersCommand::Remove(remove) => until_interrupted(remove::execute(remove, folder)),
        PeersCommand::Versions(versions) => until_interrupted(versions::execute(versions, folder)),
        PeersCommand::New(new) => until_interrupted(new::execute(new, folder)),
    }
}

fn until_interrupted(work: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    Ok(interruptible(|| eprintln!("{RESUMABLE}"), work)?.unwrap_or(Exit::Interrupted))
}
