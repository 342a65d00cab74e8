//! The file of a lock. It is written atomically.

use std::io;
use std::path::{Path, PathBuf};

use mcp_compat_drive::files::{atomic_file, input_file};

use crate::schema_lock::lock::{Lock, NotALock};

pub const DEFAULT_LOCK: &str = "mcp-compat.lock.json";

/// Error about the file of a lock.
#[derive(Debug, thiserror::Error)]
pub enum LockFileError {
    #[error("cannot read the lock {}: {error}{}", .path.display(), how_to_create(.error))]
    Unread { path: PathBuf, error: io::Error },
    #[error("the lock {} cannot be used: {why}", .path.display())]
    NotALock { path: PathBuf, why: NotALock },
    #[error("the lock {} belongs to the server {locked:?}, and this server is {found:?}. Name another file with --lock", .path.display())]
    OtherServer {
        path: PathBuf,
        locked: String,
        /// The server that was probed.
        found: String,
    },
    #[error("cannot write the lock {}: the folder {} does not exist. Create it first", .path.display(), .folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    #[error("cannot write the lock {}: {error}", .path.display())]
    Unwritten { path: PathBuf, error: io::Error },
}

/// Returns the folder of a file if it does not exist.
fn missing_folder(path: &Path) -> Option<&Path> {
    path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
}

fn how_to_create(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::NotFound { ". Create it with `mcp-compat lock save -- COMMAND`" } else { "" }
}

/// Reads a lock.
///
/// # Errors
/// Fails if the file does not exist or is not a lock.
pub fn read(path: &Path) -> Result<Lock, LockFileError> {
    let text = input_file::read_named(path).map_err(|error| {
        if error.kind() == io::ErrorKind::InvalidData {
            not_a_lock(path, NotALock::Broken(error.to_string()))
        } else {
            LockFileError::Unread { path: path.to_owned(), error }
        }
    })?;
    Lock::parse(&text).map_err(|why| not_a_lock(path, why))
}

fn not_a_lock(path: &Path, why: NotALock) -> LockFileError {
    LockFileError::NotALock { path: path.to_owned(), why }
}

/// Writes a lock. Replaces only a lock of the same server. Returns whether the file was changed.
///
/// # Errors
/// Fails if the file is something else, or cannot be written.
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
    // A lock that cannot be read again must not be written: a definition may nest too deeply.
    Lock::parse(&text).map_err(|why| unwritten(io::Error::new(io::ErrorKind::InvalidData, why)))?;
    atomic_file::replace(path, &text).map_err(|error| match missing_folder(path) {
        Some(folder) => LockFileError::NoFolder { path: path.to_owned(), folder: folder.to_owned() },
        None => unwritten(error),
    })?;
    Ok(true)
}
