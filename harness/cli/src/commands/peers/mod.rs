//! `peers`: install, list, check and remove real peers, and find the release that changed an outcome.

mod add;
mod doctor;
mod install;
mod list;
mod remove;
mod versions;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::commands::bisect::{self, BisectArgs};
use crate::exit::{Exit, RESUMABLE};
use crate::output::eprintln;
use crate::runtime::interruptible;

const PEERS: &str = "\
The name of a release is its SDK and its version, such as rmcp@3.11.0. The fleet
is the list of releases in peers/fleet.toml. Other releases can be installed,
too, if an adapter serves them: `peers versions` lists them.

If there is no folder `peers` here or above, the adapters inside this program
are used, and releases are installed in your cache: $XDG_CACHE_HOME/mcp-compat,
~/.cache/mcp-compat, or on macOS ~/Library/Caches/mcp-compat.

Examples:
  mcp-compat peers install                     all releases of the fleet
  mcp-compat peers install 'rmcp@*'            the releases of rmcp in the fleet
  mcp-compat peers install rmcp@3.8.0          any other release
  mcp-compat peers doctor
  mcp-compat peers bisect --scenario root-type/array --client typescript \\
                    --good 2.4.0+auto --bad 1.32.2
  mcp-compat peers prune --dry-run             what is no longer used";

#[derive(Debug, Args)]
#[command(after_help = PEERS)]
pub(crate) struct PeersArgs {
    #[command(subcommand)]
    command: PeersCommand,
    /// The folder of the SDK releases [default: `peers`, here or above, or the adapters of this program]
    #[arg(long, value_name = "DIR", global = true)]
    peers: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum PeersCommand {
    /// Install the releases of the fleet, or those that you name
    Install(install::InstallArgs),
    /// Check the recording of a release that cannot be started here, and add it
    Add(add::AddArgs),
    /// List the fleet and all other releases that are installed
    List(list::ListArgs),
    /// Start every installed release, and print the command that fixes those that do not work
    Doctor(doctor::DoctorArgs),
    /// Remove installed releases
    Remove(remove::RemoveArgs),
    /// Remove files that this version of mcp-compat does not use
    Prune(remove::PruneArgs),
    /// List the releases of an SDK in its registry
    Versions(versions::VersionsArgs),
    /// Find the release of an SDK that changed the outcome of a scenario
    Bisect(Box<BisectArgs>),
    /// List the releases that are newer than those of their lines in the fleet
    New(versions::NewArgs),
}

pub(crate) fn execute(args: &PeersArgs) -> Result<Exit> {
    let folder = args.peers.as_deref();
    match &args.command {
        PeersCommand::Install(install) => until_interrupted(install::execute(install, folder)),
        PeersCommand::Add(add) => until_interrupted(add::execute(add, folder)),
        PeersCommand::List(list) => list::execute(list, folder),
        PeersCommand::Doctor(doctor) => until_interrupted(doctor::execute(doctor, folder)),
        PeersCommand::Remove(remove) => until_interrupted(remove::execute_remove(remove, folder)),
        PeersCommand::Prune(prune) => until_interrupted(remove::execute_prune(prune, folder)),
        PeersCommand::Versions(versions) => until_interrupted(versions::execute_versions(versions, folder)),
        PeersCommand::Bisect(asked) => bisect::execute(asked, folder),
        PeersCommand::New(new) => until_interrupted(versions::execute_new(new, folder)),
    }
}

fn until_interrupted(work: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    Ok(interruptible(|| eprintln!("{RESUMABLE}"), work)?.unwrap_or(Exit::Interrupted))
}
