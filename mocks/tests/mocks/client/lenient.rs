//! Quirks of clients that go by less than the specification says, or by something else. Most are of the Go and Java SDKs.

use mcp_compat_mocks::client::{ClientSpec, HttpClient, play_http};
use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::StepAnswer;
use serde_json::{Value, json};

use crate::client::fake::{self, Heard, LIST, call, play, tool};
use crate::client::web;

const OBJECT: &str = r#"{"type":"object"}"#;

/// What a list with this result is to a client.
async fn listed(client: &str, result: &str) -> StepAnswer {
    let server = |heard: &Heard| match heard.method.as_str() {
        "tools/list" => heard.result(result),
        _ => fake::modern("", "{}")(heard),
    };
    play(client, &[LIST], server).await.0.steps.remove(0)
}

#[tokio::test]
async fn a_list_that_lacks_what_it_needs_can_be_completed() {
    for (result, names) in [
        ("{}", &[][..]),
        (r#"{"tools":null}"#, &[]),
        (r#"{"tools":[{"inputSchema":{}},{"name":"a"}]}"#, &["", "a"]),
        (r#"{"tools":[{"name":null}]}"#, &[""]),
    ] {
        assert_eq!(fake::layer(&listed("mock/dual+auto", result).await), Layer::Decode, "{result}");
        assert_eq!(fake::names(&listed("sabotaged/completes-lists", result).await), names, "{result}");
    }
    for broken in [r#"{"tools":{}}"#, r#"{"tools":[{"name":1}]}"#] {
        assert_eq!(fake::layer(&listed("sabotaged/completes-lists", broken).await), Layer::Decode, "{broken}");
    }
}

#[tokio::test]
async fn a_time_that_is_no_integer_can_cost_the_list_and_an_odd_scope_does_not() {
    for (hints, odd) in [
        (r#""ttlMs":1.5"#, true),
        (r#""ttlMs":9223372036854775808"#, true),
        (r#""ttlMs":-1"#, false),
        (r#""ttlMs":null"#, false),
        (r#""cacheScope":"everybody""#, false),
    ] {
        let result = format!(r#"{{"tools":[{}],{hints}}}"#, fake::PLAIN);
        assert_eq!(fake::names(&listed("mock/dual+auto", &result).await), ["plain"], "{hints}");
        assert_eq!(listed("sabotaged/wants-integer-ttl", &result).await.error.is_some(), odd, "{hints}");
    }
}

#[tokio::test]
async fn a_server_that_declares_no_tools_can_be_asked_for_none() {
    for (mode, era) in [("auto", "server/discover"), ("legacy", "initialize")] {
        for (capabilities, declared) in
            [(json!({}), false), (json!({"tools": null}), false), (json!({"tools": {}}), true)]
        {
            let server = |heard: &Heard| match (heard.method.as_str(), mode) {
                ("initialize", _) => heard.result(
                    &json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": {}})
                        .to_string(),
                ),
                ("server/discover", _) => heard
                    .result(&json!({"supportedVersions": ["2026-07-28"], "capabilities": capabilities}).to_string()),
                (_, "auto") => fake::modern(&tool("t", OBJECT), r#"{"structuredContent":{}}"#)(heard),
                _ => fake::legacy(&tool("t", OBJECT), r#"{"structuredContent":{}}"#)(heard),
            };
            let steps = [LIST, call("t")];
            let (honest, _) = play(&format!("mock/dual+{mode}"), &steps, server).await;
            assert_eq!(fake::value(&honest.steps[1]), Some("{}"), "{mode} {capabilities}");
            let (sabotaged, heard) = play(&format!("sabotaged/wants-tools-declared+{mode}"), &steps, server).await;
            assert_eq!(heard[0].method, era);
            assert_eq!(fake::methods(&heard).contains(&"tools/call"), declared, "{mode} {capabilities}");
            let failed = |step: &StepAnswer| step.error.as_ref().map(|error| error.layer);
            let expected = (!declared).then_some(Layer::Protocol);
            assert_eq!([failed(&sabotaged.steps[0]), failed(&sabotaged.steps[1])], [expected; 2]);
        }
    }
}

/// What is handed out of a result in each era, or the layer that refused it.
async fn called(client: &str, result: &str) -> [Result<String, Layer>; 2] {
    let seen = |step: &StepAnswer| match &step.error {
        Some(error) => Err(error.layer),
        None => Ok(fake::value(step).unwrap_or_default().to_owned()),
    };
    let (tools, steps) = (tool("t", OBJECT), [LIST, call("t")]);
    let modern = play(&format!("{client}+auto"), &steps, fake::modern(&tools, result)).await.0;
    let legacy = play(&format!("{client}+legacy"), &steps, fake::legacy(&tools, result)).await.0;
    [seen(&modern.steps[1]), seen(&legacy.steps[1])]
}

#[tokio::test]
async fn input_can_be_asked_for_by_who_goes_by_the_requests() {
    let (value, decode, protocol) = (Ok("{}".to_owned()), Err(Layer::Decode), Err(Layer::Protocol));
    for (members, honest, sabotaged) in [
        (r#""resultType":"new""#, [&decode, &value], [&value, &value]),
        (r#""resultType":null"#, [&decode, &value], [&value, &value]),
        (r#""resultType":1"#, [&decode, &value], [&decode, &decode]),
        (r#""resultType":"input_required""#, [&protocol, &value], [&value, &value]),
        (r#""resultType":"complete","inputRequests":{"a":{}}"#, [&value, &value], [&protocol, &protocol]),
        (r#""inputRequests":null"#, [&value, &value], [&value, &value]),
    ] {
        let result = format!(r#"{{{members},"structuredContent":{{}}}}"#);
        assert_eq!(called("mock/dual", &result).await.each_ref(), honest, "{members}");
        assert_eq!(called("sabotaged/goes-by-input-requests", &result).await.each_ref(), sabotaged, "{members}");
    }
    let asking = format!(r#"{{"resultType":"input_required","tools":[{}]}}"#, fake::PLAIN);
    assert_eq!(fake::layer(&listed("mock/dual+auto", &asking).await), Layer::Protocol);
    assert_eq!(fake::names(&listed("sabotaged/goes-by-input-requests", &asking).await), ["plain"]);
}

/// The layers of the errors of two calls, of which the first is answered behind this line.
async fn behind(client: &str, line: &'static str) -> [Option<Layer>; 2] {
    let (mut calls, mut modern) = (0, fake::modern(&tool("t", OBJECT), r#"{"structuredContent":{}}"#));
    let server = move |heard: &Heard| {
        calls += usize::from(heard.method == "tools/call");
        let before = (heard.method == "tools/call" && calls == 1).then(|| line.to_owned());
        before.into_iter().chain(modern(heard)).collect()
    };
    let deadlines = mcp_compat_model::peer_contract::Deadlines { connect_ms: 2000, step_ms: 300 };
    let (answer, _) = fake::play_within(deadlines, client, &[LIST, call("t"), call("t")], server).await;
    [1, 2].map(|step: usize| answer.steps[step].error.as_ref().map(|error| error.layer))
}

#[tokio::test]
async fn a_line_that_is_no_message_can_end_the_session_or_the_reading() {
    for line in ["INFO listening", r#"{"level":"info"}"#, r#"{"jsonrpc":"2.0","id"#, "\u{feff}{}"] {
        let ended = [Some(Layer::Decode), Some(Layer::Connect)];
        assert_eq!(behind("sabotaged/ends-at-broken-messages", line).await, ended, "{line}");
        assert_eq!(behind("sabotaged/stops-reading", line).await, [Some(Layer::Timeout); 2], "{line}");
        assert_eq!(behind("mock/dual+auto", line).await[1], None, "{line}");
    }
    let told = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
    for client in ["sabotaged/ends-at-broken-messages", "sabotaged/stops-reading"] {
        assert_eq!(behind(client, told).await, [None, None], "{client}");
    }
}

#[tokio::test]
async fn a_name_beyond_ascii_can_be_sent_in_a_header_as_it_is() {
    let named = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}}).to_string();
    for (name, encoded) in [("zähle", "=?base64?esOkaGxl?="), ("count", "count")] {
        let server = web::serve({
            let tools = named(name);
            move |asked| {
                let answered = fake::modern(&tools, r#"{"structuredContent":{}}"#)(&asked.heard());
                answered.first().map_or_else(|| web::status(202, ""), |answer| web::json(answer))
            }
        })
        .await;
        for (client, expected) in [("mock/dual+auto", encoded), ("sabotaged/sends-names-unencoded", name)] {
            let spec = ClientSpec::parse(client).unwrap();
            let steps = [LIST, call(name)];
            play_http(&spec, &HttpClient::new(), &server.url, &steps, fake::DEADLINES).await.unwrap();
            let asked = server.asked();
            let last = asked.iter().rfind(|asked| asked.heard().method == "tools/call").unwrap();
            assert_eq!(last.header("mcp-name"), Some(expected), "{client}");
            assert_eq!(last.heard().params["name"], Value::from(name));
        }
    }
}

#[tokio::test]
async fn structured_output_can_be_read_in_a_revision_that_has_none() {
    let old = |result: &str| {
        let mut legacy = fake::legacy(&tool("t", r#"{"required":["a"]}"#), result);
        move |heard: &Heard| match heard.method.as_str() {
            "initialize" => heard.result(&fake::initialized("2025-03-26")),
            _ => legacy(heard),
        }
    };
    let value = r#"{"content":[],"structuredContent":{"a":1}}"#;
    let honest = play("mock/dual+legacy", &[LIST, call("t")], old(value)).await.0;
    assert_eq!((honest.negotiated.as_deref(), fake::value(&honest.steps[1])), (Some("2025-03-26"), None));
    assert!(honest.steps[0].tools.as_ref().unwrap()[0].output_schema.is_none());
    let sabotaged = play("sabotaged/reads-output-early+legacy", &[LIST, call("t")], old(value)).await.0;
    assert_eq!(fake::value(&sabotaged.steps[1]), Some(r#"{"a":1}"#));
    assert!(sabotaged.steps[0].tools.as_ref().unwrap()[0].output_schema.is_some());
    let violating = r#"{"content":[],"structuredContent":{}}"#;
    let validated = play("sabotaged/reads-output-early+legacy", &[LIST, call("t")], old(violating)).await.0;
    assert_eq!(fake::layer(&validated.steps[1]), Layer::Validate);
    assert!(play("mock/dual+legacy", &[LIST, call("t")], old(violating)).await.0.steps[1].error.is_none());
}

#[tokio::test]
async fn the_stream_of_a_session_can_be_asked_for_in_another_revision() {
    for (spoken, status, lost) in [("2025-06-18", 400, true), ("2025-06-18", 405, false), ("2025-11-25", 400, false)] {
        let server = web::serve(move |asked| match asked.verb.as_str() {
            "GET" if asked.header("mcp-protocol-version") != Some(spoken) => web::status(status, "another revision"),
            "POST" => {
                let heard = asked.heard();
                let mut legacy = fake::legacy(fake::PLAIN, "{}");
                let answered = match heard.method.as_str() {
                    "initialize" => heard.result(&fake::initialized(spoken)),
                    _ => legacy(&heard),
                };
                let session =
                    vec![("content-type", "application/json".to_owned()), ("mcp-session-id", "one".to_owned())];
                let reply = answered.first().map_or_else(|| web::status(202, ""), |answer| web::json(answer));
                if heard.method == "initialize" { web::Reply { headers: session, ..reply } } else { reply }
            }
            _ => web::status(405, ""),
        })
        .await;
        let http = HttpClient::new();
        for (client, lost) in [("mock/dual+legacy", false), ("sabotaged/streams-in-newest+legacy", lost)] {
            let spec = ClientSpec::parse(client).unwrap();
            let played = play_http(&spec, &http, &server.url, &[LIST], fake::DEADLINES).await;
            assert_eq!(played.is_err(), lost, "{client} {spoken} {status}");
        }
        let asked = server.asked();
        let streams: Vec<_> = asked.iter().filter(|asked| asked.verb == "GET").collect();
        assert_eq!(streams.len(), 1, "only one of the two asks at once");
        assert_eq!(streams[0].header("mcp-protocol-version"), Some("2025-11-25"));
    }
}
