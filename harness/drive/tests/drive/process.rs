//! Processes end, with all that they started, however they resist.

use std::time::Duration;

use mcp_compat_drive::{Exit, Launch, PeerProcess};
use mcp_compat_model::transcript::StopStage;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

use crate::fake::{PATIENCE, SHORT, alive_in, nobody_left_in, sh, soon};

const LOG_BYTES: usize = 4096;

fn start(launch: &Launch) -> PeerProcess {
    PeerProcess::spawn(launch, LOG_BYTES).unwrap()
}

/// Starts a script and waits for its first line.
async fn started(script: &str) -> PeerProcess {
    let mut process = start(&sh(script));
    let mut lines = BufReader::new(process.take_stdout().unwrap()).lines();
    assert_eq!(soon(lines.next_line()).await.unwrap().as_deref(), Some("ready"));
    process
}

#[tokio::test]
async fn one_that_heeds_the_end_of_its_input_is_not_pressed() {
    let mut process = start(&sh("cat"));
    assert_eq!(soon(process.stop(PATIENCE)).await, StopStage::InputClosed);
    assert_eq!(process.try_exit(), Some(Exit::Status(0)));
}

#[tokio::test]
async fn one_that_does_not_is_asked_to_end() {
    let mut process = start(&sh("exec sleep 300"));
    assert_eq!(soon(process.stop(SHORT)).await, StopStage::Terminated);
    assert_eq!(process.try_exit().map(|exit| exit.to_string()).as_deref(), Some("signal 15 (SIGTERM)"));
}

#[tokio::test]
async fn one_that_ignores_that_is_killed_with_its_children() {
    let mut process = started("trap '' TERM; echo ready; while :; do sleep 300; done").await;
    assert_eq!(soon(process.stop(SHORT)).await, StopStage::Killed);
    assert_eq!(process.try_exit(), Some(Exit::Signal(9)));
    nobody_left_in(process.id()).await;
}

#[tokio::test]
async fn children_left_behind_end_with_their_parent() {
    let script = "trap '' TERM HUP; (while :; do sleep 300; done) & sleep 300 & echo ready; cat >/dev/null";
    let mut process = started(script).await;
    assert!(alive_in(process.id()).len() > 2);
    assert_eq!(soon(process.stop(PATIENCE)).await, StopStage::InputClosed);
    nobody_left_in(process.id()).await;
}

#[tokio::test]
async fn children_left_behind_end_when_their_parent_ends_by_itself() {
    let mut process = started("sleep 300 & echo ready; exit 3").await;
    assert_eq!(soon(process.wait()).await, Exit::Status(3));
    nobody_left_in(process.id()).await;
}

#[tokio::test]
async fn dropping_it_kills_the_whole_group() {
    let process = started("trap '' TERM; (sleep 300; sleep 300) & echo ready; sleep 300").await;
    let group = process.id();
    assert!(alive_in(group).len() > 1);
    drop(process);
    nobody_left_in(group).await;
}

#[tokio::test]
async fn a_stop_that_is_cancelled_leaves_it_to_the_drop() {
    let mut process = started("trap '' TERM; echo ready; while :; do sleep 300; done").await;
    let group = process.id();
    assert!(tokio::time::timeout(SHORT, process.stop(PATIENCE)).await.is_err());
    drop(process);
    nobody_left_in(group).await;
}

#[tokio::test]
async fn a_wait_that_is_cancelled_can_be_taken_up_again() {
    let mut process = start(&sh("read -r line; exit 4"));
    assert!(tokio::time::timeout(Duration::ZERO, process.wait()).await.is_err());
    drop(process.take_stdin());
    assert_eq!(soon(process.wait()).await, Exit::Status(4));
    assert_eq!(soon(process.wait()).await, Exit::Status(4));
}

#[tokio::test]
async fn a_flood_on_standard_error_blocks_nothing_and_leaves_its_end() {
    let mut process = start(&sh("yes 0123456789 | head -c 100000000 >&2; echo the end >&2"));
    assert_eq!(soon(process.wait()).await, Exit::Status(0));
    let tail = process.log_tail();
    assert!(tail.len() <= LOG_BYTES && tail.ends_with("the end\n"), "{} bytes", tail.len());
}

#[tokio::test]
async fn the_log_goes_to_a_file_as_well_up_to_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("peer.log");
    let mut process = start(&sh("echo begin >&2; yes 0123456789 | head -c 20000000 >&2").log(&file));
    soon(process.wait()).await;
    let log = std::fs::read(&file).unwrap();
    assert!(log.starts_with(b"begin\n"));
    assert!(log.len() > LOG_BYTES && log.len() < 10_000_000, "{} bytes", log.len());
}

#[tokio::test]
async fn it_starts_in_its_folder_with_its_variables() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = start(&sh("pwd -P; printf '%s' \"$COLOUR\"").cwd(folder.path()).env("COLOUR", "blue"));
    let mut output = String::new();
    soon(process.take_stdout().unwrap().read_to_string(&mut output)).await.unwrap();
    assert_eq!(output, format!("{}\nblue", folder.path().canonicalize().unwrap().display()));
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let error = PeerProcess::spawn(&Launch::new("/no/such/program"), LOG_BYTES).unwrap_err();
    assert!(error.to_string().contains("\"/no/such/program\""), "{error}");
}

#[tokio::test]
async fn errors_can_come_with_the_output_in_their_order_and_the_end_of_it_is_seen() {
    let script = "echo one; echo two >&2; echo three; (echo four >&2)";
    let mut process = start(&sh(script).stderr_with_output());
    let mut output = String::new();
    soon(process.take_stdout().unwrap().read_to_string(&mut output)).await.unwrap();
    assert_eq!(output, "one\ntwo\nthree\nfour\n");
    assert_eq!(soon(process.wait()).await, Exit::Status(0));
}

#[tokio::test]
async fn a_file_can_be_its_input() {
    let file = tempfile::tempfile().unwrap();
    let mut process = PeerProcess::spawn_reading(&sh("cat; echo end"), LOG_BYTES, file.into()).unwrap();
    assert!(process.take_stdin().is_none());
    let mut output = String::new();
    soon(process.take_stdout().unwrap().read_to_string(&mut output)).await.unwrap();
    assert_eq!(output, "end\n");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn one_that_left_the_group_is_killed_with_its_parent() {
    let mut process = start(&sh("setsid sleep 300 >/dev/null & echo $!; cat"));
    let mut lines = BufReader::new(process.take_stdout().unwrap()).lines();
    let group = soon(lines.next_line()).await.unwrap().unwrap().parse().unwrap();
    assert_ne!(group, process.id());
    drop(process);
    nobody_left_in(group).await;
}
