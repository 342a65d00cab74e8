//! Peers that cannot start, exit, hang, print garbage or flood: each is a result for its cells and for no other.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use mcp_compat::Peer;
use mcp_compat_fleet::{Cache, Installation};
use mcp_compat_model::verdict::{Fault, Outcome};
use mcp_compat_model::{Role, Transport};
use mcp_compat_run::peer_set::PeerSet;

use crate::support::{Played, corpus, mocks_and, play_with, request};

/// A peer whose client and server are shell scripts.
fn fake(folder: &Path, client: &str, server: &str) -> Vec<Peer> {
    let quoted = |script: &str| format!("'''{script}'''");
    let manifest = format!(
        "id = \"fake@1.0.0\"\nlanguage = \"sh\"\nabout = \"a peer that misbehaves\"\n\
         revisions = [\"2025-11-25\"]\n[client]\ncommand = [\"sh\", \"-c\", {}]\n\
         [server]\nstdio = [\"sh\", \"-c\", {}]\n",
        quoted(client),
        quoted(server),
    );
    let path = folder.join("peer.toml");
    fs::write(&path, manifest).unwrap();
    Installation::of_manifest(&path, None, &Cache::of_project(folder)).unwrap().peers()
}

/// Answers the probe as an adapter must, and then does something else. A process that is started again gets no probe.
pub(crate) fn after_probe(then: &str) -> String {
    // The id of the probe is whatever stands first in the line.
    format!(
        r#"read -r line; id=${{line#*\"id\":}}; id=${{id%%,*}}
case $line in *\"scenario\":\"probe\"*) printf '{{"id":%s,"unsupported":"unknown step"}}\n' "$id";; esac; {then}"#
    )
}

async fn outcome(peers: Vec<Peer>, role: Role) -> (Outcome, Option<Fault>, String) {
    let peers: PeerSet = mocks_and(peers);
    let mut asked = match role {
        Role::Client => request(&["root-type/object"], &["fake*"], &["mock/2025-11-25"]),
        Role::Server => request(&["root-type/object"], &["mock/2025-11-25"], &["fake*"]),
    };
    asked.transports = match role {
        Role::Client => vec![Transport::Http],
        Role::Server => vec![Transport::Stdio],
    };
    asked.step_timeout = Some(Duration::from_millis(400));
    let began = Instant::now();
    let played = play_with(peers, &corpus(), asked).await;
    assert!(began.elapsed() < Duration::from_secs(20), "bounded time");
    let (cell, _) = played.only();
    (cell.outcome, cell.fault, cell.reason.clone())
}

async fn client(script: &str) -> (Outcome, Option<Fault>, String) {
    let folder = tempfile::tempdir().unwrap();
    outcome(fake(folder.path(), script, "exit 0"), Role::Client).await
}

async fn server(script: &str) -> (Outcome, Option<Fault>, String) {
    let folder = tempfile::tempdir().unwrap();
    outcome(fake(folder.path(), "exit 0", script), Role::Server).await
}

#[tokio::test]
async fn a_client_that_exits_at_once_has_crashed() {
    let (outcome, fault, reason) = client("echo no license >&2; exit 3").await;
    assert_eq!((outcome, fault), (Outcome::Crashed, Some(Fault::Client)), "{reason}");
    assert!(reason.contains("exit status 3"), "{reason}");
}

#[tokio::test]
async fn a_client_that_dies_in_the_middle_of_a_job_has_crashed() {
    let (outcome, fault, reason) = client(&after_probe("read -r job; kill -9 $$")).await;
    assert_eq!((outcome, fault), (Outcome::Crashed, Some(Fault::Client)), "{reason}");
}

#[tokio::test]
async fn a_client_that_hangs_is_hung_and_left() {
    let (outcome, fault, reason) = client(&after_probe("trap '' TERM; sleep 600 & wait; sleep 600")).await;
    assert_eq!((outcome, fault), (Outcome::Hung, Some(Fault::Client)), "{reason}");
}

#[tokio::test]
async fn a_client_that_prints_garbage_has_crashed() {
    let (outcome, fault, reason) = client(&after_probe(r"while read -r job; do printf 'oops \033[31m\n'; done")).await;
    assert!(matches!(outcome, Outcome::Crashed | Outcome::Hung), "{outcome} {reason}");
    assert_eq!(fault, Some(Fault::Client));
    assert!(!reason.contains('\u{1b}'), "{reason:?}");
}

#[tokio::test]
async fn a_client_that_floods_has_crashed() {
    let (outcome, fault, reason) = client(&after_probe("read -r job; yes noise")).await;
    assert_eq!((outcome, fault), (Outcome::Crashed, Some(Fault::Client)), "{reason}");
}

#[tokio::test]
async fn a_client_that_makes_up_answers_is_not_believed() {
    let made_up = r#"while read -r line; do id=${line#*\"id\":}; id=${id%%,*}; printf '{"id":%s,"negotiated":"2025-11-25","steps":[]}\n' "$id"; done"#;
    let (outcome, fault, reason) = client(made_up).await;
    assert_eq!((outcome, fault), (Outcome::Crashed, Some(Fault::Client)), "{reason}");
}

/// Answers each job with lines in the manner of `printf`, in which `%s` stands for the number of the job, once in each.
fn answering(lines: &[&str]) -> String {
    let print = |line: &&str| format!(r#"printf '{line}\n' "$id"; "#);
    let print: String = lines.iter().map(print).collect();
    after_probe(&format!(r#"while read -r line; do id=${{line#*\"id\":}}; id=${{id%%,*}}; {print} done"#))
}

/// Gives a client two jobs, `at_once` at a time.
async fn two_jobs(script: &str, at_once: usize) -> Played {
    let folder = tempfile::tempdir().unwrap();
    let peers = fake(folder.path(), script, "exit 0");
    let mut asked = request(&["root-type/object", "root-type/nested"], &["fake*"], &["mock/2025-11-25"]);
    asked.transports = vec![Transport::Http];
    asked.step_timeout = Some(Duration::from_millis(200));
    asked.jobs = Some(at_once);
    let played = play_with(mocks_and(peers), &corpus(), asked).await;
    assert_eq!(played.record.cells.len(), 2);
    played
}

#[tokio::test]
async fn a_second_answer_is_not_taken_for_that_of_the_next_job() {
    let line = r#"{"id":%s,"unsupported":"answer "}"#;
    let twice = answering(&[&line.replace("answer ", "first"), &line.replace("answer ", "second")]);
    let played = two_jobs(&twice, 1).await;
    for cell in &played.record.cells {
        assert_eq!(cell.outcome, Outcome::Unsupported, "{}", cell.reason);
        assert!(cell.reason.contains("first") && !cell.reason.contains("second"), "{}: {}", cell.id, cell.reason);
    }
}

#[tokio::test]
async fn an_answer_to_a_job_that_was_never_given_is_no_answer() {
    let played = two_jobs(&answering(&[r#"{"id":7%s,"unsupported":"never asked"}"#]), 2).await;
    for cell in &played.record.cells {
        assert_eq!((cell.outcome, cell.fault), (Outcome::Hung, Some(Fault::Client)), "{}", cell.reason);
        assert!(!cell.reason.contains("never asked"), "{}", cell.reason);
    }
}

#[tokio::test]
async fn a_client_that_says_so_is_unsupported() {
    let (outcome, _, reason) = client("exit 127").await;
    assert_eq!(outcome, Outcome::Unsupported, "{reason}");
}

#[tokio::test]
async fn a_server_that_exits_at_once_has_crashed() {
    let (outcome, fault, reason) = server("exit 3").await;
    assert_eq!((outcome, fault), (Outcome::Crashed, Some(Fault::Server)), "{reason}");
}

#[tokio::test]
async fn a_server_that_never_answers_is_hung() {
    let (outcome, fault, reason) = server("trap '' TERM; sleep 600 & wait").await;
    assert_eq!((outcome, fault), (Outcome::Hung, Some(Fault::Server)), "{reason}");
}

#[tokio::test]
async fn a_server_that_floods_does_not_hold_the_harness_up() {
    let (outcome, fault, reason) = server("yes noise").await;
    assert!(matches!(outcome, Outcome::Hung | Outcome::Crashed | Outcome::Unreachable), "{outcome} {reason}");
    assert_eq!(fault, Some(Fault::Server), "{reason}");
}

#[tokio::test]
async fn a_server_that_says_so_is_unsupported() {
    let (outcome, _, reason) = server("echo cannot hold an array >&2; exit 127").await;
    assert_eq!(outcome, Outcome::Unsupported, "{reason}");
    assert!(reason.contains("cannot hold an array"), "{reason}");
}

#[tokio::test]
async fn a_server_that_cannot_start_leaves_the_other_cells_unharmed() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = "id = \"fake@1.0.0\"\nlanguage = \"sh\"\nabout = \"not there\"\nrevisions = [\"2025-11-25\"]\n\
                    [server]\nstdio = [\"./there-is-no-such-program\"]\n";
    let path = folder.path().join("peer.toml");
    fs::write(&path, manifest).unwrap();
    let peers = Installation::of_manifest(&path, None, &Cache::of_project(folder.path())).unwrap().peers();
    let mut asked = request(&["root-type/object"], &["mock/2025-11-25"], &["fake*", "mock/dual"]);
    asked.transports = vec![Transport::Stdio];
    let played = play_with(mocks_and(peers), &corpus(), asked).await;
    let outcome = |server| played.outcome("root-type/object", "mock/2025-11-25", server);
    assert_eq!((outcome("fake@1.0.0"), outcome("mock/dual")), (Outcome::Unreachable, Outcome::Intact));
    assert!(
        played.cell("root-type/object", "mock/2025-11-25", "fake@1.0.0").reason.contains("there-is-no-such-program")
    );
}
