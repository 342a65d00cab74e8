//! Nothing is left behind: whatever a peer starts and however it resists, no process of it survives the run.

#![cfg(target_os = "linux")]

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use mcp_compat::Peer;
use mcp_compat::Suite;
use mcp_compat_fleet::{Cache, Installation};
use mcp_compat_model::record::Record;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Role, Transport};
use mcp_compat_run::run::{Run, run};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::bad_peers::after_probe;
use crate::processes::{processes, until};
use crate::suite::as_tests;
use crate::support::{corpus, mocks_and, request};

/// The variable that every process of a test's peers has inherited, with a value that no other test's has.
const MARK: &str = "MCP_COMPAT_LEFTOVER";

/// A peer that is started with the mark: one shell script for each way to start it.
struct Resisting {
    folder: TempDir,
    peers: Vec<Peer>,
}

impl Resisting {
    fn client(script: &str) -> Self {
        Self::new("client", "command", script)
    }

    fn stdio_server(script: &str) -> Self {
        Self::new("server", "stdio", script)
    }

    fn http_server(script: &str) -> Self {
        Self::new("server", "http", script)
    }

    fn new(table: &str, key: &str, script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mark = folder.path().display();
        let manifest = format!(
            "id = \"fake@1.0.0\"\nlanguage = \"sh\"\nabout = \"a peer that resists\"\nrevisions = [\"2025-11-25\"]\n\
             [{table}]\n{key} = [\"sh\", \"-c\", '''export {MARK}={mark}; {script}''']\n"
        );
        let path = folder.path().join("peer.toml");
        fs::write(&path, manifest).unwrap();
        let peers = Installation::of_manifest(&path, None, &Cache::of_project(folder.path())).unwrap().peers();
        Self { folder, peers }
    }

    fn run(&self) -> Run {
        let role = self.peers[0].record().role;
        let mut asked = match role {
            Role::Client => request(&["root-type/object"], &["fake*"], &["mock/2025-11-25"]),
            Role::Server => request(&["root-type/object"], &["mock/2025-11-25"], &["fake*"]),
        };
        // A client is told the same over both; a server has the one that its script is for.
        asked.transports = if role == Role::Client { vec![Transport::Http] } else { Vec::new() };
        asked.prepare(&mocks_and(self.peers.clone()), &corpus(), None).unwrap()
    }

    /// Plays to the end, which is not waited for long where it is known that nothing will come.
    async fn hangs(&self) {
        assert_eq!(self.play(Duration::from_millis(100)).await, Outcome::Hung);
    }

    async fn ends(&self) -> Outcome {
        self.play(Duration::from_secs(2)).await
    }

    async fn play(&self, step: Duration) -> Outcome {
        let stop = CancellationToken::new();
        let mut asked = self.run();
        asked.timeouts.step = step;
        let record = timeout(Duration::from_secs(20), run(asked, &mut [], stop)).await.unwrap().unwrap();
        assert_eq!(record.cells.len(), 1);
        record.cells[0].outcome
    }

    fn processes(&self) -> Vec<String> {
        processes(self.folder.path())
    }

    async fn is_up(&self) {
        until(|| !self.processes().is_empty(), || "no process came up".to_owned()).await;
    }

    async fn leaves_nothing(&self) {
        until(|| self.processes().is_empty(), || format!("left behind: {:#?}", self.processes())).await;
    }
}

#[tokio::test]
async fn a_process_that_is_there_is_found_and_one_that_is_dead_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut sleeper = Command::new("sleep")
        .arg("600")
        .env(MARK, folder.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    until(|| processes(folder.path()) == ["sleep 600 "], || "not found".to_owned()).await;
    sleeper.start_kill().unwrap();
    until(|| processes(folder.path()).is_empty(), || "found though dead".to_owned()).await;
    sleeper.wait().await.unwrap();
}

#[tokio::test]
async fn a_client_that_ignores_sigterm_is_gone() {
    let client = Resisting::client(&format!("trap '' TERM; {}", after_probe("while :; do sleep 600; done")));
    client.hangs().await;
    client.leaves_nothing().await;
}

#[tokio::test]
async fn the_children_of_a_client_are_gone_though_they_ignore_sigterm() {
    let children = "(trap '' TERM; while :; do sleep 600; done) & sleep 600 &";
    let client = Resisting::client(&format!("{children} {}", after_probe("read -r job; exit 3")));
    assert_eq!(client.ends().await, Outcome::Crashed);
    client.leaves_nothing().await;
}

/// Answers one job, and then does something else.
fn after_a_job(then: &str) -> String {
    let answer =
        r#"read -r line; id=${line#*\"id\":}; id=${id%%,*}; printf '{"id":%s,"unsupported":"not today"}\n' "$id""#;
    after_probe(&format!("{answer}; {then}"))
}

#[tokio::test]
async fn a_client_that_ends_well_and_leaves_a_child_is_tidied_up_after() {
    let client = Resisting::client(&format!("sleep 600 & {}", after_a_job("read -r end; exit 0")));
    assert_eq!(client.ends().await, Outcome::Unsupported);
    client.leaves_nothing().await;
}

#[tokio::test]
async fn a_server_that_ignores_sigterm_is_gone_with_its_children() {
    let server = Resisting::stdio_server("trap '' TERM; sleep 600 & while :; do sleep 600; done");
    server.hangs().await;
    server.leaves_nothing().await;
}

#[tokio::test]
async fn a_server_that_ends_at_once_and_leaves_a_child_is_tidied_up_after() {
    let server = Resisting::stdio_server("sleep 600 >/dev/null 2>&1 & exit 3");
    assert_eq!(server.ends().await, Outcome::Crashed);
    server.leaves_nothing().await;
}

#[tokio::test]
async fn an_http_server_that_ignores_sigterm_is_gone_with_its_children() {
    let server =
        Resisting::http_server("trap '' TERM; echo http://127.0.0.1:1; sleep 600 & while :; do sleep 600; done");
    server.hangs().await;
    server.leaves_nothing().await;
}

const STUBBORN: &str = "trap '' TERM; sleep 600 & while :; do sleep 600; done";

#[tokio::test]
async fn a_run_that_is_stopped_leaves_nothing() {
    let server = Resisting::stdio_server(STUBBORN);
    let stop = CancellationToken::new();
    let cancel = stop.clone();
    let stopping = async {
        server.is_up().await;
        cancel.cancel();
    };
    let mut asked = server.run();
    asked.timeouts.step = Duration::from_secs(60);
    let (record, ()) =
        timeout(Duration::from_secs(10), async { tokio::join!(run(asked, &mut [], stop), stopping) }).await.unwrap();
    let record: Record = record.unwrap();
    assert!(!record.complete && record.cells.is_empty(), "{:?}", record.cells);
    server.leaves_nothing().await;
}

#[tokio::test]
async fn a_run_that_is_dropped_leaves_nothing() {
    for resisting in [Resisting::stdio_server(STUBBORN), Resisting::client(STUBBORN)] {
        let stop = CancellationToken::new();
        let mut asked = resisting.run();
        asked.timeouts.step = Duration::from_secs(60);
        tokio::select! {
            _ = run(asked, &mut [], stop) => unreachable!("nobody answers"),
            () = resisting.is_up() => {}
        }
        resisting.leaves_nothing().await;
    }
}

#[test]
fn a_suite_of_tests_leaves_nothing() {
    let client = Resisting::client(&after_a_job(STUBBORN));
    let suite = Suite::new().peers(client.peers.clone()).scenarios("root-type/object").transport(Transport::Http);
    let (_, conclusion) = as_tests(suite.trials().unwrap());
    assert_eq!((conclusion.num_ignored, conclusion.num_failed), (1, 0));
    Runtime::new().unwrap().block_on(client.leaves_nothing());
}
