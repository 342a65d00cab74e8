//! `peers doctor`: how each release is, and the command that mends it.

use std::fmt;
use std::path::Path;

use anyhow::{Context as _, Result};
use clap::Args;
use mcp_compat_fleet::{Health, Installation, Installer, Problem};
use mcp_compat_model::PeerId;
use mcp_compat_model::count::counted;
use mcp_compat_reports::list;
use mcp_compat_run::programs::Programs;

use super::install;
use super::state::install_command;
use crate::exit::Exit;
use crate::inputs::peers_folder;
use crate::output::{eprintln, print, println};
use crate::progress::Spinner;
use crate::terminal;

const HOW: &str = "\
Each installed client and server plays with a mock over each of its transports.

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
    let mut patients: Vec<Installation> = Vec::new();
    for name in &args.ids {
        patients.extend(install::releases(&folder, name)?);
    }
    if args.ids.is_empty() {
        patients.extend(folder.fleet().iter().map(|member| member.installation.clone()));
        patients.extend(folder.beyond());
    }
    let programs = Programs::CommandLine(std::env::current_exe().context("cannot find the program of this process")?);
    let installer = Installer::default();
    let (mut rows, mut remedies) = (Vec::new(), Vec::<Remedy>::new());
    let spinner = Spinner::start("starting the peers that are installed");
    for patient in &patients {
        spinner.line(patient.id().as_str());
        let health = installer.examine(patient, &programs).await?;
        Remedy::add(&mut remedies, patient, &health);
        rows.push(row(patient, &health));
    }
    drop(spinner);
    print!("{}", list::table(&rows, terminal::style()));
    if remedies.is_empty() {
        eprintln!("no problem was found");
        return Ok(Exit::Success);
    }
    // Not wrapped: they are to be copied.
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
        Health::Unhealthy(ailment) => {
            let word = match ailment {
                Problem::MissingTools(_) => "missing tool",
                Problem::Unfinished => "unfinished",
                Problem::Stale => "out of date",
                Problem::Broken(_) => "broken",
                Problem::Unreadable(_) => "unreadable",
            };
            (word, ailment.to_string())
        }
    };
    (format!("{word:<13}  {}", peer.id()), what)
}

/// What mends something, and whom it mends.
struct Remedy {
    what: String,
    peers: Vec<PeerId>,
    /// True if it does not say itself for whom it is.
    is_shared: bool,
}

impl Remedy {
    fn add(all: &mut Vec<Self>, peer: &Installation, health: &Health) {
        let Health::Unhealthy(ailment) = health else { return };
        let id = peer.id();
        let own = match ailment {
            Problem::Unfinished | Problem::Stale => install_command(peer),
            Problem::Broken(_) => format!("mcp-compat peers remove {id} && {}", install_command(peer)),
            Problem::Unreadable(error) => format!("for {id}, see why {} cannot be used", error.path.display()),
            Problem::MissingTools(missing) => {
                for tool in missing {
                    let what = format!("get {}", tool.get);
                    match all.iter_mut().find(|remedy| remedy.what == what) {
                        Some(known) => known.peers.push(id.clone()),
                        None => all.push(Self { what, peers: vec![id.clone()], is_shared: true }),
                    }
                }
                return;
            }
        };
        all.push(Self { what: own, peers: vec![id.clone()], is_shared: false });
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match self.peers.as_slice() {
            [only] if self.is_shared => write!(f, ", for {only}"),
            [first, others @ ..] if self.is_shared => write!(f, ", for {first} and {}", counted(others.len(), "other")),
            _ => Ok(()),
        }
    }
}
