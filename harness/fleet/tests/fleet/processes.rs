//! Finding processes that should have ended.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::time::sleep;

/// Longest time that the system may take to end what was killed.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Waits until a condition holds. The system does not report the start and the end of other processes' children, so the
/// condition is checked repeatedly.
pub(crate) async fn until(holds: impl Fn() -> bool, complaint: impl Fn() -> String) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < TIMEOUT, "{}", complaint());
        sleep(Duration::from_millis(5)).await;
    }
}

/// The command lines of the processes that have the mark in their environment or in their command line. Zombies do not
/// count: they only wait for their parent.
pub(crate) fn processes(mark: &Path) -> Vec<String> {
    let mark = mark.as_os_str().as_encoded_bytes();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let folder = entry.path();
        let Ok(stat) = fs::read_to_string(folder.join("stat")) else { continue };
        let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
        if matches!(state, Some('Z' | 'X')) {
            continue;
        }
        // Either is unreadable for processes of others, and for those that have just ended.
        let [command, environment] = ["cmdline", "environ"].map(|file| fs::read(folder.join(file)).unwrap_or_default());
        if [&command, &environment].iter().any(|text| text.windows(mark.len()).any(|part| part == mark)) {
            found.push(String::from_utf8_lossy(&command).replace('\0', " "));
        }
    }
    found
}
