//! Files and streams that are full, shared, endless or somewhere else: one clear error, and nothing is lost or half-written.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Stdio;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::workshop::{ONE_CELL, OWN, Workshop, to_its_end};

/// A scenario whose tool answers with the bytes of a file beside it.
const RAW: &str = r#"
title = "Bytes of a file"
why = "A file beside a scenario may be anything."
sources = ["https://example.org/bytes"]

[[tool]]
definition = '{"name": "count", "inputSchema": {"type": "object"}}'
raw-file = "bytes.bin"
means.text = "three"
"#;

#[test]
fn a_full_standard_output_is_an_error() {
    let workshop = Workshop::new();
    for args in [&["show", "scenarios"][..], &ONE_CELL] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let child = workshop.command(args).stdout(full).spawn().unwrap();
        to_its_end(child)
            .ends_with(3)
            .says(&["error: cannot write the result to standard output: No space left on device"]);
    }
    assert_eq!(workshop.record()["complete"], true, "the record is kept all the same");
}

#[test]
fn a_full_standard_error_is_nobodys_error() {
    let workshop = Workshop::new();
    let full = File::options().write(true).open("/dev/full").unwrap();
    to_its_end(workshop.command(ONE_CELL).stderr(full).spawn().unwrap()).ends_with(0);
}

#[test]
fn a_reader_that_goes_early_changes_nothing_about_how_the_command_ends() {
    let workshop = Workshop::new();
    let breaks = [
        "run",
        "--no-peers",
        "--scenario=invalid-result/*",
        "--client=mock/dual/skip",
        "--server=mock/dual",
        "--baseline=none",
    ];
    for (args, status) in [(&["show", "scenarios"][..], 0), (&breaks, 1)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = to_its_end(workshop.command(args).stdout(Stdio::from(writer)).spawn().unwrap()).ends_with(status);
        assert!(!ran.stderr.contains("error"), "{}", ran.stderr);
    }
}

#[test]
fn a_folder_that_another_run_writes_to_is_refused() {
    let workshop = Workshop::new();
    let folder = workshop.path().join("out");
    fs::create_dir(&folder).unwrap();
    let lock = File::open(&folder).unwrap();
    lock.try_lock().unwrap();
    workshop.write("out/writer", "process 4711");
    let args = || ONE_CELL.into_iter().chain(["--out", "out"]);
    workshop.run(args()).ends_with(2).says(&["nothing was run: another run writes to out (process 4711)", "--out"]);
    drop(lock);
    workshop.run(args()).ends_with(0);
}

#[test]
fn a_run_that_cannot_begin_leaves_no_report() {
    let workshop = Workshop::new();
    workshop.write("out", "a file where the folder should be");
    let args = ONE_CELL.into_iter().chain(["--out", "out", "--junit", "reports/junit.xml"]);
    workshop.run(args).ends_with(2);
    assert_eq!(fs::read_dir(workshop.path().join("reports")).unwrap().count(), 0);
}

#[test]
fn a_report_that_is_replaced_keeps_nothing_of_the_old_one() {
    let workshop = Workshop::new();
    workshop.write("junit.xml", &"old ".repeat(100_000));
    workshop.run(ONE_CELL.into_iter().chain(["--junit", "junit.xml"])).ends_with(0);
    assert!(!fs::read_to_string(workshop.path().join("junit.xml")).unwrap().contains("old "));
}

#[test]
fn what_peers_sent_is_for_the_user_alone() {
    let workshop = Workshop::new();
    workshop.run(ONE_CELL).ends_with(0);
    let mode = |file: &str| {
        let path = workshop.path().join(".mcp-compat").join(file);
        fs::metadata(path).unwrap().permissions().mode() & 0o077
    };
    assert_eq!(["run.json", "transcripts.jsonl", "logs"].map(mode), [0; 3]);
}

#[test]
fn a_scenario_that_is_a_pipe_or_has_no_end_is_refused() {
    let workshop = Workshop::new();
    fs::create_dir_all(workshop.path().join("fifo/mine")).unwrap();
    mkfifo(&workshop.path().join("fifo/mine/waits.toml"), Mode::S_IRWXU).unwrap();
    fs::create_dir_all(workshop.path().join("link/mine")).unwrap();
    symlink("/dev/zero", workshop.path().join("link/mine/endless.toml")).unwrap();
    for place in ["fifo/mine/waits.toml", "link/mine/endless.toml"] {
        workshop.run(["lint", place]).ends_with(2).says(&["it is a device or a pipe, not a file"]);
    }
    for folder in ["fifo", "link"] {
        workshop.run(["lint", folder]).ends_with(2).says(&["holds no scenario"]);
    }
}

#[test]
fn a_file_beside_a_scenario_is_in_its_folder_and_has_an_end() {
    let workshop = Workshop::new();
    workshop.write("mine/raw.toml", RAW);
    let beside = workshop.path().join("mine/bytes.bin");
    workshop.write("mine/bytes.bin", "{}\n");
    let ran = workshop.run(["lint", "mine/raw.toml"]);
    assert!(!ran.stderr.contains("bytes.bin"), "{ran:?}");
    let elsewhere = workshop.write("elsewhere.bin", "{}\n");
    for target in [elsewhere.as_path(), "/dev/zero".as_ref()] {
        fs::remove_file(&beside).unwrap();
        symlink(target, &beside).unwrap();
        workshop.run(["lint", "mine/raw.toml"]).ends_with(2).says(&["bytes.bin"]);
    }
}

#[test]
fn a_record_that_has_no_end_is_refused() {
    let workshop = Workshop::new();
    workshop.write("own/own.toml", OWN);
    fs::create_dir(workshop.path().join("out")).unwrap();
    symlink("/dev/zero", workshop.path().join("out/run.json")).unwrap();
    workshop.run(["report", "out"]).ends_with(2).says(&["it is a device or a pipe, not a file"]);
    workshop
        .run(["report", "--merge", "out", "--out", "merged"])
        .ends_with(2)
        .says(&["it is a device or a pipe, not a file"]);
}

#[test]
fn a_recording_ends_as_its_server_does() {
    let workshop = Workshop::new();
    let mut child = workshop
        .command(["record", "--output", "own.toml", "--", "sh", "-c", "read -r line; exit 7"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"{}\n").unwrap();
    to_its_end(child).ends_with(7);
}

/// A server whose name and standard error are made for the terminal and for the CI system that show them.
const LOUD: &str = r###"echo "::error::not a command" >&2
read -r line; id=${line#*\"id\":}; id=${id%%,*}; id=${id%%\}*}
printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"##[error]a\\u009b31m\\u202eb","version":"1"}}}\n' "$id"
echo "::error::not a command either" >&2; exit 3"###;

#[test]
fn what_a_server_says_is_no_command_to_a_terminal_or_a_ci_system() {
    let workshop = Workshop::new();
    for json in [&["--json"][..], &[]] {
        let ran = workshop.run(["audit"].iter().chain(json).chain(&["--", "sh", "-c", LOUD]));
        let all = ran.stdout + &ran.stderr;
        assert!(!all.contains("##[error]"), "{all}");
        assert!(!all.lines().any(|line| line.trim_start().starts_with("::")), "{all}");
        assert!(!all.contains(['\u{9b}', '\u{202e}']), "{all}");
    }
}
