//! `peers doctor`: check each release, and print the command that fixes it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Args;
use mcp_compat_fleet::{Health, Installation, Installer, Problem};
use mcp_compat_model::PeerId;
use mcp_compat_model::count::counted;
use mcp_compat_reports::{list, wording};
use mcp_compat_run::glob::Glob;
use mcp_compat_run::recording::Recording;

use super::install;
use super::list::install_command;
use crate::exit::Exit;
use crate::inputs::{peers_folder, recordings};
use crate::output::{eprintln, print, println};
use crate::progress::Spinner;
use crate::runtime::own_programs;
use crate::terminal;

const HOW: &str = "\
Each installed client and server is tested with a mock over each of its
transports. Of a recording, all checks are judged again.

Exit status: 0 no problem was found, 1 there are problems, 2 the input is wrong.
A release that is not installed is not a problem.

Examples:
  mcp-compat peers doctor
  mcp-compat peers doctor 'typescript@*'";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(super) struct DoctorArgs {
    /// Releases, or patterns for releases of the fleet [default: all that are installed]
    #[arg(value_name = "ID|GLOB")]
    ids: Vec<String>,
}

pub(super) async fn execute(args: &DoctorArgs, folder: Option<&Path>) -> Result<Exit> {
    let folder = peers_folder::need(folder)?;
    let mut checked: Vec<Installation> = Vec::new();
    let mut recordings = recordings::of_folder(&folder);
    let is_of = |recording: &Result<Arc<Recording>>, glob: &Glob| {
        recording.as_ref().is_ok_and(|recording| glob.matches(recording.release().as_str()))
    };
    if !args.ids.is_empty() {
        let globs = args.ids.iter().map(|name| Glob::new(name)).collect::<Result<Vec<_>, _>>()?;
        recordings.retain(|recording| globs.iter().any(|glob| is_of(recording, glob)));
        for (name, glob) in args.ids.iter().zip(&globs) {
            match install::releases(&folder, name) {
                Ok(releases) => checked.extend(releases),
                Err(_) if recordings.iter().any(|recording| is_of(recording, glob)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    if args.ids.is_empty() {
        checked.extend(folder.fleet().iter().map(|member| member.installation.clone()));
        checked.extend(folder.beyond());
    }
    let programs = own_programs()?;
    let installer = Installer::default();
    let (mut rows, mut remedies) = (Vec::new(), Vec::<Remedy>::new());
    let spinner = Spinner::start("starting the releases that are installed");
    for peer in &checked {
        spinner.line(peer.id().as_str());
        let health = installer.examine(peer, &programs).await?;
        Remedy::add(&mut remedies, peer, &health);
        rows.push(row(peer, &health));
    }
    for recording in recordings {
        let checked = match recording {
            Ok(recording) => {
                spinner.line(recording.release().as_str());
                let name = recording.folder().display().to_string();
                recording.check(None).await.map(|_| recording).with_context(|| format!("the recording {name}"))
            }
            Err(error) => Err(error),
        };
        match checked {
            Ok(recording) => {
                let role = recording.only_role().map(|role| format!(", as {role}")).unwrap_or_default();
                let what =
                    format!("{}{role}, with the verdicts of its messages", wording::recorded(recording.recorded()));
                rows.push((format!("{:<13}  {}", "well", recording.release()), what));
            }
            Err(error) => remedies.push(Remedy::of_recording(&error)),
        }
    }
    drop(spinner);
    print!("{}", list::table(&rows, terminal::style()));
    if remedies.is_empty() {
        eprintln!("no problem was found");
        return Ok(Exit::Success);
    }
    // The lines are not wrapped, so that they can be copied.
    println!("\nto fix {}:", if remedies.len() == 1 { "this".to_owned() } else { format!("these {}", remedies.len()) });
    for remedy in remedies {
        println!("  {remedy}");
    }
    Ok(Exit::Breaks)
}

fn row(peer: &Installation, health: &Health) -> (String, String) {
    let (word, what) = match health {
        Health::Healthy => ("well", "installed, and the client and the server answer".to_owned()),
        Health::NotInstalled => ("not installed", install_command(peer)),
        Health::Unhealthy(problem) => {
            let word = match problem {
                Problem::MissingTools(_) => "missing tool",
                Problem::Unfinished => "unfinished",
                Problem::Stale => "out of date",
                Problem::Broken(_) => "broken",
                Problem::Unreadable(_) => "unreadable",
            };
            (word, problem.to_string())
        }
    };
    (format!("{word:<13}  {}", peer.id()), what)
}

/// Command or advice that fixes peers.
struct Remedy {
    text: String,
    peers: Vec<PeerId>,
    /// True if the text does not name the peers.
    is_shared: bool,
}

impl Remedy {
    fn of_recording(error: &anyhow::Error) -> Self {
        let text = format!("{error:#}; add it again with `mcp-compat peers add`, or remove its folder");
        Self { text, peers: Vec::new(), is_shared: false }
    }

    fn add(all: &mut Vec<Self>, peer: &Installation, health: &Health) {
        let Health::Unhealthy(problem) = health else { return };
        let id = peer.id();
        let text = match problem {
            Problem::Unfinished | Problem::Stale => install_command(peer),
            Problem::Broken(_) => format!("mcp-compat peers remove {id} && {}", install_command(peer)),
            Problem::Unreadable(error) => format!("for {id}, see why {} cannot be used", error.path.display()),
            Problem::MissingTools(missing) => {
                for tool in missing {
                    let text = format!("get {}", tool.get);
                    match all.iter_mut().find(|remedy| remedy.text == text) {
                        Some(known) => known.peers.push(id.clone()),
                        None => all.push(Self { text, peers: vec![id.clone()], is_shared: true }),
                    }
                }
                return;
            }
        };
        all.push(Self { text, peers: vec![id.clone()], is_shared: false });
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match self.peers.as_slice() {
            [only] if self.is_shared => write!(f, ", for {only}"),
            [first, others @ ..] if self.is_shared => write!(f, ", for {first} and {}", counted(others.len(), "other")),
            _ => Ok(()),
        }
    }
}
