//! The cargo-test API: the corpus against your implementation, from a test.
//!
//! ```no_run
//! use mcp_compat::{Peer, Suite};
//!
//! // In `tests/compat.rs`: one call, one assertion.
//! # fn main() -> Result<(), mcp_compat::SuiteError> {
//! let report = Suite::new().peers(Peer::from_manifest("peers/my-sdk/peer.toml")?).run()?;
//! report.assert_no_breaks();
//! # Ok(())
//! # }
//! ```
//!
//! For one named test a cell, let [`Suite::main`] be the `main` of a test target with `harness = false`; filters,
//! `--list` and nextest then work as they do for any test.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use mcp_compat_drive::Tap;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{Cell, Transport};
use mcp_compat_scenario::Scenario;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::baseline::{Baseline, BaselineError};
use crate::failure;
use crate::fleet::Fleet;
use crate::hosts::HostError;
use crate::peer::{Peer, PeerError};
use crate::plan::Coverage;
use crate::request::{Request, RequestError};
use crate::run::{Run, Stage, run};
use crate::runtime;

/// The corpus, the peers to be tested, and the reference peers that they are held against.
#[derive(Debug, Default)]
pub struct Suite {
    subjects: Vec<Peer>,
    request: Request,
    baseline: Option<PathBuf>,
}

/// Why a suite could not be run. What a peer does wrong is never an error; it stands in the report.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A peer cannot be used.
    #[error(transparent)]
    Peer(#[from] PeerError),
    /// The selection cannot be made.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The baseline cannot be read.
    #[error("reading the baseline {}: {error}", .path.display())]
    BaselineFile {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The baseline cannot be used.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// The corpus has a mistake.
    #[error("the corpus has a mistake:\n{0}")]
    Corpus(String),
    /// The harness failed.
    #[error(transparent)]
    Host(#[from] HostError),
    /// No runtime could be started.
    #[error("starting the runtime: {0}")]
    Runtime(std::io::Error),
}

impl Suite {
    /// A suite without subjects: the reference peers against each other.
    #[must_use]
    pub fn new() -> Self {
        Self { request: Request { coverage: Coverage::Everything, ..Request::default() }, ..Self::default() }
    }

    /// Adds a peer to be tested.
    #[must_use]
    pub fn peer(self, peer: Peer) -> Self {
        self.peers([peer])
    }

    /// Adds peers to be tested: servers meet the reference clients, clients the reference servers, and nobody else.
    #[must_use]
    pub fn peers(mut self, peers: impl IntoIterator<Item = Peer>) -> Self {
        self.subjects.extend(peers);
        self
    }

    /// Plays only the scenarios that the glob selects; call it again to add to them.
    #[must_use]
    pub fn scenarios(mut self, glob: impl Into<String>) -> Self {
        self.request.scenarios.push(glob.into());
        self
    }

    /// Uses only this transport; call it again to add to them.
    #[must_use]
    pub fn transport(mut self, transport: Transport) -> Self {
        self.request.transports.push(transport);
        self
    }

    /// Takes known breaks from a file, usually beside the test.
    #[must_use]
    pub fn baseline(mut self, path: impl AsRef<Path>) -> Self {
        self.baseline = Some(path.as_ref().to_owned());
        self
    }

    /// Runs everything and returns the report.
    ///
    /// # Errors
    /// When the input is wrong or the harness fails; never because of what a peer does.
    pub fn run(self) -> Result<Report, SuiteError> {
        let (run_it, baseline) = self.prepare()?;
        let (_keep, stop) = watch::channel(false);
        let played = runtime::finish(|| run(run_it, &mut [], stop));
        let mut record = played.map_err(SuiteError::Runtime)??;
        if let Some(baseline) = baseline {
            baseline.settle(&mut record);
        }
        Ok(Report { record })
    }

    /// Runs one named test a cell, as the `main` of a test target with `harness = false`.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let arguments = Arguments::from_args();
        match self.trials() {
            Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
            Err(error) => {
                let refuse = move || Err(Failed::from(error.to_string()));
                // Whatever was selected: a suite that cannot be run must not pass.
                let arguments = Arguments { filter: None, skip: Vec::new(), ignored: false, ..arguments };
                libtest_mimic::run(&arguments, vec![Trial::test("mcp-compat", refuse)]).exit_code()
            }
        }
    }

    /// One named test a cell, for a runner of your own.
    ///
    /// # Errors
    /// When the input is wrong or the harness fails.
    pub fn trials(self) -> Result<Vec<Trial>, SuiteError> {
        let (run, baseline) = self.prepare()?;
        let runtime = Arc::new(Runtime::new().map_err(SuiteError::Runtime)?);
        let stage = Arc::new(runtime.block_on(Stage::new(&run))?);
        let baseline = Arc::new(baseline.unwrap_or_default());
        let trial = |cell: Cell| {
            let (runtime, stage, baseline) = (Arc::clone(&runtime), Arc::clone(&stage), Arc::clone(&baseline));
            Trial::ignorable_test(cell.id().as_str(), move || {
                let (mut record, _) = runtime.block_on(stage.play(&cell, Tap::default()));
                conclude(&mut record, &stage.scenario(&cell.scenario).title, &baseline)
            })
        };
        Ok(run.plan.cells.into_iter().map(trial).collect())
    }

    fn prepare(self) -> Result<(Run, Option<Baseline>), SuiteError> {
        let corpus =
            mcp_compat_scenario::corpus::load().map_err(|diagnostics| SuiteError::Corpus(diagnostics.render(false)))?;
        let corpus: Vec<Arc<Scenario>> = corpus.into_iter().map(Arc::new).collect();
        let baseline = self.baseline.as_deref().map(read_baseline).transpose()?;
        let references = Fleet::references();
        let run = if self.subjects.is_empty() {
            self.request.prepare(&references, &corpus, baseline.as_ref())?
        } else {
            let (fleet, tested) = counterparts(self.subjects, references);
            let mut run = self.request.prepare(&fleet, &corpus, baseline.as_ref())?;
            run.plan.cells.retain(tested);
            run
        };
        if run.plan.cells.is_empty() {
            return Err(RequestError::Empty("none of the peers to be tested is in it".to_owned()).into());
        }
        Ok((run, baseline))
    }
}

/// The subjects and the reference peers, and which of their cells hold one against the other.
fn counterparts(subjects: Vec<Peer>, references: Fleet) -> (Fleet, impl Fn(&Cell) -> bool) {
    let mut fleet = Fleet::default();
    fleet.extend(subjects);
    let ids = |peers: &[Peer]| peers.iter().map(|peer| peer.id().clone()).collect::<BTreeSet<_>>();
    let (clients, servers) = (ids(&fleet.clients), ids(&fleet.servers));
    fleet.clients.extend(references.clients.into_iter().filter(|peer| !clients.contains(peer.id())));
    fleet.servers.extend(references.servers.into_iter().filter(|peer| !servers.contains(peer.id())));
    (fleet, move |cell: &Cell| clients.contains(&cell.client) != servers.contains(&cell.server))
}

fn read_baseline(path: &Path) -> Result<Baseline, SuiteError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| SuiteError::BaselineFile { path: path.to_owned(), error })?;
    Ok(Baseline::parse(&path.display().to_string(), &text)?)
}

fn conclude(cell: &mut CellRecord, title: &str, baseline: &Baseline) -> Result<Completion, Failed> {
    if let Some(stale) = baseline.settle_cells(std::slice::from_mut(cell)).first() {
        return Err(failure::of_stale(stale).into());
    }
    match cell.rating {
        Rating::Skipped => Ok(Completion::ignored_with(cell.reason.clone())),
        Rating::Breaks if cell.known.is_none() => Err(failure::of_cell(cell, title).into()),
        Rating::Works | Rating::Degraded | Rating::Breaks => Ok(Completion::Completed),
    }
}

/// What a suite found.
#[derive(Clone, Debug)]
pub struct Report {
    record: Record,
}

impl Report {
    /// The record of the run.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The cells that break and that no baseline knows of.
    pub fn breaks(&self) -> impl Iterator<Item = &CellRecord> {
        self.record.cells.iter().filter(|cell| cell.is_new_break())
    }

    /// Passes when nothing breaks but what the baseline knows of, the baseline has no stale entry, and something was
    /// proven at all.
    ///
    /// # Panics
    /// When there is a new break, with each distinct cause told once; or a stale entry; or when no cell was judged, or
    /// the run was not played to its end.
    #[track_caller]
    pub fn assert_no_breaks(&self) {
        let told = failure::of_run(&self.record);
        assert!(told.is_empty(), "{told}");
    }
}
