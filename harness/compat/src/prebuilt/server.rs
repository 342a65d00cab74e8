//! Server under test, converted to options of `mcp-compat audit`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
#[cfg(feature = "main")]
use std::process::ExitCode;
use std::time::Duration;

#[cfg(feature = "main")]
use libtest_mimic::{Arguments, Trial};

use super::SuiteError;
use super::launch::Launch;
use super::named::{Named, Report};
use super::program::Program;
use crate::test_run::{TestRun, state_of_command, state_of_file};

/// Server without an adapter. Each of its tools is tested with each client.
///
/// The server is asked for its tools at every revision that it speaks. Tools that are marked read-only are called, and
/// those that [`call`](Self::call) names; a tool that is marked destructive is never called. The answers are then
/// played to the reference clients and to the profiles of released SDKs.
///
/// ```no_run
/// use mcp_compat::prebuilt::{ServerUnderTest, SuiteError, cargo_bin};
///
/// # fn main() -> Result<(), SuiteError> {
/// let server = ServerUnderTest::command(cargo_bin("my-server")?);
/// server.call("find_item", r#"{"sku": "A-1"}"#).run()?.assert_no_breaks();
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ServerUnderTest {
    target: Target,
    /// The options of `mcp-compat audit`.
    options: Vec<OsString>,
    baseline: Option<PathBuf>,
}

#[derive(Clone, Debug)]
enum Target {
    Command(Launch),
    Url(String),
}

impl ServerUnderTest {
    /// Tests a program that speaks over its standard streams. It is started for each session.
    #[must_use]
    pub fn command(command: impl Into<Launch>) -> Self {
        Self { target: Target::Command(command.into()), options: Vec::new(), baseline: None }
    }

    /// Tests a running streamable HTTP endpoint.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self { target: Target::Url(url.into()), options: Vec::new(), baseline: None }
    }

    fn option(mut self, name: &str, value: impl Into<String>) -> Self {
        self.options.push(format!("--{name}={}", value.into()).into());
        self
    }

    /// Adds a header to every request to a URL, such as a credential.
    #[must_use]
    pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.option("header", format!("{}: {}", name.into(), value.into()))
    }

    /// Calls a tool regardless of its annotations, with these arguments: a JSON object as text.
    #[must_use]
    pub fn call(self, tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.option("call", format!("{}={}", tool.into(), arguments.into()))
    }

    /// Calls a tool as [`call`](Self::call) does, with arguments that it must refuse. A result that is no error fails
    /// the test.
    #[must_use]
    pub fn expect_error(self, tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.option("expect-error", format!("{}={}", tool.into(), arguments.into()))
    }

    /// Allows that the tools which the glob selects are not called. Any other tool that is not called fails the test.
    #[must_use]
    pub fn allow_uncalled(self, glob: impl Into<String>) -> Self {
        self.option("allow-uncalled", glob)
    }

    /// Tests only the tools that the glob selects. Call it again to add more.
    #[must_use]
    pub fn tools(self, glob: impl Into<String>) -> Self {
        self.option("tool", glob)
    }

    /// Plays only the clients that the glob selects, such as `profile/typescript@*`. Call it again to add more.
    #[must_use]
    pub fn against(self, glob: impl Into<String>) -> Self {
        self.option("against", glob)
    }

    /// Sets the time limit for the start and the first answer, two minutes by default.
    #[must_use]
    pub fn start_timeout(self, timeout: Duration) -> Self {
        self.option("start-timeout", format!("{}ms", timeout.as_millis()))
    }

    /// Sets the time limit for each list and each call, 30 seconds by default.
    #[must_use]
    pub fn step_timeout(self, timeout: Duration) -> Self {
        self.option("timeout", format!("{}ms", timeout.as_millis()))
    }

    /// Takes known breaks from a file. `MCP_COMPAT_BASELINE=update` rewrites it.
    #[must_use]
    pub fn baseline(mut self, path: impl AsRef<Path>) -> Self {
        self.baseline = Some(path.as_ref().to_owned());
        self
    }

    /// Audits the server and returns the report.
    ///
    /// # Errors
    /// When the program is missing or has another version, the server cannot be asked, or the input is wrong.
    pub fn run(self) -> Result<Report, SuiteError> {
        Ok(Report::new(self.ask()?))
    }

    /// Runs a named test for each tool with each client, `tool::client`, as the `main` of a test target with
    /// `harness = false`. In a run of nextest, the server is asked once. It needs the feature `main`.
    #[cfg(feature = "main")]
    #[must_use]
    pub fn main(self) -> ExitCode {
        let arguments = Arguments::from_args();
        match self.trials() {
            Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
            Err(error) => {
                // Ignores the selection, because an error must not pass.
                let ignored = arguments.ignored && arguments.list;
                let all = Arguments { filter: None, skip: Vec::new(), ignored, ..arguments };
                let refuse = move || Err(error.to_string().into());
                libtest_mimic::run(&all, vec![Trial::test("mcp-compat", refuse)]).exit_code()
            }
        }
    }

    /// Returns a named test for each tool with each client, for a runner of your own.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    #[cfg(feature = "main")]
    pub fn trials(self) -> Result<Vec<Trial>, SuiteError> {
        Ok(self.ask()?.into_iter().map(Named::trial).collect())
    }

    fn ask(mut self) -> Result<Vec<Named>, SuiteError> {
        let run = TestRun::current();
        if let Target::Command(launch) = &mut self.target {
            launch.build(run.as_ref())?;
        }
        let program = Program::find()?;
        let Some(run) = run else { return program.audit(self.words()) };
        let words = format!("{} {:?} {:?}", program.identity(), self.words(), self.states());
        run.once(&words, || program.audit(self.words()))
    }

    /// Returns the arguments of `mcp-compat audit`.
    fn words(&self) -> Vec<OsString> {
        let mut words = self.options.clone();
        words.extend(self.baseline.iter().map(|path| joined("--baseline=", path)));
        match &self.target {
            Target::Url(url) => words.push(format!("--url={url}").into()),
            Target::Command(Launch { program, args, env, .. }) => {
                words.extend(env.iter().map(|(name, value)| joined(&format!("--env={name}="), value)));
                words.extend(["--".into(), program.clone()]);
                words.extend(args.iter().cloned());
            }
        }
        words
    }

    /// Returns the states of the files that the result depends on.
    fn states(&self) -> Vec<String> {
        let command = match &self.target {
            Target::Url(_) => Vec::new(),
            Target::Command(launch) => state_of_command(launch.program.as_ref(), launch.args.iter().map(Path::new)),
        };
        command.into_iter().chain(self.baseline.as_deref().and_then(state_of_file)).collect()
    }
}

fn joined(option: &str, value: impl AsRef<OsStr>) -> OsString {
    let mut word = OsString::from(option);
    word.push(value);
    word
}
