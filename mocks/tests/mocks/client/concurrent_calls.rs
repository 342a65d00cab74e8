//! Calls at once, values passed on, and what comes before an answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_compat_mocks::client::{ClientSpec, HttpClient, play_http, play_stream};
use mcp_compat_mocks::server::{HttpServer, ServerSpec, serve};
use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::{Answer, Deadlines, JobStep, Script, StepAnswer};
use rstest::rstest;
use serde_json::value::RawValue;

use crate::client::fake::{self, DEADLINES, Heard, LIST, PLAIN, call, layer, play, value};

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn at_once(tool: &str) -> JobStep {
    JobStep::Call { tool: tool.to_owned(), arguments: raw("{}"), at_once: true, feed: BTreeMap::new() }
}

fn fed(tool: &str, arguments: &str, feed: &[(&str, &str)]) -> JobStep {
    let feed = feed.iter().map(|(into, from)| ((*into).to_owned(), (*from).to_owned())).collect();
    JobStep::Call { tool: tool.to_owned(), arguments: raw(arguments), at_once: false, feed }
}

/// What the client says so far, method by method and tool by tool, whenever the server answers.
fn name(heard: &Heard) -> String {
    heard.params["name"].as_str().unwrap_or_default().to_owned()
}

/// A server that answers calls of `first` only when a call of `second` is there, and that one before.
fn reversed() -> impl FnMut(&Heard) -> Vec<String> {
    let mut modern = fake::modern(PLAIN, "{}");
    let mut owed = Vec::new();
    move |heard: &Heard| match name(heard).as_str() {
        "first" => {
            owed = heard.result(r#"{"content":[],"structuredContent":{"of":"first"}}"#);
            vec![]
        }
        "second" => {
            let second = heard.result(r#"{"content":[],"structuredContent":{"of":"second"}}"#);
            second.into_iter().chain(std::mem::take(&mut owed)).collect()
        }
        _ => modern(heard),
    }
}

#[tokio::test]
async fn calls_at_once_are_all_sent_before_the_first_answer_and_answers_find_their_calls() {
    let (answer, heard) = play("mock/dual+auto", &[LIST, call("first"), at_once("second"), LIST], reversed()).await;
    assert_eq!(value(&answer.steps[1]), Some(r#"{"of":"first"}"#));
    assert_eq!(value(&answer.steps[2]), Some(r#"{"of":"second"}"#));
    assert_eq!(fake::names(&answer.steps[3]), ["plain"], "the session goes on");
    assert_eq!(fake::methods(&heard), ["server/discover", "tools/list", "tools/call", "tools/call", "tools/list"]);
}

#[tokio::test]
async fn what_comes_of_one_call_is_not_the_others() {
    let mut modern = fake::modern(PLAIN, r#"{"content":[],"structuredContent":{}}"#);
    let server = move |heard: &Heard| match name(heard).as_str() {
        "silent" => vec![],
        "broken" => vec!["{broken".to_owned()],
        "refused" => heard.error(-32602, &serde_json::Value::Null),
        _ => modern(heard),
    };
    let short = Deadlines { step_ms: 300, ..DEADLINES };
    let steps = [LIST, call("silent"), at_once("plain"), at_once("refused"), call("broken"), at_once("plain"), LIST];
    let (answer, heard) = fake::play_within(short, "mock/dual+auto", &steps, server).await;
    let layers: Vec<_> = answer.steps.iter().map(|step| step.error.as_ref().map(|error| error.layer)).collect();
    let expected = [None, Some(Layer::Timeout), None, Some(Layer::Protocol), Some(Layer::Decode), None, None];
    assert_eq!(layers, expected, "{answer:?}");
    let cancelled: Vec<_> = heard.iter().filter(|heard| heard.method == "notifications/cancelled").collect();
    let silent = heard.iter().find(|heard| name(heard) == "silent").unwrap();
    assert_eq!(cancelled.len(), 1);
    assert_eq!(cancelled[0].params["requestId"], silent.id);
}

#[tokio::test]
async fn a_call_that_cannot_be_made_does_not_keep_the_others_from_it() {
    let tools = format!("{PLAIN},{}", fake::tool("t", r#"{"$ref":"http://127.0.0.1:9/s.json"}"#));
    let steps = [call("plain"), at_once("t"), at_once("plain")];
    let (answer, heard) = play("mock/dual+auto", &steps, fake::modern(&tools, r#"{"content":[]}"#)).await;
    assert_eq!(layer(&answer.steps[1]), Layer::Validate);
    assert!(answer.steps[0].error.is_none() && answer.steps[2].error.is_none(), "{answer:?}");
    assert_eq!(fake::methods(&heard), ["server/discover", "tools/list", "tools/call", "tools/call"]);
}

#[tokio::test]
async fn without_a_list_to_call_by_all_calls_at_once_fail_as_the_list_did() {
    let server = |heard: &Heard| match heard.method.as_str() {
        "tools/list" => heard.error(-32603, &serde_json::Value::Null),
        _ => fake::modern(PLAIN, "{}")(heard),
    };
    let (answer, _) = play("mock/dual+auto", &[call("plain"), at_once("plain")], server).await;
    for step in &answer.steps {
        assert_eq!(step.error.as_ref().unwrap().code, Some(-32603));
    }
}

/// A script in which `slow` is answered behind `fast`, and `loud` says something before its answer.
fn script() -> Arc<Script> {
    let tool = |name: &str, cue: &str| {
        format!(
            r#"{{"name":"{name}","definition":{{"name":"{name}","inputSchema":{{"type":"object"}}}},"reply":{{"result":{{"content":[],"structuredContent":{{"of":"{name}"}}}}}}{cue}}}"#
        )
    };
    let noisy = r#","before":["a log line","{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":{{progress-token}},\"progress\":1}}","{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}","{\"jsonrpc\":\"2.0\",\"method\":\"notifications/of/tomorrow\"}"]"#;
    let tools = [tool("slow", r#","answers_after":"fast""#), tool("fast", ""), tool("loud", noisy)];
    let script = format!(r#"{{"scenario":"s","stages":[{{"tools":[{}]}}]}}"#, tools.join(","));
    Arc::new(serde_json::from_str(&script).unwrap())
}

async fn over(http: bool, client: &str, server: &str, steps: &[JobStep], deadlines: Deadlines) -> Answer {
    let (client, server) = (ClientSpec::parse(client).unwrap(), ServerSpec::parse(server).unwrap());
    if http {
        let web = HttpServer::bind().await.unwrap();
        web.host("/mcp", server, script()).unwrap();
        let url = format!("{}/mcp", web.base_url());
        return play_http(&client, &HttpClient::new(), &url, steps, deadlines).await.unwrap_or_else(Answer::from);
    }
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(ours);
    let (server_read, server_write) = tokio::io::split(theirs);
    let serving = serve(server, script(), server_read, server_write);
    tokio::join!(play_stream(&client, read, write, steps, deadlines), serving).0.unwrap_or_else(Answer::from)
}

fn values(steps: &[StepAnswer]) -> Vec<Option<&str>> {
    steps.iter().map(value).collect()
}

const SLOW_AND_FAST: [Option<&str>; 2] = [Some(r#"{"of":"slow"}"#), Some(r#"{"of":"fast"}"#)];

#[rstest]
#[tokio::test]
async fn over_any_wire_a_slow_call_is_answered_when_the_one_beside_it_is(
    #[values("mock/dual+auto", "mock/dual+legacy", "mock/2025-11-25")] client: &str,
    #[values("mock/dual", "mock/dual/sse")] server: &str,
    #[values(false, true)] http: bool,
) {
    let answer = over(http, client, server, &[call("slow"), at_once("fast")], DEADLINES).await;
    assert_eq!(values(&answer.steps), SLOW_AND_FAST, "{answer:?}");
}

#[rstest]
#[tokio::test]
async fn a_client_or_a_server_that_takes_one_at_a_time_never_gets_there(#[values(false, true)] http: bool) {
    let short = Deadlines { step_ms: 400, ..DEADLINES };
    let steps = [LIST, call("slow"), at_once("fast")];
    let one_by_one = over(http, "sabotaged/one-at-a-time", "mock/dual", &steps, short).await;
    assert_eq!(layer(&one_by_one.steps[1]), Layer::Timeout);
    assert_eq!(value(&one_by_one.steps[2]), SLOW_AND_FAST[1]);
    let stuck = over(http, "mock/dual+auto", "sabotaged/answers-in-request-order", &steps, short).await;
    assert_eq!(layer(&stuck.steps[1]), Layer::Timeout);
    assert!(http || stuck.steps[2].error.is_some(), "behind the slow call nothing comes: {stuck:?}");
}

#[tokio::test]
async fn answers_taken_by_their_order_are_the_wrong_ones() {
    let steps = [LIST, call("slow"), at_once("fast")];
    let answer = over(false, "sabotaged/confuses-ids", "mock/dual", &steps, DEADLINES).await;
    assert_eq!(values(&answer.steps[1..]), [SLOW_AND_FAST[1], SLOW_AND_FAST[0]]);
}

#[rstest]
#[tokio::test]
async fn what_comes_before_an_answer_is_taken_and_let_go(
    #[values("mock/dual+auto", "mock/dual+legacy")] client: &str,
    #[values(false, true)] http: bool,
) {
    let answer = over(http, client, "mock/dual", &[LIST, call("loud"), call("fast")], DEADLINES).await;
    assert_eq!(values(&answer.steps[1..]), [Some(r#"{"of":"loud"}"#), Some(r#"{"of":"fast"}"#)]);
}

#[rstest]
#[tokio::test]
async fn who_chokes_on_it_loses_the_call_or_the_session(#[values(false, true)] http: bool) {
    let steps = [LIST, call("loud"), call("fast")];
    let notifications = over(http, "sabotaged/chokes-on-notifications", "mock/dual", &steps, DEADLINES).await;
    assert_eq!(layer(&notifications.steps[1]), Layer::Decode);
    assert_eq!(value(&notifications.steps[2]), Some(r#"{"of":"fast"}"#), "the next call is another one");
    let noise = over(http, "sabotaged/chokes-on-noise", "mock/dual", &steps, DEADLINES).await;
    assert_eq!((layer(&noise.steps[1]), layer(&noise.steps[2])), (Layer::Connect, Layer::Connect));
}

#[tokio::test]
async fn a_value_is_passed_on_to_the_next_call_as_it_was_handed_out() {
    let reply = r#"{"content":[],"structuredContent":{"id":123456789012345678901234567890,"in":[1.0]}}"#;
    let steps = [
        fed("a", r#"{"x":1}"#, &[("/id", "/id")]),
        LIST,
        fed("b", r#"{"x":1}"#, &[("/id", "/id"), ("/all", ""), ("/gone", "/gone")]),
    ];
    let (_, heard) = play("mock/dual+auto", &steps, fake::modern(PLAIN, reply)).await;
    let calls: Vec<_> = heard.iter().filter(|heard| heard.method == "tools/call").collect();
    assert!(calls[0].line.contains(r#""arguments":{"x":1}"#), "there was no call before: {}", calls[0].line);
    let passed = r#""arguments":{"x":1,"all":{"id":123456789012345678901234567890,"in":[1.0]},"id":123456789012345678901234567890}"#;
    assert!(calls[1].line.contains(passed), "{}", calls[1].line);
}

#[tokio::test]
async fn what_was_not_handed_out_cannot_be_passed_on() {
    let reply = r#"{"content":[],"structuredContent":{"id":7}}"#;
    let steps = [call("a"), fed("b", "{}", &[("/id", "/id")])];
    for (client, arguments) in
        [("sabotaged/drops-value", "{}"), ("mock/dual/content+auto", "{}"), ("mock/dual/skip+auto", r#"{"id":7}"#)]
    {
        let (_, heard) = play(client, &steps, fake::modern(PLAIN, reply)).await;
        let last = &heard.last().unwrap().line;
        assert!(last.contains(&format!(r#""arguments":{arguments}"#)), "{client}: {last}");
    }
}
