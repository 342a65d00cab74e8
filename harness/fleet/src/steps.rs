//! Running the commands of an installation in sequence, with its options and its progress. A command is repeated if its
//! registry does not answer.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use mcp_compat_drive::{Exit, Launch, PeerProcess};
use mcp_compat_model::PeerId;
use tokio::io::AsyncReadExt as _;
use tokio::time::{Instant, interval_at, sleep, timeout};

use super::cache::FolderLock;
use super::install_error::InstallError;
use super::log::Log;
use super::unreachable;

/// Longest time that a command may take to end after it was stopped.
const GRACE: Duration = Duration::from_secs(1);

/// Longest time that the output may stay open after a command has ended: a process that it started may hold it open.
const OUTPUT_GRACE: Duration = Duration::from_millis(200);

const REPORT_EVERY: Duration = Duration::from_secs(15);

#[derive(Clone, Debug)]
pub struct Options {
    /// Number of times a command is run if its registry does not answer.
    pub tries: u32,
    /// The pause before the second try. It grows by the same amount before each further try.
    pub pause: Duration,
    /// Longest time that one command may take.
    pub command_timeout: Duration,
    /// Interval at which [`Progress::StillRunning`] is reported while a command runs.
    pub report_every: Duration,
    /// True to ignore the lock files that are checked in, and to replace them by those of this installation.
    pub lock: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tries: 3,
            pause: Duration::from_secs(2),
            command_timeout: Duration::from_secs(60 * 60),
            report_every: REPORT_EVERY,
            lock: false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The installation waits for another one of the same language.
    Waiting,
    Started,
    /// A command began.
    Step {
        command: String,
        /// Its number, from 1.
        number: usize,
        /// Total number.
        of: usize,
    },
    Line(String),
    StillRunning {
        command: String,
        /// Time that it has been running.
        elapsed: Duration,
        /// The last line that it printed, if it printed any.
        last_line: Option<String>,
    },
    /// The registry did not answer, and the command is run again.
    Again {
        command: String,
        number: u32,
        /// Largest total number.
        of: u32,
    },
    Done,
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Installed,
    /// The release was installed before.
    AlreadyThere,
}

pub(super) struct Steps<'s> {
    pub(super) peer: &'s PeerId,
    pub(super) folder: &'s Path,
    pub(super) env: BTreeMap<String, String>,
    pub(super) lock: &'s FolderLock,
    pub(super) options: &'s Options,
    pub(super) log: Log,
}

impl Steps<'_> {
    /// Runs a command. Repeats it if its registry does not answer.
    pub(super) async fn run(
        &mut self,
        words: &[String],
        progress: &mut impl FnMut(Progress),
    ) -> Result<(), InstallError> {
        let mut tries = 1;
        loop {
            let Some(exit) = self.once(words, progress).await? else { return Err(self.timed_out(words)) };
            if exit.is_success() {
                return Ok(());
            }
            let silent = unreachable::says_so(&self.log.tail());
            if !silent || tries >= self.options.tries {
                return Err(self.failed(words, exit, silent.then_some(tries)));
            }
            tries += 1;
            progress(Progress::Again { command: words.join(" "), number: tries, of: self.options.tries });
            sleep(self.options.pause * (tries - 1)).await;
        }
    }

    /// Runs a command to its end. `None` if it took too long.
    async fn once(
        &mut self,
        words: &[String],
        progress: &mut impl FnMut(Progress),
    ) -> Result<Option<Exit>, InstallError> {
        let (program, arguments) =
            words.split_first().map_or((String::new(), &[][..]), |(program, rest)| (program.clone(), rest));
        let mut launch = Launch::new(&program).args(arguments).cwd(self.folder).stderr_with_output();
        launch.env.extend(self.env.iter().map(|(name, value)| (name.clone(), value.into())));
        self.log.command(&words.join(" "));
        let not_started =
            |why: String| InstallError::NotStarted { peer: self.peer.clone(), program: program.clone(), why };
        let input = self.lock.as_input().map_err(|error| not_started(error.to_string()))?;
        let mut process = PeerProcess::spawn_reading(&launch, 0, input).map_err(|error| not_started(error.reason))?;
        let output = process.take_stdout();
        let began = Instant::now();
        // An interval of zero would panic.
        let every = self.options.report_every.max(Duration::from_millis(1));
        let mut report = interval_at(began + every, every);
        let listening = async {
            let mut output = output?;
            let mut chunk = vec![0; 8 << 10];
            let mut ended = None;
            loop {
                let read = match ended {
                    None => tokio::select! {
                        read = output.read(&mut chunk) => read,
                        exit = process.wait() => {
                            ended = Some(exit);
                            continue;
                        }
                        _ = report.tick() => {
                            let (command, last_line) = (words.join(" "), self.log.last_line());
                            progress(Progress::StillRunning { command, elapsed: began.elapsed(), last_line });
                            continue;
                        }
                    },
                    Some(_) => timeout(OUTPUT_GRACE, output.read(&mut chunk)).await.unwrap_or(Ok(0)),
                };
                match read {
                    Ok(read) if read > 0 => self.log.take(&chunk[..read], |line| progress(Progress::Line(line))),
                    Ok(_) | Err(_) => break,
                }
            }
            Some(match ended {
                Some(exit) => exit,
                None => process.wait().await,
            })
        };
        let exit = timeout(self.options.command_timeout, listening).await;
        self.log.end(|line| progress(Progress::Line(line)));
        match exit {
            Ok(exit) => Ok(Some(exit.unwrap_or(Exit::Unknown))),
            Err(_) => {
                process.stop(GRACE).await;
                Ok(None)
            }
        }
    }

    fn failed(&self, words: &[String], exit: Exit, silent: Option<u32>) -> InstallError {
        let (peer, command) = (self.peer.clone(), words.join(" "));
        let (tail, log) = (self.log.tail(), self.log.path().to_owned());
        match silent {
            Some(tries) => InstallError::Unreachable { peer, command, tries, tail, log },
            None => InstallError::Failed { peer, command, exit, tail, log },
        }
    }

    fn timed_out(&self, words: &[String]) -> InstallError {
        InstallError::TimedOut {
            peer: self.peer.clone(),
            command: words.join(" "),
            after: self.options.command_timeout,
            tail: self.log.tail(),
            log: self.log.path().to_owned(),
        }
    }
}
