//! Reads files that strangers may have made: a bounded number of bytes, and only of regular files.
//!
//! A link to an endless device would fill the memory, and a FIFO would wait for ever.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Reads a file.
///
/// # Errors
/// If it is not a regular file, is larger than `limit` bytes, or cannot be read.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Its size may change while it is read.
    open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} MiB", limit >> 20)));
    }
    Ok(bytes)
}

/// Opens a regular file for reading.
///
/// # Errors
/// If it is not a regular file, or cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    // Not after it was opened: opening a FIFO waits for somebody who writes.
    let kind = path.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder, not a file"));
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a device or a pipe, not a file"));
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    #[test]
    fn a_file_within_the_limit_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "abc").unwrap();
        assert_eq!(read(&path, 3).unwrap(), b"abc");
        assert_eq!(read(&path, 2).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read(&folder.path().join("none"), 2).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn what_has_no_end_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let (fifo, link) = (folder.path().join("fifo"), folder.path().join("link"));
        mkfifo(&fifo, Mode::S_IRWXU).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [fifo, link] {
            assert_eq!(read(&path, 9).unwrap_err().to_string(), "it is a device or a pipe, not a file");
        }
        assert_eq!(read(folder.path(), 9).unwrap_err().to_string(), "it is a folder, not a file");
    }
}
