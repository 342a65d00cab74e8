//! The relay, as a program of its own: compiled by `rustc` alone, started by a client, tapped by the harness.

use std::time::Duration;

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use mcp_compat_drive::{
    Exit, Launch, Limits, PeerProcess, RELAY_ADDRESS_VARIABLE, RELAY_SOURCE, RELAY_TOKEN_VARIABLE, RelayHub,
    RelayTicket, Tap, tapped_link,
};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use crate::fake::{SHORT, nobody_left_in, recorded, sh, soon};

/// Compiles the relay once for all tests.
fn program() -> PathBuf {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("relay_program.rs");
        std::fs::write(&source, RELAY_SOURCE).unwrap();
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut compile = Command::new(rustc);
        compile.arg("--edition=2024").arg("-o").arg(folder.path().join("relay")).arg(&source);
        let status = compile.status().unwrap();
        assert!(status.success());
        folder
    });
    folder.path().join("relay")
}

fn relay_of(ticket: &RelayTicket) -> PeerProcess {
    let launch = ticket.env().iter().fold(Launch::new(program()), |launch, (name, value)| launch.env(name, value));
    PeerProcess::spawn(&launch, 4096).unwrap()
}

#[tokio::test]
async fn a_client_speaks_through_it_with_the_real_server() {
    let hub = RelayHub::start().await.unwrap();
    let mut ticket = hub.expect().unwrap();
    let mut relay = relay_of(&ticket);
    let (mut to_relay, from_relay) = (relay.take_stdin().unwrap(), relay.take_stdout().unwrap());
    let mut server = PeerProcess::spawn(&sh("while read -r line; do echo \"re: $line\"; done"), 0).unwrap();
    let streams = (server.take_stdout().unwrap(), server.take_stdin().unwrap());
    let tap = Tap::new(Limits::default());
    let link = tapped_link(tap.clone(), soon(ticket.accept()).await, streams, Duration::from_secs(10));
    let play = async {
        let mut lines = BufReader::new(from_relay).lines();
        to_relay.write_all(b"one\n").await.unwrap();
        assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("re: one"));
        to_relay.write_all(b"two\n").await.unwrap();
        drop(to_relay);
        assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("re: two"));
        assert_eq!(lines.next_line().await.unwrap(), None);
    };
    soon(async { tokio::join!(link, play) }).await;
    assert_eq!(soon(relay.wait()).await, Exit::Status(0));
    let recorded = recorded(&tap);
    for entry in ["client: one", "server: re: one", "client: two", "server: re: two"] {
        assert!(recorded.iter().any(|found| found == entry), "{entry} in {recorded:?}");
    }
}

#[tokio::test]
async fn a_client_may_start_it_more_than_once() {
    let hub = RelayHub::start().await.unwrap();
    let mut ticket = hub.expect().unwrap();
    for word in ["first", "second"] {
        let mut relay = relay_of(&ticket);
        let (_from, mut to_client) = soon(ticket.accept()).await;
        to_client.write_all(word.as_bytes()).await.unwrap();
        drop((_from, to_client));
        let mut heard = String::new();
        soon(relay.take_stdout().unwrap().read_to_string(&mut heard)).await.unwrap();
        assert_eq!(heard, word);
        nobody_left_in(relay.id()).await;
    }
}

#[tokio::test]
async fn two_clients_get_each_their_own() {
    let hub = RelayHub::start().await.unwrap();
    let (mut one, mut other) = (hub.expect().unwrap(), hub.expect().unwrap());
    assert_ne!(one.env()[RELAY_TOKEN_VARIABLE], other.env()[RELAY_TOKEN_VARIABLE]);
    let _relay = relay_of(&other);
    let mut accepted = soon(other.accept()).await;
    assert!(tokio::time::timeout(SHORT, one.accept()).await.is_err());
    accepted.1.shutdown().await.unwrap();
}

#[tokio::test]
async fn strangers_are_not_let_in() {
    let hub = RelayHub::start().await.unwrap();
    let mut ticket = hub.expect().unwrap();
    let address = ticket.env()[RELAY_ADDRESS_VARIABLE].clone();
    for introduction in ["0".repeat(32) + "\n", "x".repeat(10_000), String::new()] {
        let mut stranger = tokio::net::UnixStream::connect(&address).await.unwrap();
        stranger.write_all(introduction.as_bytes()).await.unwrap();
        stranger.shutdown().await.unwrap();
        // Turned away: closed, or reset where bytes were left unread.
        let mut nothing = Vec::new();
        let _ = soon(stranger.read_to_end(&mut nothing)).await;
        assert!(nothing.is_empty());
    }
    assert!(tokio::time::timeout(SHORT, ticket.accept()).await.is_err());
}

#[tokio::test]
async fn without_its_variables_it_says_what_it_is() {
    let mut relay = PeerProcess::spawn(&Launch::new(program()), 4096).unwrap();
    assert_eq!(soon(relay.wait()).await, Exit::Status(1));
    assert!(relay.log_tail().contains(RELAY_ADDRESS_VARIABLE), "{}", relay.log_tail());
}
