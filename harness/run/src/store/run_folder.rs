//! Keeping a run: `transcripts.jsonl`, written while it goes on, and `run.json` at its end.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use mcp_compat_drive::files::{atomic_file, input_file, make_folder};
use mcp_compat_model::CellId;
use mcp_compat_model::record::{Evidence, Record, SCHEMA_VERSION};

use crate::store::StoreError;
use crate::store::transcripts::{TRANSCRIPTS, TranscriptWriter, Transcripts};

/// Writes a run into a folder.
///
/// Both files are written beside their final names and moved there at the end, so that a reader never sees half of
/// one and an earlier record stays until a new one is whole. The logs of an earlier run go when a new one begins.
#[derive(Debug)]
pub struct Store {
    folder: LockedFolder,
    transcripts: TranscriptWriter<BufWriter<File>>,
    failed: Option<io::Error>,
}

/// The folder, beside the record, of what peers write to their standard error.
const LOGS: &str = "logs";

/// Says which process writes to the folder, while it does.
const WRITER: &str = "writer";

/// Text before the number of that process.
const PROCESS: &str = "process ";

/// Size limit of a record.
const RECORD_BYTES: u64 = 1 << 30;

/// The name of the record in the folder of a run.
const RECORD: &str = "run.json";

/// The transcripts of a run that has not come to its end.
const PART: &str = "transcripts.jsonl.part";

/// The files of a run in its folder.
pub const FILES: [&str; 3] = [RECORD, TRANSCRIPTS, PART];

impl Store {
    /// Folder of what peers write to their standard error, for a run that is kept in `folder`.
    pub fn logs(folder: &Path) -> PathBuf {
        folder.join(LOGS)
    }

    /// Opens the folder for a run, before anything is played.
    ///
    /// # Errors
    /// If the folder or the files in it cannot be written, or when something in it that is not of a run would be lost.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let error = |error| StoreError::Write { path: folder.to_owned(), error };
        let locked = LockedFolder::take(folder)?;
        let file = private_file(&folder.join(PART)).map_err(error)?;
        let logs = folder.join(LOGS);
        if logs.exists() {
            fs::remove_dir_all(&logs).map_err(error)?;
        }
        DirBuilder::new().mode(0o700).create(&logs).map_err(error)?;
        Ok(Self { folder: locked, transcripts: TranscriptWriter::new(BufWriter::new(file)), failed: None })
    }

    /// Writes the record and closes the files.
    pub fn close(self, record: &Record) -> Result<(), StoreError> {
        let Self { folder, transcripts, failed } = self;
        let written = match failed {
            Some(error) => Err(error),
            None => transcripts.finish().and_then(|_| folder.publish(record)),
        };
        written.map_err(|error| StoreError::Write { path: folder.path.join(RECORD), error })
    }

    /// Takes what happened in a cell. An error is kept until the store is closed, so that the run goes on.
    pub fn take(&mut self, evidence: &Evidence) {
        if self.failed.is_none() {
            self.failed = self.transcripts.write(evidence).err();
        }
    }
}

/// A folder that no other run writes to.
#[derive(Debug)]
struct LockedFolder {
    path: PathBuf,
    /// The folder itself, locked.
    lock: File,
}

impl LockedFolder {
    /// Makes the folder if it is not there, locks it, and makes sure that nothing but a run is replaced in it.
    fn take(path: &Path) -> Result<Self, StoreError> {
        let error = |error| StoreError::Write { path: path.to_owned(), error };
        make_folder(path).map_err(error)?;
        // The lock is on the folder itself: a file for it would stay behind.
        let lock = File::open(path).map_err(error)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::InUse { path: path.to_owned(), by: written_by(path) });
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(error)) => tracing::debug!(%error, "locking the folder of a run"),
        }
        if let Some(name) = link_within(path) {
            return Err(StoreError::Link { path: path.to_owned(), name });
        }
        if let Some(lost) = not_of_a_run(path) {
            return Err(StoreError::NotARun { path: path.to_owned(), lost });
        }
        let writer = format!("{PROCESS}{}", std::process::id());
        private_file(&path.join(WRITER)).and_then(|mut file| file.write_all(writer.as_bytes())).map_err(error)?;
        Ok(Self { path: path.to_owned(), lock })
    }

    /// Writes the record, and gives the transcripts their name.
    fn publish(&self, record: &Record) -> io::Result<()> {
        atomic_file::replace_private_with(&self.path.join(RECORD), |file| {
            serde_json::to_writer_pretty(&mut *file, record)?;
            file.write_all(b"\n")?;
            file.flush()?;
            // Not earlier: without a record the transcripts stay those of an unfinished run.
            fs::rename(self.path.join(PART), self.path.join(TRANSCRIPTS))
        })
    }
}

impl Drop for LockedFolder {
    fn drop(&mut self) {
        // It is gone if the run was kept. Otherwise it is half a file.
        let _ = fs::remove_file(self.path.join(PART));
        let _ = fs::remove_file(self.path.join(WRITER));
        // Without a record, nobody could tell whose logs these are.
        if !is_of_a_run(&self.path) {
            let _ = fs::remove_dir_all(self.path.join(LOGS));
        }
        // Closing it is not enough: a process that is just being started has a copy of it.
        let _ = self.lock.unlock();
    }
}

/// Creates a file that only the user may read, in place of one that an earlier run left.
fn private_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    File::options().write(true).create_new(true).mode(atomic_file::PRIVATE).open(path)
}

/// Name of a link in the place of something that a run writes. A repository may carry links.
fn link_within(folder: &Path) -> Option<&'static str> {
    FILES.into_iter().chain([LOGS, WRITER]).find(|name| folder.join(name).is_symlink())
}

/// Returns whether a run writes to a folder now.
fn is_locked(folder: &Path) -> bool {
    File::open(folder).is_ok_and(|folder| matches!(folder.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Process that says that it writes to a folder.
fn written_by(folder: &Path) -> Option<String> {
    input_file::read_text(&folder.join(WRITER), 1 << 10).ok()
}

/// Returns whether a run was kept in a folder, or is being written to it.
fn is_of_a_run(folder: &Path) -> bool {
    FILES.iter().any(|name| folder.join(name).exists())
}

/// Name that a run would replace in a folder that is not one of a run.
fn not_of_a_run(folder: &Path) -> Option<&'static str> {
    // One that was killed at once leaves only who wrote.
    let is_ours = |name: &str| name == WRITER && written_by(folder).is_some_and(|by| by.starts_with(PROCESS));
    let lost = |name: &&str| !is_of_a_run(folder) && folder.join(name).exists() && !is_ours(name);
    [LOGS, WRITER].into_iter().find(lost)
}

/// Reads the record at `path`, a folder or its `run.json`.
///
/// # Errors
/// If it cannot be read, is not a record, or is of a later format.
pub fn read_record(path: &Path) -> Result<Record, StoreError> {
    if path.join(PART).exists() && !path.join(RECORD).exists() {
        let path = path.to_owned();
        return Err(if is_locked(&path) {
            StoreError::BeingWritten { by: written_by(&path), path }
        } else {
            StoreError::CutOff { path }
        });
    }
    let path = if path.is_dir() { path.join(RECORD) } else { path.to_owned() };
    let bytes =
        input_file::read(&path, RECORD_BYTES).map_err(|error| StoreError::Read { path: path.clone(), error })?;
    let record: Record =
        serde_json::from_slice(&bytes).map_err(|error| StoreError::Syntax { path: path.clone(), error })?;
    if record.schema_version > SCHEMA_VERSION {
        return Err(StoreError::Newer { path, found: record.schema_version });
    }
    Ok(record)
}

/// Reads what happened in one cell of the run in `folder`.
///
/// # Errors
/// If the transcripts cannot be read or do not hold the cell.
pub fn read_evidence(folder: &Path, cell: &CellId) -> Result<Evidence, StoreError> {
    Transcripts::open(folder)?.of_cell(cell)
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::observation::{End, Observation};
    use mcp_compat_model::transcript::Transcript;

    use super::*;

    fn record(schema_version: u32) -> Record {
        Record {
            schema_version,
            tool_version: "0.1.0".to_owned(),
            judge: None,
            platform: None,
            started: "2026-11-21T00:00:00Z".to_owned(),
            duration_us: 1,
            complete: true,
            division: None,
            corpus: "0123".to_owned(),
            peers: Vec::new(),
            scenarios: Vec::new(),
            cells: Vec::new(),
            left_out: Vec::new(),
            stale: Vec::new(),
        }
    }

    fn evidence(cell: &str) -> Evidence {
        let observation = Observation { negotiated: None, steps: Vec::new(), end: End::Answered {} };
        Evidence::kept(CellId::parse(cell).unwrap(), Transcript::default(), observation)
    }

    fn write_all(store: &mut Store, cells: &[&str]) {
        for cell in cells {
            store.take(&evidence(cell));
        }
    }

    const ONE: &str = "a/one::mock/c::mock/s::memory";
    const TWO: &str = "a/two::mock/c::mock/s::memory";

    #[test]
    fn what_was_kept_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path()).unwrap();
        write_all(&mut store, &[ONE, TWO]);
        store.close(&record(SCHEMA_VERSION)).unwrap();
        assert_eq!(read_record(folder.path()).unwrap(), record(SCHEMA_VERSION));
        let two = CellId::parse(TWO).unwrap().id();
        assert_eq!(read_evidence(folder.path(), &two).unwrap(), evidence(TWO));
        let last = fs::read_to_string(folder.path().join("transcripts.jsonl")).unwrap();
        assert_eq!(last.lines().last(), Some(r#"{"footer":{"cells":2}}"#));
    }

    #[test]
    fn a_run_that_was_cut_off_leaves_the_earlier_record_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        Store::open(folder.path()).unwrap().close(&record(SCHEMA_VERSION)).unwrap();
        let mut cut_off = Store::open(folder.path()).unwrap();
        write_all(&mut cut_off, &[ONE]);
        drop(cut_off);
        assert_eq!(read_record(folder.path()).unwrap(), record(SCHEMA_VERSION));
        let transcripts = fs::read_to_string(folder.path().join("transcripts.jsonl")).unwrap();
        assert_eq!(transcripts, "{\"footer\":{\"cells\":0}}\n");
    }

    #[test]
    fn a_second_run_does_not_touch_the_folder_of_a_first_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = Store::open(folder.path()).unwrap();
        write_all(&mut first, &[ONE]);
        let refused = Store::open(folder.path()).unwrap_err();
        let StoreError::InUse { by, .. } = &refused else { panic!("{refused}") };
        assert_eq!(by.as_deref(), Some(format!("process {}", std::process::id()).as_str()));
        let unread = read_record(folder.path()).unwrap_err();
        let expected = format!(
            "a run is writing to {} (process {}): wait until it has ended",
            folder.path().display(),
            std::process::id()
        );
        assert_eq!(unread.to_string(), expected);
        first.close(&record(SCHEMA_VERSION)).unwrap();
        assert!(read_evidence(folder.path(), &CellId::parse(ONE).unwrap().id()).is_ok());
        Store::open(folder.path()).unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["logs", "run.json", "transcripts.jsonl"]);
    }

    #[test]
    fn what_is_not_of_a_run_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["logs", "writer"] {
            let own = folder.path().join(name);
            fs::create_dir(&own).unwrap();
            fs::write(own.join("mine.log"), "mine").unwrap();
            let refused = Store::open(folder.path()).unwrap_err();
            assert!(matches!(refused, StoreError::NotARun { lost, .. } if lost == name), "{refused}");
            assert_eq!(fs::read_to_string(own.join("mine.log")).unwrap(), "mine");
            fs::remove_dir_all(&own).unwrap();
        }
        fs::write(folder.path().join("mine.log"), "mine").unwrap();
        drop(Store::open(folder.path()).unwrap());
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["mine.log"], "a run that was not kept leaves nothing");
        Store::open(folder.path()).unwrap().close(&record(SCHEMA_VERSION)).unwrap();
        drop(Store::open(folder.path()).unwrap());
        assert!(folder.path().join(LOGS).exists(), "beside a record they are a run's");
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in ["run.json", "transcripts.jsonl", "transcripts.jsonl.part", "logs", "writer"] {
            for target in ["there", "dangling"].map(|target| elsewhere.path().join(target)) {
                fs::write(elsewhere.path().join("there"), "precious").unwrap();
                let link = folder.path().join(name);
                std::os::unix::fs::symlink(&target, &link).unwrap();
                let refused = Store::open(folder.path()).unwrap_err();
                assert!(matches!(refused, StoreError::Link { name: told, .. } if told == name), "{refused}");
                fs::remove_file(&link).unwrap();
            }
            let left: Vec<_> =
                fs::read_dir(elsewhere.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(left, ["there"]);
            assert_eq!(fs::read_to_string(elsewhere.path().join("there")).unwrap(), "precious");
        }
    }

    #[test]
    fn only_the_user_may_read_a_run_whatever_was_there_before() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        for name in FILES {
            let path = folder.path().join(name);
            fs::write(&path, "{}").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        }
        Store::open(folder.path()).unwrap().close(&record(SCHEMA_VERSION)).unwrap();
        for name in ["run.json", "transcripts.jsonl"] {
            let mode = fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read_record(folder.path()), Err(StoreError::Read { .. })));
        fs::write(folder.path().join("run.json"), "{").unwrap();
        assert!(matches!(read_record(folder.path()), Err(StoreError::Syntax { .. })));
        Store::open(folder.path()).unwrap().close(&record(SCHEMA_VERSION + 1)).unwrap();
        assert!(matches!(read_record(folder.path()), Err(StoreError::Newer { .. })));
        let one = CellId::parse(ONE).unwrap().id();
        assert!(matches!(read_evidence(folder.path(), &one), Err(StoreError::NoTranscript { .. })));
    }
}
