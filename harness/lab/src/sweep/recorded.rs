//! Sweep of a family whose releases were recorded on other machines: all of them are judged, and none is installed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;
use mcp_compat_model::count::counted;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::support::{RecordedRelease, Support, Sweep};
use mcp_compat_model::verdict::Fault;
use mcp_compat_model::version::Version;
use mcp_compat_run::recording::Recording;

use super::args::SweepArgs;
use super::play::SweepSetup;
use super::runner::{measured, write};
use super::statements::statements;
use mcp_compat_cli::exit::Exit;
use mcp_compat_cli::output::{eprintln, println};

/// Judges the recordings of a family, and writes the file.
pub(super) async fn sweep(
    args: &SweepArgs,
    setup: &SweepSetup,
    mut recordings: Vec<Arc<Recording>>,
    known: Support,
) -> Result<Exit> {
    recordings.sort_by(|one, other| one.release().version().cmp(&other.release().version()));
    // Each role of a release may have a recording of its own.
    let (mut releases, mut recorded) = (Vec::<Version>::new(), Vec::<RecordedRelease>::new());
    let mut played = BTreeMap::<usize, Vec<CellRecord>>::new();
    for recording in &recordings {
        let Some(release) = recording.release().version().cloned() else { continue };
        let mut cells = Vec::new();
        for peer in recording.peers().into_iter().filter(|peer| peer.id().flavour().is_none()) {
            match setup.play_peer(peer).await? {
                Ok(record) => cells.extend(record.cells),
                Err(why) => println!("{}: {why}", recording.release()),
            }
        }
        cells.retain(|cell| cell.fault != Some(Fault::Harness));
        println!("{}: {}, recorded", recording.release(), counted(cells.len(), "check"));
        if cells.is_empty() {
            continue;
        }
        if releases.last() != Some(&release) {
            releases.push(release.clone());
        }
        played.entry(releases.len() - 1).or_default().extend(cells);
        let recorded_release = RecordedRelease { release, recorded: recording.recorded().clone() };
        if !recorded.contains(&recorded_release) {
            recorded.push(recorded_release);
        }
    }
    if releases.is_empty() {
        eprintln!("no recording of {} has a check that a sweep judges, so nothing is written", args.family);
        return Ok(Exit::Breaks);
    }
    let found = statements(&args.family, &releases, &played, &BTreeSet::new());
    let sweep = Sweep { recorded, ..measured(&args.family, setup, releases.clone(), releases)? };
    write(args, known, sweep, found)?;
    Ok(Exit::Success)
}
