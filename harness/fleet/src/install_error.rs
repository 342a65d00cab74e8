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
    /// A file or folder could not be used.
    #[error("cannot install {peer}: {error}")]
    File {
        /// The peer.
        peer: PeerId,
        /// Failed action and its error.
        error: FileError,
    },
    /// Tools are missing on the machine.
    #[error("cannot install {peer}: {}", .missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Tools {
        /// The peer.
        peer: PeerId,
        /// The missing tools, and how to get them.
        missing: Vec<MissingTool>,
    },
    /// A program of the installation could not be started.
    #[error("cannot install {peer}: `{program}` could not be started: {why}. Install it, or leave out this peer")]
    NotStarted {
        /// The peer.
        peer: PeerId,
        /// The program.
        program: String,
        /// Reason.
        why: String,
    },
    /// A command failed.
    #[error("cannot install {peer}: `{command}` ended with {exit}. {}", last_lines(.tail, .log))]
    Failed {
        /// The peer.
        peer: PeerId,
        /// The command, for running it again by hand.
        command: String,
        /// Exit of the command.
        exit: Exit,
        /// The end of its output.
        tail: String,
        /// The file with all of its output.
        log: PathBuf,
    },
    /// A registry did not answer.
    #[error(
        "installing {peer}: its registry did not answer `{command}` in {tries} tries. Check the network, and install it \
         again. {}",
        last_lines(.tail, .log)
    )]
    Unreachable {
        /// The peer.
        peer: PeerId,
        /// The command.
        command: String,
        /// Number of times it was run.
        tries: u32,
        /// The end of its output.
        tail: String,
        /// The file with all of its output.
        log: PathBuf,
    },
    /// A command took too long.
    #[error("cannot install {peer}: `{command}` did not end within {after:?}. {}", last_lines(.tail, .log))]
    TimedOut {
        /// The peer.
        peer: PeerId,
        /// The command.
        command: String,
        /// Time that it ran.
        after: Duration,
        /// The end of its output.
        tail: String,
        /// The file with all of its output.
        log: PathBuf,
    },
    /// All commands succeeded, but a file that they should produce does not exist.
    #[error("cannot install {peer}: all its commands succeeded, but {} does not exist. Their log: {}", .file.display(), .log.display())]
    NotProduced {
        /// The peer.
        peer: PeerId,
        /// The missing file.
        file: PathBuf,
        /// The file with all of their output.
        log: PathBuf,
    },
    /// The manifest has commands only for releases with lock files.
    #[error(
        "installing {peer}: it has no lock file, and its manifest has no `steps` for releases without one. Add `steps`, or \
         install a release that has one"
    )]
    NotLocked {
        /// The peer.
        peer: PeerId,
    },
    /// Some of its lock files are checked in, and others not.
    #[error("cannot install {peer}: {} exists, but {} does not", .there.display(), .missing.display())]
    PartlyLocked {
        /// The peer.
        peer: PeerId,
        /// One that is.
        there: PathBuf,
        /// One that is not.
        missing: PathBuf,
    },
    /// Lock files should be saved, but the manifest names none.
    #[error("cannot install {peer}: its manifest has no `lock`, so there is no lock file to save")]
    NoLocks {
        /// The peer.
        peer: PeerId,
    },
}

fn last_lines(tail: &str, log: &Path) -> String {
    if tail.is_empty() {
        return format!("It printed nothing. Its log: {}", log.display());
    }
    format!("Its log: {}\n{tail}", log.display())
}
