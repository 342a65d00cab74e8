//! What goes before an answer, and answers that wait for another one: in every era, over lines and over HTTP.

use std::sync::Arc;

use mcp_compat_mocks::server::ServeEnd;
use mcp_compat_model::peer_contract::Script;
use rstest::rstest;

use crate::server::http_client::{ACCEPT, HttpClient};
use crate::server::scripts::{initialize, legacy, modern, read};
use crate::server::stream_client::StreamClient;

/// `loud` says something first; `slow` waits for `fast`, and `last` for `slow`; `never` waits for a call that does not
/// end.
fn script() -> Arc<Script> {
    let tool = |name: &str, reply: &str, cue: &str| {
        format!(
            r#"{{"name":"{name}","definition":{{"name":"{name}","inputSchema":{{"type":"object"}}}},"reply":{reply}{cue}}}"#
        )
    };
    let text = |text: &str| format!(r#"{{"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#);
    let before = r#","before":["INFO {not json}","{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":{{progress-token}},\"progress\":1}}","{\"jsonrpc\":\"2.0\",\"method\":\"about\",\"params\":{{id}}}"]"#;
    let after = |tool: &str| format!(r#","answers_after":"{tool}""#);
    let tools = [
        tool("loud", &text("loud"), before),
        tool("loud_exit", r#"{"exit":{"status":4}}"#, before),
        tool("loud_hang", r#"{"hang":{}}"#, before),
        tool("slow", &text("slow"), &after("fast")),
        tool("last", &text("last"), &after("slow")),
        tool("fast", &text("fast"), ""),
        tool("hang", r#"{"hang":{}}"#, ""),
        tool("never", &text("never"), &after("hang")),
    ];
    read(&format!(r#"{{"scenario":"cues","stages":[{{"tools":[{}]}}]}}"#, tools.join(",")))
}

type Request = fn(u32, &str, &str) -> String;

/// A call without a progress token.
fn call(request: Request, id: u32, tool: &str) -> String {
    request(id, "tools/call", &format!(r#""name":"{tool}""#))
}

/// A legacy call with a progress token.
fn call_with(token: &str, id: u32, tool: &str) -> String {
    legacy(id, "tools/call", &format!(r#""name":"{tool}","_meta":{{"progressToken":{token}}}"#))
}

async fn session() -> StreamClient {
    StreamClient::in_session("mock/dual", "2025-11-25", script()).await
}

fn text_of(line: &str) -> Option<&str> {
    line.split_once(r#""text":""#)?.1.split('"').next()
}

#[tokio::test]
async fn what_goes_before_an_answer_is_said_as_it_stands_each_on_its_own_line() {
    for token in ["\"t\"", "7"] {
        let mut client = session().await;
        client.send(&call_with(token, 3, "loud")).await;
        assert_eq!(client.receive().await, "INFO {not json}");
        assert_eq!(
            client.receive().await,
            format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}}}"#
            )
        );
        assert_eq!(client.receive().await, r#"{"jsonrpc":"2.0","method":"about","params":3}"#);
        assert_eq!(text_of(&client.receive().await), Some("loud"));
    }
}

#[rstest]
#[case::legacy(legacy)]
#[case::modern(modern)]
#[tokio::test]
async fn without_a_token_what_needs_one_is_left_out(#[case] request: Request) {
    let mut client = session().await;
    client.send(&call(request, 3, "loud")).await;
    assert_eq!(client.receive().await, "INFO {not json}");
    assert!(client.receive().await.contains("about"));
    assert_eq!(text_of(&client.receive().await), Some("loud"));
    // A token that is none is none.
    client.send(&call_with("{}", 4, "loud")).await;
    let (_, rest) = client.close().await;
    assert_eq!(rest.len(), 3, "{rest:?}");
}

#[tokio::test]
async fn it_is_said_before_an_end_and_before_silence_too() {
    let mut client = session().await;
    client.send(&call(legacy, 3, "loud_hang")).await;
    client.send(&call(legacy, 4, "loud_exit")).await;
    let (ending, rest) = client.close().await;
    assert_eq!(ending.unwrap(), ServeEnd::Exit { status: 4 });
    assert_eq!(rest.iter().filter(|line| line.contains("about")).count(), 2, "{rest:?}");
}

#[rstest]
#[case::legacy(legacy)]
#[case::modern(modern)]
#[tokio::test]
async fn an_answer_waits_for_another_one_and_everything_else_goes_on(#[case] request: Request) {
    let mut client = session().await;
    client.send(&call(request, 1, "last")).await;
    client.send(&call(request, 2, "slow")).await;
    client.send(&call(request, 3, "never")).await;
    assert!(client.ask(&request(4, "tools/list", "")).await.contains(r#""id":4,"result""#));
    client.send(&call(request, 5, "fast")).await;
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(text_of(&client.receive().await).unwrap_or_default().to_owned());
    }
    assert_eq!(answers, ["fast", "slow", "last"], "each right after the one that it waits for");
    assert_eq!(text_of(&client.ask(&call(request, 6, "slow")).await), Some("slow"), "what was answered stays so");
    client.send(&call(request, 7, "hang")).await;
    let (_, rest) = client.close().await;
    assert_eq!(rest, Vec::<String>::new(), "a call that hangs has not been answered");
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered_when_its_time_comes() {
    let mut client = session().await;
    client.send(&call(legacy, 1, "slow")).await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    assert_eq!(text_of(&client.ask(&call(legacy, 2, "fast")).await), Some("fast"));
    assert!(client.ask(&legacy(3, "ping", "")).await.contains(r#""id":3"#));
}

#[tokio::test]
async fn answers_in_order_means_that_nothing_is_answered_behind_a_call_that_waits() {
    for slow in ["slow", "hang"] {
        let mut client = StreamClient::in_session("sabotaged/answers-in-request-order", "2025-11-25", script()).await;
        assert_eq!(text_of(&client.ask(&call(legacy, 1, "loud")).await), None, "what does not wait is as ever");
        client.send(&call(legacy, 2, slow)).await;
        client.send(&call(legacy, 3, "fast")).await;
        let (_, rest) = client.close().await;
        assert_eq!(rest.len(), 2, "the rest of what was said before: {rest:?}");
    }
}

/// A client in a session over HTTP.
async fn web_session(id: &str) -> HttpClient {
    let mut client = HttpClient::new(id, script()).await;
    let reply = client.post(&initialize("2025-11-25")).await;
    client.session = reply.header("mcp-session-id").map(str::to_owned);
    client
}

#[tokio::test]
async fn over_http_the_response_becomes_a_stream_for_what_goes_before_the_answer() {
    let client = web_session("mock/dual").await;
    let reply = client.post(&call_with("1", 3, "loud")).await;
    let events = reply.events();
    assert_eq!((events.len(), events[0], text_of(events[3])), (4, "INFO {not json}", Some("loud")), "{reply:?}");
    let reply = client.post_modern("tools/call", Some("loud"), &call(modern, 3, "loud")).await;
    assert_eq!((reply.events().len(), text_of(reply.events()[2])), (3, Some("loud")));
    let session = client.session.as_deref().unwrap();
    let json_only = [("Accept", "application/json"), ("Mcp-Session-Id", session)];
    let reply = client.request("POST", &json_only, &call(legacy, 3, "loud")).await;
    assert_eq!(reply.json()["result"]["content"][0]["text"], "loud", "who takes no events gets the answer alone");
}

#[tokio::test]
async fn over_http_the_connection_breaks_off_or_falls_silent_behind_it() {
    let client = web_session("mock/dual").await;
    let headers = [ACCEPT, ("Mcp-Session-Id", client.session.as_deref().unwrap())];
    let mut hanging = client.open("POST", "/mcp", &headers, &call(legacy, 3, "loud_hang")).await;
    hanging.until("about").await;
    let broken = client.open("POST", "/mcp", &headers, &call(legacy, 3, "loud_exit")).await.until_closed().await;
    assert!(broken.contains("about") && !broken.ends_with("0\r\n\r\n"), "{broken}");
    assert!(client.open("POST", "/mcp", &headers, &call(legacy, 3, "hang")).await.is_silent());
}

#[rstest]
#[case::legacy(false)]
#[case::modern(true)]
#[tokio::test]
async fn over_http_an_answer_waits_for_another_one_and_everything_else_goes_on(#[case] in_modern: bool) {
    let client = web_session("mock/dual").await;
    let session = client.session.clone().unwrap();
    let open = async |id: u32, tool: &str| {
        let request = if in_modern { modern } else { legacy };
        let mut headers = vec![ACCEPT, ("Connection", "close")];
        if in_modern {
            headers.extend([("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)]);
        } else {
            headers.push(("Mcp-Session-Id", &session));
        }
        client.open("POST", "/mcp", &headers, &call(request, id, tool)).await
    };
    let (last, slow) = (open(1, "last").await, open(2, "slow").await);
    let loud = open(3, "loud").await.reply().await;
    assert_eq!(loud.status, 200);
    assert!(slow.is_silent() && last.is_silent());
    assert_eq!(open(4, "fast").await.reply().await.json()["result"]["content"][0]["text"], "fast");
    assert_eq!(slow.reply().await.json()["id"], 2);
    assert_eq!(last.reply().await.json()["id"], 1);
}

#[tokio::test]
async fn over_http_each_session_waits_for_its_own() {
    let (one, other) = {
        let mut one = web_session("mock/dual").await;
        let reply = one.post(&initialize("2025-11-25")).await;
        let first = one.session.take().unwrap();
        one.session = reply.header("mcp-session-id").map(str::to_owned);
        (one, first)
    };
    let headers = [ACCEPT, ("Mcp-Session-Id", other.as_str()), ("Connection", "close")];
    let slow = one.open("POST", "/mcp", &headers, &call(legacy, 1, "slow")).await;
    assert_eq!(one.post(&call(legacy, 2, "fast")).await.status, 200);
    assert_eq!(one.post(&legacy(3, "ping", "")).await.status, 200);
    assert!(slow.is_silent(), "another session's call is not this one's");
    let fast = one.open("POST", "/mcp", &headers, &call(legacy, 2, "fast")).await;
    assert_eq!(fast.reply().await.status, 200);
    assert_eq!(slow.reply().await.json()["id"], 1);
}

#[tokio::test]
async fn over_http_nothing_is_answered_behind_a_call_that_waits_where_answers_keep_their_order() {
    let client = web_session("sabotaged/answers-in-request-order").await;
    let headers = [ACCEPT, ("Mcp-Session-Id", client.session.as_deref().unwrap())];
    let slow = client.open("POST", "/mcp", &headers, &call(legacy, 1, "slow")).await;
    // Requests on one connection are read in their order, so this one comes behind.
    let slow = slow.also(&call(legacy, 2, "fast"), &headers).await;
    assert_eq!(client.post(&initialize("2025-11-25")).await.status, 200, "another session is not held up");
    assert!(slow.is_silent());
}
