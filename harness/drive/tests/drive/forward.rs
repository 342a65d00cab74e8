//! In the place of a server: what passes, what is recorded while it passes, and how it ends.

use std::future::pending;
use std::time::Duration;

use mcp_compat_drive::{Exit, Limits, PeerProcess, Tap, forward};
use nix::sys::signal::Signal;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::task::JoinHandle;

use crate::fake::{recorded, sh, soon};

/// The client's end of a forward.
struct Client {
    reader: Receiver,
    writer: Sender,
}

/// A forward to a server that is a script, and the client's end of it.
fn begin(
    tap: &Tap,
    script: &str,
    signalled: impl Future<Output = Signal> + Send + 'static,
) -> (Client, JoinHandle<Exit>) {
    let server = PeerProcess::spawn(&sh(script), 0).unwrap();
    let ((from_client, writer), (reader, to_client)) = (std::io::pipe().unwrap(), std::io::pipe().unwrap());
    let client = Client {
        reader: Receiver::from_owned_fd(reader.into()).unwrap(),
        writer: Sender::from_owned_fd(writer.into()).unwrap(),
    };
    let tap = tap.clone();
    let session = async move {
        let streams = (from_client.into(), to_client.into());
        forward(&tap, streams, server, signalled, Duration::from_secs(5)).await.unwrap()
    };
    (client, tokio::spawn(session))
}

async fn heard(mut from_server: Receiver) -> String {
    let mut text = String::new();
    soon(from_server.read_to_string(&mut text)).await.unwrap();
    text
}

#[tokio::test]
async fn a_client_that_goes_first_still_gets_what_it_asked_for() {
    let tap = Tap::new(Limits::default());
    let (mut client, session) = begin(&tap, "read -r line; read -r end; echo \"re: $line\"", pending());
    client.writer.write_all(b"one\n").await.unwrap();
    drop(client.writer);
    assert_eq!(heard(client.reader).await, "re: one\n");
    soon(session).await.unwrap();
    assert_eq!(recorded(&tap)[..3], ["client: one", "client: closed", "server: re: one"]);
}

#[tokio::test]
async fn a_server_that_goes_first_ends_the_session_though_the_client_stays() {
    let tap = Tap::new(Limits::default());
    let (mut client, session) = begin(&tap, "echo bye", pending());
    let mut line = [0; 4];
    soon(client.reader.read_exact(&mut line)).await.unwrap();
    soon(session).await.unwrap();
    assert!(recorded(&tap).contains(&"server: bye".to_owned()));
    drop(client);
}

#[tokio::test]
async fn a_server_whose_child_holds_its_output_open_is_over_with_its_own_end() {
    let tap = Tap::new(Limits::default());
    let (client, session) = begin(&tap, "sleep 600 & echo bye", pending());
    soon(session).await.unwrap();
    assert_eq!(heard(client.reader).await, "bye\n");
}

#[tokio::test]
async fn a_signal_is_passed_on_and_the_servers_answer_to_it_comes_back() {
    // Not SIGINT: a shell cannot trap a signal that was ignored when it began, as this one is below `cargo test &`.
    for (signal, status) in [(Signal::SIGTERM, 4), (Signal::SIGUSR1, 5)] {
        let tap = Tap::new(Limits::default());
        let (send, sent) = tokio::sync::oneshot::channel();
        // A shell that waits hears a signal at once; one in a loop of short commands, when its command has ended.
        let script = "trap 'exit 4' TERM; trap 'exit 5' USR1; sleep 300 > /dev/null & echo ready; wait";
        let (mut client, session) = begin(&tap, script, async move { sent.await.unwrap() });
        let mut line = [0; 6];
        soon(client.reader.read_exact(&mut line)).await.unwrap();
        send.send(signal).unwrap();
        assert_eq!(soon(session).await.unwrap(), Exit::Status(status));
    }
}

#[tokio::test]
async fn how_the_server_ended_is_passed_on() {
    for (script, status) in [("exit 3", Some(3)), ("kill -KILL $$", Some(137))] {
        let (_client, session) = begin(&Tap::new(Limits::default()), script, pending());
        assert_eq!(soon(session).await.unwrap().shell_status(), status);
    }
}

#[tokio::test]
async fn a_followed_tap_tells_of_every_entry_while_it_goes_on() {
    let (tap, mut news) = Tap::followed(Limits::default());
    let (mut client, _session) = begin(&tap, "cat", pending());
    client.writer.write_all(b"one\n").await.unwrap();
    soon(news.wait_for(|count| *count == 2)).await.unwrap();
    assert_eq!(tap.since(1).len(), 1, "its echo");
    assert!(tap.since(2).is_empty());
    assert!(tap.since(9).is_empty());
}

#[tokio::test]
async fn more_than_a_pipe_holds_passes_unchanged_both_ways() {
    let tap = Tap::new(Limits::default());
    let (client, session) = begin(&tap, "cat", pending());
    let sent: Vec<u8> =
        (0..1_000_000_u32).map(|at| if at % 1000 == 999 { b'\n' } else { b'a' + (at % 23) as u8 }).collect();
    let (mut writer, mut reader, mut read) = (client.writer, client.reader, Vec::new());
    let bytes = sent.clone();
    let writing = tokio::spawn(async move { writer.write_all(&bytes).await.unwrap() });
    soon(reader.read_to_end(&mut read)).await.unwrap();
    writing.await.unwrap();
    assert!(read == sent, "{} of {} bytes came back", read.len(), sent.len());
    soon(session).await.unwrap();
    // Its output closes and its process ends, which may be seen one after the other or at once.
    let is_end = |entry: &&str| *entry == "closed" || entry.starts_with("ended ");
    let recorded = recorded(&tap);
    let of_server = recorded.iter().filter_map(|entry| entry.strip_prefix("server: "));
    let (ends, lines): (Vec<&str>, Vec<&str>) = of_server.partition(is_end);
    assert!(lines.len() == 1_000 && !ends.is_empty(), "{} lines, {ends:?}", lines.len());
}

#[tokio::test]
async fn a_client_that_reads_nothing_does_not_keep_the_server_alive() {
    let tap = Tap::new(Limits::default());
    let (send, sent) = tokio::sync::oneshot::channel();
    let (client, session) = begin(&tap, "yes", async move { sent.await.unwrap() });
    client.reader.readable().await.unwrap();
    send.send(Signal::SIGTERM).unwrap();
    assert_eq!(soon(session).await.unwrap().shell_status(), Some(143));
    drop(client);
}

#[tokio::test]
async fn a_server_that_reads_nothing_gets_the_end_of_its_input() {
    let tap = Tap::new(Limits::default());
    let (send, sent) = tokio::sync::oneshot::channel();
    let script = "trap 'cat >/dev/null; exit 6' TERM; echo ready; while :; do sleep 0.05; done";
    let (mut client, session) = begin(&tap, script, async move { sent.await.unwrap() });
    let mut line = [0; 6];
    soon(client.reader.read_exact(&mut line)).await.unwrap();
    // As much as both pipes hold: the carrier waits in the midst of it.
    let flood = vec![b'x'; 1 << 20];
    let writing = tokio::spawn(async move { client.writer.write_all(&flood).await });
    tokio::task::yield_now().await;
    send.send(Signal::SIGTERM).unwrap();
    assert_eq!(soon(session).await.unwrap(), Exit::Status(6));
    assert!(soon(writing).await.unwrap().is_err(), "nobody reads the rest");
}
