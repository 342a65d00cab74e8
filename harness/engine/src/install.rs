//! Setting real peers up: once, with the tools that their users have, and kept.
//!
//! A set-up is due when the peer's folder has changed since the last one that succeeded. Two set-ups of one language
//! never run at once, in this process or another: they share a kept folder, guarded by a lock file.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use crate::manifest::{Manifest, ManifestError, Setup, fill_in};

/// How many of the last lines of a failed set-up are kept for the message.
const LOG_TAIL: usize = 30;

/// A peer's folder with its manifest, and where what its set-up makes is kept.
#[derive(Clone, Debug)]
pub struct Installation {
    /// The manifest.
    pub manifest: Manifest,
    /// The folder that the manifest stands in.
    pub folder: PathBuf,
    /// The folder that is kept; peers of one language share it, and with it what they have in common.
    pub build: PathBuf,
}

/// How a set-up goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It began.
    Started,
    /// It said something.
    Line(String),
    /// It is done.
    Done,
}

/// Why a peer could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// A file or folder could not be used.
    #[error("setting up {peer}: {doing} {}: {error}", .path.display())]
    File {
        /// The peer.
        peer: String,
        /// What was being done.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The program of the set-up could not be started.
    #[error("setting up {peer}: `{program}` could not be started: {error}; install it, or run with --no-peers")]
    NotStarted {
        /// The peer.
        peer: String,
        /// The program.
        program: String,
        /// Why not.
        error: io::Error,
    },
    /// The set-up failed.
    #[error("setting up {peer}: `{command}` ended with {status}; its last lines:\n{log}")]
    Failed {
        /// The peer.
        peer: String,
        /// The command, for running it again by hand.
        command: String,
        /// How it ended.
        status: String,
        /// The end of what it printed.
        log: String,
    },
}

impl Installation {
    /// The peer of a manifest. `build` is the folder for all peers; those of one language share a part of it.
    ///
    /// # Errors
    /// When the manifest cannot be used.
    pub fn of_manifest(path: &Path, build: &Path) -> Result<Self, ManifestError> {
        let manifest = Manifest::read(path)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = absolute(folder);
        let build = absolute(build).join(&manifest.language);
        Ok(Self { manifest, folder, build })
    }

    /// Whether the peer can be started as it is.
    ///
    /// # Errors
    /// When the peer's folder cannot be read.
    pub fn is_ready(&self) -> Result<bool, InstallError> {
        let Some(setup) = &self.manifest.setup else { return Ok(true) };
        let produced = fill_in(setup.produces.as_slice(), &self.folder, &self.build);
        if !produced.iter().all(|file| Path::new(file).exists()) {
            return Ok(false);
        }
        let stamp = fs::read_to_string(self.stamp()).unwrap_or_default();
        Ok(stamp == self.digest()?)
    }

    /// Sets the peer up if that is due, telling `progress` how it goes.
    ///
    /// # Errors
    /// When the set-up cannot be run or fails.
    pub async fn install(&self, mut progress: impl FnMut(Progress)) -> Result<(), InstallError> {
        let Some(setup) = &self.manifest.setup else { return Ok(()) };
        if self.is_ready()? {
            return Ok(());
        }
        fs::create_dir_all(&self.build).map_err(|error| self.file_error("making the folder", &self.build, error))?;
        let lock = self.lock().await?;
        if self.is_ready()? {
            return Ok(());
        }
        progress(Progress::Started);
        let digest = self.digest()?;
        self.run(setup, &mut progress).await?;
        let stamp = self.stamp();
        fs::write(&stamp, digest).map_err(|error| self.file_error("writing", &stamp, error))?;
        drop(lock);
        progress(Progress::Done);
        Ok(())
    }

    async fn run(&self, setup: &Setup, progress: &mut impl FnMut(Progress)) -> Result<(), InstallError> {
        let peer = self.manifest.id.to_string();
        let words = fill_in(&setup.command, &self.folder, &self.build);
        let Some((program, arguments)) = words.split_first() else { return Ok(()) };
        let mut child = Command::new(program)
            .args(arguments)
            .envs(&setup.env)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| InstallError::NotStarted { peer: peer.clone(), program: program.clone(), error })?;
        let mut log = Vec::new();
        if let Some(stderr) = child.stderr.take() {
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                log.push(line.clone());
                if log.len() > LOG_TAIL {
                    log.remove(0);
                }
                progress(Progress::Line(line));
            }
        }
        let failed = |status: String| InstallError::Failed {
            peer: peer.clone(),
            command: words.join(" "),
            status,
            log: log.join("\n"),
        };
        match child.wait().await {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(failed(status.to_string())),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// Takes the lock of the kept folder; it is free again when the file is closed.
    async fn lock(&self) -> Result<File, InstallError> {
        let path = self.build.join(".lock");
        let task = path.clone();
        let take = move || {
            let file = File::create(&task)?;
            file.lock()?;
            Ok(file)
        };
        let taken = tokio::task::spawn_blocking(take).await.unwrap_or_else(|error| Err(io::Error::other(error)));
        taken.map_err(|error| self.file_error("locking", &path, error))
    }

    fn stamp(&self) -> PathBuf {
        self.build.join(format!("{}.ready", self.manifest.id.as_str().replace('/', "-")))
    }

    /// What the set-up depends on: the files of the peer's folder, and of those that the manifest names.
    fn digest(&self) -> Result<String, InstallError> {
        let further = self.manifest.setup.iter().flat_map(|setup| &setup.inputs).cloned().collect::<Vec<_>>();
        let further = fill_in(&further, &self.folder, &self.build).into_iter().map(PathBuf::from);
        let mut hasher = DefaultHasher::new();
        for root in std::iter::once(self.folder.clone()).chain(further) {
            let mut files = Vec::new();
            sources(&root, &mut files).map_err(|error| self.file_error("reading", &root, error))?;
            files.sort();
            for file in files {
                let bytes = fs::read(&file).map_err(|error| self.file_error("reading", &file, error))?;
                (file.strip_prefix(&root).unwrap_or(&file), bytes).hash(&mut hasher);
            }
        }
        Ok(format!("{:016x}", hasher.finish()))
    }

    /// The error for a set-up that could not even begin.
    pub(crate) fn not_started(&self, error: io::Error) -> InstallError {
        InstallError::NotStarted { peer: self.manifest.id.to_string(), program: "the runtime".to_owned(), error }
    }

    fn file_error(&self, doing: &'static str, path: &Path, error: io::Error) -> InstallError {
        InstallError::File { peer: self.manifest.id.to_string(), doing, path: path.to_owned(), error }
    }
}

/// Where what set-ups make is kept: in cargo's target folder, where `cargo clean` takes it away.
///
/// That is the one that `CARGO_TARGET_DIR` names, else the one that the running program was built into, else `target`
/// in the current folder. Under `cargo test` a program runs in the folder of its package, so the current folder is the
/// last to be asked, and so is a relative `CARGO_TARGET_DIR`, which was meant from where cargo was called.
#[must_use]
pub fn kept_folder() -> PathBuf {
    let asked = std::env::var_os("CARGO_TARGET_DIR").filter(|asked| !asked.is_empty()).map(PathBuf::from);
    let program = std::env::current_exe().ok();
    absolute(&target_folder(asked, program.as_deref()).join("mcp-compat-peers"))
}

fn target_folder(asked: Option<PathBuf>, program: Option<&Path>) -> PathBuf {
    match asked {
        Some(asked) if asked.is_absolute() => asked,
        asked => program.and_then(built_into).or(asked).unwrap_or_else(|| PathBuf::from("target")),
    }
}

/// The target folder that holds a program. Cargo marks each one as a cache, for backups to leave it out.
fn built_into(program: &Path) -> Option<PathBuf> {
    program.ancestors().skip(1).find(|folder| folder.join("CACHEDIR.TAG").is_file()).map(Path::to_owned)
}

/// The path as seen from anywhere: commands run in other folders.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The files below a peer's folder, without what builds leave there.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let built = ["target", "node_modules", ".venv", "__pycache__"].iter().any(|built| name == *built);
        if entry.file_type()?.is_dir() {
            if !built {
                sources(&entry.path(), files)?;
            }
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installation(folder: &Path, command: &str) -> Installation {
        let manifest = format!(
            "id = \"p@1\"\nlanguage = \"sh\"\nabout = \"a peer\"\nrevisions = []\n\
             [setup]\ncommand = [\"sh\", \"-c\", '{command}']\n[client]\ncommand = [\"true\"]\n"
        );
        fs::write(folder.join("peer.toml"), &manifest).unwrap();
        let manifest = Manifest::parse(Path::new("peer.toml"), &manifest).unwrap();
        Installation { manifest, folder: folder.to_owned(), build: folder.join("target") }
    }

    #[tokio::test]
    async fn a_set_up_runs_once_and_again_when_the_peer_changes() {
        let folder = tempfile::tempdir().unwrap();
        let peer = installation(folder.path(), "echo x >> target/runs");
        for _ in 0..2 {
            peer.install(|_| {}).await.unwrap();
        }
        fs::write(folder.path().join("main.rs"), "changed").unwrap();
        assert!(!peer.is_ready().unwrap());
        peer.install(|_| {}).await.unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("target/runs")).unwrap(), "x\nx\n");
    }

    #[tokio::test]
    async fn a_set_up_that_fails_tells_what_it_printed_and_is_due_again() {
        let folder = tempfile::tempdir().unwrap();
        let peer = installation(folder.path(), "echo no compiler >&2; exit 3");
        let error = peer.install(|_| {}).await.unwrap_err().to_string();
        assert!(error.contains("exit status: 3") && error.contains("no compiler"), "{error}");
        assert!(!peer.is_ready().unwrap());
    }

    #[test]
    fn what_is_kept_is_kept_in_the_target_folder() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("elsewhere");
        fs::create_dir_all(target.join("debug/deps")).unwrap();
        let program = target.join("debug/deps/compat-0a1b");
        let here = PathBuf::from("target");
        assert_eq!(target_folder(None, Some(&program)), here, "not marked as one");
        fs::write(target.join("CACHEDIR.TAG"), "").unwrap();
        assert_eq!(target_folder(None, Some(&program)), target);
        assert_eq!(target_folder(Some(PathBuf::from("elsewhere")), Some(&program)), target, "relative to somewhere");
        assert_eq!(target_folder(Some(PathBuf::from("elsewhere")), None), PathBuf::from("elsewhere"));
        assert_eq!(target_folder(Some(folder.path().join("asked")), Some(&program)), folder.path().join("asked"));
        assert_eq!(target_folder(None, None), here);
    }
}
