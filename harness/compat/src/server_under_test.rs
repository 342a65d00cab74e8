//! A server that knows nothing of this project, as a test: each of its own tools with each client is a cell.
//!
//! ```text
//! ServerUnderTest ── audit ──> Audit and Record ── what is left out, baseline ──> Report | one named test a cell
//! ```

use std::collections::BTreeSet;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use mcp_compat_drive::Launch;
use mcp_compat_model::audit::NamedTest;
use mcp_compat_model::record::{CellRecord, Evidence};

use crate::error::SuiteError;
use crate::libtest;
use crate::report::Report;
use crate::test_run::{TestRun, state_of_command, state_of_file};
use mcp_compat_audit::named_tests::Expected;
use mcp_compat_audit::probe::{ProbeTimeouts, Target};
use mcp_compat_audit::server::{AskedCall, AuditOptions, Audited, audit_with_evidence};
use mcp_compat_reports::failure::{self, AuditStories, Dialect};
use mcp_compat_run::baseline_file::{BaselineFile, BaselineFileError};
use mcp_compat_run::in_process::{AnyError, ServerProgram, Wire};
use mcp_compat_run::runtime;
use mcp_compat_scenario::Scenario;

/// How long a server in the test's process may take to answer for the first time.
const START_IN_PROCESS: Duration = Duration::from_secs(10);

/// A server that knows nothing of this project. What is tested are its own tools: each with each client.
///
/// The server is asked for its tools at every revision that it speaks. Those that say they are read-only are called, and
/// those that [`call`](Self::call) names; one that is marked destructive never is. What it said is then played in memory
/// to the reference clients and to the stand-ins for the clients of released SDKs. A client that speaks no revision of
/// the server loses nothing by a tool, and is left out.
///
/// ```no_run
/// use mcp_compat::{ServerUnderTest, cargo_bin};
///
/// # fn main() -> Result<(), mcp_compat::SuiteError> {
/// let server = ServerUnderTest::command(cargo_bin("my-server")?);
/// server.call("find_item", r#"{"sku": "A-1"}"#).run()?.assert_no_breaks();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ServerUnderTest {
    target: Target,
    options: AuditOptions,
    timeouts: ProbeTimeouts,
    baseline: Option<PathBuf>,
    headers: Vec<(String, String)>,
    /// The tools whose call is to fail.
    errors: BTreeSet<String>,
    /// The tools that may stay without a call, as globs.
    uncalled: Vec<String>,
    /// Where in the test's sources a server in its own process is named.
    place: Option<&'static Location<'static>>,
}

impl ServerUnderTest {
    /// A program that speaks over its standard streams. It is started for each session.
    #[must_use]
    pub fn command(command: impl Into<Launch>) -> Self {
        Self::at(Target::Command(command.into()))
    }

    /// A streamable HTTP endpoint that is served already; one behind `https://` needs the feature `tls` of this crate.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::at(Target::Url { url: url.into(), headers: Vec::new() })
    }

    /// A server in the test's own process: `serve` serves one session over the wire, to its end. It is measured with the
    /// features of the test: see [`in_process`].
    ///
    /// ```
    /// use mcp_compat::ServerUnderTest;
    /// use mcp_compat::in_process::Wire;
    ///
    /// let server = ServerUnderTest::in_process(|wire: Wire| async move {
    ///     # drop(wire);
    ///     // with rmcp: MyServer::new().serve(wire).await?.waiting().await?;
    ///     Ok(())
    /// });
    /// # let _ = server;
    /// ```
    ///
    /// [`in_process`]: mcp_compat_run::in_process#which-features-are-measured
    #[must_use]
    #[track_caller]
    pub fn in_process<F, S>(serve: F) -> Self
    where
        F: Fn(Wire) -> S + Send + Sync + 'static,
        S: Future<Output = Result<(), AnyError>> + Send + 'static,
    {
        let program = ServerProgram::unscripted(serve);
        let server = Self::at(Target::Connect(Arc::new(move || program.connect()))).start_timeout(START_IN_PROCESS);
        Self { place: Some(Location::caller()), ..server }
    }

    fn at(target: Target) -> Self {
        Self {
            target,
            options: AuditOptions::default(),
            timeouts: ProbeTimeouts::default(),
            baseline: None,
            headers: Vec::new(),
            errors: BTreeSet::new(),
            uncalled: Vec::new(),
            place: None,
        }
    }

    /// With a header for every request, such as a credential; of a URL only. Headers are never recorded.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Calls the tool of that name, whatever its annotations say, with these arguments: a JSON object as text.
    #[must_use]
    pub fn call(mut self, tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.options.calls.push(AskedCall { tool: tool.into(), arguments: Some(arguments.into()) });
        self
    }

    /// As [`call`](Self::call), with arguments at which the tool is to fail. A result that is no error fails the test.
    #[must_use]
    pub fn expect_error(mut self, tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        let tool = tool.into();
        self.errors.insert(tool.clone());
        self.call(tool, arguments)
    }

    /// Lets the tools that the glob selects stay without a call. Otherwise, a tool that is not called fails the test: its
    /// results were not seen.
    #[must_use]
    pub fn allow_uncalled(mut self, glob: impl Into<String>) -> Self {
        self.uncalled.push(glob.into());
        self
    }

    /// Looks only at the tools that the glob selects; call it again to add to them.
    #[must_use]
    pub fn tools(mut self, glob: impl Into<String>) -> Self {
        self.options.tools.push(glob.into());
        self
    }

    /// Only with the clients that the glob selects, such as `profile/typescript@*`; call it again to add to them. Unless
    /// it is called, with the reference clients and all profiles.
    #[must_use]
    pub fn against(mut self, glob: impl Into<String>) -> Self {
        self.options.clients.push(glob.into());
        self
    }

    /// How long it may take to start and to answer for the first time: unless said, two minutes for a command, which may
    /// have to fetch a package, and for a URL; ten seconds in process.
    #[must_use]
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.start = timeout;
        self
    }

    /// Time limit for each list and each call, 30 seconds unless said.
    #[must_use]
    pub fn step_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.step = timeout;
        self
    }

    /// Takes known breaks from a file, as [`Suite::baseline`](crate::Suite::baseline) does.
    #[must_use]
    pub fn baseline(mut self, path: impl AsRef<Path>) -> Self {
        self.baseline = Some(path.as_ref().to_owned());
        self
    }

    /// Asks the server, plays what it said to every client, and returns the report.
    ///
    /// # Errors
    /// When the server cannot be asked, the input is wrong or the harness fails; never because of what a client loses.
    pub fn run(self) -> Result<Report, SuiteError> {
        let expected = self.expected()?;
        let (Audited { audit, mut record, matrix, .. }, stories) = self.ask()?;
        let mut stories = stories.complete(&mut record, &audit);
        let tools = failure::ToolNames::of(&audit);
        for cell in &record.cells {
            let (Some(story), Some(tool)) = (stories.get_mut(&cell.id), tools.find(cell)) else { continue };
            story.again = vec![format!("on the server under test: .tools({tool:?})")];
        }
        let renewal = match expected.baseline() {
            Some(file) => {
                if !file.renews() {
                    file.baseline().check(&matrix).map_err(BaselineFileError::from)?;
                }
                file.settle(&mut record, &matrix)?
            }
            None => None,
        };
        let unproven = expected.unproven(&audit).into_iter().map(|(_, why)| why).collect();
        Ok(Report::new(record, stories, renewal).with_audit(audit, unproven))
    }

    /// Runs one named test for each tool with each client, `tool::client`, as the `main` of a test target with
    /// `harness = false`. The server is asked before the tests are listed. nextest lists them and runs each in a process
    /// of its own: the first process asks the server, and the others of the run read what it found.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let renews = libtest::renews(self.baseline.as_deref());
        libtest::main(renews, self, Self::run, |server| server.trials_of(TestRun::current()))
    }

    /// One named test for each tool with each client, for a runner of your own. As under [`main`](Self::main), a server
    /// is asked once in a run of nextest, unless it is a server in the test's own process.
    ///
    /// # Errors
    /// When the server cannot be asked, the input is wrong or the harness fails.
    pub fn trials(self) -> Result<Vec<Trial>, SuiteError> {
        let run = TestRun::current().filter(|_| !matches!(self.target, Target::Connect(_)));
        self.trials_of(run)
    }

    fn trials_of(mut self, run: Option<TestRun>) -> Result<Vec<Trial>, SuiteError> {
        // What can be wrong is checked before the program is built, and that is done first: what is kept is of this program.
        self.expected()?;
        self.prepare()?;
        let tests = match run {
            Some(run) => run.once(&self.words()?, || self.named_tests())?,
            None => self.named_tests()?,
        };
        Ok(tests.into_iter().map(libtest::trial).collect())
    }

    fn named_tests(self) -> Result<Vec<NamedTest>, SuiteError> {
        let expected = self.expected()?;
        let (audited, stories) = self.ask()?;
        Ok(expected.tests(audited, stories, |test| vec![libtest::by_name(&test.name)])?.tests)
    }

    fn expected(&self) -> Result<Expected, SuiteError> {
        let errors = self.errors.iter().cloned();
        Ok(Expected::new(Dialect::Rust, errors, &self.uncalled, self.baseline.as_deref())?)
    }

    /// Checks the input and builds the program, if it has to be built.
    fn prepare(&mut self) -> Result<(), SuiteError> {
        self.options.check()?;
        match &mut self.target {
            Target::Url { .. } => {}
            Target::Command(_) | Target::Connect(_) if !self.headers.is_empty() => {
                return Err(SuiteError::HeaderWithoutUrl);
            }
            Target::Command(launch) => *launch = launch.clone().prepared().map_err(SuiteError::of_preparation)?,
            Target::Connect(_) => {}
        }
        Ok(())
    }

    /// All that the result depends on, in words: the server and its files, the options, and the baseline.
    fn words(&self) -> Result<String, SuiteError> {
        let Self { target, options, timeouts, baseline, headers, errors, uncalled, place } = self;
        let files = match target {
            Target::Command(launch) => state_of_command(launch.program.as_ref(), launch.args.iter().map(Path::new)),
            Target::Url { .. } => Vec::new(),
            Target::Connect(_) => {
                std::env::current_exe().ok().and_then(|test| state_of_file(&test)).into_iter().collect()
            }
        };
        let baseline = baseline.as_deref().map(BaselineFile::open).transpose()?;
        Ok(format!(
            "{target:?} {options:?} {timeouts:?} {baseline:?} {headers:?} {errors:?} {uncalled:?} {place:?} {files:?}"
        ))
    }

    /// What the server said, played to the clients.
    fn ask(mut self) -> Result<(Audited, AuditStories), SuiteError> {
        self.prepare()?;
        let Self { mut target, options, timeouts, headers, .. } = self;
        if let Target::Url { headers: known, .. } = &mut target {
            known.extend(headers);
        }
        let mut stories = AuditStories::default();
        let mut on_cell =
            |scenario: &Scenario, cell: &CellRecord, evidence: &Evidence| stories.see(scenario, cell, evidence);
        let audited =
            runtime::finish(|| async { audit_with_evidence(target, &options, timeouts, |_| {}, &mut on_cell).await });
        Ok((audited.map_err(SuiteError::Runtime)??, stories))
    }
}
