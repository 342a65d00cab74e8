//! `projection`: classify what servers sent to clients of each era, from runs of `projection.toml`.
//!
//! ```text
//! mcp-compat run --scenarios projection.toml ──> run ── classify ──> peers/projection.json ──> mcp-compat support --projection
//! ```

mod classify;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use mcp_compat_cli::exit::{Exit, HarnessFailed};
use mcp_compat_cli::inputs::projection_data;
use mcp_compat_cli::output::{eprintln, println};
use mcp_compat_drive::files::atomic_file;
use mcp_compat_model::count::counted;
use mcp_compat_model::projection::{EraProjection, Input, Projection, Projections, ServerProjection};
use mcp_compat_model::record::{CellRecord, PeerRecord};
use mcp_compat_model::{Era, Mode, PeerId, Role};
use mcp_compat_run::history::{OpenedRun, open};
use mcp_compat_scenario::{Scenario, load};

const HOW: &str = "\
Each run has one transport. A server about which two runs differ is left out.
What FILE says about other servers stays. `mcp-compat support --projection` prints the file.

Examples:
  cargo run -- run --no-corpus --scenarios harness/lab/src/projection/projection.toml \\
      --client mock/dual/lenient+legacy --client mock/dual/lenient+modern --server 'go@*' \\
      --transport stdio --baseline none --out target/projection
  cargo run -p mcp-compat-lab -- projection target/projection --out peers/projection.json

Exit status: 0 the file was written; 1 a server was not measured, or two runs
differ; 2 the input is wrong.";

/// Classify what servers sent to clients of each era
#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub struct ProjectionArgs {
    /// Runs of the scenarios of `projection.toml`
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The file for the projections
    #[arg(long, value_name = "FILE", default_value = "projection.json")]
    out: PathBuf,
}

/// Reads the runs and writes the file.
///
/// # Errors
/// When the input is wrong.
pub fn execute(args: &ProjectionArgs) -> Result<Exit> {
    let mut known = if args.out.exists() { projection_data::of(Some(&args.out))? } else { Projections::default() };
    let (mut found, mut exit) = (Vec::new(), Exit::Success);
    for run in &args.runs {
        for measured in of_run(run)? {
            match measured {
                Ok(server) => found.push(server),
                Err(why) => {
                    eprintln!("{why}");
                    exit = Exit::Breaks;
                }
            }
        }
    }
    let (found, differing) = agreeing(found);
    for server in differing {
        eprintln!("two runs of {server} differ");
        exit = Exit::Breaks;
    }
    println!("{} in {}", counted(found.len(), "server"), args.out.display());
    found.into_values().for_each(|server| known.replace(server));
    let text = known.to_text().context(HarnessFailed("writing the projections"))?;
    atomic_file::replace(&args.out, text).with_context(|| format!("cannot write {}", args.out.display()))?;
    Ok(exit)
}

/// Returns the servers about which the runs agree, and the ids of the others.
fn agreeing(measured: Vec<ServerProjection>) -> (BTreeMap<PeerId, ServerProjection>, BTreeSet<PeerId>) {
    let (mut found, mut differing) = (BTreeMap::<PeerId, ServerProjection>::new(), BTreeSet::new());
    for new in measured {
        let old = found.entry(new.server.clone()).or_insert_with(|| new.clone());
        if (&old.legacy, &old.modern) != (&new.legacy, &new.modern) {
            differing.insert(new.server);
        }
    }
    found.retain(|server, _| !differing.contains(server));
    (found, differing)
}

/// Returns each value with its scenario.
fn inputs() -> Result<Vec<(Input, Scenario)>> {
    let scenarios = load("projection/projection.toml", include_str!("projection.toml"), &|_| None)?;
    let of_input = |input: Input| {
        let id = format!("projection/projection[{input}]");
        let scenario = scenarios.iter().find(|scenario| scenario.id.as_str() == id).cloned();
        Ok((input, scenario.with_context(|| format!("there is no scenario {id}"))?))
    };
    Input::ALL.into_iter().map(of_input).collect()
}

/// Projection of each server of a run, or the reason why it was not measured.
fn of_run(run: &Path) -> Result<Vec<Result<ServerProjection, String>>> {
    let OpenedRun { record, evidence } = open(run)?;
    let Some(mut transcripts) = evidence else { bail!("{} has no transcripts", run.display()) };
    let inputs = inputs()?;
    let date: String = record.started.chars().take("2026-11-29".len()).collect();
    let mut found = Vec::new();
    for server in record.peers.iter().filter(|peer| peer.role == Role::Server && peer.id.release().is_some()) {
        let mut played = BTreeMap::new();
        for cell in record.cells.iter().filter(|cell| cell.server == server.id) {
            let (Some(mode), Some((input, scenario))) =
                (cell.client.mode(), inputs.iter().find(|(_, scenario)| scenario.id == cell.scenario))
            else {
                bail!("{} has {}, which is not of projection.toml and a client with a mode", run.display(), cell.id)
            };
            let sent = (cell, classify::projection(scenario, &transcripts.of_cell(&cell.id)?));
            if let Some((other, _)) = played.insert((mode, *input), sent) {
                bail!(
                    "{} has {} and {}: make a run of each transport and each client",
                    run.display(),
                    other.id,
                    cell.id
                )
            }
        }
        let Some(transport) = played.values().map(|(cell, _)| cell.transport).next() else { continue };
        found.push((|| {
            Ok(ServerProjection {
                server: server.id.clone(),
                date: date.clone(),
                tool_version: record.tool_version.clone(),
                transport,
                legacy: of_era(server, Mode::Legacy, &played)?,
                modern: of_era(server, Mode::Modern, &played)?,
            })
        })());
    }
    Ok(found)
}

/// Cells of a server, by the client's mode and the value, with what the server sent.
type Played<'r> = BTreeMap<(Mode, Input), (&'r CellRecord, Option<Projection>)>;

/// Projection for the clients of a mode; `None` if the server does not speak their era.
fn of_era(server: &PeerRecord, mode: Mode, played: &Played<'_>) -> Result<Option<EraProjection>, String> {
    let era = if mode == Mode::Modern { Era::Modern } else { Era::Legacy };
    let Some(newest) = server.revisions.iter().filter(|revision| revision.era() == era).max() else { return Ok(None) };
    let of = |input| match played.get(&(mode, input)) {
        Some((_, Some(projection))) => Ok(projection.clone()),
        Some((cell, None)) => Err(format!("{} shows nothing: {}", cell.id, cell.reason)),
        None => Err(format!("{}: no check of `{input}` in mode {mode}", server.id)),
    };
    let negotiated = Input::ALL.into_iter().find_map(|input| played.get(&(mode, input))?.0.negotiated);
    Ok(Some(EraProjection {
        revision: negotiated.unwrap_or(*newest),
        array: of(Input::Array)?,
        union: of(Input::Union)?,
        null: of(Input::Null)?,
        untyped: of(Input::Untyped)?,
    }))
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::Transport;

    use super::*;

    #[test]
    fn a_server_about_which_runs_differ_is_left_out() {
        let server = |id: &str, array: &str| {
            let refused = r#"{"refused":"no"}"#;
            let text = format!(
                r#"{{"server":"{id}","date":"2026-11-29","tool_version":"0.1.0","transport":"stdio","legacy":{{
                "revision":"2025-11-25","array":{array},"union":{refused},"null":{refused},"untyped":{refused}}}}}"#
            );
            serde_json::from_str::<ServerProjection>(&text).unwrap()
        };
        let (one, other) = (r#"{"refused":"no"}"#, r#"{"list-fails":"no"}"#);
        let http = ServerProjection { transport: Transport::Http, ..server("go@1.8.0", one) };
        let (found, differing) = agreeing(vec![
            server("go@1.8.0", one),
            server("java@2.2.0", one),
            http,
            server("java@2.2.0", other),
            server("java@2.2.0", one),
        ]);
        assert_eq!(found.into_values().collect::<Vec<_>>(), [server("go@1.8.0", one)]);
        assert_eq!(differing, BTreeSet::from([PeerId::new("java@2.2.0").unwrap()]));
    }
}
