//! `peers prune`: what takes space in the cache and is no longer used.

use std::path::Path;

use crate::inputs::peers_folder;
use anyhow::Result;
use clap::Args;
use mcp_compat_fleet::{Cache, Leftover};
use mcp_compat_model::count::{counted, megabytes};

use crate::exit::Exit;
use crate::output::{eprintln, println};

const HOW: &str = "\
prune removes the adapters of other versions of mcp-compat, the releases that
were installed for them, and the rest of interrupted installations. If you also
use another version of mcp-compat, it has to install its releases again.

Examples:
  mcp-compat peers prune --dry-run
  mcp-compat peers prune --all        the cache is empty afterwards";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(super) struct PruneArgs {
    /// Remove everything: all releases and all caches
    #[arg(long)]
    all: bool,
    /// Print what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) async fn execute(args: &PruneArgs, folder: Option<&Path>) -> Result<Exit> {
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
