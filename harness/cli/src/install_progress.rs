//! Shows on stderr how installations proceed: spinners on a terminal, plain lines in a log.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use mcp_compat_fleet::{InstallError, Installation, Progress};
use mcp_compat_model::PeerId;

use crate::output::eprintln;
use crate::terminal;

/// Interval between two frames of a spinner.
const TURN: Duration = Duration::from_millis(120);

#[derive(Debug, Default)]
pub struct InstallProgress {
    bars: MultiProgress,
    running: Mutex<BTreeMap<String, Running>>,
}

#[derive(Debug)]
struct Running {
    bar: ProgressBar,
    since: Instant,
}

impl InstallProgress {
    pub fn notice(&self, peer: &Installation, progress: Progress) {
        let id = peer.id();
        match progress {
            Progress::Waiting => {
                let language = &peer.manifest().language;
                self.say(&format!("{id}: waiting for another installation of {language} releases to end"));
            }
            Progress::Started => {
                let running =
                    Running { bar: self.bar(&format!("installing {id} (once; it is kept)")), since: Instant::now() };
                self.lock().insert(id.to_string(), running);
            }
            Progress::Step { command, number, of } => {
                self.show(id.as_str(), &command);
                if !terminal::draws_progress() && of > 1 {
                    eprintln!("{id}: step {number} of {of}: {command}");
                }
            }
            Progress::Line(line) => self.show(id.as_str(), line.trim()),
            Progress::StillRunning { command, elapsed, last_line } => {
                // A bar shows the time and the last line already.
                if !terminal::draws_progress() {
                    eprintln!("{}", still_running(id, &command, elapsed, last_line.as_deref()));
                }
            }
            Progress::Again { command, number, of } => {
                self.say(&format!("{id}: its registry did not answer `{command}`: try {number} of {of}"));
            }
            Progress::Done => {
                if let Some(Running { bar, since }) = self.lock().remove(id.as_str()) {
                    bar.finish_and_clear();
                    self.say(&format!("{id} is installed, in {:.1} s", since.elapsed().as_secs_f64()));
                }
            }
            Progress::Failed => {
                if let Some(Running { bar, .. }) = self.lock().remove(id.as_str()) {
                    bar.finish_and_clear();
                }
                self.say(&format!("installing {id} failed"));
            }
        }
    }

    /// Prints a line above the spinners.
    pub fn say(&self, line: &str) {
        self.bars.suspend(|| eprintln!("{line}"));
    }

    fn bar(&self, what: &str) -> ProgressBar {
        if !terminal::draws_progress() {
            eprintln!("{what}");
            return ProgressBar::hidden();
        }
        let bar = self.bars.add(ProgressBar::new_spinner().with_prefix(what.to_owned()));
        let style = ProgressStyle::with_template("{spinner} {prefix}  {elapsed}  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(TURN);
        bar
    }

    fn show(&self, id: &str, line: &str) {
        if let Some(Running { bar, .. }) = self.lock().get(id) {
            bar.set_message(line.to_owned());
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the line for a command that is still running: the command, the elapsed time and its last line.
fn still_running(id: &PeerId, command: &str, elapsed: Duration, last_line: Option<&str>) -> String {
    let mut line = format!("{id}: {}, {} s so far", in_short(command), elapsed.as_secs());
    if let Some(printed) = last_line.map(str::trim) {
        line.push_str(": ");
        line.push_str(printed);
    }
    line
}

/// Returns the program of a command, with its subcommand if it has one.
fn in_short(command: &str) -> String {
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or(program);
    let is_name = |word: &&str| word.chars().all(|character| character.is_ascii_alphabetic());
    match words.next().filter(is_name) {
        Some(subcommand) => format!("{program} {subcommand}"),
        None => program.to_owned(),
    }
}

/// Returns the reasons why peers could not be installed. A missing tool is named once, with all peers that need it.
pub fn reasons(failed: &[&InstallError]) -> Vec<String> {
    let mut lacking: BTreeMap<String, Vec<&PeerId>> = BTreeMap::new();
    let mut reasons = Vec::new();
    for error in failed {
        if let InstallError::Tools { peer, missing } = error {
            missing.iter().for_each(|tool| lacking.entry(tool.to_string()).or_default().push(peer));
        } else {
            reasons.push(error.to_string());
        }
    }
    let costs = |peers: Vec<&PeerId>| peers.iter().map(|peer| peer.as_str()).collect::<Vec<_>>().join(", ");
    reasons.extend(lacking.into_iter().map(|(tool, peers)| format!("{tool} (this costs {})", costs(peers))));
    reasons
}

/// Prints the peers that do not play because they could not be installed.
pub fn report_failures(failed: &[InstallError]) {
    for reason in reasons(&failed.iter().collect::<Vec<_>>()) {
        eprintln!("not tested: {reason}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_still_running_is_reported_with_its_time_and_last_line() {
        let id = PeerId::new("rmcp@3.9.0").unwrap();
        let command = "cargo install --path . --root /home/it --locked";
        let line = |command, last| still_running(&id, command, Duration::from_millis(45_300), last);
        assert_eq!(
            line(command, Some("   Compiling hyper v1.12.0")),
            "rmcp@3.9.0: cargo install, 45 s so far: Compiling hyper v1.12.0"
        );
        assert_eq!(line("/usr/bin/npm ci", None), "rmcp@3.9.0: npm ci, 45 s so far");
        assert_eq!(line("sh -c 'exit 1'", None), "rmcp@3.9.0: sh, 45 s so far");
    }
}
