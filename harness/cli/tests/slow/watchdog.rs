//! Runs the program under a watchdog, which ends it when it takes more time or memory than it may.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How much memory a command may have at any time, in kilobytes.
const MEMORY: u64 = 512 * 1024;

/// What came of a command within its bounds.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Its exit status. `None` if a signal ended it.
    pub(crate) status: Option<i32>,
    /// What it wrote to standard output and standard error.
    pub(crate) written: String,
}

/// Runs a command to its end, or fails when it takes too much.
#[track_caller]
pub(crate) fn watched(mut command: Command, time: Duration) -> Watched {
    let began = Instant::now();
    let written = tempfile::NamedTempFile::new().unwrap();
    let file = || Stdio::from(File::options().append(true).open(written.path()).unwrap());
    let mut child = command.stdin(Stdio::null()).stdout(file()).stderr(file()).spawn().unwrap();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            let written = String::from_utf8_lossy(&std::fs::read(written.path()).unwrap()).into_owned();
            return Watched { status: status.code(), written };
        }
        let memory = peak(&child).unwrap_or(0);
        if began.elapsed() > time || memory > MEMORY {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the command took {:?} and {memory} kB", began.elapsed());
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// The most memory that a process had, in kilobytes. `None` where the system does not say.
///
/// `spawn` returns when the process is about to become another program, and until then it has the memory of the tests.
fn peak(child: &Child) -> Option<u64> {
    let process = Path::new("/proc").join(child.id().to_string());
    let program = std::fs::read_link(process.join("exe")).ok()?;
    if program == std::env::current_exe().ok()? {
        return None;
    }
    let status = std::fs::read_to_string(process.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}
