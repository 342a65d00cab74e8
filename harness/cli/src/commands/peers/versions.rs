//! `peers versions`: the releases of a family, as its registry lists them.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use mcp_compat_fleet::{Options, PeersFolder, Releases, State};
use mcp_compat_model::version::Version;
use mcp_compat_reports::list;
use mcp_compat_run::glob::nothing;

use super::state::word;
use crate::exit::Exit;
use crate::inputs::peers_folder;
use crate::json_text::json_text;
use crate::output::{eprintln, print};
use crate::terminal;

const EXAMPLES: &str = "\
Examples:
  mcp-compat peers versions rmcp
  mcp-compat peers versions typescript --pre";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
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

pub(super) async fn execute(args: &VersionsArgs, folder: Option<&Path>) -> Result<Exit> {
    let folder = peers_folder::need(folder)?;
    let name = args.name.as_str();
    if !folder.names().contains(&name) {
        return Err(nothing("family of peers", name, folder.names().into_iter()).into());
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

/// What is known of a release here.
fn note(folder: &PeersFolder, name: &str, version: &Version) -> String {
    let Ok(peer) = folder.release(&format!("{name}@{version}")) else { return String::new() };
    let is_member = folder.fleet().iter().any(|member| member.installation.id() == peer.id());
    let fleet = is_member.then_some("of the fleet");
    let state = peer.state().ok().filter(|state| *state != State::Absent).map(word);
    fleet.into_iter().chain(state).collect::<Vec<_>>().join(", ")
}
