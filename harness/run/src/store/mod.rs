//! The record of a run on disk: a folder with `run.json` and `transcripts.jsonl`.
//!
//! ```text
//! Evidence… ── Store::take ──> transcripts.jsonl, while the run goes on
//! Record ───── Store::close ─> run.json, when it has ended        read_record, Transcripts read them back
//! ```
//!
//! - [`Store`] writes the folder of a run, which no other run may write to at the same time, and reads its record.
//! - [`transcripts`] is the format of the evidence: each distinct message once.
//!
//! Files may be a stranger's: their size is bounded, and every error names the file and what to do.

mod run_folder;
pub mod transcripts;

use std::io;
use std::path::PathBuf;

use mcp_compat_model::CellId;
use mcp_compat_model::record::SCHEMA_VERSION;

pub use run_folder::{FILES, Store, read_evidence, read_record};

/// Reason why a run could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot write the record to {}: {error}", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        error: io::Error,
    },
    #[error("cannot read the record {}: {error}{}", .path.display(), how_to_begin(.error))]
    Read { path: PathBuf, error: io::Error },
    #[error("{} is not a record: {}", .path.display(), if .error.is_eof() { "it is cut off; play the run again".to_owned() } else { .error.to_string() })]
    Syntax { path: PathBuf, error: serde_json::Error },
    #[error("{} is of record format {found}; this version reads up to {SCHEMA_VERSION}: update mcp-compat", .path.display())]
    Newer { path: PathBuf, found: u32 },
    #[error("{}, line {line}: {why}; play the run again", .path.display())]
    Transcript {
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        why: String,
    },
    #[error("{} is not what the record beside it says: {why}; play that part again", .path.display())]
    Unlike { path: PathBuf, why: String },
    #[error(
        "another run writes to {}{}: wait until it has ended, or give another folder with --out",
        .path.display(),
        .by.as_deref().map(|by| format!(" ({by})")).unwrap_or_default()
    )]
    InUse {
        path: PathBuf,
        /// The process, if it says so.
        by: Option<String>,
    },
    #[error("{0} is not the folder of a run, and its {lost} would be lost: give another folder with --out, or move {0}/{lost} away", .path.display())]
    NotARun {
        path: PathBuf,
        /// Name of what would be replaced.
        lost: &'static str,
    },
    #[error("{} has no record: its run was cut off before it could write one; play it again", .path.display())]
    CutOff { path: PathBuf },
    #[error("a run is writing to {}{}: wait until it has ended", .path.display(), .by.as_deref().map(|by| format!(" ({by})")).unwrap_or_default())]
    BeingWritten {
        path: PathBuf,
        /// The process, if it says so.
        by: Option<String>,
    },
    #[error("{} holds no transcript of {cell}: the run may have been interrupted before it", .path.display())]
    NoTranscript { path: PathBuf, cell: CellId },
}

/// Hint at the command that makes a record, if there is none.
fn how_to_begin(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::NotFound { "; `mcp-compat run` makes one" } else { "" }
}
