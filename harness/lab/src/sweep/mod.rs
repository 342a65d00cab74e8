//! `sweep`: measure which releases of an SDK work with the scenarios that stand for all.
//!
//! ```text
//! registry ── releases ──> next: which one? ──> SweepSetup: install, play ──> cells ── statements ──> support data
//!                            ^                                                 │
//!                            └──────────────────── outcomes ───────────────────┘
//! ```
//!
//! A release plays all scenarios in all of its roles and modes at once, because installing it costs more than playing it.

mod args;
mod choice;
mod play;
mod recorded;
mod runner;
mod statements;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use mcp_compat_cli::inputs::support_data;
use mcp_compat_fleet::{Installer, Options, PeersFolder};
use mcp_compat_model::Role;
use mcp_compat_model::support::Support;
use mcp_compat_model::version::Version;
use mcp_compat_reports::hosts::KINDS;
use mcp_compat_run::glob::nothing;
use mcp_compat_run::peer::Peer;
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::representatives;
use mcp_compat_run::recording::Recording;
use mcp_compat_run::request::planned_scenario;

pub use args::SweepArgs;
use mcp_compat_cli::exit::Exit;
use mcp_compat_cli::inputs::{corpus, peers_folder, recordings};
use mcp_compat_cli::output::eprintln;
use mcp_compat_cli::runtime::{interruptible, own_programs};
use play::SweepSetup;
use runner::SweepRunner;

/// Time limit for a step of a cell.
const STEP: Duration = Duration::from_secs(10);

/// Time limit for a step of a host, of which its start is one.
const STEP_OF_HOST: Duration = Duration::from_secs(30);

/// Plays releases and writes the file of support data.
///
/// # Errors
/// When the input is wrong, or the harness fails.
pub fn execute(args: &SweepArgs) -> Result<Exit> {
    let folder = peers_folder::need(args.peers.as_deref())?;
    let recordings: Vec<_> = recordings::of_folder(&folder).into_iter().flatten().collect();
    let is_of = |recording: &Arc<Recording>| recording.release().release().is_some_and(|(name, _)| name == args.family);
    let of_family: Vec<_> = recordings.iter().filter(|recording| is_of(recording)).cloned().collect();
    let has_adapter = folder.names().contains(&args.family.as_str());
    if !has_adapter && of_family.is_empty() {
        let recorded = recordings.iter().filter_map(|recording| Some(recording.release().release()?.0));
        return Err(nothing("SDK or host", &args.family, folder.names().into_iter().chain(recorded)).into());
    }
    let known = if args.out.exists() { support_data::read(&args.out)? } else { Support::default() };
    let announce = || eprintln!("interrupted: nothing is written; releases that were installed stay installed");
    let exit = interruptible(announce, async {
        if has_adapter {
            // The data of a family has either the releases that its adapters play, or those that were recorded.
            for recording in &of_family {
                eprintln!("{} was recorded, and is left out: an adapter plays {}", recording.release(), args.family);
            }
            sweep(args, &folder, known).await
        } else {
            recorded::sweep(args, &setup(false)?, of_family, known).await
        }
    })?;
    Ok(exit.unwrap_or(Exit::Interrupted))
}

async fn sweep(args: &SweepArgs, folder: &PeersFolder, known: Support) -> Result<Exit> {
    let listed = match folder.releases(&args.family, &Options::default()).await {
        Ok(listed) => listed,
        Err(error) => {
            eprintln!("error: {error}");
            return Ok(Exit::Breaks);
        }
    };
    let is_installed = |version: &Version| {
        let release = folder.release(&format!("{}@{version}", args.family));
        release.is_ok_and(|release| release.is_ready().unwrap_or(false))
    };
    let releases: Vec<Version> =
        listed.served.into_iter().filter(|version| !version.is_pre_release() || is_installed(version)).collect();
    let installed = match &args.add {
        Some(added) => {
            let newest = known.sweep(&args.family).and_then(|sweep| sweep.played.last());
            if let Some(newest) = newest.filter(|newest| *newest >= added) {
                let (family, out) = (&args.family, args.out.display());
                anyhow::bail!(
                    "{out} has {family}@{newest}, which is not older than {added}. Sweep {family} without --add"
                );
            }
            let Some(place) = releases.iter().position(|release| release == added) else {
                return Err(nothing("release", &added.to_string(), releases.iter().map(Version::as_str)).into());
            };
            vec![place]
        }
        None => (0..releases.len()).filter(|place| is_installed(&releases[*place])).collect(),
    };
    let newest = releases.last().map(|version| folder.release(&format!("{}@{version}", args.family))).transpose()?;
    let is_host = newest.is_some_and(|newest| newest.manifest().host.is_some());
    let runner = SweepRunner::new(args, folder, setup(is_host)?, releases, installed);
    runner.go(known).await
}

/// Settings of the cells that every release plays. Hosts play the scenarios of their table.
fn setup(is_host: bool) -> Result<SweepSetup> {
    let mut scenarios = corpus::load(&[])?;
    if is_host {
        scenarios.retain(|scenario| KINDS.iter().any(|kind| kind.scenario == scenario.id.as_str()));
    } else {
        let planned: Vec<_> = scenarios.iter().map(|scenario| planned_scenario(scenario)).collect();
        let chosen = representatives(&planned);
        scenarios.retain(|scenario| chosen.contains(&scenario.id));
    }
    let references = PeerSet::references();
    let most = |role| references.of_role(role).into_iter().max_by_key(|peer| peer.offered().count());
    let (Some(Peer::Client(client)), Some(Peer::Server(server))) = (most(Role::Client), most(Role::Server)) else {
        anyhow::bail!("there is no reference mock");
    };
    let programs = own_programs()?;
    let timeout = if is_host { STEP_OF_HOST } else { STEP };
    Ok(SweepSetup { installer: Installer::default(), scenarios, server, client, is_host, timeout, programs })
}
