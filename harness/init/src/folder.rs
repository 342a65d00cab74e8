//! Files of a folder, read with a bound.

use std::fs;
use std::path::{Path, PathBuf};

use mcp_compat_files::input_file;

use crate::said::LookError;

/// How large a manifest may be.
const MANIFEST_BYTES: u64 = 1 << 20;

/// How large a source may be that is searched.
const SOURCE_BYTES: u64 = 256 << 10;

/// How many sources are searched.
const SOURCES: usize = 200;

/// How deep they may lie.
const DEPTH: usize = 4;

/// Folders that hold what others wrote.
const OF_OTHERS: [&str; 7] = ["node_modules", "target", "venv", "site-packages", "vendor", "build", "dist"];

/// A folder that is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folder<'p>(pub(crate) &'p Path);

impl Folder<'_> {
    /// Whether a file is there.
    pub(crate) fn has(self, name: &str) -> bool {
        self.0.join(name).is_file()
    }

    /// Whether a folder is there.
    pub(crate) fn has_folder(self, name: &str) -> bool {
        self.0.join(name).is_dir()
    }

    /// The first of these files that is there.
    pub(crate) fn first(self, names: &[&str]) -> Option<String> {
        names.iter().find(|name| self.has(name)).map(|name| (*name).to_owned())
    }

    /// The text of a manifest. `None` if it is not there.
    pub(crate) fn text(self, name: &str) -> Result<Option<String>, LookError> {
        if !self.has(name) {
            return Ok(None);
        }
        let unreadable = |why: String| LookError::Unreadable { file: name.to_owned(), why };
        let bytes =
            input_file::read(&self.0.join(name), MANIFEST_BYTES).map_err(|error| unreadable(error.to_string()))?;
        String::from_utf8(bytes).map(Some).map_err(|_| unreadable("it is not UTF-8".to_owned()))
    }

    /// Whether a source with one of these endings has one of these words.
    pub(crate) fn mentions(self, endings: &[&str], words: &[&str]) -> bool {
        let mut sources = Vec::new();
        gather(self.0, endings, DEPTH, &mut sources);
        let has = |text: &[u8]| {
            let text = String::from_utf8_lossy(text);
            words.iter().any(|word| text.contains(word))
        };
        sources.iter().any(|path| input_file::read(path, SOURCE_BYTES).is_ok_and(|text| has(&text)))
    }

    /// The names of the folders in a folder.
    pub(crate) fn folders(self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(name)).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.path().is_dir());
        let mut names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}

fn gather(folder: &Path, endings: &[&str], depth: usize, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if found.len() == SOURCES || name.starts_with('.') || OF_OTHERS.contains(&name) || path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            if depth > 0 {
                gather(&path, endings, depth - 1, found);
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}
