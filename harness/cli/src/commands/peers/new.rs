//! `peers new`: the releases that came after those of the fleet, each with the one that it can be compared with.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use mcp_compat_fleet::{Options, PeersFolder, ReleasesError, newer};
use mcp_compat_model::version::Version;
use mcp_compat_reports::list;
use serde::Serialize;

use crate::exit::Exit;
use crate::inputs::peers_folder;
use crate::json_text::json_text;
use crate::output::{eprintln, print};
use crate::terminal;

const EXAMPLES: &str = "\
Examples:
  mcp-compat peers new
  mcp-compat peers new --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct NewArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A release as it is listed.
#[derive(Debug, Serialize)]
struct Listed {
    /// `name@version`.
    release: String,
    /// The release of the fleet before it.
    after: String,
}

pub(super) async fn execute(args: &NewArgs, folder: Option<&Path>) -> Result<Exit> {
    let folder = peers_folder::need(folder)?;
    let mut exit = Exit::Success;
    let mut found = Vec::new();
    for name in folder.names() {
        match folder.releases(name, &Options::default()).await {
            Ok(releases) => {
                let new = newer(&of_fleet(&folder, name), &releases.served);
                found.extend(new.into_iter().map(|new| Listed {
                    release: format!("{name}@{}", new.release),
                    after: format!("{name}@{}", new.after),
                }));
            }
            Err(ReleasesError::NoRegistry { .. }) => {}
            Err(error) => {
                eprintln!("error: {error}");
                exit = Exit::Breaks;
            }
        }
    }
    if args.json {
        print!("{}", json_text(&found)?);
    } else if found.is_empty() {
        eprintln!("No release is newer than those of the fleet.");
    } else {
        let rows: Vec<_> = found.into_iter().map(|new| (new.release, format!("after {}", new.after))).collect();
        print!("{}", list::table(&rows, terminal::style()));
    }
    Ok(exit)
}

/// The releases of one name in the fleet.
fn of_fleet(folder: &PeersFolder, name: &str) -> Vec<Version> {
    let members = folder.fleet().iter().map(|member| &member.installation);
    let named = members.filter(|installation| installation.id().as_str().split('@').next() == Some(name));
    named.filter_map(|installation| installation.version().cloned()).collect()
}
