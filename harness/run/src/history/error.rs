//! Reason why a history cannot be read or written.

use std::io;
use std::path::PathBuf;

use crate::history::compact::CompactError;
use crate::history::open::OpenError;

/// Reason why a history cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// A run cannot be opened: the one to be added, or one of the history.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A run cannot be brought into the compact form.
    #[error("cannot add {}: {error}", .run.display())]
    Compact {
        /// The run.
        run: PathBuf,
        /// The reason.
        error: CompactError,
    },
    /// A run is a part of one.
    #[error("cannot add {}: it has not all shards of its run. Join them all with `mcp-compat merge` and add the whole", .run.display())]
    Shard {
        /// The run.
        run: PathBuf,
    },
    /// A run has no cells.
    #[error("cannot add {}: it has no cells. Add a run in which something was played", .run.display())]
    Empty {
        /// The run.
        run: PathBuf,
    },
    /// The time of a run is invalid.
    #[error("cannot add {}: it began at {started:?}, which is not a time such as 2026-11-22T03:00:00Z", .run.display())]
    Time {
        /// The run.
        run: PathBuf,
        /// The time, as the run states it.
        started: String,
    },
    /// The history has another run of the same time.
    #[error(
        "adding {}: the history has another run that began at the same time, {}. Remove one of them, or choose another history",
        .run.display(), .other.display()
    )]
    SameTime {
        /// The run.
        run: PathBuf,
        /// The file of the other one.
        other: PathBuf,
    },
    /// The run played other scenarios than the history.
    #[error(
        "adding {}: it played the corpus {corpus}, and the run {other} of the history played {other_corpus}. If the scenarios have changed, add --new-corpus",
        .run.display()
    )]
    OtherCorpus {
        /// The run.
        run: PathBuf,
        /// Its corpus.
        corpus: String,
        /// The name of the run before it.
        other: String,
        /// The corpus of that.
        other_corpus: String,
    },
    /// The folder has no history.
    #[error("{} is not a history: it has no folder `runs`. `mcp-compat history add RUN --into DIR` makes one", .path.display())]
    None {
        /// The folder.
        path: PathBuf,
    },
    /// A file of the history has another name than its run.
    #[error("cannot read the history: {} has the run of {name}; rename or remove it", .path.display())]
    Misnamed {
        /// The file.
        path: PathBuf,
        /// The name that it should have.
        name: String,
    },
    /// A folder or file of the history cannot be read.
    #[error("cannot read the history {}: {error}", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A file of the history cannot be written.
    #[error("cannot write the history {}: {error}. The history is as it was", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A file of the history cannot be removed.
    #[error("cannot remove {}: {error}", .path.display())]
    Remove {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
}
