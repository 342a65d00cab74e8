//! Checks and collects everything that a run needs, before anything is played.
//!
//! ```text
//! RunArgs ──> scenarios, baseline, report files, peers ──> Ready ──> Request
//! ```

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::Record;
use mcp_compat_reports::view::View;
use mcp_compat_reports::{junit, markdown};
use mcp_compat_run::peer::ClientPeer;
use mcp_compat_run::request::{Request, part_of_matrix};
use mcp_compat_run::store::{FILES, Store};
use tokio_util::sync::CancellationToken;

use super::args::RunArgs;
use crate::inputs::corpus::{Corpus, Embedded};
use crate::inputs::peer_selection::{Install, PeerSelection, Wanted};
use crate::install_progress::InstallProgress;
use crate::known_breaks::{self, KnownBreaks, Unchecked};
use crate::output::eprintln;
use crate::report_output::write_report;
use crate::runtime::own_programs;
use crate::values::transports;

/// Checked input of a run.
pub(super) struct Ready {
    pub(super) corpus: Corpus,
    pub(super) baseline: Option<KnownBreaks>,
    pub(super) outputs: Outputs,
    pub(super) peers: PeerSelection,
}

impl Ready {
    /// Checks the input and installs peers. Returns `None` if `stop` was cancelled before all peers were installed.
    pub(super) async fn make(args: &RunArgs, stop: &CancellationToken) -> Result<Option<Self>> {
        let corpus = gather(args)?;
        let baseline = Unchecked::of_run(args.baseline.as_deref(), embedded(args))?;
        let outputs = Outputs::check(&args.out, args.junit.as_deref(), args.markdown.as_deref())?;
        let command = args.command.client()?;
        let peers = PeerSelection::resolve(&wanted(args, command.as_ref()), stop, &InstallProgress::default()).await?;
        if stop.is_cancelled() {
            eprintln!("interrupted while SDK releases were being installed: nothing was tested");
            return Ok(None);
        }
        let matrix =
            |is_asked_for: &dyn Fn(&ScenarioId) -> bool| part_of_matrix(&peers.known, &corpus.scenarios, is_asked_for);
        let baseline = baseline.map(|baseline| baseline.checked(matrix)).transpose()?;
        Ok(Some(Self { corpus, baseline, outputs, peers }))
    }
}

/// Reads the scenarios that the arguments name.
pub(super) fn gather(args: &RunArgs) -> Result<Corpus> {
    // A baseline file of the user is compared with all scenarios that can be played.
    let is_own = args.baseline.as_deref().is_some_and(known_breaks::is_own);
    let patterns = if is_own { &[][..] } else { &args.scenario };
    Corpus::gather(&args.scenarios, embedded(args), patterns)
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

/// Paths of the reports that a run also writes to files.
#[derive(Debug)]
pub(super) struct Outputs {
    junit: Option<PathBuf>,
    markdown: Option<PathBuf>,
}

impl Outputs {
    /// Checks that each file can be written and differs from the files that a run keeps in `folder`. An existing file
    /// is not changed until the run is over.
    pub(super) fn check(folder: &Path, junit: Option<&Path>, markdown: Option<&Path>) -> Result<Self> {
        let mut taken: Vec<PathBuf> = FILES.iter().map(|name| place(&folder.join(name))).collect();
        for path in [junit, markdown].into_iter().flatten() {
            let place = place(path);
            if taken.contains(&place) {
                bail!("{} is written for something else, too: give the report another name", path.display());
            }
            // A device such as /dev/stdout accepts any number of reports.
            if path.metadata().is_ok_and(|there| !there.is_file()) {
                continue;
            }
            taken.push(place);
        }
        for path in [junit, markdown].into_iter().flatten() {
            check_writable(path)
                .with_context(|| format!("cannot open the report {}; nothing was run", path.display()))?;
        }
        Ok(Self { junit: junit.map(Path::to_owned), markdown: markdown.map(Path::to_owned) })
    }

    pub(super) fn write(&self, view: &View<'_>) -> Result<()> {
        if let Some(path) = &self.junit {
            write_report(path, &junit::render(view.record).map_err(|error| anyhow!("writing JUnit: {error}"))?)?;
        }
        if let Some(path) = &self.markdown {
            write_report(path, &markdown::render(view))?;
        }
        Ok(())
    }
}

/// Returns the path with its folder made canonical, if the folder exists.
fn place(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (absolute.parent().and_then(|folder| folder.canonicalize().ok()), absolute.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        (_, _) => absolute,
    }
}

/// Creates the folder of a report and checks that it is writable. The report itself is not created.
fn check_writable(path: &Path) -> std::io::Result<()> {
    if path.exists() {
        return OpenOptions::new().append(true).open(path).map(drop);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    tempfile::tempfile_in(folder).map(drop)
}
