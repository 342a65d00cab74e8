//! `peers list`: list the fleet and the other installed releases, with their states.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use mcp_compat_fleet::{Installation, Member, State};
use mcp_compat_model::count::megabytes;
use mcp_compat_reports::{list, wording};
use mcp_compat_run::recording::Recording;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::inputs::{peers_folder, recordings};
use crate::output::{eprintln, json_text, print};
use crate::terminal;

const EXAMPLES: &str = "\
Examples:
  mcp-compat peers list
  mcp-compat peers list --json | jq -r '.[].id'";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn execute(args: &ListArgs, folder: Option<&Path>) -> Result<Exit> {
    let folder = peers_folder::need(folder)?;
    let beyond = folder.beyond();
    let fleet = folder.fleet().iter().map(|member| (&member.installation, Some(member)));
    let all: Vec<_> = fleet.chain(beyond.iter().map(|installation| (installation, None))).collect();
    let (recordings, unusable): (Vec<_>, Vec<_>) = recordings::of_folder(&folder).into_iter().partition(Result::is_ok);
    let recordings: Vec<Arc<Recording>> = recordings.into_iter().filter_map(Result::ok).collect();
    if args.json {
        let mut values = all.iter().map(|(peer, member)| value(peer, *member)).collect::<Result<Vec<_>>>()?;
        values.extend(recordings.iter().map(value_of_recording));
        print!("{}", json_text(&values)?);
    } else {
        let mut rows = all.iter().map(|(peer, member)| row(peer, *member)).collect::<Result<Vec<_>>>()?;
        rows.extend(recordings.iter().map(|recording| row_of_recording(recording)));
        print!("{}", list::table(&rows, terminal::style()));
        let bytes = all.iter().map(|(peer, _)| peer.bytes()).sum();
        eprintln!("{} in {}", megabytes(bytes), folder.cache().folder().display());
    }
    for error in unusable.into_iter().filter_map(Result::err) {
        eprintln!("{error:#}");
    }
    Ok(Exit::Success)
}

/// State of a release that was recorded on another machine.
const RECORDED: &str = "recorded";

/// Returns the row of a recording. A release may have one for each role.
fn row_of_recording(recording: &Recording) -> (String, String) {
    let role = recording.only_role().map(|role| format!(", as {role}")).unwrap_or_default();
    let recorded = wording::recorded(recording.recorded());
    (format!("{RECORDED:<13}  {:>8}  {}", "", recording.release()), format!("{recorded}{role}"))
}

fn value_of_recording(recording: &Arc<Recording>) -> Value {
    let peers: Vec<_> = recording.peers().iter().map(|peer| json!(peer.record())).collect();
    json!({
        "id": recording.release(),
        "state": RECORDED,
        "fleet": true,
        "small": false,
        "at_run": false,
        "recorded": recording.recorded(),
        "peers": peers,
    })
}

fn row(peer: &Installation, member: Option<&Member>) -> Result<(String, String)> {
    let about = &peer.manifest().about;
    let what = match member {
        None => format!("{about} (not of the fleet)"),
        Some(Member { why, small, .. }) => {
            let why = why.as_ref().unwrap_or(about);
            if *small { format!("{why} (small fleet)") } else { why.clone() }
        }
    };
    let size = Some(peer.bytes()).filter(|bytes| *bytes > 0).map(megabytes).unwrap_or_default();
    Ok((format!("{:<13}  {size:>8}  {}", state_word(peer.state()?), peer.id()), what))
}

fn value(peer: &Installation, member: Option<&Member>) -> Result<Value> {
    let peers: Vec<_> = peer.peers().iter().map(|peer| json!(peer.record())).collect();
    Ok(json!({
        "id": peer.id(),
        "state": state_word(peer.state()?),
        "bytes": peer.bytes(),
        "language": peer.manifest().language,
        "about": peer.manifest().about,
        "fleet": member.is_some(),
        "small": member.is_some_and(|member| member.small),
        "at_run": member.is_some_and(|member| member.at_run),
        "why": member.and_then(|member| member.why.as_ref()),
        "peers": peers,
    }))
}

/// Returns the state of a release in a word or two.
pub(super) fn state_word(state: State) -> &'static str {
    match state {
        State::Absent => "not installed",
        State::Unfinished => "unfinished",
        State::Stale => "out of date",
        State::Ready => "installed",
    }
}

/// Returns the command that installs a release.
pub(super) fn install_command(peer: &Installation) -> String {
    format!("mcp-compat peers install {}", peer.id())
}
