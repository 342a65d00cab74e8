//! `peers install`: install releases, several at the same time.

use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use mcp_compat_fleet::{InstallError, Installation, Installer, Options, Outcome, PeersFolder};
use mcp_compat_model::count::counted;
use mcp_compat_run::glob::{Glob, nothing};

use crate::exit::Exit;
use crate::inputs::peers_folder;
use crate::inputs::quantities::duration;
use crate::install_progress::{InstallProgress, reasons};
use crate::output::{eprintln, println};

const HOW: &str = "\
Each release is installed once, in a folder of its own, with the tools of its
language (cargo, npm, pip, go, gradle or maven). It is installed again when its
adapter changes. Releases of one language are installed one after the other.

Exit status: 0 all are installed, 1 some could not be installed (the others
are), 2 the input is wrong, 130 interrupted.

Examples:
  mcp-compat peers install --small
  mcp-compat peers install rmcp@3.11.0 'python@*'
  mcp-compat peers install my-sdk/peer.toml";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(super) struct InstallArgs {
    /// Releases, patterns for releases of the fleet, or a peer.toml [default: the fleet]
    #[arg(value_name = "ID|GLOB|FILE", conflicts_with = "small")]
    ids: Vec<String>,
    /// Install the small fleet, which CI tests on each change
    #[arg(long)]
    small: bool,
    /// Install the hosts that `mcp-compat hosts` starts (about 3 GB)
    #[arg(long, conflicts_with_all = ["ids", "small"])]
    hosts: bool,
    /// How many languages are installed at the same time [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// How long one command of an installation may take
    #[arg(long, value_name = "TIME", default_value = "60m", value_parser = duration)]
    timeout: Duration,
    /// Resolve dependencies anew, and save the lock files beside the adapters
    #[arg(long)]
    lock: bool,
}

pub(super) async fn execute(args: &InstallArgs, folder: Option<&Path>) -> Result<Exit> {
    let wanted = wanted(args, folder)?;
    if args.lock && wanted.iter().any(Installation::is_shared) {
        bail!(
            "--lock saves lock files beside adapters, and those of this program cannot be changed: name a folder with --peers DIR"
        );
    }
    let jobs = args.jobs.map_or_else(|| std::thread::available_parallelism().map_or(2, NonZero::get), usize::from);
    let options = Options { lock: args.lock, command_timeout: args.timeout, ..Options::default() };
    let installer = Arc::new(Installer::new(options));
    let progress = Arc::new(InstallProgress::default());
    let listener = Arc::clone(&progress);
    let watch = Arc::new(move |peer: &Installation, step| listener.notice(peer, step));
    let outcomes = installer.install_all(wanted, jobs, watch).await;
    let count = |of: Outcome| outcomes.iter().filter(|(_, outcome)| outcome.as_ref().is_ok_and(|it| *it == of)).count();
    let failed: Vec<&InstallError> = outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().err()).collect();
    drop(progress);
    for reason in reasons(&failed) {
        eprintln!("error: {reason}");
    }
    if failed.iter().any(|error| matches!(error, InstallError::Unreachable { .. })) {
        eprintln!(
            "A registry did not answer. Is there a network? Installed releases still work. Run the same command again to \
             continue where it stopped."
        );
    }
    let (new, before) = (count(Outcome::Installed), count(Outcome::AlreadyThere));
    println!("{}", sum(new, before, failed.len()));
    Ok(if failed.is_empty() { Exit::Success } else { Exit::Breaks })
}

fn sum(new: usize, before: usize, failed: usize) -> String {
    let mut sum = format!("{} installed, {before} already installed before", counted(new, "release"));
    if failed > 0 {
        sum.push_str(&format!(", {failed} could not be installed"));
    }
    sum
}

fn wanted(args: &InstallArgs, folder: Option<&Path>) -> Result<Vec<Installation>> {
    let (files, names): (Vec<&String>, Vec<&String>) =
        args.ids.iter().partition(|name| peers_folder::is_manifest(name));
    let mut wanted = Vec::new();
    for file in &files {
        add(&mut wanted, [peers_folder::installation(file)?]);
    }
    if names.is_empty() && !files.is_empty() {
        return Ok(wanted);
    }
    let (folder, aside) = peers_folder::need_whole(folder)?;
    if let Some(aside) = aside {
        eprintln!("The adapters were damaged. They are unpacked again. The damaged files are in {}.", aside.display());
    }
    if args.hosts {
        add(&mut wanted, folder.hosts().iter().map(|member| member.installation.clone()));
        return Ok(wanted);
    }
    if names.is_empty() {
        let members = folder.fleet().iter().filter(|member| member.small || !args.small);
        add(&mut wanted, members.map(|member| member.installation.clone()));
        if wanted.is_empty() {
            let whole =
                if args.small { "no release of the fleet is marked `small = true`" } else { "the fleet is empty" };
            bail!("{whole}: {} lists it; to install a release, name it", folder.path().join("fleet.toml").display());
        }
    }
    for name in names {
        add(&mut wanted, releases(&folder, name)?);
    }
    Ok(wanted)
}

/// Returns the releases that a name selects: those of the fleet that match a pattern, or a single release of a family.
pub(super) fn releases(folder: &PeersFolder, name: &str) -> Result<Vec<Installation>> {
    if !Glob::is_pattern(name) {
        return Ok(vec![folder.to_install(name)?]);
    }
    let glob = Glob::new(name)?;
    let fleet = || folder.fleet().iter().map(|member| &member.installation);
    let fitting: Vec<Installation> = fleet().filter(|peer| glob.matches(peer.id().as_str())).cloned().collect();
    if fitting.is_empty() {
        bail!(nothing("release of the fleet", name, fleet().map(|peer| peer.id().as_str())));
    }
    Ok(fitting)
}

fn add(wanted: &mut Vec<Installation>, more: impl IntoIterator<Item = Installation>) {
    for peer in more {
        if wanted.iter().all(|other| other.id() != peer.id()) {
            wanted.push(peer);
        }
    }
}
