//! The process of a peer: starts in a process group of its own, and ends with everything that it started.
//!
//! Programs such as `npx` or a shell run the real peer as a grandchild, so signals go to the group. A stop, a failure
//! and a cancelled future all drop the [`PeerProcess`], which kills the group.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_model::peer_contract::UNSUPPORTED_STATUS;
use mcp_compat_model::transcript::StopStage;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use shlex::Quoter;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::group::Group;
use crate::log::Log;
use crate::memory_limit::MemoryWatch;

/// Longest time that the log of an ended process may stay open.
const LOG_TIMEOUT: Duration = Duration::from_millis(100);

/// Longest time that the system may take to end a process that was killed.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// Command of a peer's process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The program: a path, or a name that is looked up.
    pub program: OsString,
    /// Preparation that makes the program, if it has to be made first; `program` is only its name until then.
    pub preparation: Option<Preparation>,
    pub args: Vec<OsString>,
    /// Variables to set beside the inherited ones.
    pub env: BTreeMap<String, OsString>,
    /// The folder to start in; this process's when absent.
    pub cwd: Option<PathBuf>,
    /// A file for its standard error, up to some megabytes.
    pub log: Option<PathBuf>,
    /// Destination of its standard error.
    pub stderr: Stderr,
    /// Largest number of bytes of memory that it may take, with all that it starts; any number when absent.
    pub memory: Option<u64>,
}

/// Makes a program and gives its path. It is run when the program is first needed, and may block for minutes.
#[derive(Clone)]
pub struct Preparation(Arc<Make>);

/// Reason why a program could not be made.
pub type PreparationError = Box<dyn Error + Send + Sync>;

type Make = dyn Fn() -> Result<OsString, PreparationError> + Send + Sync;

impl Preparation {
    /// A preparation that runs `make`. A [`Launch`] is cloned, so `make` may be run several times.
    pub fn new(make: impl Fn() -> Result<OsString, PreparationError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// Makes the program.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn run(&self) -> Result<OsString, PreparationError> {
        (self.0)()
    }
}

/// Clones of one preparation are equal.
impl PartialEq for Preparation {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Preparation {}

impl fmt::Debug for Preparation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preparation").finish_non_exhaustive()
    }
}

/// Destination of a process's standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stderr {
    /// To the harness, which keeps the end of it.
    #[default]
    Kept,
    /// Standard error of this process.
    Shared,
    /// Into its standard output, in the order in which both come.
    WithOutput,
}

impl Launch {
    /// A program without arguments.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), ..Self::default() }
    }

    /// With a program that has to be made first. It is made by [`prepared`](Self::prepared), or when it is started.
    pub fn prepared_by(mut self, preparation: Preparation) -> Self {
        self.preparation = Some(preparation);
        self
    }

    /// With its program made, if that is due. This may block for minutes.
    ///
    /// # Errors
    /// When the program cannot be made.
    pub fn prepared(mut self) -> Result<Self, PreparationError> {
        if let Some(preparation) = self.preparation.take() {
            self.program = preparation.run()?;
        }
        Ok(self)
    }

    /// With further arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub fn env(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = Some(folder.into());
        self
    }

    /// With its standard error kept in that file too.
    pub fn log(mut self, file: impl Into<PathBuf>) -> Self {
        self.log = Some(file.into());
        self
    }

    /// With its standard error where this process's own goes.
    pub fn shared_stderr(mut self) -> Self {
        self.stderr = Stderr::Shared;
        self
    }

    /// With its standard error in its standard output.
    pub fn stderr_with_output(mut self) -> Self {
        self.stderr = Stderr::WithOutput;
        self
    }
}

/// A process could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot start {program:?}: {reason}; {}", self.advice())]
pub struct SpawnError {
    pub program: String,
    /// Error of the system.
    pub reason: String,
}

impl SpawnError {
    fn advice(&self) -> &'static str {
        let first = self.program.split(' ').next().unwrap_or_default();
        if first.len() < self.program.len() && !first.contains('/') {
            "to pass arguments, write them as separate words: `-- node server.js`"
        } else {
            "check that it is installed and may be executed"
        }
    }
}

/// A running peer. Dropping it kills its process group at once.
#[derive(Debug)]
pub struct PeerProcess {
    child: Child,
    id: i32,
    group: Group,
    exit: Option<Exit>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    log: Option<Log>,
    memory: Option<MemoryWatch>,
}

impl PeerProcess {
    /// Starts a process, leader of a new group, of whose log the last `stderr_bytes` are kept.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn spawn(launch: &Launch, stderr_bytes: usize) -> Result<Self, SpawnError> {
        Self::spawn_reading(launch, stderr_bytes, Stdio::piped())
    }

    /// As [`PeerProcess::spawn`], with something else than a pipe for its input: there is none to be taken then.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn spawn_reading(launch: &Launch, stderr_bytes: usize, input: Stdio) -> Result<Self, SpawnError> {
        let failed = |reason: String| SpawnError { program: launch.program.to_string_lossy().into_owned(), reason };
        let made = launch.preparation.as_ref().map(Preparation::run).transpose();
        let made = made.map_err(|error| failed(error.to_string()))?;
        let mut command = Command::new(made.as_ref().unwrap_or(&launch.program));
        command.args(&launch.args).envs(&launch.env).stdin(input).process_group(0);
        let joined = match launch.stderr {
            Stderr::Kept => {
                command.stdout(Stdio::piped()).stderr(Stdio::piped());
                None
            }
            Stderr::Shared => {
                command.stdout(Stdio::piped()).stderr(Stdio::inherit());
                None
            }
            Stderr::WithOutput => {
                let pipe = || {
                    let (reader, writer) = std::io::pipe()?;
                    Ok((reader, writer.try_clone()?, writer))
                };
                let (reader, one, other) = pipe().map_err(|error: std::io::Error| failed(error.to_string()))?;
                command.stdout(one).stderr(other);
                Some(reader)
            }
        };
        if let Some(folder) = &launch.cwd {
            command.current_dir(folder);
        }
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        // Its own ends of the pipe would keep the output open for ever.
        drop(command);
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let id = id.ok_or_else(|| failed("it has no process id".to_owned()))?;
        // Arguments may be secrets.
        tracing::debug!(program = %launch.program.display(), id, "a process was started");
        let group = Group::led_by(Pid::from_raw(id));
        let log = child.stderr.take().map(|stderr| Log::of(stderr, stderr_bytes, launch.log.as_deref()));
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let memory = launch.memory.map(|limit| MemoryWatch::over(group.clone(), limit));
        let mut process = Self { stdin, stdout, child, id, group, exit: None, log, memory };
        if let Some(reader) = joined {
            let reader = std::process::ChildStdout::from(OwnedFd::from(reader));
            process.stdout = Some(ChildStdout::from_std(reader).map_err(|error| failed(error.to_string()))?);
        }
        Ok(process)
    }

    /// Its process id, which is also its group's.
    pub fn id(&self) -> i32 {
        self.id
    }

    /// Its group, for code that must be able to end it without owning it.
    pub(crate) fn group(&self) -> Group {
        self.group.clone()
    }

    /// Its input, once.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// Its output, once.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.stdout.take()
    }

    /// The end of its log so far.
    pub fn log_tail(&self) -> String {
        self.log.as_ref().map(Log::tail).unwrap_or_default()
    }

    /// Returns its end, if it has ended.
    pub fn try_exit(&mut self) -> Option<Exit> {
        if self.exit.is_none() {
            match self.child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => self.ended(status.into()),
                Err(_) => self.ended(Exit::Unknown),
            }
        }
        self.exit
    }

    /// Sends a signal to it and to all that it started.
    pub(crate) fn signal(&self, signal: Signal) {
        self.group.signal(signal);
    }

    /// Waits for its end and, for a moment, for that of its log. Can be cancelled and called again.
    pub async fn wait(&mut self) -> Exit {
        let exit = self.reap().await;
        self.settle_log().await;
        exit
    }

    /// Ends it: closes its input, then asks its group to end, then kills it, with `grace` for each of the first two.
    /// An input that was taken has to be dropped before, or the first step has no effect.
    pub async fn stop(&mut self, grace: Duration) -> StopStage {
        drop(self.stdin.take());
        let stage = self.escalate(grace).await;
        self.settle_log().await;
        stage
    }

    async fn escalate(&mut self, grace: Duration) -> StopStage {
        if timeout(grace, self.reap()).await.is_ok() {
            return StopStage::InputClosed;
        }
        self.group.signal(Signal::SIGTERM);
        if timeout(grace, self.reap()).await.is_ok() {
            return StopStage::Terminated;
        }
        self.group.signal(Signal::SIGKILL);
        if timeout(KILL_TIMEOUT, self.reap()).await.is_err() {
            tracing::warn!(group = self.id, "a killed process has not ended");
        }
        StopStage::Killed
    }

    async fn settle_log(&mut self) {
        if let Some(log) = &mut self.log {
            log.settle(LOG_TIMEOUT).await;
        }
    }

    async fn reap(&mut self) -> Exit {
        if let Some(exit) = self.exit {
            return exit;
        }
        let exit = self.child.wait().await.map_or(Exit::Unknown, Exit::from);
        self.ended(exit);
        self.exit.unwrap_or(exit)
    }

    /// The peer is over with its leader. What the leader leaves behind ends now.
    fn ended(&mut self, exit: Exit) {
        let exceeded = self.memory.take().and_then(|memory| memory.exceeded());
        self.exit = Some(exceeded.map_or(exit, |limit| Exit::TooMuchMemory { limit }));
        self.group.end();
    }
}

impl Drop for PeerProcess {
    fn drop(&mut self) {
        self.group.end();
    }
}

/// End of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Exit status of the process.
    Status(i32),
    Signal(i32),
    /// The harness ended it, because it took more than so many bytes of memory.
    TooMuchMemory {
        limit: u64,
    },
    /// Unknown end: the system did not report it.
    Unknown,
}

impl Exit {
    /// The status that a shell gives it: its own, or 128 and the number of the signal. `None` if it is unknown.
    pub fn shell_status(self) -> Option<u8> {
        match self {
            Self::Status(status) => u8::try_from(status).ok(),
            Self::Signal(number) => u8::try_from(number.checked_add(128)?).ok(),
            Self::TooMuchMemory { .. } => u8::try_from(128 + Signal::SIGKILL as i32).ok(),
            Self::Unknown => None,
        }
    }

    /// Returns whether the status is the one that means success.
    pub fn is_success(self) -> bool {
        self == Self::Status(0)
    }

    /// Returns whether the status is the one with which a peer says that it does not support what it was asked to be.
    pub fn says_unsupported(self) -> bool {
        self == Self::Status(UNSUPPORTED_STATUS)
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Status(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Unknown,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Status(status) => write!(f, "exit status {status}"),
            Self::Signal(number) => match Signal::try_from(number) {
                Ok(signal) => write!(f, "signal {number} ({signal})"),
                Err(_) => write!(f, "signal {number}"),
            },
            Self::TooMuchMemory { limit } => {
                write!(f, "it took more than {} MB of memory, so it was ended (see --peer-memory)", limit >> 20)
            }
            Self::Unknown => f.write_str("an unknown exit"),
        }
    }
}

/// The word as a shell reads it back. A word of plain characters stays as it is.
pub fn shell_word(word: &str) -> Cow<'_, str> {
    // A shell word cannot contain NUL; NUL is printed as it is.
    Quoter::new().allow_nul(true).quote(word).unwrap_or(Cow::Borrowed(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_is_told_in_words() {
        assert_eq!(Exit::Status(3).to_string(), "exit status 3");
        assert_eq!(Exit::Signal(9).to_string(), "signal 9 (SIGKILL)");
    }

    #[test]
    fn only_status_127_says_unsupported() {
        assert!(Exit::Status(127).says_unsupported());
        assert!(!Exit::Status(1).says_unsupported());
        assert!(!Exit::Signal(15).says_unsupported());
    }

    #[test]
    fn a_shell_reads_the_word_back() {
        for word in ["plain/path-1.toml", "my files", "it's $(here)", "a[1]*", "", "~", "--x=\"y\"", "!1\n`z`", "a^b"] {
            let line = format!("printf %s {}", shell_word(word));
            let output = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word, "{line}");
        }
        assert_eq!(shell_word("../mine/my_class-1.toml"), "../mine/my_class-1.toml");
    }
}
