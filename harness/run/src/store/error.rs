//! Reason why a run could not be kept or read.

use std::io;
use std::path::PathBuf;

use mcp_compat_model::CellId;
use mcp_compat_model::record::SCHEMA_VERSION;

/// Reason why a run could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file could not be written.
    #[error("cannot write the record to {}: {error}", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A file could not be read.
    #[error("cannot read the record {}: {error}{}", .path.display(), how_to_begin(.error))]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A file is not a record.
    #[error("{} is not a record: {}", .path.display(), if .error.is_eof() { "it is cut off; play the run again".to_owned() } else { .error.to_string() })]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: serde_json::Error,
    },
    /// A record is of a later format.
    #[error("{} is of record format {found}; this version reads up to {SCHEMA_VERSION}: update mcp-compat", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// A line of transcripts is not what a run writes.
    #[error("{}, line {line}: {why}; play the run again", .path.display())]
    Transcript {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The mistake.
        why: String,
    },
    /// Transcripts are not those of the record beside them.
    #[error("{} is not what the record beside it says: {why}; play that part again", .path.display())]
    Unlike {
        /// The file.
        path: PathBuf,
        /// The mistake.
        why: String,
    },
    /// Another run writes to the folder.
    #[error(
        "another run writes to {}{}: wait until it has ended, or give another folder with --out",
        .path.display(),
        .by.as_deref().map(|by| format!(" ({by})")).unwrap_or_default()
    )]
    InUse {
        /// The folder.
        path: PathBuf,
        /// The process, if it says so.
        by: Option<String>,
    },
    /// A folder has files that a run would replace, and is not one of a run.
    #[error("{0} is not the folder of a run, and its {lost} would be lost: give another folder with --out, or move {0}/{lost} away", .path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
        /// Name of what would be replaced.
        lost: &'static str,
    },
    /// A run was cut off before it could write its record.
    #[error("{} has no record: its run was cut off before it could write one; play it again", .path.display())]
    CutOff {
        /// The folder.
        path: PathBuf,
    },
    /// The transcript of a cell is not there.
    #[error("{} holds no transcript of {cell}: the run may have been interrupted before it", .path.display())]
    NoTranscript {
        /// The file.
        path: PathBuf,
        /// The cell.
        cell: CellId,
    },
}

/// Hint at the command that makes a record, if there is none.
fn how_to_begin(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::NotFound { "; `mcp-compat run` makes one" } else { "" }
}
