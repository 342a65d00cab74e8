//! Waits for changes of files, by notifications of the system rather than by polling.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};

/// Pause after which a change counts as complete: an editor touches a file several times when it saves it.
const QUIET: Duration = Duration::from_millis(60);

/// Longest delay of a change while further changes arrive.
const AT_MOST: Duration = Duration::from_secs(1);

/// Watcher of files and folders.
pub struct Changes {
    notices: mpsc::Receiver<()>,
    /// Stops watching when it is dropped.
    _watcher: RecommendedWatcher,
}

impl Changes {
    /// Starts to watch these files, and everything in these folders.
    pub fn of(paths: &[PathBuf]) -> anyhow::Result<Self> {
        // Any number of notices that arrive while nobody waits count as one change.
        let (sender, notices) = mpsc::channel(1);
        let notice = move |event: notify::Result<notify::Event>| {
            // Reading a file does not change it. An event that cannot be interpreted counts as a change.
            let is_change = event.map_or(true, |event| !matches!(event.kind, EventKind::Access(_)));
            if is_change {
                // The channel is full if a change is pending, and closed if nobody waits any more.
                let _ = sender.try_send(());
            }
        };
        let mut watcher = notify::recommended_watcher(notice).context("cannot watch files")?;
        for (folder, mode) in folders(paths) {
            watcher.watch(&folder, mode).with_context(|| format!("cannot watch {}", folder.display()))?;
        }
        Ok(Self { notices, _watcher: watcher })
    }

    /// Waits for the next change to be complete.
    pub async fn next(&mut self) {
        // The sender lives as long as the watcher, so this cannot fail.
        let _ = self.notices.recv().await;
        let latest = Instant::now() + AT_MOST;
        while timeout_at(latest, timeout(QUIET, self.notices.recv())).await.is_ok_and(|more| more.is_ok()) {}
    }
}

/// Returns the folders to watch. A file is watched through its folder, because editors replace files.
fn folders(paths: &[PathBuf]) -> Vec<(PathBuf, RecursiveMode)> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (deep, files): (Vec<_>, Vec<_>) = paths.iter().map(|path| real(path)).partition(|path| path.is_dir());
    let parents: BTreeSet<PathBuf> = files.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
    // A folder can be watched in one mode only, so the recursive one takes precedence.
    let apart = parents.into_iter().filter(|parent| !deep.iter().any(|folder| parent.starts_with(folder)));
    let flat: Vec<_> = apart.map(|parent| (parent, RecursiveMode::NonRecursive)).collect();
    deep.iter().map(|folder| (folder.clone(), RecursiveMode::Recursive)).chain(flat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_watched_by_its_folder_unless_that_is_watched_anyway() {
        let temp = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(temp.path()).unwrap();
        let (deep, other) = (root.join("deep"), root.join("other"));
        for folder in [&deep, &other] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("file"), "").unwrap();
        }
        let watched = folders(&[other.join("file"), deep.join("file"), deep.clone()]);
        assert_eq!(watched, [(deep, RecursiveMode::Recursive), (other, RecursiveMode::NonRecursive)]);
    }

    #[tokio::test]
    async fn reading_is_no_change_and_writing_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "before").unwrap();
        let mut changes = Changes::of(&[folder.path().to_owned()]).unwrap();
        fs::read(&file).unwrap();
        assert!(changes.notices.try_recv().is_err());
        fs::write(&file, "after").unwrap();
        timeout(Duration::from_secs(30), changes.next()).await.unwrap();
    }
}
