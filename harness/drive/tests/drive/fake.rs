//! Peers to test against, and how to find out what they leave behind.

use std::future::Future;
use std::time::{Duration, Instant};

use mcp_compat_drive::{Launch, Tap};
use mcp_compat_model::Role;
use mcp_compat_model::transcript::{Event, Raw};

/// No test waits longer than this for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// For waits that are expected to run out.
pub(crate) const SHORT: Duration = Duration::from_millis(100);

/// A peer that is a shell script.
pub(crate) fn sh(script: &str) -> Launch {
    Launch::new("/bin/sh").args(["-c", script])
}

/// Waits for something that must come.
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what).await.expect("it did not come in time")
}

/// The processes of a group that are alive. A zombie is not: it waits for its parent, and that may be nobody of ours.
pub(crate) fn alive_in(group: i32) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let stats = processes.filter_map(|process| std::fs::read_to_string(process.path().join("stat")).ok());
    let in_group = stats.filter(|stat| {
        // After the name, which may hold anything: state, parent, group.
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        fields.len() > 2 && fields[0] != "Z" && fields[2] == group.to_string()
    });
    in_group.collect()
}

/// Waits until nothing of a group is alive: the system takes a moment to end what was killed.
pub(crate) async fn nobody_left_in(group: i32) {
    let began = Instant::now();
    while !alive_in(group).is_empty() {
        assert!(began.elapsed() < PATIENCE, "still alive: {:?}", alive_in(group));
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Returns the record of a tap in words: `client: text`, `server: closed`, `server: 200 text`.
pub(crate) fn recorded(tap: &Tap) -> Vec<String> {
    let words = |event: Event| match event {
        Event::Message { raw, http: None } => text(&raw),
        Event::Message { raw, http: Some(head) } => format!("{} {}", start(&head.start), text(&raw)),
        Event::Head { http } => start(&http.start),
        Event::Overflow { limit, .. } => format!("more than {limit}"),
        Event::Fetched { path } => format!("fetched {path}"),
        Event::Closed {} => "closed".to_owned(),
        Event::Exited { how } => format!("ended with {how}"),
        Event::Stopped { stage } => format!("{stage:?}"),
    };
    let of = |from: Role| from.as_str();
    tap.finish().entries.into_iter().map(|entry| format!("{}: {}", of(entry.from), words(entry.event))).collect()
}

fn text(raw: &Raw) -> String {
    String::from_utf8_lossy(&raw.to_bytes()).into_owned()
}

fn start(start: &mcp_compat_model::transcript::Start) -> String {
    match start {
        mcp_compat_model::transcript::Start::Request { method } => method.clone(),
        mcp_compat_model::transcript::Start::Response { status } => status.to_string(),
    }
}
