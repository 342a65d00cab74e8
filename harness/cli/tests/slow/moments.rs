//! An interruption at any moment: nothing that was started or written by halves is left, and the record reads.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::workshop::{Workshop, to_its_end, until};

/// How many moments of a run are tried. A larger number makes the test finer: `MCP_COMPAT_MOMENTS=20`.
const MOMENTS: u32 = 5;

/// The seed of the moments, so that a failure can be seen again.
const SEED: u32 = 20_261_123;

/// How long a command may take to end after a signal. It takes two seconds at most, and the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(10);

/// What every process below a command inherits.
const MARK: &str = "MCP_COMPAT_TEST_MARK";

/// Cells over all transports, with processes of mocks.
const ARGS: [&str; 6] =
    ["run", "--no-peers", "--scenario=root-type/*", "--client=mock/*", "--server=mock/dual", "--coverage=full"];

/// An audit of a server that answers.
const AUDIT: [&str; 8] = [
    "audit",
    "--tool=list_users",
    "--call=list_users",
    "--",
    crate::workshop::PROGRAM,
    "mock",
    "server",
    "--scenario=root-type/array",
];

fn moments() -> u32 {
    std::env::var("MCP_COMPAT_MOMENTS").ok().and_then(|number| number.parse().ok()).unwrap_or(MOMENTS)
}

/// The program, with a mark on it and on all that it starts, and a folder of its own for temporary files.
fn marked(workshop: &Workshop, args: &[&str], mark: &str) -> Command {
    let temporary = workshop.path().join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    let mut command = workshop.command(args);
    command.env(MARK, mark).env("TMPDIR", temporary);
    command
}

/// The running processes that have the mark.
fn alive_with(mark: &str) -> Vec<i32> {
    let wanted = format!("{MARK}={mark}");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let ids = processes.filter_map(|process| process.file_name().to_str()?.parse().ok());
    let is_marked = |id: &i32| {
        // A zombie has no environment any more.
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    ids.filter(is_marked).collect()
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn interrupted_at_each_moment(name: &str, args: &[&str]) {
    let began = Instant::now();
    let whole = Workshop::new();
    to_its_end(marked(&whole, args, &format!("{name}-whole")).spawn().unwrap());
    let length = began.elapsed();
    let mut random = SEED;
    for moment in 0..moments() {
        let workshop = Workshop::new();
        let mark = format!("{name}-{}-{moment}", std::process::id());
        let child = marked(&workshop, args, &mark).spawn().unwrap();
        let id = Pid::from_raw(i32::try_from(child.id()).unwrap());
        // One random moment in each part of the length, and both signals in turn.
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let permille = (1_000 * moment + random % 1_000) / moments();
        thread::sleep(length * permille / 1_000);
        let signal = if moment % 2 == 0 { Signal::SIGINT } else { Signal::SIGTERM };
        kill(id, signal).unwrap();
        let signalled = Instant::now();
        let ran = to_its_end(child);
        assert!(matches!(ran.status, Some(130 | 0 | 1) | None), "{signal} at {permille} of 1000: {ran:?}");
        assert!(signalled.elapsed() < PATIENCE, "{signal} at {permille} of 1000: {:?}", signalled.elapsed());
        // The system may take a moment to end what was killed.
        until("nothing that was started is left", || alive_with(&mark).is_empty());
        assert_eq!(entries(&workshop.path().join("tmp")), Vec::<String>::new(), "{signal} at {permille} of 1000");
        assert_record_reads(&workshop, &ran.stderr);
    }
}

/// A run that was interrupted has a record of what was played, or none at all.
fn assert_record_reads(workshop: &Workshop, said: &str) {
    let folder = workshop.path().join(".mcp-compat");
    if folder.join("run.json").exists() {
        let ran = workshop.run(["report", folder.to_str().unwrap()]);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!(!folder.join("transcripts.jsonl.part").exists(), "half a file is left\n{said}");
    }
}

#[test]
fn of_a_run() {
    interrupted_at_each_moment("run", &ARGS);
}

#[test]
fn of_an_audit() {
    interrupted_at_each_moment("audit", &AUDIT);
}
