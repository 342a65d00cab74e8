//! Installing a release: once, with the tools that its users have.
//!
//! ```text
//! tools ─> lock ─> a copy of the peer's folder ─> lock files ─> steps, each logged ─> stamp
//! ```
//!
//! The stamp is written last and holds a digest of all inputs. An installation that was interrupted has no stamp and starts
//! again. An installation whose adapter has changed has another digest. Languages are installed in parallel, the releases
//! of one language in sequence, because they share a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::cache::{self, FolderLock};
use super::install_error::InstallError;
use super::installation::Installation;
use super::log::Log;
use super::manifest::{How, Setup};
use super::sources::{FileError, failed};
use super::steps::{Options, Outcome, Progress, Steps};
use super::tools::Tools;

/// Is called with the progress of each installation.
pub type Watch = Arc<dyn Fn(&Installation, Progress) + Send + Sync>;

pub type Outcomes = Vec<(Installation, Result<Outcome, InstallError>)>;

#[derive(Debug, Default)]
pub struct Installer {
    pub options: Options,
    pub(super) tools: Tools,
}

impl Installer {
    pub fn new(options: Options) -> Self {
        Self { options, tools: Tools::default() }
    }

    /// Installs a release if it is not installed. Calls `progress` on the way.
    pub async fn install(
        &self,
        peer: &Installation,
        mut progress: impl FnMut(Progress),
    ) -> Result<Outcome, InstallError> {
        let outcome = self.run(peer, &mut progress).await;
        match outcome {
            Ok(Outcome::Installed) => progress(Progress::Done),
            Ok(Outcome::AlreadyThere) => {}
            Err(_) => progress(Progress::Failed),
        }
        outcome
    }

    /// Installs releases that are not installed, `jobs` at a time. If one fails, the others continue.
    ///
    /// The outcomes are in the order of `peers`. Dropping the future ends everything that is running.
    pub async fn install_all(self: Arc<Self>, peers: Vec<Installation>, jobs: usize, watch: Watch) -> Outcomes {
        let mut queues: BTreeMap<usize, Vec<(usize, Installation)>> = BTreeMap::new();
        let language = |peer: &Installation| peer.manifest().language.clone();
        for (place, peer) in peers.iter().enumerate() {
            let first = peers.iter().position(|other| language(other) == language(peer)).unwrap_or(place);
            queues.entry(first).or_default().push((place, peer.clone()));
        }
        let places = Arc::new(Semaphore::new(jobs.max(1)));
        let mut running = JoinSet::new();
        for queue in queues.into_values() {
            let (installer, watch, places) = (Arc::clone(&self), Arc::clone(&watch), Arc::clone(&places));
            running.spawn(async move {
                let mut outcomes = Vec::new();
                for (place, peer) in queue {
                    let permit = places.acquire().await;
                    let outcome = installer.install(&peer, |step| watch(&peer, step)).await;
                    drop(permit);
                    outcomes.push((place, (peer, outcome)));
                }
                outcomes
            });
        }
        let mut outcomes = BTreeMap::new();
        while let Some(queue) = running.join_next().await {
            match queue {
                Ok(queue) => outcomes.extend(queue),
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => {}
            }
        }
        outcomes.into_values().collect()
    }

    async fn run(&self, peer: &Installation, progress: &mut impl FnMut(Progress)) -> Result<Outcome, InstallError> {
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
            save_locks(peer).map_err(file)?;
        }
        peer.mark().map_err(file)?;
        Ok(Outcome::Installed)
    }

    /// Checks that all tools exist that a release needs.
    pub async fn check_tools(&self, peer: &Installation) -> Result<(), InstallError> {
        let mut missing = Vec::new();
        for tool in &peer.manifest().tools {
            if let Err(tool) = self.tools.check(tool, peer.command(&tool.command), peer.folder()).await {
                missing.push(tool);
            }
        }
        if missing.is_empty() { Ok(()) } else { Err(InstallError::Tools { peer: peer.id().clone(), missing }) }
    }

    /// Makes the folder in which a release is installed. Returns the commands to run.
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
            // The copy gets its name when it is complete.
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

/// Saves the lock files that an installation has made.
fn save_locks(peer: &Installation) -> Result<(), FileError> {
    peer.locks().iter().try_for_each(|(checked_in, home)| copy(home, checked_in))
}

fn copy(from: &std::path::Path, to: &std::path::Path) -> Result<(), FileError> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(failed("making the folder", folder))?;
    }
    fs::copy(from, to).map_err(failed("copying", from)).map(|_| ())
}

impl Installation {
    /// Installs it if it is not installed, with the default [`Options`].
    pub async fn install(&self, progress: impl FnMut(Progress)) -> Result<Outcome, InstallError> {
        Installer::default().install(self, progress).await
    }

    /// Removes its installation. Waits for an installation that is running.
    pub async fn remove(&self, waits: impl FnOnce()) -> Result<(), FileError> {
        let _lock = FolderLock::take(&self.places().build, waits).await?;
        self.clear()
    }
}
