//! A lock for one installation of a language at a time, across processes: the peers of a language share a folder.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use mcp_compat_drive::files::make_folder;
use tokio::time::timeout;

use super::sources::{FileError, failed};

/// Time before a wait for another holder is reported. A process that is just being started holds
/// what this one has open, until it becomes another program.
const SOON: Duration = Duration::from_millis(500);

/// A locked folder. It stays locked while this value exists, or a process that got it as its input.
#[derive(Debug)]
pub(super) struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Locks a folder, and creates it if necessary. Calls `waits` if another holder has it for longer than a moment.
    pub(super) async fn take(folder: &Path, waits: impl FnOnce()) -> Result<Self, FileError> {
        make_folder(folder).map_err(failed("making the folder", folder))?;
        let path = folder.join(".lock");
        let open = || File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = open().map_err(failed("opening", &path))?;
        match file.try_lock() {
            Ok(()) => return Ok(Self { file }),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed("locking", &path)(error)),
        }
        let wait = move || file.lock().map(|()| Self { file });
        let mut waiting = tokio::task::spawn_blocking(wait);
        let taken = match timeout(SOON, &mut waiting).await {
            Ok(taken) => taken,
            Err(_elapsed) => {
                waits();
                waiting.await
            }
        };
        taken.unwrap_or_else(|error| Err(io::Error::other(error))).map_err(failed("locking", &path))
    }

    /// The lock as the empty input of a process. The folder stays locked until that process and all its children have ended,
    /// even if this process dies: no other installation may write to the folder before.
    pub(super) fn as_input(&self) -> io::Result<Stdio> {
        self.file.try_clone().map(Stdio::from)
    }
}
