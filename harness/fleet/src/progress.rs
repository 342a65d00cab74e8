//! Reports of an installation while it runs, and its end.

use std::time::Duration;

/// The progress of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It waits for another installation of the same language.
    Waiting,
    /// It began.
    Started,
    /// A command began.
    Step {
        /// The command.
        command: String,
        /// Its number, from 1.
        number: usize,
        /// Total number.
        of: usize,
    },
    /// The command printed a line.
    Line(String),
    /// The command is still running.
    StillRunning {
        /// The command.
        command: String,
        /// Time that it has been running.
        elapsed: Duration,
        /// The last line that it printed, if it printed any.
        last_line: Option<String>,
    },
    /// The registry did not answer, and the command is run again.
    Again {
        /// The command.
        command: String,
        /// The number of the try.
        number: u32,
        /// Largest total number.
        of: u32,
    },
    /// It is done.
    Done,
    /// It failed.
    Failed,
}

/// End of an installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The release was installed.
    Installed,
    /// The release was installed before.
    AlreadyThere,
}
