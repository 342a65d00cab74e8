//! Reason why a release could not be installed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_compat_drive::Exit;
use mcp_compat_model::PeerId;

use super::sources::FileError;
use super::tools::MissingTool;

/// Reason why a release could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("cannot install {peer}: {error}")]
    File {
        peer: PeerId,
        /// Failed action and its error.
        error: FileError,
    },
    #[error("cannot install {peer}: {}", .missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Tools {
        peer: PeerId,
        /// The missing tools, and how to get them.
        missing: Vec<MissingTool>,
    },
    #[error("cannot install {peer}: `{program}` could not be started: {why}. Install it, or leave out this peer")]
    NotStarted { peer: PeerId, program: String, why: String },
    #[error("cannot install {peer}: `{command}` ended with {exit}. {}", last_lines(.tail, .log))]
    Failed {
        peer: PeerId,
        /// The command, for running it again by hand.
        command: String,
        exit: Exit,
        /// The end of its output.
        tail: String,
        /// The file with all of its output.
        log: PathBuf,
    },
    #[error(
        "installing {peer}: its registry did not answer `{command}` in {tries} tries. Check the network, and install it \
         again. {}",
        last_lines(.tail, .log)
    )]
    Unreachable {
        peer: PeerId,
        command: String,
        /// Number of times it was run.
        tries: u32,
        /// The end of its output.
        tail: String,
        /// The file with all of its output.
        log: PathBuf,
    },
    #[error("cannot install {peer}: `{command}` did not end within {after:?}. {}", last_lines(.tail, .log))]
    TimedOut {
        peer: PeerId,
        command: String,
        /// Time that it ran.
        after: Duration,
        /// The end of its output.
        tail: String,
        /// The file with all of its output.
        log: PathBuf,
    },
    #[error("cannot install {peer}: all its commands succeeded, but {} does not exist. Their log: {}", .file.display(), .log.display())]
    NotProduced {
        peer: PeerId,
        file: PathBuf,
        /// The file with all of their output.
        log: PathBuf,
    },
    #[error(
        "installing {peer}: it has no lock file, and its manifest has no `steps` for releases without one. Add `steps`, or \
         install a release that has one"
    )]
    NotLocked { peer: PeerId },
    #[error("cannot install {peer}: {} exists, but {} does not", .there.display(), .missing.display())]
    PartlyLocked { peer: PeerId, there: PathBuf, missing: PathBuf },
    #[error("cannot install {peer}: its manifest has no `lock`, so there is no lock file to save")]
    NoLocks { peer: PeerId },
}

fn last_lines(tail: &str, log: &Path) -> String {
    if tail.is_empty() {
        return format!("It printed nothing. Its log: {}", log.display());
    }
    format!("Its log: {}\n{tail}", log.display())
}
