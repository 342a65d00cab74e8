//! One installation of a language at a time, in this process or another: its peers share a folder.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::process::Stdio;

use super::sources::{FileError, failed};

/// The folder is ours as long as this is there, or a process that was given it as its input.
#[derive(Debug)]
pub(super) struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Takes a folder, making it if need be; says so before it waits for whoever has it.
    pub(super) async fn take(folder: &Path, waits: impl FnOnce()) -> Result<Self, FileError> {
        fs::create_dir_all(folder).map_err(failed("making the folder", folder))?;
        let path = folder.join(".lock");
        let open = || File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = open().map_err(failed("opening", &path))?;
        match file.try_lock() {
            Ok(()) => return Ok(Self { file }),
            Err(TryLockError::WouldBlock) => waits(),
            Err(TryLockError::Error(error)) => return Err(failed("locking", &path)(error)),
        }
        let wait = move || file.lock().map(|()| Self { file });
        let taken = tokio::task::spawn_blocking(wait).await.unwrap_or_else(|error| Err(io::Error::other(error)));
        taken.map_err(failed("locking", &path))
    }

    /// The lock as the input of a process, which finds it empty. Whatever becomes of this process, the folder is taken
    /// until that one and all that it started have ended: nobody builds into what it still writes to.
    pub(super) fn as_input(&self) -> io::Result<Stdio> {
        self.file.try_clone().map(Stdio::from)
    }
}
