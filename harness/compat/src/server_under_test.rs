//! A server that knows nothing of this project, as a test: each of its own tools with each client is a cell.
//!
//! ```text
//! ServerUnderTest ── audit ──> Audit and Record ── what is left out, baseline ──> Report | one named test a cell
//! ```

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Trial;
use mcp_compat_drive::Launch;
use mcp_compat_model::Cell;
use mcp_compat_model::audit::Audit;
use mcp_compat_model::record::{CellRecord, Evidence, LeftOut, Record};
use mcp_compat_model::unseen::neutralised;

use crate::error::SuiteError;
use crate::libtest;
use crate::report::Report;
use mcp_compat_audit::probe::{ProbeTimeouts, Target};
use mcp_compat_audit::server::{AskedCall, AuditError, AuditOptions, Audited, audit_with_evidence};
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::failure::{self, ExpectedCalls, Stories, Story};
use mcp_compat_run::baseline_file::{BaselineFile, BaselineFileError};
use mcp_compat_run::glob::Glob;
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
    pub fn in_process<F, S>(serve: F) -> Self
    where
        F: Fn(Wire) -> S + Send + Sync + 'static,
        S: Future<Output = Result<(), AnyError>> + Send + 'static,
    {
        let program = ServerProgram::unscripted(serve);
        Self::at(Target::Connect(Arc::new(move || program.connect()))).start_timeout(START_IN_PROCESS)
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

    /// How long each list and each call may take, 30 seconds unless said.
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
        let baseline = self.baseline.as_deref().map(BaselineFile::open).transpose()?;
        let Asked { audit, mut record, mut stories, matrix, unproven } = self.ask()?;
        for (id, story) in &mut stories {
            let tool = record.cells.iter().find(|cell| cell.id == *id).and_then(|cell| tool_of(&audit, cell));
            story.again = tool.map(|tool| format!("on the server under test: .tools({tool:?})")).into_iter().collect();
        }
        let renewal = match &baseline {
            Some(file) => {
                if !file.renews() {
                    file.baseline().check(&matrix).map_err(BaselineFileError::from)?;
                }
                file.settle(&mut record, &matrix)?
            }
            None => None,
        };
        let unproven = unproven.into_iter().map(|(_, why)| why).collect();
        Ok(Report::new(record, stories, renewal).with_audit(audit, unproven))
    }

    /// Runs one named test for each tool with each client, `tool::client`, as the `main` of a test target with
    /// `harness = false`. The server is asked before the tests are listed, so that nextest, which lists them for each test
    /// that it runs, asks it as often.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let renews = libtest::renews(self.baseline.as_deref());
        libtest::main(renews, self, Self::run, Self::trials)
    }

    /// One named test for each tool with each client, for a runner of your own.
    ///
    /// # Errors
    /// When the server cannot be asked, the input is wrong or the harness fails.
    pub fn trials(self) -> Result<Vec<Trial>, SuiteError> {
        let file = self.baseline.as_deref().map(BaselineFile::open).transpose()?;
        let Asked { audit, record, mut stories, matrix, unproven } = self.ask()?;
        let baseline = file.map(|file| file.baseline().clone()).unwrap_or_default();
        baseline.check(&matrix).map_err(BaselineFileError::from)?;
        let baseline = Arc::new(baseline);
        let trial = |mut cell: CellRecord| {
            let tool = tool_of(&audit, &cell).unwrap_or(cell.scenario.as_str());
            let name = format!("{}::{}", neutralised(tool), cell.client);
            let (baseline, mut story) = (Arc::clone(&baseline), stories.remove(&cell.id).unwrap_or_default());
            story.again = vec![libtest::by_name(&name)];
            Trial::ignorable_test(name, move || {
                libtest::conclude(&mut cell, &baseline, |cell| failure::of_cell(cell, &story))
            })
        };
        let called = |(tool, why): (String, String)| {
            Trial::test(format!("{}::called", neutralised(&tool)), move || Err(why.into()))
        };
        let cells: Vec<Trial> = record.cells.into_iter().map(trial).collect();
        Ok(cells.into_iter().chain(unproven.into_iter().map(called)).collect())
    }

    /// What the server said, played to the clients.
    fn ask(self) -> Result<Asked, SuiteError> {
        let Self { mut target, options, timeouts, headers, errors, uncalled, baseline: _ } = self;
        options.check()?;
        let uncalled = uncalled.iter().map(|glob| Glob::new(glob)).collect::<Result<Vec<_>, _>>();
        let uncalled = uncalled.map_err(AuditError::from)?;
        match &mut target {
            Target::Url { headers: known, .. } => known.extend(headers),
            Target::Command(_) | Target::Connect(_) if !headers.is_empty() => return Err(SuiteError::HeaderWithoutUrl),
            Target::Command(launch) => *launch = launch.clone().prepared().map_err(SuiteError::of_preparation)?,
            Target::Connect(_) => {}
        }
        let mut stories = Stories::new();
        let mut on_cell = |scenario: &Scenario, cell: &CellRecord, evidence: &Evidence| {
            match cell.rating {
                Rating::Breaks => stories.insert(cell.id.clone(), Story::of(scenario, cell, evidence)),
                Rating::Works | Rating::Degraded | Rating::Skipped => stories.remove(&cell.id),
            };
        };
        let audited =
            runtime::finish(|| async { audit_with_evidence(target, &options, timeouts, |_| {}, &mut on_cell).await });
        let Audited { audit, mut record, matrix } = audited.map_err(SuiteError::Runtime)??;
        leave_out(&mut record, &audit);
        stories.retain(|id, _| record.cells.iter().any(|cell| cell.id == *id));
        for cell in record.cells.iter().filter(|cell| cell.rating == Rating::Breaks) {
            stories.entry(cell.id.clone()).or_insert_with(|| without_answer(&audit, cell));
        }
        for (id, story) in &mut stories {
            let cell = record.cells.iter().find(|cell| cell.id == *id);
            story.change = cell.and_then(|cell| change(&audit, cell));
        }
        let may_be_uncalled = |tool: &str| uncalled.iter().any(|glob| glob.matches(tool));
        let expected = ExpectedCalls { may_be_uncalled: &may_be_uncalled, errors: &errors };
        let unproven = failure::unproven_tools(&audit, &expected);
        Ok(Asked { audit, record, stories, matrix, unproven })
    }
}

/// What is known once the server was asked.
struct Asked {
    audit: Audit,
    record: Record,
    stories: Stories,
    /// Every cell that there could be, however narrow the selection: a baseline speaks of all of them.
    matrix: Vec<Cell>,
    /// The tools of which nothing was proven, each with why and what to do.
    unproven: Vec<(String, String)>,
}

/// What is told of a call that came to nothing at the server: no client played it.
fn without_answer(audit: &Audit, cell: &CellRecord) -> Story {
    let tool = tool_of(audit, cell).unwrap_or(cell.scenario.as_str());
    Story { title: format!("a call of `{tool}`"), got: "no value".to_owned(), ..Story::default() }
}

/// The name of the tool that a cell is about.
fn tool_of<'a>(audit: &'a Audit, cell: &CellRecord) -> Option<&'a str> {
    audit.tools.iter().find(|tool| tool.scenario == cell.scenario).map(|tool| tool.name.as_str())
}

/// What would mend a cell: the change to its tool that was seen to free its client.
fn change(audit: &Audit, cell: &CellRecord) -> Option<String> {
    let tool = tool_of(audit, cell)?;
    let of_tool = || audit.changes.iter().filter(|change| change.tools.iter().any(|name| name == tool));
    of_tool().find(|change| change.frees.contains(&cell.client)).map(|change| change.what.clone())
}

/// Removes the cells of clients that speak no revision of the server: that is reported, and is not a break of a tool.
fn leave_out(record: &mut Record, audit: &Audit) {
    for loss in &audit.shut_out {
        let before = record.cells.len();
        record.cells.retain(|cell| cell.client != loss.client);
        let reason = format!("{} has no session with this server: {}", loss.client, loss.reason);
        let cells = u64::try_from(before - record.cells.len()).unwrap_or(u64::MAX);
        record.left_out.push(LeftOut { reason, cells });
    }
}
