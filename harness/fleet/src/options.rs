//! Options of an installation.

use std::time::Duration;

/// The default of [`Options::report_every`].
const REPORT_EVERY: Duration = Duration::from_secs(15);

/// Options of an installation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of times a command is run if its registry does not answer.
    pub tries: u32,
    /// The pause before the second try. It grows by the same amount before each further try.
    pub pause: Duration,
    /// Longest time that one command may take.
    pub command_timeout: Duration,
    /// Interval at which [`Progress::StillRunning`](super::Progress::StillRunning) is reported while a command runs.
    pub report_every: Duration,
    /// True to ignore the lock files that are checked in, and to replace them by those of this installation.
    pub lock: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tries: 3,
            pause: Duration::from_secs(2),
            command_timeout: Duration::from_secs(60 * 60),
            report_every: REPORT_EVERY,
            lock: false,
        }
    }
}
