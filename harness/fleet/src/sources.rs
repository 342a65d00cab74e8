//! The files of an adapter: a digest shows whether they changed, and a release is installed in a copy of them.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Folders that builds and tools create.
const LEFTOVERS: [&str; 10] = [
    ".git",
    ".gradle",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".venv",
    "__pycache__",
    "node_modules",
    "target",
    "venv",
];

/// The folder of an adapter with its lock files, which each release has its own of.
pub(super) const LOCKS: &str = "locks";

/// A file or folder could not be used.
#[derive(Debug, thiserror::Error)]
#[error("{doing} {}: {error}", .path.display())]
pub struct FileError {
    /// Failed action.
    pub doing: &'static str,
    pub path: PathBuf,
    pub error: io::Error,
}

pub(super) fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
    move |error| FileError { doing, path: path.to_owned(), error }
}

/// The folder of an adapter, its further inputs, and the lock files of one release.
#[derive(Clone, Debug)]
pub(super) struct Sources {
    folder: PathBuf,
    inputs: Vec<PathBuf>,
    locks: Vec<PathBuf>,
}

impl Sources {
    pub(super) fn new(folder: &Path, inputs: Vec<PathBuf>, locks: Vec<PathBuf>) -> Self {
        Self { folder: plain(folder), inputs: inputs.iter().map(|input| plain(input)).collect(), locks }
    }

    /// A digest of all names and contents.
    pub(super) fn digest(&self) -> Result<String, FileError> {
        let mut hasher = DefaultHasher::new();
        for root in self.roots() {
            for file in self.files(root)? {
                let bytes = fs::read(&file).map_err(failed("reading", &file))?;
                (file.strip_prefix(root).unwrap_or(&file), bytes).hash(&mut hasher);
            }
        }
        for lock in &self.locks {
            (lock.file_name(), fs::read(lock).map_err(failed("reading", lock))?).hash(&mut hasher);
        }
        Ok(format!("{:016x}", hasher.finish()))
    }

    /// The adapter's folder after everything was copied below `root`. The folders keep their relative positions.
    pub(super) fn home(&self, root: &Path) -> PathBuf {
        root.join(self.folder.strip_prefix(self.common()).unwrap_or(&self.folder))
    }

    /// Copies everything below `root`.
    pub(super) fn copy(&self, root: &Path) -> Result<(), FileError> {
        let common = self.common();
        for from in self.roots().flat_map(|root| self.files(root).map_or_else(|error| vec![Err(error)], ok)) {
            let from = from?;
            let to = root.join(from.strip_prefix(common).unwrap_or(&from));
            let folder = to.parent().unwrap_or(root);
            fs::create_dir_all(folder).map_err(failed("making the folder", folder))?;
            fs::copy(&from, &to).map_err(failed("copying to", &to))?;
        }
        Ok(())
    }

    fn roots(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.folder).chain(&self.inputs)
    }

    /// The nearest common parent folder.
    fn common(&self) -> &Path {
        let holds =
            |folder: &&Path| self.inputs.iter().all(|input| input.parent().is_some_and(|at| at.starts_with(folder)));
        self.folder.ancestors().skip(1).find(holds).unwrap_or(Path::new("/"))
    }

    /// The files below a folder, or the file itself, sorted.
    fn files(&self, root: &Path) -> Result<Vec<PathBuf>, FileError> {
        let mut files = Vec::new();
        if root.is_file() {
            files.push(root.to_owned());
        } else {
            self.gather(root, &mut files).map_err(failed("reading", root))?;
        }
        files.sort();
        Ok(files)
    }

    fn gather(&self, folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, name) = (entry.path(), entry.file_name());
            let is_lock = name == LOCKS && folder == self.folder;
            let is_left = LEFTOVERS.iter().any(|left| name == *left);
            if entry.file_type()?.is_dir() {
                if !is_lock && !is_left {
                    self.gather(&path, files)?;
                }
            } else if path.is_file() {
                files.push(path);
            }
        }
        Ok(())
    }
}

fn ok(files: Vec<PathBuf>) -> Vec<Result<PathBuf, FileError>> {
    files.into_iter().map(Ok).collect()
}

/// The path without its `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, files: &[&str]) {
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
    }

    fn listed(folder: &Path) -> Vec<String> {
        let sources = Sources::new(Path::new("/none"), Vec::new(), Vec::new());
        let name = |file: PathBuf| file.strip_prefix(folder).unwrap().display().to_string();
        sources.files(folder).unwrap().into_iter().map(name).collect()
    }

    #[test]
    fn folders_are_copied_as_they_stand_to_each_other_without_what_tools_left() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        write(&at("peers"), &["js/sdk/main.js", "js/sdk/node_modules/x/x.js", "js/sdk/locks/1.0.0/lock.json"]);
        write(&at("peers"), &["js/contract/loop.js", "js/other/main.js", "shared/words.json", "js/sdk/deep/locks/x"]);
        let inputs = vec![at("peers/js/sdk/../contract"), at("peers/js/sdk/../../shared/words.json")];
        let sources = Sources::new(&at("peers/js/sdk"), inputs, Vec::new());
        sources.copy(&at("copy")).unwrap();
        assert_eq!(
            listed(&at("copy")),
            ["js/contract/loop.js", "js/sdk/deep/locks/x", "js/sdk/main.js", "shared/words.json"]
        );
        assert_eq!(sources.home(&at("copy")), at("copy/js/sdk"));
        let alone = Sources::new(&at("peers/js/sdk"), Vec::new(), Vec::new());
        assert_eq!(alone.home(&at("copy")), at("copy/sdk"));
    }

    #[test]
    fn the_digest_changes_with_each_file_that_counts_and_with_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        write(folder.path(), &["sdk/main.js", "contract/loop.js", "sdk/locks/1/lock", "sdk/locks/2/lock"]);
        let sources = Sources::new(&at("sdk"), vec![at("contract")], vec![at("sdk/locks/1/lock")]);
        let mut before = sources.digest().unwrap();
        for (file, counts) in [
            ("sdk/main.js", true),
            ("sdk/new.js", true),
            ("contract/loop.js", true),
            ("sdk/locks/1/lock", true),
            ("sdk/locks/2/lock", false),
            ("other/main.js", false),
            ("sdk/target/x", false),
        ] {
            fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            fs::write(at(file), "changed").unwrap();
            let after = sources.digest().unwrap();
            assert_eq!(after != before, counts, "{file}");
            before = after;
        }
    }

    #[test]
    fn what_is_not_there_is_named() {
        let sources = Sources::new(Path::new("/no/such/peer"), Vec::new(), Vec::new());
        assert!(sources.digest().unwrap_err().to_string().starts_with("reading /no/such/peer: No such file"));
    }
}
