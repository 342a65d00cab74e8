//! Opens a run in any of its forms.

use std::path::{Path, PathBuf};

use crate::store::transcripts::Transcripts;
use crate::store::{StoreError, read_record};
use mcp_compat_drive::files::input_file;
use mcp_compat_model::record::Record;
use mcp_compat_model::run_verdicts::RunVerdicts;

use crate::history::compact::{CompactError, decode, decode_verdicts};
use crate::history::evidence;

/// The end of the name of a compact run.
pub const ENDING: &str = ".mcpc.gz";

/// Size limit of the file of a compact run.
pub(crate) const FILE_BYTES: u64 = 64 << 20;

#[derive(Debug)]
pub struct OpenedRun {
    /// The record. From a compact run it has no lines of transcripts, and its durations are rounded.
    pub record: Record,
    /// Evidence of its cells, as far as that is kept: in all of them beside a `run.json`, in those that break in the
    /// history, nothing beside a compact run elsewhere.
    pub evidence: Option<Transcripts>,
}

/// Reason why a run could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Record(#[from] StoreError),
    #[error("cannot read the run {}: {error}", .path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("cannot read the run {}: {error}", .path.display())]
    Compact { path: PathBuf, error: CompactError },
}

/// Opens a run: the folder of a run, its `run.json`, or a compact run (`.mcpc.gz`).
///
/// Every command that takes a run opens it here.
///
/// # Errors
/// If there is no run, or it is damaged or of a later format. Transcripts that cannot be opened are no error: then there
/// is no evidence.
pub fn open(path: &Path) -> Result<OpenedRun, OpenError> {
    if is_compact(path) {
        let (evidence, record) = read_compact(path)?;
        let evidence = evidence.and_then(|name| evidence::open_beside(path, &name));
        return Ok(OpenedRun { record, evidence });
    }
    let record = read_record(path)?;
    Ok(OpenedRun { record, evidence: Transcripts::open(&folder(path)).ok() })
}

/// Opens only the verdicts of a run. For a compact run this is much quicker than opening all of it.
pub fn open_verdicts(path: &Path) -> Result<RunVerdicts, OpenError> {
    if is_compact(path) { compact(path, decode_verdicts) } else { Ok(RunVerdicts::of(&read_record(path)?)) }
}

/// Returns whether a path names a compact run.
pub fn is_compact(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ENDING)) && !path.is_dir()
}

/// Reads the record of a compact run, and the name of its evidence.
pub(crate) fn read_compact(path: &Path) -> Result<(Option<String>, Record), OpenError> {
    let (head, record) = compact(path, decode)?;
    Ok((head.evidence, record))
}

fn compact<T>(path: &Path, decode: impl Fn(&[u8]) -> Result<T, CompactError>) -> Result<T, OpenError> {
    let bytes = input_file::read(path, FILE_BYTES).map_err(|error| OpenError::Read { path: path.to_owned(), error })?;
    decode(&bytes).map_err(|error| OpenError::Compact { path: path.to_owned(), error })
}

/// Returns the folder of a record; `path` is the folder or the file.
fn folder(path: &Path) -> PathBuf {
    if !path.is_file() {
        return path.to_owned();
    }
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) => parent.to_owned(),
        None => path.to_owned(),
    }
}
