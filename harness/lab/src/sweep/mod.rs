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
mod runner;
mod statements;

use std::time::Duration;

use anyhow::Result;
use mcp_compat_cli::inputs::support_data;
use mcp_compat_fleet::{Installer, Options, PeersFolder};
use mcp_compat_model::Role;
use mcp_compat_model::support::Support;
use mcp_compat_model::version::Version;
use mcp_compat_run::glob::nothing;
use mcp_compat_run::peer::Peer;
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::representatives;
use mcp_compat_run::request::planned_scenario;

pub use args::SweepArgs;
use mcp_compat_cli::exit::Exit;
use mcp_compat_cli::inputs::{corpus, peers_folder};
use mcp_compat_cli::output::eprintln;
use mcp_compat_cli::runtime::{interruptible, own_programs};
use play::SweepSetup;
use runner::SweepRunner;

/// Time limit for a step of a cell.
const STEP: Duration = Duration::from_secs(10);

/// Plays releases and writes the file of support data.
///
/// # Errors
/// When the input is wrong, or the harness fails.
pub fn execute(args: &SweepArgs) -> Result<Exit> {
    let folder = peers_folder::need(args.peers.as_deref())?;
    if !folder.names().contains(&args.family.as_str()) {
        return Err(nothing("SDK", &args.family, folder.names().into_iter()).into());
    }
    let known = if args.out.exists() { support_data::read(&args.out)? } else { Support::default() };
    let announce = || eprintln!("interrupted: nothing is written; releases that were installed stay installed");
    let exit = interruptible(announce, sweep(args, &folder, known))?;
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
    let installed = (0..releases.len()).filter(|place| is_installed(&releases[*place])).collect();
    let runner = SweepRunner::new(args, folder, setup()?, releases, installed);
    runner.go(known).await
}

/// What every release plays.
fn setup() -> Result<SweepSetup> {
    let mut scenarios = corpus::load(&[])?;
    let planned: Vec<_> = scenarios.iter().map(|scenario| planned_scenario(scenario)).collect();
    let chosen = representatives(&planned);
    scenarios.retain(|scenario| chosen.contains(&scenario.id));
    let references = PeerSet::references();
    let most = |role| references.of_role(role).into_iter().max_by_key(|peer| peer.offered().count());
    let (Some(Peer::Client(client)), Some(Peer::Server(server))) = (most(Role::Client), most(Role::Server)) else {
        anyhow::bail!("there is no reference mock");
    };
    let programs = own_programs()?;
    Ok(SweepSetup { installer: Installer::default(), scenarios, server, client, timeout: STEP, programs })
}
