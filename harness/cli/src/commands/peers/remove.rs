//! `peers remove` and `peers prune`: delete installed releases, and files that are no longer used.

use std::path::Path;

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use mcp_compat_fleet::{Cache, Installation, Leftover, PeersFolder, State};
use mcp_compat_model::count::{counted, megabytes};
use mcp_compat_run::glob::{Glob, nothing};

use crate::exit::Exit;
use crate::inputs::peers_folder;
use crate::output::{eprintln, println};

const REMOVE_EXAMPLES: &str = "\
Examples:
  mcp-compat peers remove rmcp@3.8.0
  mcp-compat peers remove 'python@1.*'";

#[derive(Debug, ClapArgs)]
#[command(after_help = REMOVE_EXAMPLES)]
pub(super) struct RemoveArgs {
    /// Installed releases, or patterns for them
    #[arg(value_name = "ID|GLOB", required = true)]
    ids: Vec<String>,
}

pub(super) async fn execute_remove(args: &RemoveArgs, folder: Option<&Path>) -> Result<Exit> {
    let folder = peers_folder::need(folder)?;
    let there = there(&folder)?;
    let mut leaving: Vec<&Installation> = Vec::new();
    for name in &args.ids {
        let glob = Glob::new(name)?;
        let fitting: Vec<_> = there.iter().filter(|peer| glob.matches(peer.id().as_str())).collect();
        if fitting.is_empty() {
            bail!(nothing("release that is installed", name, there.iter().map(|peer| peer.id().as_str())));
        }
        leaving.extend(fitting);
    }
    leaving.dedup_by_key(|peer| peer.id());
    for peer in leaving {
        let language = &peer.manifest().language;
        peer.remove(|| eprintln!("{}: waiting for an installation of {language} releases to end", peer.id())).await?;
        println!("{} is removed", peer.id());
    }
    Ok(Exit::Success)
}

fn there(folder: &PeersFolder) -> Result<Vec<Installation>> {
    let mut there = folder.beyond();
    for member in folder.fleet() {
        let peer = &member.installation;
        if peer.manifest().setup.is_some() && peer.state()? != State::Absent {
            there.push(peer.clone());
        }
    }
    Ok(there)
}

const PRUNE_HOW: &str = "\
prune removes the adapters of other versions of mcp-compat, the releases that
were installed for them, and the rest of interrupted installations. If you also
use another version of mcp-compat, it has to install its releases again.

Examples:
  mcp-compat peers prune --dry-run
  mcp-compat peers prune --all        the cache is empty afterwards";

#[derive(Debug, ClapArgs)]
#[command(after_help = PRUNE_HOW)]
pub(super) struct PruneArgs {
    /// Remove everything: all releases and all caches
    #[arg(long)]
    all: bool,
    /// Print what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) async fn execute_prune(args: &PruneArgs, folder: Option<&Path>) -> Result<Exit> {
    let cache: Cache = peers_folder::cache(folder)?;
    if !cache.folder().exists() {
        println!("Nothing to remove: {} does not exist.", cache.folder().display());
        return Ok(Exit::Success);
    }
    let folder = if args.all { None } else { Some(peers_folder::need(folder)?) };
    let select = || folder.as_ref().map_or_else(|| cache.contents(), |folder| folder.leftovers());
    let found = if args.dry_run {
        select()
    } else {
        cache.remove(select, || eprintln!("waiting for an installation to end")).await?
    };
    for Leftover { path, bytes } in &found {
        println!("{:>9}  {}", megabytes(*bytes), path.display());
    }
    let bytes = found.iter().map(|leftover| leftover.bytes).sum();
    let done = if args.dry_run { "would be removed" } else { "removed" };
    println!("{} in {} {done}", megabytes(bytes), counted(found.len(), "place"));
    Ok(Exit::Success)
}
