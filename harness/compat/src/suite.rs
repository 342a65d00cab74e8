//! Plays the corpus against an implementation of the protocol, from a test.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use mcp_compat_drive::{PreparationError, Tap};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{Cell, PeerId, Transport};
use mcp_compat_scenario::Scenario;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::error::SuiteError;
use crate::libtest;
use crate::report::Report;
use mcp_compat_reports::failure::{self, Stories, Story};
use mcp_compat_run::baseline_file::BaselineFile;
use mcp_compat_run::context::RunContext;
use mcp_compat_run::events::Event;
use mcp_compat_run::peer::{ClientPeer, Peer, PeerInfo, ServerPeer};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::Coverage;
use mcp_compat_run::request::{Request, RequestError, whole_matrix};
use mcp_compat_run::run::{Run, run};
use mcp_compat_run::runtime;

/// The corpus, the peers to be tested, and the peers that they play with.
///
/// The corpus scripts what a server answers, so a server plays it by an *adapter*: a program, or a future, that takes a
/// [`Script`](crate::peer_contract::Script) and offers its tools by means of the SDK. A client plays it by an adapter
/// that takes steps, or as a [`Client`](mcp_compat_run::in_process::Client). For a server with tools of its own there
/// is [`ServerUnderTest`](crate::ServerUnderTest).
///
/// # One call, one assertion
///
/// ```no_run
/// // tests/compat.rs
/// use mcp_compat::{ServerPeer, Suite, SuiteError, cargo_bin, clients};
///
/// # fn main() {}
/// #[test]
/// fn structured_output_reaches_every_client() -> Result<(), SuiteError> {
///     let server = ServerPeer::command("my-sdk@0.1.0", cargo_bin("compat-server")?)?;
///     let suite = Suite::new().peer(server).against(clients::reference()).against(clients::profiles());
///     suite.baseline("tests/known-breaks.toml").run()?.assert_no_breaks();
///     Ok(())
/// }
/// ```
///
/// # One named test a cell
///
/// With `harness = false` for the test target. `cargo test --test compat -- root-type::array` plays what it names,
/// `--list` names them all, and nextest runs them side by side.
///
/// ```no_run
/// // tests/compat.rs
/// use std::process::ExitCode;
///
/// use mcp_compat::{Suite, peers};
///
/// fn main() -> ExitCode {
///     let peers = peers::from_manifest("peers/my-sdk/peer.toml").unwrap_or_else(|error| panic!("{error}"));
///     Suite::new().peers(peers).baseline("tests/known-breaks.toml").main()
/// }
/// ```
///
/// # Picked, with rstest
///
/// ```no_run
/// use mcp_compat::{ClientPeer, ServerPeer, Suite, SuiteError, cargo_bin, servers};
/// use rstest::rstest;
///
/// # fn main() {}
/// #[rstest]
/// #[case::arrays("root-type/array", servers::dual())]
/// #[case::old_servers("fallback/*", servers::legacy())]
/// fn our_client(#[case] scenarios: &str, #[case] servers: Vec<ServerPeer>) -> Result<(), SuiteError> {
///     let client = ClientPeer::command("my-sdk@0.1.0", cargo_bin("compat-client")?)?;
///     Suite::new().peer(client).against(servers).scenarios(scenarios).run()?.assert_no_breaks();
///     Ok(())
/// }
/// ```
#[derive(Debug, Default)]
pub struct Suite {
    subjects: Vec<Peer>,
    against: Vec<Peer>,
    request: Request,
    baseline: Option<PathBuf>,
}

impl Suite {
    /// Creates a suite without subjects, which plays the reference peers against each other.
    #[must_use]
    pub fn new() -> Self {
        Self { request: Request { coverage: Coverage::Everything, ..Request::default() }, ..Self::default() }
    }

    /// Adds a peer to be tested.
    #[must_use]
    pub fn peer(self, peer: impl Into<Peer>) -> Self {
        self.peers([peer])
    }

    /// Adds peers to be tested. A server plays only with the clients, and a client only with the servers, that
    /// [`against`](Self::against) names.
    #[must_use]
    pub fn peers(mut self, peers: impl IntoIterator<Item = impl Into<Peer>>) -> Self {
        self.subjects.extend(peers.into_iter().map(Into::into));
        self
    }

    /// Names the peers that the tested peers play with. Call it again to add more. By default they are
    /// [`clients::reference`](crate::clients::reference) and [`servers::reference`](crate::servers::reference).
    #[must_use]
    pub fn against(mut self, peers: impl IntoIterator<Item = impl Into<Peer>>) -> Self {
        self.against.extend(peers.into_iter().map(Into::into));
        self
    }

    /// Plays only the scenarios that the glob selects. Call it again to add more.
    #[must_use]
    pub fn scenarios(mut self, glob: impl Into<String>) -> Self {
        self.request.scenarios.push(glob.into());
        self
    }

    /// Uses only this transport. Call it again to add more.
    #[must_use]
    pub fn transport(mut self, transport: Transport) -> Self {
        self.request.transports.push(transport);
        self
    }

    /// Sets the time limit for each step of a cell, 5 seconds by default. Raise it for a busy machine.
    #[must_use]
    pub fn step_timeout(mut self, timeout: Duration) -> Self {
        self.request.step_timeout = Some(timeout);
        self
    }

    /// Takes known breaks from a file, usually beside the test. With `MCP_COMPAT_BASELINE=update` in the environment
    /// the file is rewritten from what the run finds: review the difference before you commit it.
    #[must_use]
    pub fn baseline(mut self, path: impl AsRef<Path>) -> Self {
        self.baseline = Some(path.as_ref().to_owned());
        self
    }

    /// Runs everything and returns the report.
    ///
    /// # Errors
    /// When the input is wrong or the harness fails; never because a peer misbehaves.
    pub fn run(self) -> Result<Report, SuiteError> {
        let Prepared { run: asked, baseline, matrix, local } = self.prepare()?;
        let stop = CancellationToken::new();
        let scenarios = asked.scenarios.clone();
        let mut stories = Stories::new();
        let mut collect = |event: Event<'_>| {
            if let Event::Recorded { cell, evidence } = event
                && cell.rating == Rating::Breaks
                && let Some(scenario) = scenarios.iter().find(|scenario| scenario.id == cell.scenario)
            {
                let on_the_suite = format!("on the suite: .scenarios(\"{}\")", cell.scenario);
                let again = failure::command(cell, &local).into_iter().chain([on_the_suite]).collect();
                stories.insert(cell.id.clone(), Story { again, ..Story::of(scenario, cell, evidence) });
            }
        };
        let played = runtime::finish(|| async { run(asked, &mut [&mut collect], stop).await });
        let mut record = played.map_err(SuiteError::Runtime)??;
        let renewal = match baseline {
            Some(baseline) => baseline.settle(&mut record, &matrix)?,
            None => None,
        };
        Ok(Report::new(record, stories, renewal))
    }

    /// Runs a named test for each cell, as the `main` of a test target with `harness = false`.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let renews = libtest::renews(self.baseline.as_deref());
        libtest::main(renews, self, Self::run, Self::trials)
    }

    /// Returns a named test for each cell, for a runner of your own.
    ///
    /// # Errors
    /// When the input is wrong or the harness fails.
    pub fn trials(self) -> Result<Vec<Trial>, SuiteError> {
        let Prepared { run, baseline, local, .. } = self.prepare()?;
        let runtime = Arc::new(Runtime::new().map_err(SuiteError::Runtime)?);
        let context = Arc::new(RunContext::new(&run));
        let baseline = Arc::new(baseline.map(|file| file.baseline().clone()).unwrap_or_default());
        let local = Arc::new(local);
        let trial = |cell: Cell| {
            let (runtime, context, baseline) = (Arc::clone(&runtime), Arc::clone(&context), Arc::clone(&baseline));
            let (local, name) = (Arc::clone(&local), test_name(&cell));
            Trial::ignorable_test(name.clone(), move || {
                let (mut record, evidence) = runtime.block_on(context.play(&cell, Tap::default()));
                libtest::conclude(&mut record, &baseline, |record| {
                    let again = [libtest::by_name(&name)].into_iter().chain(failure::command(record, &local)).collect();
                    let story = Story::of(context.scenario(&cell.scenario), record, &evidence);
                    failure::of_cell(record, &Story { again, ..story })
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
        let others = opponents(self.against);
        let (fleet, mut run) = if self.subjects.is_empty() {
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
        // Building may take minutes, so it comes after all checks.
        run.clients = prepared(run.clients, ClientPeer::prepared)?;
        run.servers = prepared(run.servers, ServerPeer::prepared)?;
        let renews = file.as_ref().is_some_and(BaselineFile::renews);
        let matrix = if renews { whole_matrix(&fleet, &corpus) } else { Vec::new() };
        let local = fleet.infos().filter(|peer| peer.is_local()).map(|peer| peer.id().clone()).collect();
        Ok(Prepared { run, baseline: file, matrix, local })
    }
}

/// Checked input of a suite.
struct Prepared {
    run: Run,
    baseline: Option<BaselineFile>,
    /// All possible cells, if the baseline is rewritten.
    matrix: Vec<Cell>,
    /// Peers that exist only in the test.
    local: BTreeSet<PeerId>,
}

/// Builds the programs of peers.
fn prepared<P>(peers: Vec<P>, prepared: fn(P) -> Result<P, PreparationError>) -> Result<Vec<P>, SuiteError> {
    let peers: Result<_, _> = peers.into_iter().map(prepared).collect();
    peers.map_err(SuiteError::of_preparation)
}

/// Returns the peers that the subjects play with: those that are named, or the reference peers for a role without any.
fn opponents(named: Vec<Peer>) -> PeerSet {
    let (references, mut fleet) = (PeerSet::references(), PeerSet::default());
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

/// Joins the subjects with their opponents. Also returns the predicate for cells between a subject and an opponent.
fn paired(subjects: Vec<Peer>, others: PeerSet) -> (PeerSet, impl Fn(&Cell) -> bool) {
    let mut fleet = PeerSet::default();
    fleet.extend(subjects);
    let (clients, servers) = (ids(&fleet.clients), ids(&fleet.servers));
    fleet.clients.extend(others.clients.into_iter().filter(|peer| !clients.contains(peer.id())));
    fleet.servers.extend(others.servers.into_iter().filter(|peer| !servers.contains(peer.id())));
    (fleet, move |cell: &Cell| clients.contains(&cell.client) != servers.contains(&cell.server))
}

fn ids(peers: &[impl AsRef<PeerInfo>]) -> BTreeSet<PeerId> {
    peers.iter().map(|peer| peer.as_ref().id().clone()).collect()
}

/// Returns the name of the test of a cell: its id, with `::` in place of `/` in the scenario, so that
/// `cargo test -- root-type::array` finds it.
fn test_name(cell: &Cell) -> String {
    let (scenario, id) = (cell.scenario.as_str(), cell.id());
    format!("{}{}", scenario.replace('/', "::"), id.as_str().strip_prefix(scenario).unwrap_or_default())
}
