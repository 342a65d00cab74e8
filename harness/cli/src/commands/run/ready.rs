//! Everything that a run needs, checked before anything is played.
//!
//! ```text
//! RunArgs ──> scenarios, baseline, report files, peers ──> Ready ──> Request
//! ```

use anyhow::{Context as _, Result};
use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::Record;
use mcp_compat_run::peer::ClientPeer;
use mcp_compat_run::programs::Programs;
use mcp_compat_run::request::Request;
use mcp_compat_run::request::part_of_matrix;
use mcp_compat_run::store::Store;
use tokio_util::sync::CancellationToken;

use super::args::RunArgs;
use crate::inputs::corpus::{Corpus, Embedded};
use crate::inputs::peer_selection::{Install, PeerSelection, Wanted};
use crate::install_progress::InstallProgress;
use crate::known_breaks::{self, KnownBreaks, Unchecked};
use crate::output::eprintln;
use crate::outputs::Outputs;
use crate::values::transports;

/// Everything that a run needs, checked.
pub(super) struct Ready {
    pub(super) corpus: Corpus,
    pub(super) baseline: Option<KnownBreaks>,
    pub(super) outputs: Outputs,
    pub(super) peers: PeerSelection,
}

impl Ready {
    /// Returns `None` if `stop` was cancelled before all peers were installed.
    pub(super) async fn make(args: &RunArgs, stop: &CancellationToken) -> Result<Option<Self>> {
        let corpus = gather(args)?;
        let baseline = Unchecked::of_run(args.baseline.as_deref(), embedded(args))?;
        let outputs = Outputs::open(&args.out, args.junit.as_deref(), args.markdown.as_deref())?;
        let command = args.command.client()?;
        let peers = PeerSelection::resolve(&wanted(args, command.as_ref()), stop, &InstallProgress::default()).await?;
        if stop.is_cancelled() {
            eprintln!("interrupted while peers were being installed: nothing was played");
            return Ok(None);
        }
        let matrix =
            |is_asked_for: &dyn Fn(&ScenarioId) -> bool| part_of_matrix(&peers.known, &corpus.scenarios, is_asked_for);
        let baseline = baseline.map(|baseline| baseline.checked(matrix)).transpose()?;
        Ok(Some(Self { corpus, baseline, outputs, peers }))
    }
}

/// The scenarios that the arguments name.
pub(super) fn gather(args: &RunArgs) -> Result<Corpus> {
    // A baseline of the user's own is held against all that can be played.
    let is_own = args.baseline.as_deref().is_some_and(known_breaks::is_own);
    let patterns = if is_own { &[][..] } else { &args.scenario };
    Corpus::gather(&args.scenarios, embedded(args), patterns)
}

const fn embedded(args: &RunArgs) -> Embedded {
    if args.no_corpus { Embedded::LeftOut } else { Embedded::Played }
}

/// The peers that the arguments name.
pub(super) fn wanted<'a>(args: &'a RunArgs, command: Option<&'a ClientPeer>) -> Wanted<'a> {
    Wanted {
        client: &args.client,
        command,
        server: &args.server,
        peers: args.peers.as_deref(),
        no_peers: args.no_peers,
        fleet: args.fleet,
        install: Install::AllSelected,
    }
}

/// What the arguments ask for.
pub(super) fn request(args: &RunArgs, peers: &PeerSelection) -> Result<Request> {
    Ok(Request {
        scenarios: args.scenario.clone(),
        clients: peers.clients.clone(),
        servers: peers.servers.clone(),
        transports: transports(&args.transport),
        coverage: args.coverage.into(),
        shard: args.shard,
        jobs: args.jobs.map(usize::from),
        step_timeout: Some(args.timeout),
        run_timeout: Some(args.run_timeout),
        started: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        programs: Programs::CommandLine(std::env::current_exe().context("cannot find the program of this process")?),
        logs: Some(Store::logs(&args.out)),
        peer_memory: Some(args.peer_memory),
    })
}

/// Says how far a run came that was not ended by the user.
pub(super) fn report_time_out(record: &Record, planned: usize) {
    if !record.complete {
        let played = record.cells.len();
        eprintln!("the time of --run-timeout is over: {played} of {planned} cells were played");
    }
}
