//! The tapped link carries bytes as they are, and tells every line in the order of cause and effect.

use std::time::Duration;

use mcp_compat_drive::{Limits, PeerProcess, Tap, plain_link, tapped_link};
use mcp_compat_model::transcript::Event;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::fake::{recorded, sh, soon};

/// A client in memory that says `says` to a server that is a script; gives what the client hears.
async fn converse(tap: &Tap, script: &str, says: &[u8]) -> Vec<u8> {
    let mut server = PeerProcess::spawn(&sh(script), 0).unwrap();
    let (mut client, harness) = plain_link();
    let streams = (server.take_stdout().unwrap(), server.take_stdin().unwrap());
    let mut heard = Vec::new();
    let link = tapped_link(tap.clone(), (harness.reader, harness.writer), streams, Duration::from_secs(10));
    let play = async {
        client.writer.write_all(says).await.unwrap();
        client.writer.shutdown().await.unwrap();
        client.reader.read_to_end(&mut heard).await.unwrap();
    };
    soon(async { tokio::join!(link, play) }).await;
    heard
}

#[tokio::test]
async fn an_answer_stands_after_its_request() {
    let tap = Tap::new(Limits::default());
    let heard = converse(&tap, "while read -r line; do echo \"re: $line\"; done", b"one\ntwo\n").await;
    assert_eq!(heard, b"re: one\nre: two\n");
    let recorded = recorded(&tap);
    let place = |text: &str| {
        recorded.iter().position(|entry| entry == text).unwrap_or_else(|| panic!("{text} in {recorded:?}"))
    };
    for line in ["one", "two"] {
        assert!(place(&format!("client: {line}")) < place(&format!("server: re: {line}")));
    }
    assert!(place("client: closed") < place("server: closed"));
    assert_eq!(recorded.len(), 6);
}

#[tokio::test]
async fn bytes_pass_as_they_are_whatever_the_tap_makes_of_them() {
    let tap = Tap::new(Limits { message_bytes: 8, ..Limits::default() });
    let says = b"\xff\xfe\n\n{not json\r\na line beyond the bound\nno newline";
    assert_eq!(converse(&tap, "cat", says).await, says);
    let client: Vec<_> = recorded(&tap).into_iter().filter(|entry| entry.starts_with("client: ")).collect();
    let lines = ["\u{fffd}\u{fffd}", "", "more than 8", "more than 8", "more than 8", "closed"];
    assert_eq!(client, lines.map(|line| format!("client: {line}")));
}

#[tokio::test]
async fn a_flood_is_carried_but_not_kept() {
    let tap = Tap::new(Limits { cell_bytes: 100_000, ..Limits::default() });
    let line = "0".repeat(999);
    let heard = converse(&tap, &format!("yes {line} | head -c 100000000"), b"").await;
    assert_eq!(heard.len(), 100_000_000);
    let entries = tap.finish().entries;
    assert!(entries.len() < 200, "{}", entries.len());
    let full = |event: &Event| matches!(event, Event::Overflow { limit: 100_000, .. });
    assert_eq!(entries.iter().filter(|entry| full(&entry.event)).count(), 1);
}

#[tokio::test]
async fn a_client_that_outlives_its_server_is_still_recorded() {
    let tap = Tap::new(Limits::default());
    let mut server = PeerProcess::spawn(&sh("exit 0"), 0).unwrap();
    let streams = (server.take_stdout().unwrap(), server.take_stdin().unwrap());
    soon(server.wait()).await;
    let (mut client, harness) = plain_link();
    let link = tapped_link(tap.clone(), (harness.reader, harness.writer), streams, Duration::from_secs(10));
    let play = async {
        for _ in 0..100 {
            client.writer.write_all(b"anybody there?\n").await.unwrap();
        }
        drop(client);
    };
    soon(async { tokio::join!(link, play) }).await;
    let recorded = recorded(&tap);
    assert_eq!(recorded.iter().filter(|entry| *entry == "client: anybody there?").count(), 100);
    assert!(recorded.contains(&"server: closed".to_owned()));
}
