//! Reason why a history cannot be read or written.

use std::io;
use std::path::PathBuf;

use crate::history::compact::CompactError;
use crate::history::open::OpenError;

/// Reason why a history cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot add {}: {error}", .run.display())]
    Compact { run: PathBuf, error: CompactError },
    #[error("cannot add {}: it has not all shards of its run. Join them all with `mcp-compat merge` and add the whole", .run.display())]
    Shard { run: PathBuf },
    #[error("cannot add {}: it has no cells. Add a run in which something was played", .run.display())]
    Empty { run: PathBuf },
    #[error("cannot add {}: it began at {started:?}, which is not a time such as 2026-11-22T03:00:00Z", .run.display())]
    Time {
        run: PathBuf,
        /// The time, as the run states it.
        started: String,
    },
    #[error(
        "adding {}: the history has another run that began at the same time, {}. Remove one of them, or choose another history",
        .run.display(), .other.display()
    )]
    SameTime {
        run: PathBuf,
        /// The file of the other one.
        other: PathBuf,
    },
    #[error(
        "adding {}: it played the corpus {corpus}, and the run {other} of the history played {other_corpus}. If the scenarios have changed, add --new-corpus",
        .run.display()
    )]
    OtherCorpus {
        run: PathBuf,
        corpus: String,
        /// The name of the run before it.
        other: String,
        other_corpus: String,
    },
    #[error("{} is not a history: it has no folder `runs`. `mcp-compat history add RUN --into DIR` makes one", .path.display())]
    None { path: PathBuf },
    #[error("cannot read the history: {} has the run of {name}; rename or remove it", .path.display())]
    Misnamed {
        path: PathBuf,
        /// The name that it should have.
        name: String,
    },
    #[error("cannot read the history {}: {error}", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        error: io::Error,
    },
    #[error("cannot write the history {}: {error}. The history is as it was", .path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        error: io::Error,
    },
    #[error("cannot remove {}: {error}", .path.display())]
    Remove { path: PathBuf, error: io::Error },
}
