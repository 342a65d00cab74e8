//! Clients that are only a command: run to their end, never longer than they may, and never left behind.

use std::time::{Duration, Instant};

use mcp_compat_drive::{CommandEnd, Exit, Launch, Tap, run_client};
use mcp_compat_model::Role;
use mcp_compat_model::transcript::Event;

async fn run(script: &str, patience: Duration) -> (CommandEnd, Vec<Event>) {
    let tap = Tap::default();
    let end = run_client(&Launch::new("sh").args(["-c", script]), &tap, patience).await.unwrap();
    let events = tap.finish().entries.into_iter().inspect(|entry| assert_eq!(entry.from, Role::Client));
    (end, events.map(|entry| entry.event).collect())
}

const LONG: Duration = Duration::from_secs(60);

#[tokio::test]
async fn it_ends_with_its_status_and_its_words() {
    let (end, events) = run("echo out; echo err >&2; exit 3", LONG).await;
    assert_eq!(end, CommandEnd { exit: Some(Exit::Status(3)), words: "err\n".to_owned(), output: "out\n".to_owned() });
    assert_eq!(events, [Event::Exited { how: "exit status 3".to_owned() }]);
    let (end, _) = run("echo out; exit 3", LONG).await;
    assert_eq!(end.words, "out\n", "where nothing else was said");
}

#[tokio::test]
async fn a_flood_does_not_keep_it_from_ending() {
    let (end, _) = run("yes | head -c 3000000; yes | head -c 3000000 >&2", LONG).await;
    assert_eq!(end.exit, Some(Exit::Status(0)));
    assert!(end.words.len() <= Tap::default().limits().stderr_bytes, "{}", end.words.len());
}

#[tokio::test]
async fn one_that_does_not_end_is_ended_with_its_children() {
    let began = Instant::now();
    let (end, events) = run("trap '' TERM; sleep 1000 & sleep 1000", Duration::from_millis(50)).await;
    assert_eq!(end.exit, None);
    assert!(matches!(events[..], [Event::Stopped { .. }]), "{events:?}");
    assert!(began.elapsed() < LONG);
}

#[tokio::test]
async fn what_cannot_be_started_is_an_error() {
    let error = run_client(&Launch::new("/no/such/program"), &Tap::default(), LONG).await.unwrap_err();
    assert!(error.to_string().contains("cannot start \"/no/such/program\""), "{error}");
}
