//! `shrink`: reduce a scenario that breaks to the smallest one that breaks the same way.
//!
//! First, a pair of peers is found between which the scenario breaks; then every candidate is played between these two.
//! Steps are printed to stderr, and the resulting scenario to stdout or a file.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use mcp_compat_author::shrink::{
    Breakage, Ending, Halt, Limits, PeerPair, Progress, Reduced, drafted, first_break, look_in_order, shrink,
};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::peer::BuiltIn;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Rating;
use mcp_compat_run::glob::Glob;
use mcp_compat_run::peer::{ClientPeer, PeerError, PeerInfo, ServerPeer};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::Coverage;
use mcp_compat_run::programs::Programs;
use mcp_compat_run::request::Request;
use mcp_compat_run::run::{Run, run};
use mcp_compat_run::timeouts::Timeouts;
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

use crate::exit::{ENDING, Exit, HarnessFailed};
use crate::inputs::corpus;
use crate::inputs::peer_selection::{BuiltInPeers, Install, PeerSelection, Wanted};
use crate::inputs::quantities::duration;
use crate::inputs::scenario_file::ScenarioFile;
use crate::install_progress::InstallProgress;
use crate::output::{eprintln, print};
use crate::progress::Spinner;
use crate::runtime::{Threads, cancellable, own_programs};
use crate::values::CommandArgs;
use crate::values::transports;

const HOW: &str = "\
shrink keeps a smaller scenario if it breaks in the same way: with the same
revision, outcome, loss, fault, rule, and layer and code of the error. A value
that conforms to its schema still conforms, a value that violates its schema
still violates it, and a text block that repeats the value still repeats it.

Examples:
  mcp-compat shrink root-type/array --client mock/2025-06-18
  mcp-compat shrink my-bug.toml --client 'rmcp@2.2.0' -o my-bug-min.toml
  mcp-compat shrink ref/network --client-command 'npx tsx client.ts {url}'

Exit status: 0 the smallest scenario that was found was written; 2 the scenario
does not break, or the input is wrong (nothing is written); 130 interrupted (the
smallest so far is written).";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct ShrinkArgs {
    /// The scenario: a built-in id, a file, or `FILE[CASE]` for one case of a family
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    /// The client [default: the first with which it breaks]
    #[arg(long, value_name = "ID|FILE", conflicts_with = "client_command")]
    client: Option<String>,
    #[command(flatten)]
    command: CommandArgs,
    /// The server [default: the first with which it breaks]
    #[arg(long, value_name = "ID|FILE")]
    server: Option<String>,
    /// The transport: memory, stdio or http [default: the quickest]
    #[arg(long, value_name = "NAME", value_parser = ["memory", "stdio", "http"], hide_possible_values = true)]
    transport: Option<String>,
    /// The folder of the SDK releases [default: `peers`, here or above]
    #[arg(long, value_name = "DIR", conflicts_with = "no_peers")]
    peers: Option<PathBuf>,
    /// Use only mocks
    #[arg(long)]
    no_peers: bool,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How long each step of a candidate may take
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    timeout: Duration,
    /// How many runs to make at most
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    max_runs: usize,
    /// How long the reduction may take, once a break was found; then the smallest so far is written
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    shrink_timeout: Duration,
}

pub(crate) fn execute(args: ShrinkArgs) -> Result<Exit> {
    let scenario = corpus::find(&args.scenario)?;
    let output = args.output.as_deref().map(ScenarioFile::claim).transpose()?;
    let announce = || eprintln!("{ENDING}");
    let exit = cancellable(Threads::PerCore, announce, |stop| shrunk(&args, scenario, output, stop))?;
    Ok(exit.unwrap_or(Exit::Interrupted))
}

async fn shrunk(
    args: &ShrinkArgs,
    scenario: Scenario,
    output: Option<ScenarioFile>,
    stop: CancellationToken,
) -> Result<Exit> {
    let Some((pair, breakage)) = find_break(args, &scenario, &stop).await? else {
        eprintln!("interrupted before a break was found: nothing was written");
        return Ok(Exit::Interrupted);
    };
    eprintln!("{}: {pair} ends `{}`", scenario.id, breakage.outcome());
    let pair = Arc::new(pair);
    let spinner = Spinner::start(&format!("shrinking {}", scenario.id));
    let watcher = move |progress: Progress<'_>| match progress {
        Progress::Trying(runs) => spinner.line(&format!("run {runs}")),
        Progress::Took(step) => {
            let (what, before, after) = (neutralised(&step.what), step.before, step.after);
            spinner.say(&format!("{before:>8} -> {after:<8} {what}  (run {})", step.runs));
        }
    };
    let limits = Limits { runs: args.max_runs, time: args.shrink_timeout };
    let reduced = shrink(Arc::clone(&pair), scenario.clone(), breakage.clone(), limits, Box::new(watcher), stop);
    let reduced = reduced.await?;
    pair.close().await;
    let about = format!("{}: {pair} still ends `{}`", scenario.id, breakage.outcome());
    write(output, &reduced, &about)?;
    eprintln!("{}", sum(&reduced));
    Ok(match reduced.ending {
        Ending::Minimal | Ending::Halted(Halt::OutOfRuns | Halt::OutOfTime) => Exit::Success,
        Ending::Halted(Halt::Interrupted) => Exit::Interrupted,
    })
}

/// Finds the first pair between which the scenario breaks, and the breakage. Returns `None` if interrupted.
async fn find_break(
    args: &ShrinkArgs,
    scenario: &Scenario,
    stop: &CancellationToken,
) -> Result<Option<(PeerPair, Breakage)>> {
    let client = canonical(args.client.as_deref(), &ClientPeer::mock)?;
    let command = args.command.client()?;
    let server = canonical(args.server.as_deref(), &ServerPeer::mock)?;
    let wanted = Wanted {
        client: client.as_slice(),
        command: command.as_ref(),
        server: server.as_slice(),
        peers: args.peers.as_deref(),
        no_peers: args.no_peers,
        fleet: true,
        has_baseline: false,
        built_in: BuiltInPeers::Mocks,
        install: Install::OnlyNamed,
    };
    let mut selection = PeerSelection::resolve(&wanted, stop, &InstallProgress::default()).await?;
    if let Some(missing) = selection.missing.first() {
        bail!("{missing}; nothing was tested");
    }
    let named =
        |peer: &&PeerInfo| [&args.client, &args.server].into_iter().flatten().any(|name| name == peer.id().as_str());
    if let Some(peer) = selection.peers.infos().find(|peer| peer.recording().is_some() && named(peer)) {
        bail!("{} was recorded on another machine, and `shrink` has to start it: name another", peer.id());
    }
    selection.peers.clients.retain(|peer| peer.recording().is_none());
    selection.peers.servers.retain(|peer| peer.recording().is_none());
    choose_mocks(&mut selection.peers, &wanted);
    let programs = own_programs()?;
    let mut search = search(args, scenario, selection, programs.clone())?;
    look_in_order(&mut search);
    let (clients, servers) = (search.clients.clone(), search.servers.clone());
    let record = run(search, &mut [], stop.clone()).await?;
    if stop.is_cancelled() {
        return Ok(None);
    }
    let Some(found) = first_break(&record) else { bail!("{}", does_not_break(&args.scenario, &record)) };
    let client = clients.iter().find(|peer| *peer.id() == found.client).cloned();
    let server = servers.iter().find(|peer| *peer.id() == found.server).cloned();
    let (Some(client), Some(server)) = (client, server) else {
        bail!("the check {} has no client and server, which is a defect of mcp-compat", found.id);
    };
    let timeouts = Timeouts { step: args.timeout, ..Timeouts::default() };
    let pair = PeerPair::new(client, server, found.transport, timeouts, programs);
    let verdict = pair.play(scenario).await;
    match Breakage::of(&verdict) {
        Some(breakage) => Ok(Some((pair, breakage))),
        None => {
            pair.close().await;
            bail!(
                "{}: {pair} ended `{}`, then `{}`: what does not break every time cannot be shrunk",
                args.scenario,
                found.outcome,
                verdict.outcome
            )
        }
    }
}

/// Returns the id of a mock as lists show it, also of one that does not play by default; any other name is unchanged.
fn canonical<P: AsRef<PeerInfo>>(
    name: Option<&str>,
    mock: &dyn Fn(&str) -> Result<P, PeerError>,
) -> Result<Vec<String>> {
    let canonical = |name: &str| {
        let is_mock = BuiltIn::of(name).is_some() && !Glob::is_pattern(name);
        if is_mock { Ok(mock(name)?.as_ref().id().to_string()) } else { Ok(name.to_owned()) }
    };
    name.into_iter().map(canonical).collect()
}

/// Keeps the mocks that are named, or the reference mocks if none is. The other mocks deviate on purpose, so a break
/// with them shows nothing about the scenario.
fn choose_mocks(fleet: &mut PeerSet, wanted: &Wanted<'_>) {
    let is_conclusive = |peer: &PeerInfo| peer.is_reference() || !peer.id().is_mock();
    if wanted.client.is_empty() && wanted.command.is_none() {
        fleet.clients.retain(|peer| is_conclusive(peer.as_ref()));
    }
    if wanted.server.is_empty() {
        fleet.servers.retain(|peer| is_conclusive(peer.as_ref()));
    }
}

fn search(args: &ShrinkArgs, scenario: &Scenario, selection: PeerSelection, programs: Programs) -> Result<Run> {
    let request = Request {
        clients: selection.clients,
        servers: selection.servers,
        transports: transports(args.transport.as_slice()),
        coverage: Coverage::Pairwise,
        step_timeout: Some(args.timeout),
        programs,
        ..Request::default()
    };
    Ok(request.prepare(&selection.peers, &[Arc::new(scenario.clone())], None)?)
}

fn does_not_break(scenario: &str, record: &Record) -> String {
    match &record.cells[..] {
        [] => format!("{scenario}: no client and server of these share a revision"),
        [CellRecord { client, server, transport, outcome, rating, reason, .. }] => {
            let how = if *rating == Rating::Skipped { "has no result between" } else { "does not break between" };
            format!("{scenario} {how} {client} and {server} over {transport}: it ends `{outcome}`. {reason}")
        }
        cells => {
            let pairs: BTreeSet<_> = cells.iter().map(|cell| (&cell.client, &cell.server)).collect();
            let between = match pairs.first() {
                Some((client, server)) if pairs.len() == 1 => format!("{client} and {server}, over any transport"),
                Some(_) | None => format!("any of the {} pairs that were tested", pairs.len()),
            };
            format!("{scenario} does not break between {between}: name others with --client and --server")
        }
    }
}

/// Writes the scenario, with its origin at its top.
fn write(output: Option<ScenarioFile>, reduced: &Reduced, about: &str) -> Result<()> {
    let mut draft = drafted(&reduced.scenario).context(HarnessFailed("writing the scenario"))?;
    let note = match reduced.ending {
        Ending::Minimal => String::new(),
        Ending::Halted(Halt::Interrupted) => format!("\nNot the smallest: interrupted after {} runs.", reduced.runs),
        Ending::Halted(Halt::OutOfRuns) => {
            format!("\nNot the smallest: {} runs (--max-runs) were not enough.", reduced.runs)
        }
        Ending::Halted(Halt::OutOfTime) => {
            format!("\nNot the smallest: the time (--shrink-timeout) was over after {} runs.", reduced.runs)
        }
    };
    draft.heading = format!("Shrunk from {about}.{note}");
    if let Some(mut file) = output {
        return file.write(&file.text(&draft));
    }
    let written = draft.write("shrunk");
    if !written.beside.is_empty() {
        bail!(
            "the scenario has bytes that TOML cannot represent, so it needs a second file: name the first with -o FILE"
        );
    }
    print!("{}", written.text);
    Ok(())
}

fn sum(reduced: &Reduced) -> String {
    let Reduced { before, after, runs, ending, .. } = reduced;
    let end = match ending {
        Ending::Minimal if before == after => "nothing could go",
        Ending::Minimal => "nothing more can be removed",
        Ending::Halted(Halt::Interrupted) => "interrupted: it may not be the smallest",
        Ending::Halted(Halt::OutOfTime) => "no time left: it may not be the smallest; --shrink-timeout allows more",
        Ending::Halted(Halt::OutOfRuns) => "no runs left: it may not be the smallest; --max-runs allows more",
    };
    format!("size {before} -> {after} in {runs} runs; {end}")
}
