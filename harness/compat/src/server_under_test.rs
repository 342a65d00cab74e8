//! Tests of a server without an adapter: each of its tools with each client is a cell.
//!
//! ```text
//! ServerUnderTest ── audit ──> Audit and Record ── allowed omissions, baseline ──> Report | one named test a cell
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
use mcp_compat_audit::server::{AskedCall, AuditOptions, Audited, audit};
use mcp_compat_reports::failure::{self, AuditStories, Dialect};
use mcp_compat_run::baseline_file::{BaselineFile, BaselineFileError};
use mcp_compat_run::in_process::{AnyError, ServerProgram, Wire};
use mcp_compat_run::runtime;
use mcp_compat_scenario::Scenario;

/// Time limit for the first answer of a server in the test's process.
const START_IN_PROCESS: Duration = Duration::from_secs(10);

/// Server without an adapter. Each of its tools is tested with each client.
///
/// The server is asked for its tools at every revision that it speaks. Tools that are marked read-only are called, and
/// those that [`call`](Self::call) names; a tool that is marked destructive is never called. The answers are then
/// played in memory to the reference clients and to the profiles of released SDKs. A client that speaks no revision of
/// the server is skipped.
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
    /// Tools whose call must fail.
    errors: BTreeSet<String>,
    /// Globs of the tools that need not be called.
    uncalled: Vec<String>,
    /// Source location at which a server in the test's process is created.
    place: Option<&'static Location<'static>>,
}

impl ServerUnderTest {
    /// Tests a program that speaks over its standard streams. It is started for each session.
    #[must_use]
    pub fn command(command: impl Into<Launch>) -> Self {
        Self::at(Target::Command(command.into()))
    }

    /// Tests a running streamable HTTP endpoint. An address with `https://` needs the feature `tls` of this crate.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::at(Target::Url { url: url.into(), headers: Vec::new() })
    }

    /// Tests a server in the test's own process: `serve` serves one session over the wire, to its end. It is measured
    /// with the features of the test: see [`in_process`].
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

    /// Adds a header to every request to a URL, such as a credential. Headers are never recorded.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Calls a tool regardless of its annotations, with these arguments: a JSON object as text.
    #[must_use]
    pub fn call(mut self, tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.options.calls.push(AskedCall { tool: tool.into(), arguments: Some(arguments.into()) });
        self
    }

    /// Calls a tool as [`call`](Self::call) does, with arguments that it must refuse. A result that is no error fails
    /// the test.
    #[must_use]
    pub fn expect_error(mut self, tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        let tool = tool.into();
        self.errors.insert(tool.clone());
        self.call(tool, arguments)
    }

    /// Allows that the tools which the glob selects are not called. Any other tool that is not called fails the test,
    /// because its results were not seen.
    #[must_use]
    pub fn allow_uncalled(mut self, glob: impl Into<String>) -> Self {
        self.uncalled.push(glob.into());
        self
    }

    /// Tests only the tools that the glob selects. Call it again to add more.
    #[must_use]
    pub fn tools(mut self, glob: impl Into<String>) -> Self {
        self.options.tools.push(glob.into());
        self
    }

    /// Plays only the clients that the glob selects, such as `profile/typescript@*`. Call it again to add more. By
    /// default, the reference clients and all profiles play.
    #[must_use]
    pub fn against(mut self, glob: impl Into<String>) -> Self {
        self.options.clients.push(glob.into());
        self
    }

    /// Sets the time limit for the start and the first answer. The default is two minutes for a command, which may have
    /// to fetch a package, and for a URL; ten seconds for a server in process.
    #[must_use]
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.start = timeout;
        self
    }

    /// Sets the time limit for each list and each call, 30 seconds by default.
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

    /// Asks the server, plays its answers to every client, and returns the report.
    ///
    /// # Errors
    /// When the server cannot be asked, the input is wrong or the harness fails; never because a client loses
    /// something.
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

    /// Runs a named test for each tool with each client, `tool::client`, as the `main` of a test target with `harness =
    /// false`. The server is asked before the tests are listed. nextest runs each test in a process of its own: the
    /// first process asks the server, and the others of the run read its result.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let renews = libtest::renews(self.baseline.as_deref());
        libtest::main(renews, self, Self::run, |server| server.trials_of(TestRun::current()))
    }

    /// Returns a named test for each tool with each client, for a runner of your own. As with [`main`](Self::main), a
    /// server is asked once in a run of nextest, unless it is a server in the test's own process.
    ///
    /// # Errors
    /// When the server cannot be asked, the input is wrong or the harness fails.
    pub fn trials(self) -> Result<Vec<Trial>, SuiteError> {
        let is_in_process = matches!(self.target, Target::Connect(_));
        let run = if is_in_process { None } else { TestRun::current() };
        self.trials_of(run)
    }

    fn trials_of(mut self, run: Option<TestRun>) -> Result<Vec<Trial>, SuiteError> {
        // The input is checked before the program is built, and the program is built before a kept result is read,
        // because the result belongs to this build.
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
        Ok(expected.tests(audited, stories, |test| vec![libtest::by_name(&test.name)])?.audit.tests)
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

    /// Returns a text of everything that the result depends on: the server and its files, the options and the baseline.
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

    /// Asks the server, and plays its answers to the clients.
    fn ask(mut self) -> Result<(Audited, AuditStories), SuiteError> {
        self.prepare()?;
        let Self { mut target, options, timeouts, headers, .. } = self;
        if let Target::Url { headers: known, .. } = &mut target {
            known.extend(headers);
        }
        let mut stories = AuditStories::default();
        let mut on_cell =
            |scenario: &Scenario, cell: &CellRecord, evidence: &Evidence| stories.see(scenario, cell, evidence);
        let audited = runtime::finish(|| async { audit(target, &options, timeouts, |_| {}, &mut on_cell).await });
        Ok((audited.map_err(SuiteError::Runtime)??, stories))
    }
}
