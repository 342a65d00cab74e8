//! Servers that are slow, silent, gone or endless: no session outlives its deadlines, and no step harms the next.

use std::time::{Duration, Instant};

use mcp_compat_mocks::client::{ClientSpec, play_in_memory, play_stream};
use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::{Answer, Deadlines};
use rstest::rstest;

use crate::client::fake::{self, Heard, LIST, PLAIN, Says, call, layer, methods, play, play_within, value};

const SHORT: Deadlines = Deadlines { connect_ms: 1000, step_ms: 400 };

#[rstest]
#[case("mock/2025-11-25")]
#[case("mock/dual+auto")]
#[tokio::test]
async fn a_silent_server_costs_no_more_than_the_time_to_connect(#[case] client: &str) {
    let begun = Instant::now();
    let (answer, _) = play_within(SHORT, client, &[LIST], |_| vec![]).await;
    assert_eq!(answer.error.unwrap().layer, Layer::Timeout);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn in_memory_a_probe_that_is_not_answered_costs_a_second_however_long_the_deadline() {
    let spec = ClientSpec::parse("mock/dual+modern").unwrap();
    let silent = tokio::io::duplex(4096);
    let (read, write) = tokio::io::split(silent.0);
    let patient = Deadlines { connect_ms: 60_000, step_ms: 60_000 };
    let answer = play_in_memory(&spec, read, write, &[LIST], patient).await.unwrap_or_else(Answer::from);
    let message = answer.error.unwrap().message;
    assert!(message.contains("no answer to server/discover within 1000 ms"), "{message}");
}

/// Answers everything but calls of `hang`, each of which it answers when the next message comes.
fn late(mut server: impl FnMut(&Heard) -> Vec<String>) -> impl FnMut(&Heard) -> Vec<String> {
    let mut owed = Vec::new();
    move |heard| {
        let before = std::mem::take(&mut owed);
        let answer = server(heard);
        if heard.params["name"] == "hang" {
            owed = answer;
            return before;
        }
        [before, answer].concat()
    }
}

#[tokio::test]
async fn a_call_that_hangs_is_cancelled_and_its_late_answer_disturbs_nobody() {
    let reply = r#"{"content":[],"structuredContent":{"of":"any call"}}"#;
    for (client, server) in [
        ("mock/dual+auto", Box::new(late(fake::modern(PLAIN, reply))) as Says),
        ("mock/2025-11-25", Box::new(late(fake::legacy(PLAIN, reply)))),
    ] {
        let (answer, heard) = play_within(SHORT, client, &[LIST, call("hang"), call("plain")], server).await;
        assert_eq!(layer(&answer.steps[1]), Layer::Timeout, "{client}");
        assert_eq!(value(&answer.steps[2]), Some(r#"{"of":"any call"}"#), "{client}");
        let hung = heard.iter().find(|heard| heard.params["name"] == "hang").unwrap();
        let cancelled = heard.iter().find(|heard| heard.method == "notifications/cancelled").unwrap();
        assert_eq!(cancelled.params["requestId"], hung.id);
    }
}

#[tokio::test]
async fn a_server_that_goes_fails_every_step_from_there_on() {
    let mut modern = fake::modern(PLAIN, "{}");
    let server = move |heard: &Heard| match heard.method.as_str() {
        "tools/call" => vec!["close".to_owned()],
        _ => modern(heard),
    };
    let (answer, _) = play("mock/dual+auto", &[LIST, call("plain"), LIST], server).await;
    assert!(answer.steps[0].error.is_none());
    assert_eq!((layer(&answer.steps[1]), layer(&answer.steps[2])), (Layer::Connect, Layer::Connect));
}

#[tokio::test]
async fn a_server_that_is_gone_from_the_start_is_no_session() {
    let (answer, _) = play("mock/dual+auto", &[LIST], |_| vec!["close".to_owned()]).await;
    assert_eq!(answer.error.unwrap().layer, Layer::Connect);
}

#[rstest]
#[case::broken(r#"{"jsonrpc":"2.0","id":2,"result":{"content":["#)]
#[case::no_version(r#"{"id":2,"result":{}}"#)]
#[case::no_result(r#"{"jsonrpc":"2.0","id":2}"#)]
#[case::unknown_id(r#"{"jsonrpc":"2.0","id":"2","result":{}}"#)]
#[case::error_text(r#"{"jsonrpc":"2.0","id":2,"error":"no"}"#)]
#[case::batch(r#"[{"jsonrpc":"2.0","id":2,"result":{}}]"#)]
#[tokio::test]
async fn a_broken_answer_fails_its_call_at_once_and_no_other(#[case] line: &'static str) {
    let mut modern = fake::modern(PLAIN, r#"{"content":[]}"#);
    let server = move |heard: &Heard| match heard.params["name"].as_str() {
        Some("broken") => vec![line.to_owned()],
        _ => modern(heard),
    };
    let begun = Instant::now();
    let (answer, heard) = play("mock/dual/skip+auto", &[call("broken"), call("plain")], server).await;
    assert_eq!(layer(&answer.steps[0]), Layer::Decode, "{answer:?}");
    assert!(answer.steps[1].error.is_none());
    assert!(begun.elapsed() < Duration::from_millis(1500), "it does not wait for a deadline");
    assert_eq!(methods(&heard), ["server/discover", "tools/call", "tools/call"]);
}

#[tokio::test]
async fn a_flood_ends_with_the_deadline() {
    let spec = ClientSpec::parse("mock/2025-11-25").unwrap();
    for line in [
        "a log line\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n",
    ] {
        let (ours, mut theirs) = tokio::io::duplex(4096);
        let (read, write) = tokio::io::split(ours);
        let flood = async {
            loop {
                if tokio::io::AsyncWriteExt::write_all(&mut theirs, line.as_bytes()).await.is_err() {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        let begun = Instant::now();
        let answer = tokio::select! {
            played = play_stream(&spec, read, write, &[LIST], SHORT) => played.unwrap_or_else(Answer::from),
            () = flood => unreachable!("the client closed too early"),
        };
        assert_eq!(answer.error.unwrap().layer, Layer::Timeout, "{line}");
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[tokio::test]
async fn an_endless_line_is_refused_before_it_fills_the_memory() {
    let spec = ClientSpec::parse("mock/2025-11-25").unwrap();
    let endless = tokio::io::repeat(b'{');
    let deadlines = Deadlines { connect_ms: 60_000, step_ms: 60_000 };
    let answer = play_stream(&spec, endless, tokio::io::sink(), &[LIST], deadlines).await.unwrap_or_else(Answer::from);
    assert_eq!(answer.error.unwrap().layer, Layer::Decode);
}
