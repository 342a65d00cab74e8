//! Shares a result between the processes of a test run: nextest runs each named test in a process of its own.
//!
//! ```text
//! the first process ── lock ── computes ── writes ───┐
//! every other one   ── waits for the lock ───────────┴──> reads
//! ```
//!
//! A run is identified by the parent process, its number and start time. So a result never outlives its run, and the
//! results of ended runs are removed. The system releases the lock of a process that dies; the next one then computes
//! the result.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Variable that nextest sets in each process that it starts.
const NEXTEST: &str = "NEXTEST";

/// Largest size of a result file in bytes.
const LARGEST: u64 = 64 << 20;

/// Largest number of folders of other runs that are examined.
const MOST_RUNS: usize = 1_000;

/// Test run to which this process belongs.
#[derive(Clone, Debug)]
pub(crate) struct TestRun {
    folder: PathBuf,
}

impl TestRun {
    /// Returns the run of this process, if nextest runs the tests. Cargo runs all named tests of a target in one
    /// process.
    pub(crate) fn current() -> Option<Self> {
        if std::env::var_os(NEXTEST).is_none_or(|value| value != "1") {
            return None;
        }
        Self::below(&std::env::current_exe().ok()?, parent_id())
    }

    /// Returns the run of a process, with a folder below the target folder of the test program.
    fn below(test: &Path, process: u32) -> Option<Self> {
        let deps = test.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "deps"))?;
        let runs = deps.parent()?.join("mcp-compat-runs");
        let folder = runs.join(format!("{process}-{}", started(process)?));
        Some(Self { folder })
    }

    /// Returns the result of `compute`, or the one that another process of the run has stored under the same key.
    /// Errors are not stored. If storing fails, the result is computed here.
    pub(crate) fn once<T: Serialize + DeserializeOwned, E>(
        &self,
        key: &str,
        compute: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let path = self.folder.join(format!("{}.json", digest(key)));
        if let Some(kept) = read(&path) {
            return Ok(kept);
        }
        // Held until this function returns.
        let lock = match self.lock(&path) {
            Ok(lock) => lock,
            Err(error) => {
                report_not_stored(&path, &error);
                return compute();
            }
        };
        if let Some(kept) = read(&path) {
            return Ok(kept);
        }
        let found = compute()?;
        if let Err(error) = write(&path, &found) {
            report_not_stored(&path, &error);
        }
        drop(lock);
        Ok(found)
    }

    /// Returns the result that is stored under a key.
    #[cfg(any(feature = "engine", test))]
    pub(crate) fn kept<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        read(&self.folder.join(format!("{}.json", digest(key))))
    }

    fn lock(&self, path: &Path) -> io::Result<File> {
        if !self.folder.exists() {
            remove_ended(self.folder.parent().unwrap_or(&self.folder));
            // The answers of a server may be private.
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        }
        let lock = File::create(path.with_extension("lock"))?;
        lock.lock()?;
        Ok(lock)
    }
}

/// Reads a stored result. A file that cannot be read counts as missing.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Writes a temporary file and renames it, so that no process reads a part of it.
fn write(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&beside, serde_json::to_vec(value)?)?;
    fs::rename(&beside, path)
}

/// Prints that each process has to compute the result. A failure to print is ignored.
fn report_not_stored(path: &Path, error: &io::Error) {
    let path = path.display();
    let _ = writeln!(io::stderr(), "mcp-compat: cannot keep {path}: {error}; each named test asks the server anew");
}

/// Removes the folders of runs whose process has ended.
fn remove_ended(runs: &Path) {
    let Ok(entries) = fs::read_dir(runs) else { return };
    for entry in entries.flatten().take(MOST_RUNS) {
        let name = entry.file_name();
        let Some((process, start)) = name.to_str().and_then(|name| name.split_once('-')) else { continue };
        let Ok(process) = process.parse() else { continue };
        if started(process).as_deref() != Some(start) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// When a process was started, as letters and digits that no other process with its number has.
#[cfg(target_os = "linux")]
fn started(process: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program comes second, in brackets, and may have blanks and brackets; the start is the 22nd field.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(19).map(str::to_owned)
}

/// When a process was started, as letters and digits that no other process with its number has.
#[cfg(not(target_os = "linux"))]
fn started(process: u32) -> Option<String> {
    let asked = std::process::Command::new("ps").args(["-o", "lstart=", "-p", &process.to_string()]).output().ok()?;
    let start: String = String::from_utf8(asked.stdout).ok()?.chars().filter(char::is_ascii_alphanumeric).collect();
    (!start.is_empty()).then_some(start)
}

/// Returns the file name for a key, which may contain secrets.
fn digest(key: &str) -> String {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, env!("CARGO_PKG_VERSION"), key).hash(&mut hasher);
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(0), half(1))
}

/// Returns a text that changes when a file is written again, such as a program that is rebuilt. The file is not read.
pub(crate) fn state_of_file(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let (size, inode) = (metadata.len(), metadata.ino());
    Some(format!("{} {size} {inode} {}.{}", path.display(), metadata.mtime(), metadata.mtime_nsec()))
}

/// Returns the states of the files of a command: the program, which is looked up in `PATH`, and arguments that are
/// files.
pub(crate) fn state_of_command<'a>(program: &Path, arguments: impl Iterator<Item = &'a Path>) -> Vec<String> {
    let looked_up = || {
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders).find_map(|folder| state_of_file(&folder.join(program)))
    };
    let is_name = program.components().count() == 1;
    let program = if is_name { looked_up() } else { state_of_file(program) };
    program.into_iter().chain(arguments.filter_map(state_of_file)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Barrier, mpsc};
    use std::thread;

    use super::*;

    fn run() -> (tempfile::TempDir, TestRun) {
        let target = tempfile::tempdir().unwrap();
        let run = TestRun::below(&target.path().join("debug/deps/named-01"), std::process::id()).unwrap();
        (target, run)
    }

    #[test]
    fn many_ask_and_one_finds_out() {
        let (_target, run) = run();
        let (asked, together) = (AtomicUsize::new(0), Barrier::new(8));
        let answers: Vec<usize> = thread::scope(|scope| {
            let ask = || {
                together.wait();
                run.once("words", || Ok::<_, ()>(asked.fetch_add(1, Ordering::SeqCst) + 1)).unwrap()
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!((answers, asked.into_inner()), (vec![1; 8], 1));
        assert_eq!(run.once("other words", || Ok::<_, ()>(2)), Ok(2));
        assert_eq!((run.kept::<usize>("words"), run.kept::<usize>("never said")), (Some(1), None));
    }

    #[test]
    fn an_error_is_not_kept_and_one_that_dies_frees_the_others() {
        let (_target, run) = run();
        assert_eq!(run.once::<u8, _>("words", || Err("busy")), Err("busy"));
        let (is_asking, waits) = mpsc::channel();
        let found = thread::scope(|scope| {
            let dying = scope.spawn(|| {
                run.once::<u8, ()>("words", || {
                    is_asking.send(()).unwrap();
                    panic!("it dies while it asks")
                })
            });
            waits.recv().unwrap();
            let found = run.once("words", || Ok::<_, ()>(7));
            assert!(dying.join().is_err());
            found
        });
        assert_eq!(found, Ok(7));
    }

    #[test]
    fn what_cannot_be_read_or_kept_is_found_out() {
        let (target, run) = run();
        assert_eq!(run.once("words", || Ok::<_, ()>(1)), Ok(1));
        fs::write(run.folder.join(format!("{}.json", digest("words"))), "{half").unwrap();
        assert_eq!(run.once("words", || Ok::<_, ()>(2)), Ok(2));
        fs::remove_dir_all(target.path()).unwrap();
        fs::write(target.path(), "no folder").unwrap();
        assert_eq!(run.once("words", || Ok::<_, ()>(3)), Ok(3));
        fs::remove_file(target.path()).unwrap();
    }

    #[test]
    fn a_run_is_one_process_and_what_ended_runs_kept_is_removed() {
        let (target, run) = run();
        let runs = target.path().join("debug/mcp-compat-runs");
        fs::create_dir_all(runs.join("1-1")).unwrap();
        fs::create_dir_all(runs.join("something else")).unwrap();
        run.once("words", || Ok::<_, ()>(1)).unwrap();
        let mut left: Vec<_> = fs::read_dir(&runs).unwrap().map(|entry| entry.unwrap().path()).collect();
        left.sort();
        assert_eq!(left, [run.folder.clone(), runs.join("something else")]);
        let other = TestRun::below(&target.path().join("debug/deps/named-01"), parent_id()).unwrap();
        assert_ne!(other.folder, run.folder);
        assert!(TestRun::below(Path::new("/usr/bin/named"), std::process::id()).is_none(), "there is no target folder");
    }

    #[test]
    fn a_program_that_is_built_anew_has_another_state() {
        let folder = tempfile::tempdir().unwrap();
        let (program, script) = (folder.path().join("server"), folder.path().join("server.js"));
        fs::write(&program, "one").unwrap();
        fs::write(&script, "one").unwrap();
        let state = || state_of_command(&program, [script.as_path(), Path::new("--stdio")].into_iter());
        let before = state();
        assert_eq!((before.len(), before == state()), (2, true));
        fs::write(&script, "three").unwrap();
        assert_ne!(before, state());
        assert_eq!(state_of_command(Path::new("sh"), std::iter::empty()).len(), 1, "it is looked up");
    }
}
