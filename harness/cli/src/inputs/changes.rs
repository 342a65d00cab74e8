//! Waits for files to change: the system tells, nothing is asked in turns.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};

/// An editor that saves a file touches it several times over.
const QUIET: Duration = Duration::from_millis(60);

/// How long a change may be held back while more of them come.
const AT_MOST: Duration = Duration::from_secs(1);

/// Listens to changes, from its making on.
pub struct Changes {
    told: mpsc::Receiver<()>,
    /// It ends when it is dropped.
    _watcher: RecommendedWatcher,
}

impl Changes {
    /// Listens to everything in these folders, and to these files.
    pub fn of(paths: &[PathBuf]) -> anyhow::Result<Self> {
        // Notices that arrive while nobody waits are one change, however many there are.
        let (tell, told) = mpsc::channel(1);
        let notice = move |event: notify::Result<notify::Event>| {
            // Reading a file is no change of it. Whatever else cannot be understood is one, to be on the safe side.
            let is_change = event.map_or(true, |event| !matches!(event.kind, EventKind::Access(_)));
            if is_change {
                // Full means that a change is waiting already, closed that nobody waits any more.
                let _ = tell.try_send(());
            }
        };
        let mut watcher = notify::recommended_watcher(notice).context("cannot watch files")?;
        for (folder, mode) in folders(paths) {
            watcher.watch(&folder, mode).with_context(|| format!("cannot watch {}", folder.display()))?;
        }
        Ok(Self { told, _watcher: watcher })
    }

    /// Waits for the next change, until it has settled.
    pub async fn next(&mut self) {
        // The watcher lives as long as this, and so does what it tells.
        let _ = self.told.recv().await;
        let latest = Instant::now() + AT_MOST;
        while timeout_at(latest, timeout(QUIET, self.told.recv())).await.is_ok_and(|more| more.is_ok()) {}
    }
}

/// The folders to watch. A file is watched by its folder, as editors put another one in its place.
fn folders(paths: &[PathBuf]) -> Vec<(PathBuf, RecursiveMode)> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (deep, files): (Vec<_>, Vec<_>) = paths.iter().map(|path| real(path)).partition(|path| path.is_dir());
    let parents: BTreeSet<PathBuf> = files.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
    // A folder is watched in one way only, so the wider one has to be it.
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
        assert!(changes.told.try_recv().is_err());
        fs::write(&file, "after").unwrap();
        timeout(Duration::from_secs(30), changes.next()).await.unwrap();
    }
}
