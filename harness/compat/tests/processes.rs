//! Named tests as nextest runs them: the program lists its tests, and runs each in a process of its own. The server is
//! asked once.
//!
//! The program is its own runner: it starts itself for the list and for each test, many at a time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so, and why")]

#[path = "integration/skip.rs"]
mod skip;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use mcp_compat::{Launch, ServerUnderTest, prebuilt};

/// What this process is to be: one that the runner starts, with that library.
const ROLE: &str = "TEST_OF_PROCESSES";

/// How many processes run at a time.
const SIDE_BY_SIDE: usize = 8;

/// How long a run of all tests may take, in a debug build on a machine that does other work as well.
const TIME: Duration = Duration::from_secs(60);

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../cli/tests/cli/weather_server.py");

fn main() -> ExitCode {
    let Ok(role) = std::env::var(ROLE) else { return run_all() };
    let server = std::env::var("SERVER").unwrap();
    let temperature = ("temperature", r#"{"city": "Oslo"}"#);
    if role == "engine" {
        let server = ServerUnderTest::command(Launch::new("python3").args([&server, "fixed"]));
        return server.call(temperature.0, temperature.1).expect_error("forecast", "{}").allow_uncalled("reset").main();
    }
    let server = prebuilt::ServerUnderTest::command(prebuilt::Launch::new("python3").args([&server, "fixed"]));
    server.call(temperature.0, temperature.1).expect_error("forecast", "{}").allow_uncalled("reset").main()
}

fn run_all() -> ExitCode {
    // nextest lists what it would run one by one: here it is one test.
    if std::env::args().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        skip::skipped("there is no python3");
        return ExitCode::SUCCESS;
    }
    Runner::new("engine").runs_all_tests_with_one_survey();
    match program() {
        Some(program) => Runner { program: Some(program), ..Runner::new("prebuilt") }.runs_all_tests_with_one_survey(),
        // It may be older than the sources, unless the whole workspace is tested.
        None => eprintln!("skipped: the program of this workspace; {}=1 plays it, as CI does", skip::STRICT),
    }
    ExitCode::SUCCESS
}

/// The program of the workspace, where it is sure to be built.
fn program() -> Option<PathBuf> {
    std::env::var(skip::STRICT).is_ok_and(|strict| strict == "1").then(|| {
        let test = std::env::current_exe().unwrap();
        test.ancestors().nth(2).unwrap().join("mcp-compat")
    })
}

/// Runs this program as nextest does.
struct Runner {
    role: &'static str,
    program: Option<PathBuf>,
    folder: tempfile::TempDir,
}

impl Runner {
    fn new(role: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::copy(SERVER, folder.path().join("weather.py")).unwrap();
        Self { role, program: None, folder }
    }

    fn runs_all_tests_with_one_survey(&self) {
        let began = Instant::now();
        let names = self.list();
        let after_the_list = self.starts();
        assert!(names.len() >= 52 && after_the_list > 3, "{} tests, {after_the_list} starts", names.len());
        let failed = self.run_each(&names);
        let took = began.elapsed();
        assert!(failed.is_empty(), "{} fail, first: {}", failed.len(), failed[0]);
        assert_eq!(self.starts(), after_the_list, "{}: the server was asked when the tests were listed", self.role);
        assert!(took < TIME, "{} tests took {took:?}", names.len());
        eprintln!("{}: {} named tests in as many processes took {took:?}", self.role, names.len());
        // A server that is another one by now is asked anew.
        let text = fs::read_to_string(SERVER).unwrap();
        fs::write(self.folder.path().join("weather.py"), format!("{text}\n# built anew\n")).unwrap();
        assert_eq!(self.list(), names);
        assert_eq!(self.starts(), 2 * after_the_list, "{}", self.role);
    }

    /// How often the server was started.
    fn starts(&self) -> usize {
        fs::read_to_string(self.folder.path().join("starts.txt")).unwrap_or_default().lines().count()
    }

    fn start(&self, arguments: &[&str]) -> Output {
        let at = |name: &str| self.folder.path().join(name);
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(arguments).env(ROLE, self.role).env("NEXTEST", "1");
        command.env("SERVER", at("weather.py")).env("STARTS", at("starts.txt"));
        command.envs(self.program.as_deref().map(|program: &Path| ("MCP_COMPAT_PROGRAM", program)));
        command.output().unwrap()
    }

    fn list(&self) -> Vec<String> {
        let listed = self.start(&["--list", "--format", "terse"]);
        assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
        let listed = String::from_utf8(listed.stdout).unwrap();
        listed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
    }

    /// What those that fail print.
    fn run_each(&self, names: &[String]) -> Vec<String> {
        let (waiting, failed) = (Mutex::new(VecDeque::from_iter(names)), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..SIDE_BY_SIDE {
                scope.spawn(|| {
                    while let Some(name) = { waiting.lock().unwrap().pop_front() } {
                        let ran = self.start(&["--exact", name, "--nocapture"]);
                        let text = String::from_utf8_lossy(&ran.stdout).into_owned();
                        if !ran.status.success() || !text.contains("1 passed") && !text.contains("1 ignored") {
                            failed.lock().unwrap().push(format!("{name}: {text}"));
                        }
                    }
                });
            }
        });
        failed.into_inner().unwrap()
    }
}
