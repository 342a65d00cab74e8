//! The file of a lock: read whole, and written whole or not at all.

use std::io;
use std::path::{Path, PathBuf};

use mcp_compat_drive::atomic_file;

use super::lock::{Lock, NotALock};

/// What the file is called where nobody says otherwise.
pub const DEFAULT_LOCK: &str = "mcp-compat.lock.json";

/// Why the file of a lock is of no use.
#[derive(Debug, thiserror::Error)]
pub enum LockFileError {
    /// It cannot be read.
    #[error("reading the lock {}: {error}{}", .path.display(), how_to_begin(.error))]
    Unread {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is no lock that can be used; it stays as it is.
    #[error("the lock {} cannot be used: {why}", .path.display())]
    NotALock {
        /// The file.
        path: PathBuf,
        /// Why.
        why: NotALock,
    },
    /// It belongs to another server; it stays as it is.
    #[error("the lock {} is of the server {locked:?}, and this one is {found:?}: name another file with --lock", .path.display())]
    OtherServer {
        /// The file.
        path: PathBuf,
        /// Whose it is.
        locked: String,
        /// Whom it was to be for.
        found: String,
    },
    /// There is no folder to write it into.
    #[error("writing the lock {}: there is no folder {}: make it first", .path.display(), .folder.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// It cannot be written; the one that is there stays.
    #[error("writing the lock {}: {error}", .path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// The folder that a file is to be in, where there is none.
fn missing_folder(path: &Path) -> Option<&Path> {
    path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
}

fn how_to_begin(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::NotFound { "; `mcp-compat contract save` makes it" } else { "" }
}

/// Reads a lock.
///
/// # Errors
/// When there is none, or it cannot be used.
pub fn read(path: &Path) -> Result<Lock, LockFileError> {
    let bytes = std::fs::read(path).map_err(|error| LockFileError::Unread { path: path.to_owned(), error })?;
    let not_a_lock = |why| LockFileError::NotALock { path: path.to_owned(), why };
    let text = String::from_utf8(bytes).map_err(|error| not_a_lock(NotALock::Broken(error.to_string())))?;
    Lock::parse(&text).map_err(not_a_lock)
}

/// Writes a lock, over an older one of the same server at most. Whether the file was changed is returned.
///
/// # Errors
/// When there is something else in its place, or it cannot be written.
pub fn save(path: &Path, lock: &Lock) -> Result<bool, LockFileError> {
    match read(path) {
        Ok(there) if there.server.name != lock.server.name => {
            let (locked, found) = (there.server.name, lock.server.name.clone());
            return Err(LockFileError::OtherServer { path: path.to_owned(), locked, found });
        }
        Ok(there) if there == *lock => return Ok(false),
        Ok(_) => {}
        Err(LockFileError::Unread { error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let unwritten = |error| LockFileError::Unwritten { path: path.to_owned(), error };
    let text = lock.to_text();
    // What could not be read again, as a definition that nests too deep, is no use to anybody.
    Lock::parse(&text).map_err(|why| unwritten(io::Error::new(io::ErrorKind::InvalidData, why)))?;
    atomic_file::replace(path, &text).map_err(|error| match missing_folder(path) {
        Some(folder) => LockFileError::NoFolder { path: path.to_owned(), folder: folder.to_owned() },
        None => unwritten(error),
    })?;
    Ok(true)
}
