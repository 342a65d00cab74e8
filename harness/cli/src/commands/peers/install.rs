//! `peers install`: set releases up, side by side, each once.

use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use mcp_compat_fleet::{InstallError, Installation, Installer, Options, Outcome, PeersFolder};
use mcp_compat_run::glob::{Glob, nothing};

use crate::exit::Exit;
use crate::install_progress::{InstallProgress, reasons};
use crate::output::{eprintln, println};
use crate::values::duration;
use mcp_compat_inputs::peers_folder;

const HOW: &str = "\
A release is installed in a folder of its own, by the tools that its users have. It
is done once, and again when its adapter changes. Peers of one language share
their caches, and follow each other. Exit status: 0 all are there, 1 some could
not be had (the others are there), 2 the input is wrong, 130 interrupted.";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(super) struct InstallArgs {
    /// These releases, or those of the fleet that fit; a file is a peer.toml [default: the fleet]
    #[arg(value_name = "ID|GLOB|FILE", conflicts_with = "small")]
    ids: Vec<String>,
    /// The small fleet: what is played on each change
    #[arg(long)]
    small: bool,
    /// How many languages side by side [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// How long one command of an installation may take
    #[arg(long, value_name = "TIME", default_value = "60m", value_parser = duration)]
    timeout: Duration,
    /// Set up without the lock files that are checked in, and check in those that come of it
    #[arg(long)]
    lock: bool,
}

pub(super) async fn execute(args: &InstallArgs, folder: Option<&Path>) -> Result<Exit> {
    let wanted = wanted(args, folder)?;
    let jobs = args.jobs.map_or_else(|| std::thread::available_parallelism().map_or(2, NonZero::get), usize::from);
    let options = Options { lock: args.lock, command_timeout: args.timeout, ..Options::default() };
    let installer = Arc::new(Installer::new(options));
    let progress = Arc::new(InstallProgress::default());
    let told = Arc::clone(&progress);
    let watch = Arc::new(move |peer: &Installation, step| told.notice(peer, step));
    let outcomes = installer.install_all(wanted, jobs, watch).await;
    let count = |of: Outcome| outcomes.iter().filter(|(_, outcome)| outcome.as_ref().is_ok_and(|it| *it == of)).count();
    let failed: Vec<&InstallError> = outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().err()).collect();
    drop(progress);
    for reason in reasons(&failed) {
        eprintln!("error: {reason}");
    }
    let (new, before) = (count(Outcome::Installed), count(Outcome::AlreadyThere));
    println!("{}", sum(new, before, failed.len()));
    Ok(if failed.is_empty() { Exit::Success } else { Exit::Breaks })
}

fn sum(new: usize, before: usize, failed: usize) -> String {
    let peers = |number: usize| if number == 1 { "1 peer".to_owned() } else { format!("{number} peers") };
    let mut sum = format!("{} installed, {before} there before", peers(new));
    if failed > 0 {
        sum.push_str(&format!(", {failed} could not be had"));
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
    let folder = peers_folder::find_or_unpack(folder)?;
    if names.is_empty() {
        let members = folder.fleet().iter().filter(|member| member.small || !args.small);
        add(&mut wanted, members.map(|member| member.installation.clone()));
        if wanted.is_empty() {
            let whole = if args.small { "no peer of the fleet is marked `small = true`" } else { "the fleet is empty" };
            bail!("{whole}: {} lists it; to install a release, name it", folder.path().join("fleet.toml").display());
        }
    }
    for name in names {
        add(&mut wanted, releases(&folder, name)?);
    }
    Ok(wanted)
}

/// The releases that a name means: those of the fleet that fit a pattern, or any one of a family.
pub(super) fn releases(folder: &PeersFolder, name: &str) -> Result<Vec<Installation>> {
    if !Glob::is_pattern(name) {
        return Ok(vec![folder.release(name)?]);
    }
    let glob = Glob::new(name)?;
    let fleet = || folder.fleet().iter().map(|member| &member.installation);
    let fitting: Vec<Installation> = fleet().filter(|peer| glob.matches(peer.id().as_str())).cloned().collect();
    if fitting.is_empty() {
        bail!(nothing("peer of the fleet", name, fleet().map(|peer| peer.id().as_str())));
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
