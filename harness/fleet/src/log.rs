//! The output of an installation: all of it, up to some megabytes, in a file, and the last lines for a message.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use mcp_compat_model::invisible_chars::is_invisible;

use super::sources::{FileError, failed};

/// Number of last lines that are shown of a step that failed.
const TAIL_LINES: usize = 30;

/// Largest part of a line that is kept.
const LINE_BYTES: usize = 4096;

const FILE_BYTES: usize = 8 << 20;

#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
    budget: usize,
    line: Vec<u8>,
    tail: VecDeque<String>,
}

impl Log {
    /// Begins a log. Replaces the last one.
    pub(super) fn begin(path: &Path) -> Result<Self, FileError> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed("making the folder", folder))?;
        let file = File::create(path).map_err(failed("writing", path))?;
        Ok(Self { path: path.to_owned(), file, budget: FILE_BYTES, line: Vec::new(), tail: VecDeque::new() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a command. The last lines begin after it.
    pub(super) fn command(&mut self, words: &str) {
        self.keep(format!("$ {words}\n").as_bytes());
        self.line.clear();
        self.tail.clear();
    }

    /// Adds output, and calls `each` with each complete line.
    pub(super) fn take(&mut self, bytes: &[u8], mut each: impl FnMut(String)) {
        self.keep(bytes);
        for byte in bytes {
            // A progress bar ends its lines with a carriage return.
            if matches!(byte, b'\n' | b'\r') {
                self.end_line(&mut each);
            } else if self.line.len() < LINE_BYTES {
                self.line.push(*byte);
            }
        }
    }

    /// Ends the last line, which may have no line break.
    pub(super) fn end(&mut self, mut each: impl FnMut(String)) {
        self.end_line(&mut each);
    }

    /// The last lines of the last command.
    pub(super) fn tail(&self) -> String {
        self.tail.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// The last line of the last command that is whole.
    pub(super) fn last_line(&self) -> Option<String> {
        self.tail.back().cloned()
    }

    fn end_line(&mut self, each: &mut impl FnMut(String)) {
        let line = visible(&String::from_utf8_lossy(&self.line));
        self.line.clear();
        if line.trim().is_empty() {
            return;
        }
        if self.tail.len() == TAIL_LINES {
            self.tail.pop_front();
        }
        self.tail.push_back(line.clone());
        each(line);
    }

    /// Writes to the file. An error is only logged: an installation must not fail because of its log.
    fn keep(&mut self, bytes: &[u8]) {
        let part = &bytes[..bytes.len().min(self.budget)];
        self.budget -= part.len();
        if let Err(error) = self.file.write_all(part) {
            tracing::warn!(path = %self.path.display(), %error, "writing the log of an installation");
            self.budget = 0;
        }
    }
}

/// The text without colours and other control characters.
fn visible(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' && characters.next_if_eq(&'[').is_some() {
            let _ = characters.by_ref().find(|c| c.is_ascii_alphabetic());
        } else if character == '\t' {
            text.push(' ');
        } else if !is_invisible(character) {
            text.push(character);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_whole_however_they_come_and_the_last_ones_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logs/it.log");
        let mut log = Log::begin(&path).unwrap();
        let mut lines = Vec::new();
        log.command("make all");
        for bytes in [&b"one\ntw"[..], b"o\r\n10%\r20%\r", b"\x1b[32mdone\x1b[0m\x07", b"!"] {
            log.take(bytes, |line| lines.push(line));
        }
        log.end(|line| lines.push(line));
        assert_eq!(lines, ["one", "two", "10%", "20%", "done!"]);
        assert_eq!(log.tail(), lines.join("\n"));
        assert!(fs::read_to_string(&path).unwrap().starts_with("$ make all\none\ntwo"));
        log.command("make more");
        assert_eq!(log.tail(), "");
    }

    #[test]
    fn a_flood_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("it.log");
        let mut log = Log::begin(&path).unwrap();
        for _ in 0..FILE_BYTES / LINE_BYTES {
            log.take(&[b'x'; 2 * LINE_BYTES], |_| {});
        }
        log.take(b"\n", |line| assert_eq!(line.len(), LINE_BYTES));
        (0..100).for_each(|number| log.take(format!("{number}\n").as_bytes(), |_| {}));
        assert_eq!(log.tail().lines().count(), TAIL_LINES);
        assert_eq!(fs::metadata(&path).unwrap().len(), FILE_BYTES as u64);
    }
}
