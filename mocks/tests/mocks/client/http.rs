//! The client over HTTP: which headers it sends, which answers it takes, and how it finds out the era.

use mcp_compat_mocks::client::{ClientSpec, HttpClient, play_http};
use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::{Answer, JobStep};
use rstest::rstest;
use serde_json::value::RawValue;
use tokio::sync::broadcast;

use crate::client::fake::{self, DEADLINES, Heard, LIST, PLAIN, call, error, layer, names, value};
use crate::client::web::{self, Asked, Reply, Web, events, json, serve, status};

async fn play(client: &str, web: &Web, steps: &[JobStep]) -> Answer {
    let spec = ClientSpec::parse(client).unwrap();
    play_http(&spec, &HttpClient::new(), &web.url, steps, DEADLINES).await.unwrap_or_else(Answer::from)
}

/// Over HTTP what a stream's server would say: a request is answered, anything else is accepted.
fn over_http(mut server: impl FnMut(&Heard) -> Vec<String>) -> impl FnMut(&Asked) -> Reply {
    move |asked| match asked.verb.as_str() {
        "POST" => match server(&asked.heard()).pop() {
            Some(answer) if answer.contains(r#""error""#) => status(400, &answer),
            Some(answer) => json(&answer),
            None => status(202, ""),
        },
        _ => status(405, ""),
    }
}

/// The same server, with a session of the id `s-1`.
fn with_session(mut server: impl FnMut(&Asked) -> Reply) -> impl FnMut(&Asked) -> Reply {
    move |asked| {
        let mut reply = server(asked);
        if asked.verb == "POST" && asked.heard().method == "initialize" {
            reply.headers.push(("Mcp-Session-Id", "s-1".to_owned()));
        }
        reply
    }
}

const REPLY: &str = r#"{"content":[],"structuredContent":{"n":1.0}}"#;

#[tokio::test]
async fn a_modern_request_mirrors_its_version_method_and_name() {
    let tools = r#"{"name":"t ü","inputSchema":{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"}}}},
        {"name":"wrong","inputSchema":{"type":"object","properties":{"n":{"type":"number","x-mcp-header":"N"}}}}"#;
    let web = serve(over_http(fake::modern(tools, REPLY))).await;
    let arguments = RawValue::from_string(r#"{"region":" eu"}"#.to_owned()).unwrap();
    let steps = [LIST, JobStep::call("t ü", arguments)];
    let answer = play("mock/dual+auto", &web, &steps).await;
    assert_eq!(names(&answer.steps[0]), ["t ü"], "a tool that wants an impossible header is left out");
    assert_eq!(value(&answer.steps[1]), Some(r#"{"n":1.0}"#));
    let asked = web.asked();
    for asked in &asked {
        assert_eq!(asked.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(asked.header("mcp-method"), asked.heard().method.as_str().into());
        assert_eq!(asked.header("accept"), Some("application/json, text/event-stream"));
        assert_eq!(asked.header("mcp-session-id"), None);
    }
    let call = asked.last().unwrap();
    assert_eq!(call.header("mcp-name"), Some("=?base64?dCDDvA==?="));
    assert_eq!(call.header("mcp-param-region"), Some("=?base64?IGV1?="));
    assert!(asked.iter().all(|asked| asked.verb == "POST"), "a modern session has nothing to end");
}

#[rstest]
#[case("mock/2025-11-25", Some("2025-11-25"))]
#[case("mock/2025-03-26", None)]
#[tokio::test]
async fn a_legacy_session_carries_its_id_and_its_version_and_is_ended(
    #[case] client: &str,
    #[case] version: Option<&'static str>,
) {
    let web = serve(with_session(over_http(fake::legacy(PLAIN, REPLY)))).await;
    let answer = play(client, &web, &[LIST, call("plain")]).await;
    assert_eq!(names(&answer.steps[0]), ["plain"]);
    let asked = web.asked();
    let verbs: Vec<_> = asked.iter().map(|asked| asked.verb.as_str()).collect();
    assert_eq!(verbs, ["POST", "POST", "POST", "POST", "DELETE"]);
    assert_eq!((asked[0].header("mcp-session-id"), asked[0].header("mcp-protocol-version")), (None, None));
    for asked in &asked[1..] {
        assert_eq!(asked.header("mcp-session-id"), Some("s-1"));
        assert_eq!(asked.header("mcp-protocol-version"), version);
        assert_eq!(asked.header("mcp-method"), None);
    }
}

#[tokio::test]
async fn a_session_of_a_handshake_keeps_its_id_in_a_revision_that_has_none() {
    let naming = |heard: &Heard| match heard.method.as_str() {
        "initialize" => heard.result(&fake::initialized("2026-07-28")),
        _ => fake::modern(PLAIN, REPLY)(heard),
    };
    let web = serve(with_session(over_http(naming))).await;
    let answer = play("sabotaged/ignores-era+legacy", &web, &[LIST, call("plain")]).await;
    assert_eq!(answer.negotiated.as_deref(), Some("2026-07-28"));
    let asked = web.asked();
    let modern: Vec<_> = asked.iter().filter(|asked| asked.verb == "POST" && asked.heard().is_modern()).collect();
    assert_eq!(modern.len(), 2);
    for asked in modern {
        assert_eq!(asked.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(asked.header("mcp-session-id"), Some("s-1"));
    }
}

#[tokio::test]
async fn a_session_that_the_server_has_ended_is_opened_again() {
    let (mut answer, mut sessions) = (over_http(fake::legacy(PLAIN, REPLY)), 0);
    let web = serve(move |asked| {
        let mut reply = answer(asked);
        if asked.verb == "POST" && asked.heard().method == "initialize" {
            sessions += 1;
            reply.headers.push(("mcp-session-id", format!("s-{sessions}")));
        } else if sessions == 1 && asked.verb == "POST" && asked.heard().method == "tools/call" {
            return status(404, "");
        }
        reply
    })
    .await;
    let answer = play("mock/2025-11-25", &web, &[LIST, call("plain")]).await;
    assert!(answer.steps[1].error.is_none(), "{answer:?}");
    assert_eq!(web.asked().iter().filter(|asked| asked.body.contains(r#""initialize""#)).count(), 2);
}

#[rstest]
#[case::bad_request(400, "")]
#[case::bad_request_with_words(400, "Bad Request: no session")]
#[case::json_rpc_error(400, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}"#)]
#[case::not_found(404, "")]
#[case::not_allowed(405, "")]
#[case::method_not_found(200, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"what?"}}"#)]
#[case::garbage(200, "{")]
#[case::server_error(500, "oops")]
#[tokio::test]
async fn an_answer_to_the_probe_that_is_not_modern_leads_to_initialize(#[case] code: u16, #[case] body: &'static str) {
    let mut legacy = over_http(fake::legacy(PLAIN, REPLY));
    let web = serve(
        move |asked| {
            if asked.verb == "POST" && asked.heard().is_modern() { status(code, body) } else { legacy(asked) }
        },
    )
    .await;
    let answer = play("mock/dual+auto", &web, &[LIST]).await;
    assert_eq!(answer.negotiated.as_deref(), Some("2025-11-25"), "{answer:?}");
    let answer = play("mock/2026-07-28", &web, &[LIST]).await;
    assert_eq!(answer.error.unwrap().layer, Layer::Connect);
}

#[tokio::test]
async fn a_modern_refusal_is_not_answered_with_initialize() {
    let refusal = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2099-01-01"],"requested":"2026-07-28"}}}"#;
    let web = serve(|_| status(400, refusal)).await;
    let answer = play("mock/dual+auto", &web, &[LIST]).await;
    assert_eq!(answer.error.unwrap().code, Some(-32022));
    assert_eq!(web.asked().len(), 1);
}

#[tokio::test]
async fn an_answer_in_an_event_stream_is_as_good_as_a_body() {
    let mut legacy = fake::legacy(PLAIN, REPLY);
    let web = serve(move |asked| {
        if asked.verb != "POST" {
            return status(405, "");
        }
        let said = legacy(&asked.heard());
        let ping = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#.to_owned();
        if said.is_empty() { status(202, "") } else { events(&[vec![ping], said].concat()) }
    })
    .await;
    let answer = play("mock/2025-11-25", &web, &[LIST, call("plain")]).await;
    assert_eq!(value(&answer.steps[1]), Some(r#"{"n":1.0}"#));
    assert!(web.asked().iter().any(|asked| asked.body == r#"{"jsonrpc":"2.0","id":"p","result":{}}"#));
}

#[rstest]
#[case::not_accepted(status(202, ""), Layer::Decode)]
#[case::html(Reply { headers: vec![("content-type", "text/html".to_owned())], ..json("<p>") }, Layer::Decode)]
#[case::no_answer(json("{}"), Layer::Decode)]
#[case::empty(json(""), Layer::Decode)]
#[case::events_without_answer(events(&[]), Layer::Decode)]
#[case::status(status(503, "later"), Layer::Protocol)]
#[case::redirect(Reply { headers: vec![("location", "/other".to_owned())], ..status(302, "") }, Layer::Protocol)]
#[tokio::test]
async fn what_is_no_answer_fails_the_call_and_no_other(#[case] reply: Reply, #[case] expected: Layer) {
    let mut modern = over_http(fake::modern(PLAIN, REPLY));
    let web =
        serve(move |asked| if asked.body.contains(r#""name":"odd""#) { reply.clone() } else { modern(asked) }).await;
    let answer = play("mock/dual+auto", &web, &[LIST, call("odd"), call("plain")]).await;
    assert_eq!(layer(&answer.steps[1]), expected, "{answer:?}");
    assert!(answer.steps[2].error.is_none());
}

#[tokio::test]
async fn a_call_that_misses_a_header_is_repeated_after_listing_again() {
    let (mut modern, mut refused) = (over_http(fake::modern(PLAIN, REPLY)), false);
    let web = serve(move |asked| {
        let heard = asked.heard();
        if heard.method == "tools/call" && !std::mem::replace(&mut refused, true) {
            return status(400, &heard.error(-32020, &serde_json::Value::Null)[0]);
        }
        modern(asked)
    })
    .await;
    let answer = play("mock/dual+auto", &web, &[LIST, call("plain")]).await;
    assert!(answer.steps[1].error.is_none(), "{answer:?}");
    let methods: Vec<_> = web.asked().iter().map(|asked| asked.heard().method).collect();
    assert_eq!(methods, ["server/discover", "tools/list", "tools/call", "tools/list", "tools/call"]);
}

#[rstest]
#[case::modern("mock/dual+auto")]
#[case::legacy("mock/dual+legacy")]
#[tokio::test]
async fn a_change_is_heard_on_the_stream_beside_the_requests(#[case] client: &str) {
    let (told, _) = broadcast::channel(8);
    let (tell, mut listen) = (told.clone(), None::<Heard>);
    let (mut modern, mut legacy) = (over_http(fake::modern(PLAIN, REPLY)), over_http(fake::legacy(PLAIN, REPLY)));
    let goes_on = |first: &[String]| Reply { goes_on: true, ..events(first) };
    let web = web::serve_telling(
        move |asked| {
            if asked.verb == "GET" {
                assert_eq!(asked.header("accept"), Some("text/event-stream"));
                return goes_on(&[]);
            }
            let heard = if asked.verb == "POST" { asked.heard() } else { return status(405, "") };
            if heard.method == "subscriptions/listen" {
                listen = Some(heard.clone());
                return goes_on(&[fake::acknowledged(&heard)]);
            }
            if heard.params["name"] == "mcp_compat_evolve" {
                let changed = "notifications/tools/list_changed";
                let bare = || format!(r#"{{"jsonrpc":"2.0","method":"{changed}"}}"#);
                tell.send(listen.as_ref().map_or_else(bare, |listen| fake::subscribed(listen, changed))).unwrap();
            }
            if heard.is_modern() { modern(asked) } else { legacy(asked) }
        },
        told,
    )
    .await;
    let answer = play(client, &web, &[LIST, JobStep::Evolve { told: true }, call("plain")]).await;
    assert_eq!(answer.steps[1].evolved, Some(true), "{answer:?}");
    let lists = web.asked().iter().filter(|asked| asked.body.contains("tools/list")).count();
    assert_eq!(lists, 2, "the list was invalidated");
}

#[tokio::test]
async fn nobody_at_the_address_is_no_session() {
    let free = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap();
    for url in [format!("http://{free}/mcp"), "not an address".to_owned(), String::new()] {
        let spec = ClientSpec::parse("mock/dual+auto").unwrap();
        let played = play_http(&spec, &HttpClient::new(), &url, &[LIST], DEADLINES).await;
        let answer = played.unwrap_or_else(Answer::from);
        assert_eq!(answer.error.unwrap().layer, Layer::Connect, "{url}");
    }
}

#[tokio::test]
async fn a_response_that_never_comes_ends_with_the_deadline() {
    let mut modern = over_http(fake::modern(PLAIN, REPLY));
    let web = serve(move |asked| match asked.body.contains(r#""name":"hang""#) {
        true => Reply { goes_on: true, ..events(&[]) },
        false => modern(asked),
    })
    .await;
    let answer = play("mock/dual+auto", &web, &[LIST, call("hang"), call("plain")]).await;
    assert_eq!(error(&answer.steps[1]).layer, Layer::Timeout);
    assert!(answer.steps[2].error.is_none());
    assert!(!web.asked().iter().any(|asked| asked.body.contains("notifications/cancelled")), "closing says it");
}
