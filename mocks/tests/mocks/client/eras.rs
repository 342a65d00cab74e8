//! Who can talk with whom: the table of the specification's versioning page, and the rules of the probe.

use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::Answer;
use rstest::rstest;
use serde_json::{Value, json};

use crate::client::fake::{self, Heard, LIST, PLAIN, Says, call, methods, play};

const TEXT: &str = r#"{"content":[{"type":"text","text":"hi"}]}"#;

#[derive(Clone, Copy, Debug)]
enum Server {
    Modern,
    Legacy,
    Dual,
}

fn server(kind: Server) -> Says {
    let (mut modern, mut legacy) = (fake::modern(PLAIN, TEXT), fake::legacy(PLAIN, TEXT));
    match kind {
        Server::Modern => Box::new(modern),
        Server::Legacy => Box::new(legacy),
        Server::Dual => Box::new(move |heard| if heard.is_modern() { modern(heard) } else { legacy(heard) }),
    }
}

fn refused(answer: &Answer) -> (Layer, &str) {
    assert_eq!((answer.steps.len(), answer.negotiated.as_deref()), (0, None));
    let error = answer.error.as_ref().unwrap();
    (error.layer, error.message.as_str())
}

#[rstest]
#[case::modern_modern("mock/2026-07-28", Server::Modern, Some("2026-07-28"))]
#[case::modern_legacy("mock/2026-07-28", Server::Legacy, None)]
#[case::modern_dual("mock/2026-07-28", Server::Dual, Some("2026-07-28"))]
#[case::dual_modern("mock/dual+auto", Server::Modern, Some("2026-07-28"))]
#[case::dual_legacy("mock/dual+auto", Server::Legacy, Some("2025-11-25"))]
#[case::dual_dual("mock/dual+auto", Server::Dual, Some("2026-07-28"))]
#[case::pinned_legacy("mock/dual+modern", Server::Legacy, None)]
#[case::legacy_by_choice("mock/dual+legacy", Server::Dual, Some("2025-11-25"))]
#[case::legacy_modern("mock/2025-06-18", Server::Modern, None)]
#[case::legacy_legacy("mock/2025-06-18", Server::Legacy, Some("2025-06-18"))]
#[case::legacy_dual("mock/2024-11-05", Server::Dual, Some("2024-11-05"))]
#[tokio::test]
async fn a_session_comes_about_where_the_eras_meet(
    #[case] client: &str,
    #[case] kind: Server,
    #[case] negotiated: Option<&str>,
) {
    let (answer, heard) = play(client, &[LIST, call("plain")], server(kind)).await;
    assert_eq!(answer.negotiated.as_deref(), negotiated, "{answer:?}");
    match negotiated {
        Some(_) => assert_eq!((fake::names(&answer.steps[0]), fake::value(&answer.steps[1])), (vec!["plain"], None)),
        None => assert_eq!(refused(&answer).0, Layer::Connect),
    }
    let probed = heard[0].method == "server/discover";
    assert_eq!(probed, client.contains("2026") || client.ends_with("auto") || client.ends_with("+modern"));
}

#[tokio::test]
async fn a_handshake_is_initialize_and_initialized_and_then_requests_with_nothing_of_it() {
    let (_, heard) = play("mock/2025-11-25", &[LIST, call("plain")], server(Server::Legacy)).await;
    assert_eq!(methods(&heard), ["initialize", "notifications/initialized", "tools/list", "tools/call"]);
    assert_eq!(heard[0].params["protocolVersion"], "2025-11-25");
    assert!(heard[0].params["clientInfo"]["name"].is_string() && heard[0].params["capabilities"].is_object());
    let (call, others) = heard.split_last().unwrap();
    assert!(others.iter().all(|heard| heard.params["_meta"].is_null()));
    assert_eq!(call.params["_meta"], json!({"progressToken": call.id}), "each call has a token of its own");
}

#[tokio::test]
async fn every_modern_request_says_its_version_its_sender_and_its_capabilities() {
    let (_, heard) = play("mock/2026-07-28", &[LIST, call("plain")], server(Server::Modern)).await;
    assert_eq!(methods(&heard), ["server/discover", "tools/list", "tools/call"]);
    for heard in heard {
        let meta = &heard.params["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert!(meta["io.modelcontextprotocol/clientInfo"]["version"].is_string());
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
        let token = if heard.method == "tools/call" { heard.id } else { Value::Null };
        assert_eq!(meta["progressToken"], token, "only calls take their time");
    }
}

#[rstest]
#[case::method_not_found(|heard: &Heard| heard.error(-32601, &Value::Null))]
#[case::invalid_params(|heard: &Heard| heard.error(-32602, &Value::Null))]
#[case::unsupported_version_without_data(|heard: &Heard| heard.error(-32022, &Value::Null))]
#[case::missing_capability_without_data(|heard: &Heard| heard.error(-32021, &Value::Null))]
#[case::error_without_id(|_: &Heard| vec![r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#.to_owned()])]
#[case::another_result(|heard: &Heard| heard.result("{}"))]
#[case::garbage(|_: &Heard| vec!["{broken".to_owned()])]
#[case::silence(|_: &Heard| vec![])]
#[tokio::test]
async fn what_is_no_modern_answer_to_the_probe_leads_to_initialize(#[case] probed: fn(&Heard) -> Vec<String>) {
    let mut legacy = fake::legacy(PLAIN, TEXT);
    let server = move |heard: &Heard| if heard.is_modern() { probed(heard) } else { legacy(heard) };
    let (answer, heard) = play("mock/dual+auto", &[LIST], server).await;
    assert_eq!(answer.negotiated.as_deref(), Some("2025-11-25"), "{answer:?}");
    assert_eq!(methods(&heard)[..2], ["server/discover", "initialize"]);
}

#[rstest]
#[case::version(-32022, json!({"supported": ["2099-01-01"], "requested": "2026-07-28"}), "2099-01-01")]
#[case::legacy_versions(-32022, json!({"supported": ["2025-11-25"], "requested": "2026-07-28"}), "2025-11-25")]
#[case::capability(-32021, json!({"requiredCapabilities": {"roots": {}}}), "refuses")]
#[case::header(-32020, Value::Null, "refuses")]
#[tokio::test]
async fn a_modern_refusal_is_never_answered_with_initialize(
    #[case] code: i64,
    #[case] data: Value,
    #[case] says: &str,
) {
    let (answer, heard) = play("mock/dual+auto", &[LIST], |heard| heard.error(code, &data)).await;
    let (layer, message) = refused(&answer);
    assert_eq!((layer, answer.error.as_ref().unwrap().code), (Layer::Connect, Some(code)));
    assert!(message.contains(says), "{message}");
    assert_eq!(methods(&heard), ["server/discover"]);
}

#[tokio::test]
async fn a_refusal_that_names_a_revision_of_both_keeps_the_session_modern() {
    let mut modern = fake::modern(PLAIN, TEXT);
    let data = json!({"supported": ["2099-01-01", "2026-07-28"], "requested": "2026-07-28"});
    let server = move |heard: &Heard| match heard.method.as_str() {
        "server/discover" => heard.error(-32022, &data),
        _ => modern(heard),
    };
    let (answer, _) = play("mock/dual+auto", &[LIST], server).await;
    assert_eq!(answer.negotiated.as_deref(), Some("2026-07-28"));
}

#[tokio::test]
async fn a_server_that_is_discovered_to_speak_legacy_revisions_only_is_asked_with_initialize() {
    let discovered = fake::DISCOVERED.replace("2026-07-28", "2025-11-25");
    let mut legacy = server(Server::Legacy);
    let server = move |heard: &Heard| match heard.method.as_str() {
        "server/discover" => heard.result(&discovered),
        _ => legacy(heard),
    };
    let (answer, heard) = play("mock/dual+auto", &[LIST], server).await;
    assert_eq!(answer.negotiated.as_deref(), Some("2025-11-25"), "{answer:?}");
    assert_eq!(methods(&heard)[..2], ["server/discover", "initialize"]);
}

#[rstest]
#[case::newer("2099-01-01")]
#[case::modern("2026-07-28")]
#[case::older("2024-11-05")]
#[tokio::test]
async fn a_version_that_the_client_does_not_know_ends_the_session(#[case] version: &str) {
    let (answer, heard) = play("mock/2025-11-25", &[LIST], |heard| heard.result(&fake::initialized(version))).await;
    let (layer, message) = refused(&answer);
    assert_eq!(layer, Layer::Connect);
    assert!(message.contains(version) && message.contains("2025-11-25"), "{message}");
    assert_eq!(methods(&heard), ["initialize"]);
}

#[tokio::test]
async fn a_pinned_client_says_why_a_legacy_server_will_not_do() {
    let (answer, heard) = play("mock/2026-07-28", &[LIST], server(Server::Legacy)).await;
    assert!(refused(&answer).1.contains("the server is a legacy one"), "{answer:?}");
    assert_eq!(methods(&heard), ["server/discover"]);
    let (answer, _) = play("mock/2026-07-28", &[LIST], |_| vec![]).await;
    assert!(refused(&answer).1.contains("no answer to server/discover"), "{answer:?}");
}

#[tokio::test]
async fn a_log_line_before_the_answer_is_skipped() {
    let mut modern = fake::modern(PLAIN, TEXT);
    let server = move |heard: &Heard| [vec!["INFO up".to_owned()], modern(heard)].concat();
    let (answer, _) = play("mock/dual+auto", &[LIST], server).await;
    assert_eq!(answer.negotiated.as_deref(), Some("2026-07-28"));
}

#[tokio::test]
async fn a_ping_is_answered_whenever_it_comes() {
    let mut legacy = fake::legacy(PLAIN, TEXT);
    let server = move |heard: &Heard| {
        let ping = heard.method == "tools/call";
        let ping = ping.then(|| r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#.to_owned());
        ping.into_iter().chain(legacy(heard)).collect()
    };
    let (answer, heard) = play("mock/2025-11-25", &[call("plain"), LIST], server).await;
    assert!(answer.steps.iter().all(|step| step.error.is_none()), "{answer:?}");
    assert!(heard.iter().any(|heard| heard.line == r#"{"jsonrpc":"2.0","id":"p","result":{}}"#));
}
