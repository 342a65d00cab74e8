//! `peers remove`: delete what installations have made.

use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;
use mcp_compat_fleet::{Installation, PeersFolder, State};
use mcp_compat_run::glob::{Glob, nothing};

use crate::exit::Exit;
use crate::inputs::peers_folder;
use crate::output::{eprintln, println};

const EXAMPLES: &str = "\
Examples:
  mcp-compat peers remove rmcp@3.8.0
  mcp-compat peers remove 'python@1.*'";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RemoveArgs {
    /// Installed releases, or patterns for them
    #[arg(value_name = "ID|GLOB", required = true)]
    ids: Vec<String>,
}

pub(super) async fn execute(args: &RemoveArgs, folder: Option<&Path>) -> Result<Exit> {
    let folder = peers_folder::need(folder)?;
    let there = there(&folder)?;
    let mut leaving: Vec<&Installation> = Vec::new();
    for name in &args.ids {
        let glob = Glob::new(name)?;
        let fitting: Vec<_> = there.iter().filter(|peer| glob.matches(peer.id().as_str())).collect();
        if fitting.is_empty() {
            bail!(nothing("peer that is installed", name, there.iter().map(|peer| peer.id().as_str())));
        }
        leaving.extend(fitting);
    }
    leaving.dedup_by_key(|peer| peer.id());
    for peer in leaving {
        let language = &peer.manifest().language;
        peer.remove(|| eprintln!("{}: waiting for an installation of {language} peers to end", peer.id())).await?;
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
