//! A folder to run the program in, and what a run of it gives.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

use crate::python;

/// How long one run of the program may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(600);

/// The program under test: that of the command line, or that of the lab, which has the same commands and more.
pub(crate) const PROGRAM: &str =
    match (option_env!("CARGO_BIN_EXE_mcp-compat"), option_env!("CARGO_BIN_EXE_mcp-compat-lab")) {
        (Some(program), _) | (None, Some(program)) => program,
        (None, None) => panic!("a package whose tests use this has a program"),
    };

/// A selection that plays quickly and works.
pub(crate) const ONE_CELL: [&str; 9] = [
    "run",
    "--no-peers",
    "--scenario=root-type/object",
    "--client=mock/dual+auto",
    "--server=mock/dual",
    "--transport=memory",
    "--coverage=full",
    "--timeout=5s",
    "--jobs=4",
];

/// A scenario of one's own, with nothing wrong.
pub(crate) const OWN: &str = r#"
title = "An object with a count"
why = "The plainest structured output there is."
sources = ["https://example.org/tools"]

[[tool]]
definition = '''{"name": "count", "inputSchema": {"type": "object"},
 "outputSchema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}}'''
returns = '{"structuredContent": {"n": 3}, "content": [{"type": "text", "text": "{\"n\": 3}"}]}'
"#;

/// A cell that breaks: the client neither validates nor is told. It ships as known, so that is left aside.
pub(crate) const BROKEN_CELL: [&str; 8] = [
    "run",
    "--no-peers",
    "--scenario=invalid-result/extra-property",
    "--client=mock/dual/skip+auto",
    "--server=mock/dual",
    "--transport=memory",
    "--coverage=full",
    "--baseline=none",
];

/// What one run of the program gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Asserts the exit status, showing everything where it is another.
    #[track_caller]
    pub(crate) fn ends_with(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Asserts that stderr has each of the words.
    #[track_caller]
    pub(crate) fn says(self, words: &[&str]) -> Self {
        for words in words {
            assert!(self.stderr.contains(words), "{words:?} is not in stderr:\n{}", self.stderr);
        }
        self
    }

    /// Asserts that stdout has each of the words.
    #[track_caller]
    pub(crate) fn shows(self, words: &[&str]) -> Self {
        for words in words {
            assert!(self.stdout.contains(words), "{words:?} is not in stdout:\n{}", self.stdout);
        }
        self
    }
}

/// A folder of its own, removed at the end.
pub(crate) struct Workshop {
    folder: TempDir,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// The program with these arguments, in this folder, knowing nothing of who tests it.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).current_dir(self.path()).env("CARGO_TARGET_DIR", self.path().join("target"));
        command.env("XDG_CACHE_HOME", self.path().join("cache")).env("PATH", python::search_path());
        for variable in ["CI", "NO_COLOR", "CLICOLOR_FORCE", "MCP_COMPAT_LOG", "COLUMNS"] {
            command.env_remove(variable);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        to_its_end(self.command(args).spawn().unwrap())
    }

    /// The record of the last run.
    pub(crate) fn record(&self) -> Value {
        let path = self.path().join(".mcp-compat/run.json");
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    /// Whether a run left anything behind.
    pub(crate) fn has_record(&self) -> bool {
        self.path().join(".mcp-compat").exists()
    }
}

/// Waits for a process and what it prints, but not for ever.
pub(crate) fn to_its_end(child: Child) -> Ran {
    let id = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let (send, receive) = mpsc::channel();
    thread::spawn(move || send.send(child.wait_with_output()));
    let output = receive.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        kill(id, Signal::SIGKILL).unwrap();
        panic!("the program did not end within {PATIENCE:?}");
    });
    let output = output.unwrap();
    Ran {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Waits for something that nobody tells.
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(30), "in vain: {what}");
        thread::yield_now();
    }
}
