//! `peers versions` and `peers new`: list the releases in the registries, all of an SDK or those newer than the fleet.

use std::path::Path;

use anyhow::Result;
use clap::Args as ClapArgs;
use mcp_compat_fleet::{Options, PeersFolder, Releases, ReleasesError, State, newer};
use mcp_compat_model::version::Version;
use mcp_compat_reports::list;
use mcp_compat_run::glob::nothing;
use serde::Serialize;

use super::list::state_word;
use crate::exit::Exit;
use crate::inputs::peers_folder;
use crate::output::{eprintln, json_text, print};
use crate::terminal;

const VERSIONS_EXAMPLES: &str = "\
Examples:
  mcp-compat peers versions rmcp
  mcp-compat peers versions typescript --pre";

#[derive(Debug, ClapArgs)]
#[command(after_help = VERSIONS_EXAMPLES)]
pub(super) struct VersionsArgs {
    /// The SDK, such as rmcp
    #[arg(value_name = "NAME")]
    name: String,
    /// Include pre-releases
    #[arg(long)]
    pre: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn execute_versions(args: &VersionsArgs, folder: Option<&Path>) -> Result<Exit> {
    let folder = peers_folder::need(folder)?;
    let name = args.name.as_str();
    if !folder.names().contains(&name) {
        return Err(nothing("SDK", name, folder.names().into_iter()).into());
    }
    let Releases { mut served, others } = match folder.releases(name, &Options::default()).await {
        Ok(releases) => releases,
        Err(error) => {
            eprintln!("error: {error}");
            return Ok(Exit::Breaks);
        }
    };
    let all = served.len();
    served.retain(|version| args.pre || !version.is_pre_release());
    if args.json {
        print!("{}", json_text(&served)?);
        return Ok(Exit::Success);
    }
    let rows: Vec<_> = served.iter().map(|version| (version.to_string(), note(&folder, name, version))).collect();
    if !rows.is_empty() {
        print!("{}", list::table(&rows, terminal::style()));
    }
    match all - served.len() {
        0 => {}
        1 => eprintln!("1 pre-release more; --pre lists it too"),
        more => eprintln!("{more} pre-releases more; --pre lists them too"),
    }
    if let (Some(first), Some(last)) = (others.first(), others.last()) {
        let releases = if others.len() == 1 { "1 release".to_owned() } else { format!("{} releases", others.len()) };
        eprintln!("{releases} that no adapter serves, from {first} to {last}");
    }
    Ok(Exit::Success)
}

/// Returns the note on a release: its state, and whether the fleet contains it.
fn note(folder: &PeersFolder, name: &str, version: &Version) -> String {
    let Ok(peer) = folder.release(&format!("{name}@{version}")) else { return String::new() };
    let is_member = folder.fleet().iter().any(|member| member.installation.id() == peer.id());
    let fleet = is_member.then_some("of the fleet");
    let state = peer.state().ok().filter(|state| *state != State::Absent).map(state_word);
    fleet.into_iter().chain(state).collect::<Vec<_>>().join(", ")
}

const NEW_EXAMPLES: &str = "\
Examples:
  mcp-compat peers new
  mcp-compat peers new --json";

#[derive(Debug, ClapArgs)]
#[command(after_help = NEW_EXAMPLES)]
pub(super) struct NewArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Listed {
    /// `name@version`.
    release: String,
    /// The release of the fleet before it.
    after: String,
}

pub(super) async fn execute_new(args: &NewArgs, folder: Option<&Path>) -> Result<Exit> {
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

/// Returns the versions of an SDK in the fleet.
fn of_fleet(folder: &PeersFolder, name: &str) -> Vec<Version> {
    let members = folder.fleet().iter().map(|member| &member.installation);
    let named = members.filter(|installation| installation.id().as_str().split('@').next() == Some(name));
    named.filter_map(|installation| installation.version().cloned()).collect()
}
