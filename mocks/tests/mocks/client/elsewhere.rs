//! The quirks that show where a call of a tool does not: before there is a session, in lists, in one of the eras, in bytes
//! that are no text, over HTTP.

use std::pin::Pin;

use mcp_compat_mocks::client::{ByteStream, ClientSpec, Connector, HttpClient, play_connector, play_http, play_stream};
use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::{Answer, Deadlines, StepAnswer};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::client::fake::{self, Heard, LIST, call, play, tool};
use crate::client::web;

const OBJECT: &str = r#"{"type":"object"}"#;

#[tokio::test]
async fn the_handshake_can_lack_its_end() {
    let legacy = || fake::legacy("", "{}");
    let (_, honest) = play("mock/dual+legacy", &[LIST], legacy()).await;
    let (_, sabotaged) = play("sabotaged/skips-initialized+legacy", &[LIST], legacy()).await;
    assert_eq!(fake::methods(&honest), ["initialize", "notifications/initialized", "tools/list"]);
    assert_eq!(fake::methods(&sabotaged), ["initialize", "tools/list"]);
}

#[tokio::test]
async fn a_probe_that_fails_can_be_taken_for_the_end() {
    let (honest, _) = play("mock/dual+auto", &[LIST], fake::legacy(fake::PLAIN, "{}")).await;
    let (sabotaged, heard) = play("sabotaged/no-fallback", &[LIST], fake::legacy(fake::PLAIN, "{}")).await;
    assert_eq!((honest.negotiated.as_deref(), sabotaged.negotiated), (Some("2025-11-25"), None));
    assert_eq!(fake::methods(&heard), ["server/discover"]);
}

#[tokio::test]
async fn a_revision_that_nobody_knows_can_be_spoken_all_the_same() {
    let strange = |heard: &Heard| match heard.method.as_str() {
        "initialize" => heard.result(&fake::initialized("1999-12-31")),
        "server/discover" => heard.error(-32022, &json!({"supported": ["2099-12-31"], "requested": "2026-07-28"})),
        _ => fake::legacy(fake::PLAIN, "{}")(heard),
    };
    for mode in ["legacy", "auto"] {
        let (honest, _) = play(&format!("mock/dual+{mode}"), &[LIST], strange).await;
        let (sabotaged, _) = play(&format!("sabotaged/ignores-version+{mode}"), &[LIST], strange).await;
        assert_eq!((honest.error.is_some(), honest.negotiated), (true, None), "{mode}");
        assert_eq!(sabotaged.negotiated.as_deref(), Some("2025-11-25"), "{mode}");
        assert_eq!(fake::names(&sabotaged.steps[0]), ["plain"]);
    }
}

#[tokio::test]
async fn a_server_that_lists_legacy_revisions_only_can_be_asked_as_a_modern_one() {
    let legacy = |heard: &Heard| match heard.method.as_str() {
        "server/discover" => heard.result(r#"{"supportedVersions":["2025-11-25"]}"#),
        _ => fake::legacy(fake::PLAIN, "{}")(heard),
    };
    let (honest, _) = play("mock/dual+auto", &[LIST], legacy).await;
    let (sabotaged, heard) = play("sabotaged/ignores-listed-versions+auto", &[LIST], legacy).await;
    assert_eq!(honest.negotiated.as_deref(), Some("2025-11-25"));
    assert_eq!(sabotaged.negotiated.as_deref(), Some("2026-07-28"));
    assert_eq!(fake::methods(&heard), ["server/discover", "tools/list"]);
}

#[tokio::test]
async fn a_handshake_that_was_refused_can_be_taken_for_one_that_was_not() {
    let refusing = |heard: &Heard| match heard.method.as_str() {
        "initialize" => heard.error(-32602, &Value::Null),
        _ => fake::legacy(fake::PLAIN, "{}")(heard),
    };
    let (honest, heard) = play("mock/dual+auto", &[LIST], refusing).await;
    assert_eq!((honest.error.is_some(), fake::methods(&heard).len()), (true, 2));
    let (sabotaged, heard) = play("sabotaged/opens-regardless", &[LIST], refusing).await;
    assert_eq!(fake::names(&sabotaged.steps[0]), ["plain"]);
    assert_eq!(fake::methods(&heard)[1..], ["initialize", "notifications/initialized", "tools/list"]);
    let deadlines = Deadlines { connect_ms: 400, step_ms: 400 };
    let (waiting, heard) = fake::play_within(deadlines, "sabotaged/waits-after-refusal", &[LIST], refusing).await;
    assert_eq!(waiting.error.unwrap().layer, Layer::Timeout);
    assert_eq!(fake::methods(&heard)[1..], ["initialize"]);
}

#[tokio::test]
async fn a_probe_that_is_answered_with_nonsense_is_the_end_for_who_falls_back_on_errors_only() {
    let nonsense = |heard: &Heard| match heard.method.as_str() {
        "server/discover" => heard.result("{}"),
        _ => fake::legacy(fake::PLAIN, "{}")(heard),
    };
    let (honest, _) = play("mock/dual+auto", &[LIST], nonsense).await;
    let (sabotaged, _) = play("sabotaged/falls-back-on-errors", &[LIST], nonsense).await;
    assert_eq!((honest.negotiated.as_deref(), sabotaged.negotiated), (Some("2025-11-25"), None));
    let (after_an_error, _) = play("sabotaged/falls-back-on-errors", &[LIST], fake::legacy(fake::PLAIN, "{}")).await;
    assert_eq!(after_an_error.negotiated.as_deref(), Some("2025-11-25"));
}

#[tokio::test]
async fn a_revision_without_a_handshake_can_be_spoken_after_one() {
    let naming = |heard: &Heard| match heard.method.as_str() {
        "initialize" => heard.result(&fake::initialized("2026-07-28")),
        _ => fake::modern(fake::PLAIN, "{}")(heard),
    };
    let (honest, _) = play("mock/dual+legacy", &[LIST], naming).await;
    let (sabotaged, heard) = play("sabotaged/ignores-era+legacy", &[LIST], naming).await;
    assert_eq!((honest.negotiated, sabotaged.negotiated.as_deref()), (None, Some("2026-07-28")));
    assert!(heard.last().unwrap().is_modern());
}

#[tokio::test]
async fn a_result_type_can_be_read_where_there_is_none() {
    let unknown = r#"{"resultType":"new","content":[],"structuredContent":{}}"#;
    let called = async |client| {
        play(client, &[LIST, call("t")], fake::legacy(&tool("t", OBJECT), unknown)).await.0.steps.remove(1)
    };
    assert_eq!(fake::value(&called("mock/dual+legacy").await), Some("{}"));
    assert_eq!(fake::layer(&called("sabotaged/always-reads-result-type+legacy").await), Layer::Decode);
}

#[tokio::test]
async fn hints_that_cannot_be_can_cost_the_list() {
    for (hints, odd) in [
        (r#""ttlMs":1.5"#, true),
        (r#""ttlMs":9223372036854775808"#, true),
        (r#""cacheScope":"everybody""#, true),
        (r#""ttlMs":0,"cacheScope":"public""#, false),
    ] {
        let listed = async |client| {
            let server = |heard: &Heard| match heard.method.as_str() {
                "tools/list" => heard.result(&format!(r#"{{"tools":[{}],{hints}}}"#, fake::PLAIN)),
                _ => fake::modern(fake::PLAIN, "{}")(heard),
            };
            play(client, &[LIST], server).await.0.steps.remove(0)
        };
        assert_eq!(fake::names(&listed("mock/dual+auto").await), ["plain"], "{hints}");
        assert_eq!(listed("sabotaged/refuses-odd-hints").await.error.is_some(), odd, "{hints}");
    }
}

/// The answer to a call that the server answers with these bytes, around the id.
async fn answered_with(client: &str, before: &[u8], behind: &[u8]) -> Vec<StepAnswer> {
    let spec = ClientSpec::parse(client).unwrap();
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(ours);
    let serving = async {
        let (read, mut write) = tokio::io::split(theirs);
        let mut lines = BufReader::new(read).lines();
        let mut modern = fake::modern(&tool("t", OBJECT), "{}");
        while let Some(line) = lines.next_line().await.unwrap() {
            let heard = Heard::read(&line);
            if heard.method == "tools/call" {
                write.write_all(&[before, heard.id.to_string().as_bytes(), behind, b"\n"].concat()).await.unwrap();
                continue;
            }
            for line in modern(&heard) {
                write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
            }
        }
    };
    let steps = [LIST, call("t"), LIST];
    tokio::join!(play_stream(&spec, read, write, &steps, fake::DEADLINES), serving).0.unwrap().steps
}

#[tokio::test]
async fn what_is_not_utf_8_fails_a_call_or_is_replaced_or_ends_the_session() {
    let answered = async |client| {
        let before = br#"{"jsonrpc":"2.0","id":"#;
        let behind = b",\"result\":{\"content\":[],\"structuredContent\":{\"a\":\"\xdf\"}}}";
        answered_with(client, before, behind).await
    };
    let honest = answered("mock/dual+auto").await;
    assert_eq!((fake::layer(&honest[1]), honest[2].tools.is_some()), (Layer::Decode, true));
    assert_eq!(fake::value(&answered("sabotaged/replaces-bad-utf-8").await[1]), Some("{\"a\":\"\u{fffd}\"}"));
    let choked = answered("sabotaged/chokes-on-bad-utf-8").await;
    assert_eq!((fake::layer(&choked[1]), fake::layer(&choked[2])), (Layer::Connect, Layer::Connect));
}

#[tokio::test]
async fn a_body_without_an_answer_can_be_waited_on() {
    let server = web::serve(|_| web::json(r#"{"nothing":1}"#)).await;
    let spec = |id| ClientSpec::parse(id).unwrap();
    let deadlines = Deadlines { connect_ms: 300, step_ms: 300 };
    let play = async |id| {
        Answer::from(play_http(&spec(id), &HttpClient::new(), &server.url, &[LIST], deadlines).await.unwrap_err())
            .error
            .unwrap()
    };
    assert_eq!(play("mock/2025-11-25").await.layer, Layer::Decode);
    assert_eq!(play("sabotaged/ignores-broken-bodies+legacy").await.layer, Layer::Timeout);
}

#[tokio::test]
async fn a_server_can_be_taken_for_a_modern_one_without_a_probe() {
    let (probed, heard) = play("mock/dual+auto", &[LIST], fake::legacy(fake::PLAIN, "{}")).await;
    assert_eq!((probed.negotiated.as_deref(), heard[0].method.as_str()), (Some("2025-11-25"), "server/discover"));
    let (assumed, heard) = play("sabotaged/assumes-modern", &[LIST], fake::legacy(fake::PLAIN, "{}")).await;
    assert_eq!((assumed.negotiated.as_deref(), fake::methods(&heard)), (Some("2026-07-28"), vec!["tools/list"]));
    let (legacy, _) = play("sabotaged/assumes-modern+legacy", &[LIST], fake::legacy(fake::PLAIN, "{}")).await;
    assert_eq!(legacy.negotiated.as_deref(), Some("2025-11-25"), "who opens with initialize assumes nothing");
}

#[tokio::test]
async fn silence_after_the_probe_can_be_waited_out() {
    let silent = |heard: &Heard| match heard.method.as_str() {
        "server/discover" => vec![],
        _ => fake::legacy(fake::PLAIN, "{}")(heard),
    };
    let deadlines = Deadlines { connect_ms: 400, step_ms: 400 };
    let (honest, _) = fake::play_within(deadlines, "mock/dual+auto", &[LIST], silent).await;
    let (waiting, heard) = fake::play_within(deadlines, "sabotaged/waits-for-probe", &[LIST], silent).await;
    assert_eq!((honest.negotiated.as_deref(), waiting.negotiated), (Some("2025-11-25"), None));
    assert_eq!(fake::methods(&heard), ["server/discover"]);
}

/// A server that ends at whatever comes first, however often it is started; counts how often that is.
#[derive(Default)]
struct EndsAtOnce(u32);

impl Connector for EndsAtOnce {
    fn connect(&mut self) -> Pin<Box<dyn Future<Output = Result<ByteStream<'static>, String>> + Send + '_>> {
        self.0 += 1;
        let (read, write) = tokio::io::split(tokio::io::duplex(1024).0);
        Box::pin(std::future::ready(Ok(ByteStream::new(read, write))))
    }
}

#[tokio::test]
async fn a_connection_that_is_lost_at_the_probe_can_be_the_end() {
    for (client, dialled) in
        [("mock/dual+auto", 2), ("sabotaged/ends-at-lost-probe", 1), ("sabotaged/ends-at-lost-probe+modern", 1)]
    {
        let mut server = EndsAtOnce::default();
        let spec = ClientSpec::parse(client).unwrap();
        assert!(play_connector(&spec, &mut server, &[LIST], fake::DEADLINES).await.is_err());
        assert_eq!(server.0, dialled, "{client}");
    }
}

#[tokio::test]
async fn a_list_that_does_not_say_how_long_it_holds_can_be_lost() {
    for (hints, missed) in [
        (r#""ttlMs":0"#, true),
        (r#""cacheScope":"public""#, true),
        (r#""ttlMs":0,"cacheScope":"tenant""#, true),
        (r#""ttlMs":0,"cacheScope":"public""#, false),
    ] {
        let server = |heard: &Heard| match heard.method.as_str() {
            "tools/list" => heard.result(&format!(r#"{{"tools":[{}],{hints}}}"#, fake::PLAIN)),
            _ => fake::modern(fake::PLAIN, "{}")(heard),
        };
        assert!(play("mock/dual+auto", &[LIST], server).await.0.steps[0].error.is_none(), "{hints}");
        let listed = play("sabotaged/requires-hints", &[LIST], server).await.0.steps;
        assert_eq!(listed[0].error.is_some(), missed, "{hints}");
    }
    let (legacy, _) = play("sabotaged/requires-hints+legacy", &[LIST], fake::legacy(fake::PLAIN, "{}")).await;
    assert_eq!(fake::names(&legacy.steps[0]), ["plain"], "legacy lists have none");
}

#[tokio::test]
async fn a_result_that_does_not_say_its_type_can_be_refused() {
    let called = async |client, result: &str| {
        play(client, &[LIST, call("t")], fake::modern(&tool("t", OBJECT), result)).await.0.steps.remove(1)
    };
    let silent = r#"{"content":[],"structuredContent":{}}"#;
    assert_eq!(fake::value(&called("mock/dual+auto", silent).await), Some("{}"));
    assert_eq!(fake::layer(&called("sabotaged/requires-result-type", silent).await), Layer::Decode);
    let said = r#"{"resultType":"complete","content":[],"structuredContent":{}}"#;
    assert_eq!(fake::value(&called("sabotaged/requires-result-type", said).await), Some("{}"));
}

#[tokio::test]
async fn an_input_schema_that_is_not_of_objects_can_cost_the_list() {
    let typeless = r#"{"name":"odd","inputSchema":{"anyOf":[{"type":"object"}]}}"#;
    let listed = async |client, tools: &str| play(client, &[LIST], fake::modern(tools, "{}")).await.0.steps.remove(0);
    assert_eq!(fake::names(&listed("mock/dual+auto", typeless).await), ["odd"]);
    assert_eq!(fake::layer(&listed("sabotaged/wants-object-input", typeless).await), Layer::Decode);
    assert_eq!(fake::names(&listed("sabotaged/wants-object-input", fake::PLAIN).await), ["plain"]);
}

#[tokio::test]
async fn a_profile_holds_in_each_era_what_that_era_admits() {
    let array = r#"{"resultType":"complete","content":[],"structuredContent":[1]}"#;
    let tools = tool("t", r#"{"type":"array"}"#);
    let modern = play("profile/python@2+auto", &[LIST, call("t")], fake::modern(&tools, array)).await.0;
    assert_eq!(fake::value(&modern.steps[1]), Some("[1]"));
    let legacy = play("profile/python@2+legacy", &[LIST, call("t")], fake::legacy(&tools, array)).await.0;
    assert_eq!(fake::layer(&legacy.steps[0]), Layer::Decode);
}
