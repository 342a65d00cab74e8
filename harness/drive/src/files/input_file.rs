//! Reads files that strangers may have made: a bounded number of bytes, and only of regular files.
//!
//! A link to an endless device would fill the memory, and a FIFO would wait for ever.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Largest size of a file that the user names.
const NAMED_BYTES: u64 = 64 << 20;

/// Reads a file.
///
/// # Errors
/// If it is not a regular file, is larger than `limit` bytes, or cannot be read.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_to_limit(open(path)?, limit)
}

/// Reads to the end. Its size may change while it is read.
fn read_to_limit(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} MiB", limit >> 20)));
    }
    Ok(bytes)
}

/// Reads a file of text.
///
/// # Errors
/// As those of [`read`], and if it is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    text(read(path, limit)?)
}

/// Reads a text that the user names, which may come from a pipe.
///
/// # Errors
/// If it is larger than 64 MiB, is not UTF-8, or cannot be read.
pub fn read_named(path: &Path) -> io::Result<String> {
    text(read_to_limit(File::open(path)?, NAMED_BYTES)?)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8"))
}

/// Opens a regular file for reading.
///
/// # Errors
/// If it is not a regular file, or cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    // Checked before opening: opening a FIFO waits for a writer.
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
        assert_eq!(read_text(&path, 3).unwrap(), "abc");
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_text(&path, 3).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_named_text_may_be_a_pipe_and_has_an_end() {
        let (reader, mut writer) = io::pipe().unwrap();
        io::Write::write_all(&mut writer, "ä".as_bytes()).unwrap();
        drop(writer);
        let pipe = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        assert_eq!(read_named(Path::new(&pipe)).unwrap(), "ä");
        let endless = read_named(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(endless.to_string(), "it is larger than 64 MiB");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_named(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
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
