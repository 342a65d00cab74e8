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
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use mcp_compat_drive::Tap;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{Cell, PeerId, Transport};
use mcp_compat_scenario::Scenario;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::baseline::{Baseline, Renewal};
use crate::baseline_file::{BaselineFile, BaselineFileError};
use crate::cargo_bin::CargoBinError;
use crate::events::Event;
use crate::failure::{self, Stories, Story};
use crate::fleet::Fleet;
use crate::hosts::HostError;
use crate::peer::{Peer, PeerError};
use crate::plan::Coverage;
use crate::request::{Request, RequestError, whole_matrix};
use crate::run::{Run, Stage, run};
use crate::runtime;

/// The corpus, the peers to be tested, and the reference peers that they are held against.
#[derive(Debug, Default)]
pub struct Suite {
    subjects: Vec<Peer>,
    counterparts: Vec<Peer>,
    request: Request,
    baseline: Option<PathBuf>,
}

/// Why a suite could not be run. What a peer does wrong is never an error; it stands in the report.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A peer cannot be used.
    #[error(transparent)]
    Peer(#[from] PeerError),
    /// A binary of the package under test could not be built.
    #[error(transparent)]
    Binary(#[from] CargoBinError),
    /// The selection cannot be made.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The baseline cannot be used.
    #[error(transparent)]
    Baseline(#[from] BaselineFileError),
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

    /// Adds peers to be tested: servers meet the counterparts that are clients, clients those that are servers, and
    /// nobody else.
    #[must_use]
    pub fn peers(mut self, peers: impl IntoIterator<Item = Peer>) -> Self {
        self.subjects.extend(peers);
        self
    }

    /// Names whom the peers are held against; call it again to add to them. Unless it is called, those are
    /// [`clients::reference`](crate::clients::reference) and [`servers::reference`](crate::servers::reference).
    #[must_use]
    pub fn against(mut self, counterparts: impl IntoIterator<Item = Peer>) -> Self {
        self.counterparts.extend(counterparts);
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

    /// How long each step of a cell may take, 5 seconds unless said: more, where the machine that tests is busy.
    #[must_use]
    pub fn step_timeout(mut self, timeout: Duration) -> Self {
        self.request.step_timeout = Some(timeout);
        self
    }

    /// Takes known breaks from a file, usually beside the test. With `MCP_COMPAT_BASELINE=update` in the environment the
    /// file is made anew from what the run finds: look at the difference before you commit it.
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
        let Prepared { run: asked, baseline, matrix, local } = self.prepare()?;
        let (_keep, stop) = watch::channel(false);
        let scenarios = asked.scenarios.clone();
        let mut stories = Stories { local, ..Stories::default() };
        let mut tell = |event: Event<'_>| {
            if let Event::Recorded { cell, evidence } = event
                && cell.rating == Rating::Breaks
                && let Some(scenario) = scenarios.iter().find(|scenario| scenario.id == cell.scenario)
            {
                stories.of.insert(cell.id.clone(), Story::of(scenario, cell, evidence));
            }
        };
        let played = runtime::finish(|| async { run(asked, &mut [&mut tell], stop).await });
        let mut record = played.map_err(SuiteError::Runtime)??;
        let renewal = match baseline {
            Some(baseline) => baseline.settle(&mut record, &matrix)?,
            None => None,
        };
        Ok(Report { record, stories, renewal })
    }

    /// Runs one named test a cell, as the `main` of a test target with `harness = false`.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let arguments = Arguments::from_args();
        // Whatever was selected: a suite that cannot be run must not pass, and a baseline is made of all that there is.
        let all = || Arguments {
            filter: None,
            skip: Vec::new(),
            // What is listed as ignored is not run by nextest.
            ignored: arguments.ignored && arguments.list,
            ..arguments.clone()
        };
        if self.renews() {
            let renew = move || {
                let report = self.run().map_err(|error| Failed::from(error.to_string()))?;
                if let Some(renewal) = report.renewal {
                    // That nobody can be told is no reason to fail: the file says it too.
                    let _ = writeln!(std::io::stderr(), "the baseline: {renewal}");
                }
                Ok(())
            };
            return libtest_mimic::run(&all(), vec![Trial::test("baseline", renew)]).exit_code();
        }
        match self.trials() {
            Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
            Err(error) => {
                let refuse = move || Err(Failed::from(error.to_string()));
                libtest_mimic::run(&all(), vec![Trial::test("mcp-compat", refuse)]).exit_code()
            }
        }
    }

    /// Whether there is a baseline that this run makes anew.
    fn renews(&self) -> bool {
        self.baseline.as_deref().is_some_and(|path| BaselineFile::open(path).is_ok_and(|file| file.renews()))
    }

    /// One named test a cell, for a runner of your own.
    ///
    /// # Errors
    /// When the input is wrong or the harness fails.
    pub fn trials(self) -> Result<Vec<Trial>, SuiteError> {
        let Prepared { run, baseline, local, .. } = self.prepare()?;
        let runtime = Arc::new(Runtime::new().map_err(SuiteError::Runtime)?);
        let stage = Arc::new(runtime.block_on(Stage::new(&run))?);
        let baseline = Arc::new(baseline.map(|file| file.baseline().clone()).unwrap_or_default());
        let local = Arc::new(local);
        let trial = |cell: Cell| {
            let (runtime, stage, baseline) = (Arc::clone(&runtime), Arc::clone(&stage), Arc::clone(&baseline));
            let (local, name) = (Arc::clone(&local), test_name(&cell));
            Trial::ignorable_test(name.clone(), move || {
                let (mut record, evidence) = runtime.block_on(stage.play(&cell, Tap::default()));
                conclude(&mut record, &baseline, |record| {
                    let story = Story::of(stage.scenario(&cell.scenario), record, &evidence);
                    let by_name = format!("cargo test -- --exact '{name}'");
                    let again: Vec<String> = [by_name].into_iter().chain(failure::command(record, &local)).collect();
                    failure::of_cell(record, &story, &again)
                })
            })
        };
        Ok(run.plan.cells.into_iter().map(trial).collect())
    }

    fn prepare(self) -> Result<Prepared, SuiteError> {
        let corpus =
            mcp_compat_scenario::corpus::load().map_err(|diagnostics| SuiteError::Corpus(diagnostics.render(false)))?;
        let corpus: Vec<Arc<Scenario>> = corpus.into_iter().map(Arc::new).collect();
        let file = self.baseline.as_deref().map(BaselineFile::open).transpose()?;
        let baseline = file.as_ref().map(BaselineFile::baseline);
        let others = facing(self.counterparts);
        let (fleet, run) = if self.subjects.is_empty() {
            let run = self.request.prepare(&others, &corpus, baseline)?;
            (others, run)
        } else {
            let (fleet, tested) = paired(self.subjects, others);
            let mut run = self.request.prepare(&fleet, &corpus, baseline)?;
            run.plan.cells.retain(tested);
            (fleet, run)
        };
        if run.plan.cells.is_empty() {
            return Err(RequestError::Empty("none of the peers to be tested is in it".to_owned()).into());
        }
        let renews = file.as_ref().is_some_and(BaselineFile::renews);
        let matrix = if renews { whole_matrix(&fleet, &corpus) } else { Vec::new() };
        let peers = fleet.clients.iter().chain(&fleet.servers);
        let local = peers.filter(|peer| peer.is_local()).map(|peer| peer.id().clone()).collect();
        Ok(Prepared { run, baseline: file, matrix, local })
    }
}

/// What a suite is about to do.
struct Prepared {
    run: Run,
    baseline: Option<BaselineFile>,
    /// Every cell that there could be, where the baseline is made anew.
    matrix: Vec<Cell>,
    /// The peers that only the test knows.
    local: BTreeSet<PeerId>,
}

/// Whom the subjects face: those that were named, and the reference peers on a side on which nobody was.
fn facing(named: Vec<Peer>) -> Fleet {
    let (references, mut fleet) = (Fleet::references(), Fleet::default());
    let mut seen = BTreeSet::new();
    fleet.extend(named.into_iter().filter(|peer| seen.insert((peer.record().role, peer.id().clone()))));
    if fleet.clients.is_empty() {
        fleet.clients = references.clients;
    }
    if fleet.servers.is_empty() {
        fleet.servers = references.servers;
    }
    fleet
}

/// The subjects and their counterparts, and which of their cells hold one against the other.
fn paired(subjects: Vec<Peer>, others: Fleet) -> (Fleet, impl Fn(&Cell) -> bool) {
    let mut fleet = Fleet::default();
    fleet.extend(subjects);
    let ids = |peers: &[Peer]| peers.iter().map(|peer| peer.id().clone()).collect::<BTreeSet<_>>();
    let (clients, servers) = (ids(&fleet.clients), ids(&fleet.servers));
    fleet.clients.extend(others.clients.into_iter().filter(|peer| !clients.contains(peer.id())));
    fleet.servers.extend(others.servers.into_iter().filter(|peer| !servers.contains(peer.id())));
    (fleet, move |cell: &Cell| clients.contains(&cell.client) != servers.contains(&cell.server))
}

/// The name of the test that a cell is: its id, with the words of the scenario parted as those of a module's path, so
/// that `cargo test -- root-type::array` finds it.
fn test_name(cell: &Cell) -> String {
    let (scenario, id) = (cell.scenario.as_str(), cell.id());
    format!("{}{}", scenario.replace('/', "::"), id.as_str().strip_prefix(scenario).unwrap_or_default())
}

fn conclude(
    cell: &mut CellRecord,
    baseline: &Baseline,
    tell: impl Fn(&CellRecord) -> String,
) -> Result<Completion, Failed> {
    if let Some(stale) = baseline.settle_cells(std::slice::from_mut(cell)).first() {
        return Err(failure::of_stale(stale).into());
    }
    match cell.rating {
        Rating::Skipped => Ok(Completion::ignored_with(cell.reason.clone())),
        Rating::Breaks if cell.known.is_none() => Err(tell(cell).into()),
        Rating::Works | Rating::Degraded | Rating::Breaks => Ok(Completion::Completed),
    }
}

/// What a suite found.
#[derive(Clone, Debug)]
pub struct Report {
    record: Record,
    stories: Stories,
    renewal: Option<Renewal>,
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
        let told = failure::of_run(&self.record, &self.stories);
        assert!(told.is_empty(), "{told}");
    }
}
