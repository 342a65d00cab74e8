//! Checks and collects everything that a run needs, before anything is played.
//!
//! ```text
//! RunArgs ──> scenarios, baseline, reports, peers ──> Ready ──> Request
//! ```

use anyhow::{Result, bail};
use clap::ValueEnum as _;
use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::Record;
use mcp_compat_run::peer::ClientPeer;
use mcp_compat_run::request::{Request, part_of_matrix};
use mcp_compat_run::store::Store;
use tokio_util::sync::CancellationToken;

use super::args::RunArgs;
use crate::inputs::corpus::{Corpus, Embedded};
use crate::inputs::peer_selection::{Install, PeerSelection, Wanted};
use crate::install_progress::InstallProgress;
use crate::known_breaks::{self, KnownBreaks, Unchecked};
use crate::output::eprintln;
use crate::report_output::{Format, Reports};
use crate::runtime::own_programs;
use crate::values::transports;

/// Checked input of a run.
pub(super) struct Ready {
    pub(super) corpus: Corpus,
    pub(super) baseline: Option<KnownBreaks>,
    pub(super) reports: Reports,
    pub(super) peers: PeerSelection,
}

impl Ready {
    /// Checks the input and installs peers. Returns `None` if `stop` was cancelled before all peers were installed.
    pub(super) async fn make(args: &RunArgs, stop: &CancellationToken) -> Result<Option<Self>> {
        let corpus = gather(args)?;
        let baseline = Unchecked::of_run(args.baseline.as_deref(), embedded(args))?;
        let reports = args.reports()?;
        if let (true, Some(format)) = (args.watch, reports.printed().filter(|format| *format != Format::Terminal)) {
            let name = format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
            bail!("--watch prints each round for people. Give the format a file, as in --format {name}=FILE");
        }
        let command = args.command.client()?;
        let peers = PeerSelection::resolve(&wanted(args, command.as_ref()), stop, &InstallProgress::default()).await?;
        if stop.is_cancelled() {
            eprintln!("interrupted while SDK releases were being installed: nothing was tested");
            return Ok(None);
        }
        let matrix =
            |is_asked_for: &dyn Fn(&ScenarioId) -> bool| part_of_matrix(&peers.known, &corpus.scenarios, is_asked_for);
        let baseline = baseline.map(|baseline| baseline.checked(matrix)).transpose()?;
        Ok(Some(Self { corpus, baseline, reports, peers }))
    }
}

/// Reads the scenarios that the arguments name.
pub(super) fn gather(args: &RunArgs) -> Result<Corpus> {
    // A baseline file of the user is compared with all scenarios that can be played.
    let patterns = if has_baseline(args) { &[][..] } else { &args.scenario };
    Corpus::gather(&args.scenarios, embedded(args), patterns)
}

/// Returns whether the run has a baseline file of the user.
fn has_baseline(args: &RunArgs) -> bool {
    args.baseline.as_deref().is_some_and(known_breaks::is_own)
}

const fn embedded(args: &RunArgs) -> Embedded {
    if args.no_corpus { Embedded::NotPlayed } else { Embedded::Played }
}

pub(super) fn wanted<'a>(args: &'a RunArgs, command: Option<&'a ClientPeer>) -> Wanted<'a> {
    Wanted {
        client: &args.client,
        command,
        server: &args.server,
        peers: args.peers.as_deref(),
        no_peers: args.no_peers,
        fleet: args.fleet,
        has_baseline: has_baseline(args),
        built_in: args.built_in(),
        install: Install::AllSelected,
    }
}

pub(super) fn request(args: &RunArgs, peers: &PeerSelection) -> Result<Request> {
    Ok(Request {
        scenarios: args.scenario.clone(),
        clients: peers.clients.clone(),
        servers: peers.servers.clone(),
        transports: transports(&args.transport),
        revision: args.revision,
        coverage: args.coverage.into(),
        shard: args.shard,
        jobs: args.jobs.map(usize::from),
        step_timeout: Some(args.timeout),
        run_timeout: Some(args.run_timeout),
        started: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        programs: own_programs()?,
        logs: Some(Store::logs(&args.out)),
        peer_memory: Some(args.peer_memory),
    })
}

/// Prints the number of cells that were played if time ran out.
pub(super) fn report_time_out(record: &Record, planned: usize) {
    if !record.complete {
        let played = record.cells.len();
        eprintln!("the time of --run-timeout is over: {played} of {planned} checks were done");
    }
}
