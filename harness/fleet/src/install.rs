//! Setting a release up: once, with the tools that its users have, and kept.
//!
//! ```text
//! tools ─> lock ─> a copy of the peer's folder ─> lock files ─> steps, each logged ─> stamp
//! ```
//!
//! The stamp is file last and holds a sum over all that went in. So an installation that was interrupted is known by its
//! missing stamp and begun anew, and one whose adapter has changed since by another sum.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use mcp_compat_drive::Exit;
use mcp_compat_model::PeerId;

use super::cache;
use super::installation::Installation;
use super::lock::FolderLock;
use super::log::Log;
use super::manifest::{How, Setup};
use super::sources::{FileError, failed};
use super::steps::Steps;
use super::tools::{MissingTool, Tools};

/// How often a command that still runs is reported, unless said otherwise.
const REPORT_EVERY: Duration = Duration::from_secs(15);

/// Sets releases up.
#[derive(Debug, Default)]
pub struct Installer {
    /// How.
    pub options: Options,
    pub(super) tools: Tools,
}

/// How releases are installed.
#[derive(Clone, Debug)]
pub struct Options {
    /// How often a command is run whose registry does not answer.
    pub tries: u32,
    /// How long it is waited before the second try; before each further one as much longer.
    pub pause: Duration,
    /// How long one command may take.
    pub command_timeout: Duration,
    /// How often [`Progress::StillRunning`] is reported while a command runs.
    pub report_every: Duration,
    /// Whether to leave the lock files out that are checked in, and to write those that come of it in their place.
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

/// How an installation goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Somebody else sets a peer of the language up, and is waited for.
    Waiting,
    /// It began.
    Started,
    /// A command began.
    Step {
        /// The command.
        command: String,
        /// Which one it is, from 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
    /// It said something.
    Line(String),
    /// It is still running.
    StillRunning {
        /// The command.
        command: String,
        /// How long it has been running.
        elapsed: Duration,
        /// The last line that it printed, if it printed any.
        last_line: Option<String>,
    },
    /// Its registry did not answer, and it is run again.
    Again {
        /// The command.
        command: String,
        /// Which try that is.
        number: u32,
        /// How many there are at most.
        of: u32,
    },
    /// It is done.
    Done,
    /// It failed.
    Failed,
}

/// What came of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Installed,
    /// It had been done before.
    AlreadyThere,
}

/// Why a peer could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// A file or folder could not be used.
    #[error("installing {peer}: {error}")]
    File {
        /// The peer.
        peer: PeerId,
        /// What was being done, and why it could not be.
        error: FileError,
    },
    /// The machine lacks something.
    #[error("installing {peer}: {}", .missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Tools {
        /// The peer.
        peer: PeerId,
        /// What is missing, and how to get it.
        missing: Vec<MissingTool>,
    },
    /// A program of the installation could not be started.
    #[error("installing {peer}: `{program}` could not be started: {why}; install it, or do without this peer")]
    NotStarted {
        /// The peer.
        peer: PeerId,
        /// The program.
        program: String,
        /// Why not.
        why: String,
    },
    /// A command failed.
    #[error("installing {peer}: `{command}` ended with {exit}; {}", last_lines(.tail, .log))]
    Failed {
        /// The peer.
        peer: PeerId,
        /// The command, for running it again by hand.
        command: String,
        /// How it ended.
        exit: Exit,
        /// The end of what it printed.
        tail: String,
        /// All of what it printed.
        log: PathBuf,
    },
    /// A registry did not answer.
    #[error("installing {peer}: its registry did not answer `{command}` in {tries} tries; {}", last_lines(.tail, .log))]
    Unreachable {
        /// The peer.
        peer: PeerId,
        /// The command.
        command: String,
        /// How often it was run.
        tries: u32,
        /// The end of what it printed.
        tail: String,
        /// All of what it printed.
        log: PathBuf,
    },
    /// A command took too long.
    #[error("installing {peer}: `{command}` did not end within {after:?}; {}", last_lines(.tail, .log))]
    TimedOut {
        /// The peer.
        peer: PeerId,
        /// The command.
        command: String,
        /// How long it was waited for.
        after: Duration,
        /// The end of what it printed.
        tail: String,
        /// All of what it printed.
        log: PathBuf,
    },
    /// All went well, and yet what should be there is not.
    #[error("installing {peer}: all its commands succeeded, but {} is not there; all they printed is in {}", .file.display(), .log.display())]
    NotProduced {
        /// The peer.
        peer: PeerId,
        /// What should be there.
        file: PathBuf,
        /// All of what the commands printed.
        log: PathBuf,
    },
    /// There are commands only for releases with lock files.
    #[error("installing {peer}: no lock file for it is checked in, and its manifest has no `steps` without one")]
    NotLocked {
        /// The peer.
        peer: PeerId,
    },
    /// Some of its lock files are checked in, and others not.
    #[error("installing {peer}: {} is checked in, but {} is not", .there.display(), .missing.display())]
    PartlyLocked {
        /// The peer.
        peer: PeerId,
        /// One that is.
        there: PathBuf,
        /// One that is not.
        missing: PathBuf,
    },
    /// Lock files were asked for where there are none.
    #[error("installing {peer}: its manifest names no `lock` file that could be kept")]
    NoLocks {
        /// The peer.
        peer: PeerId,
    },
}

fn last_lines(tail: &str, log: &std::path::Path) -> String {
    if tail.is_empty() {
        return format!("it printed nothing ({})", log.display());
    }
    format!("all it printed is in {}, and this at last:\n{tail}", log.display())
}

impl Installer {
    /// One that sets releases up like that.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, tools: Tools::default() }
    }

    /// Sets a release up if that is due, telling `progress` how it goes.
    ///
    /// # Errors
    /// When the installation cannot be run or fails.
    pub async fn install(
        &self,
        peer: &Installation,
        mut progress: impl FnMut(Progress),
    ) -> Result<Outcome, InstallError> {
        let outcome = self.set_up(peer, &mut progress).await;
        match outcome {
            Ok(Outcome::Installed) => progress(Progress::Done),
            Ok(Outcome::AlreadyThere) => {}
            Err(_) => progress(Progress::Failed),
        }
        outcome
    }

    async fn set_up(&self, peer: &Installation, progress: &mut impl FnMut(Progress)) -> Result<Outcome, InstallError> {
        let file = |error| InstallError::File { peer: peer.id().clone(), error };
        let Some(setup) = &peer.manifest().setup else { return Ok(Outcome::AlreadyThere) };
        if self.options.lock && peer.locks().is_empty() {
            return Err(InstallError::NoLocks { peer: peer.id().clone() });
        }
        if !self.options.lock && peer.is_ready().map_err(file)? {
            return Ok(Outcome::AlreadyThere);
        }
        self.check_tools(peer).await?;
        let lock = FolderLock::take(&peer.places().build, || progress(Progress::Waiting)).await.map_err(file)?;
        if !self.options.lock && peer.is_ready().map_err(file)? {
            return Ok(Outcome::AlreadyThere);
        }
        progress(Progress::Started);
        let commands = self.prepare(peer, setup)?;
        let log = Log::begin(&peer.log()).map_err(file)?;
        let env = setup.env.iter().map(|(name, value)| (name.clone(), peer.places().fill(value))).collect();
        let mut steps =
            Steps { peer: peer.id(), folder: &peer.places().home, env, lock: &lock, options: &self.options, log };
        for (number, command) in commands.iter().enumerate() {
            let words = peer.command(command);
            progress(Progress::Step { command: words.join(" "), number: number + 1, of: commands.len() });
            steps.run(&words, progress).await?;
        }
        if let Some(produced) = setup.produces.as_ref().map(|file| PathBuf::from(peer.places().fill(file)))
            && !produced.exists()
        {
            let log = steps.log.path().to_owned();
            return Err(InstallError::NotProduced { peer: peer.id().clone(), file: produced, log });
        }
        if self.options.lock {
            keep_locks(peer).map_err(file)?;
        }
        peer.mark().map_err(file)?;
        Ok(Outcome::Installed)
    }

    /// Finds out whether everything is there that a release needs.
    ///
    /// # Errors
    /// When something is not.
    pub async fn check_tools(&self, peer: &Installation) -> Result<(), InstallError> {
        let mut missing = Vec::new();
        for tool in &peer.manifest().tools {
            if let Err(tool) = self.tools.check(tool, peer.command(&tool.command), peer.folder()).await {
                missing.push(tool);
            }
        }
        if missing.is_empty() { Ok(()) } else { Err(InstallError::Tools { peer: peer.id().clone(), missing }) }
    }

    /// Makes the folder in which a release is installed, and says by which commands.
    fn prepare<'s>(&self, peer: &Installation, setup: &'s Setup) -> Result<Vec<&'s Vec<String>>, InstallError> {
        let file = |error| InstallError::File { peer: peer.id().clone(), error };
        let (locked, steps) = match &setup.how {
            How::InPlace(command) => return Ok(vec![command]),
            How::Copied { locked, steps, .. } => (locked, steps),
        };
        let locks = peer.locks();
        let (there, missing): (Vec<_>, Vec<_>) = locks.iter().partition(|(checked_in, _)| checked_in.is_file());
        let is_locked = !there.is_empty() && !self.options.lock;
        if let (true, Some((there, _)), Some((missing, _))) = (is_locked, there.first(), missing.first()) {
            let (there, missing) = (there.clone(), missing.clone());
            return Err(InstallError::PartlyLocked { peer: peer.id().clone(), there, missing });
        }
        if !is_locked && steps.is_empty() {
            return Err(InstallError::NotLocked { peer: peer.id().clone() });
        }
        peer.clear().map_err(file)?;
        if let Some(root) = peer.root() {
            // A copy under its own name is a whole one.
            let part = cache::part(&root);
            if part.exists() {
                fs::remove_dir_all(&part).map_err(failed("removing", &part)).map_err(file)?;
            }
            peer.sources().copy(&part).map_err(file)?;
            fs::rename(&part, &root).map_err(failed("making", &root)).map_err(file)?;
        }
        if !is_locked {
            return Ok(steps.iter().collect());
        }
        for (checked_in, home) in &locks {
            copy(checked_in, home).map_err(file)?;
        }
        Ok(locked.iter().collect())
    }
}

/// Checks the lock files in that an installation has made.
fn keep_locks(peer: &Installation) -> Result<(), FileError> {
    peer.locks().iter().try_for_each(|(checked_in, home)| copy(home, checked_in))
}

fn copy(from: &std::path::Path, to: &std::path::Path) -> Result<(), FileError> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(failed("making the folder", folder))?;
    }
    fs::copy(from, to).map_err(failed("copying", from)).map(|_| ())
}

impl Installation {
    /// Sets it up if that is due, as an [`Installer`] does by default.
    ///
    /// # Errors
    /// When the installation cannot be run or fails.
    pub async fn install(&self, progress: impl FnMut(Progress)) -> Result<Outcome, InstallError> {
        Installer::default().install(self, progress).await
    }

    /// Takes away what its installation has made; waits for an installation that goes on.
    ///
    /// # Errors
    /// When a file or folder cannot be removed.
    pub async fn remove(&self, waits: impl FnOnce()) -> Result<(), FileError> {
        let _lock = FolderLock::take(&self.places().build, waits).await?;
        self.clear()
    }
}
