//! Every quirk, beside the honest client: where they part, and nowhere else.

use std::sync::{Arc, Mutex};

use mcp_compat_mocks::client::ClientQuirk;
use mcp_compat_model::contract::{JobStep, StepAnswer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::fake::{self, Heard, LIST, call, play, tool};
use crate::web;

/// A situation that shows a quirk.
struct Shown {
    schema: String,
    result: &'static str,
    steps: Vec<JobStep>,
}

fn shown(schema: &str, result: &'static str) -> Shown {
    Shown { schema: schema.to_owned(), result, steps: vec![LIST, call("t")] }
}

/// What is seen and heard of a session, without what differs from one to the next.
async fn session(client: &str, shown: &Shown) -> (Vec<String>, Vec<String>) {
    let mut told = None;
    let (mut modern, tools) = (fake::modern("", shown.result), tool("t", &shown.schema));
    let server = move |heard: &Heard| match (heard.method.as_str(), heard.params["cursor"].as_str()) {
        ("subscriptions/listen", _) => {
            told = Some(fake::subscribed(heard, "notifications/tools/list_changed"));
            vec![fake::acknowledged(heard)]
        }
        ("tools/list", None) => heard.result(&format!(r#"{{"tools":[{tools}],"nextCursor":"","ttlMs":3600000}}"#)),
        ("tools/list", Some("")) => heard.result(r#"{"tools":[],"nextCursor":"z","ttlMs":3600000}"#),
        ("tools/list", Some(_)) => heard.result(r#"{"tools":[],"ttlMs":3600000}"#),
        ("tools/call", _) if heard.params["name"] == "refused" => heard.error(-32602, &Value::Null),
        ("tools/call", _) => told.take().into_iter().chain(modern(heard)).collect(),
        // Refused by a version of which nobody has heard, if it ever comes.
        ("initialize", _) => heard.result(&fake::initialized("2025-11-25")),
        _ => modern(heard),
    };
    let (answer, heard) = play(client, &shown.steps, server).await;
    let seen = |answer: &StepAnswer| serde_json::to_string(answer).unwrap();
    (answer.steps.iter().map(seen).collect(), heard.into_iter().map(|heard| heard.line).collect())
}

const OBJECT: &str = r#"{"type":"object"}"#;
const TEXT_AND_VALUE: &str = r#"{"content":[{"type":"text","text":"[2]"}],"structuredContent":{"a":null,"b":1}}"#;
const FAILED: &str = r#"{"content":[{"type":"text","text":"out of stock"}],"isError":true}"#;
const VIOLATING: &str = r#"{"content":[],"structuredContent":"x"}"#;

fn situation(quirk: ClientQuirk, fetched: &str) -> Shown {
    match quirk {
        ClientQuirk::DropsValue
        | ClientQuirk::StripsNulls
        | ClientQuirk::DoubleEncodes
        | ClientQuirk::PrefersTextParse
        | ClientQuirk::DropsContent
        | ClientQuirk::FirstPageOnly
        | ClientQuirk::OmitsMeta => shown(OBJECT, TEXT_AND_VALUE),
        ClientQuirk::RoundsNumbers => shown(OBJECT, r#"{"content":[],"structuredContent":{"n":9007199254740993}}"#),
        ClientQuirk::NullAsAbsent => shown("{}", r#"{"content":[],"structuredContent":null}"#),
        ClientQuirk::Truthiness => shown("{}", r#"{"content":[],"structuredContent":0}"#),
        ClientQuirk::UnwrapsResult => shown("{}", r#"{"content":[],"structuredContent":{"result":[1]}}"#),
        ClientQuirk::WrapsValue | ClientQuirk::RejectsNonObject => {
            shown("{}", r#"{"content":[],"structuredContent":[1]}"#)
        }
        ClientQuirk::IgnoresIsError | ClientQuirk::MasksToolErrors | ClientQuirk::ValidatesErrors => {
            shown(OBJECT, FAILED)
        }
        ClientQuirk::SwallowsProtocolErrors => {
            Shown { steps: vec![LIST, call("refused")], ..shown(OBJECT, TEXT_AND_VALUE) }
        }
        ClientQuirk::SkipsValidation => shown(OBJECT, VIOLATING),
        ClientQuirk::Draft07Only => {
            shown(r#"{"prefixItems":[{"type":"string"}]}"#, r#"{"content":[],"structuredContent":[1]}"#)
        }
        ClientQuirk::PermissiveSchemas | ClientQuirk::LosesListOnBadSchema => {
            shown(r#"{"$ref":"http://127.0.0.1:9/none.json"}"#, TEXT_AND_VALUE)
        }
        ClientQuirk::FetchesRef => shown(&format!(r#"{{"$ref":"{fetched}"}}"#), TEXT_AND_VALUE),
        ClientQuirk::IgnoresListChanged => {
            let steps = vec![LIST, JobStep::Evolve { told: true }, call("t")];
            Shown { steps, ..shown(OBJECT, TEXT_AND_VALUE) }
        }
        ClientQuirk::IgnoresResultType => shown(OBJECT, r#"{"resultType":"new","structuredContent":{}}"#),
        // It shows where a session begins.
        ClientQuirk::SkipsInitialized => shown(OBJECT, TEXT_AND_VALUE),
    }
}

#[tokio::test]
async fn each_quirk_is_seen_or_heard_and_the_honest_client_does_otherwise() {
    let fetched = web::serve(|_| web::json(r#"{"type":"object"}"#)).await;
    for quirk in ClientQuirk::ALL {
        if quirk == ClientQuirk::SkipsInitialized {
            continue;
        }
        let shown = situation(quirk, &fetched.url);
        let honest = session("mock/dual+auto", &shown).await;
        let sabotaged = session(&format!("sabotaged/{quirk}"), &shown).await;
        assert_ne!(honest, sabotaged, "{quirk}");
        // A quirk that does not strike is an honest client.
        let plain =
            self::shown(OBJECT, r#"{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}"#);
        let strikes_always = [
            ClientQuirk::DropsValue,
            ClientQuirk::DoubleEncodes,
            ClientQuirk::DropsContent,
            ClientQuirk::FirstPageOnly,
            ClientQuirk::OmitsMeta,
        ];
        let same = session("mock/dual+auto", &plain).await == session(&format!("sabotaged/{quirk}"), &plain).await;
        assert_eq!(same, !strikes_always.contains(&quirk), "{quirk}");
    }
    assert_eq!(fetched.asked().len(), 1, "only the client that fetches has fetched");
}

#[tokio::test]
async fn a_quirk_does_exactly_what_it_says() {
    let handed_out = |quirk: ClientQuirk| async move {
        let (seen, _) = session(&format!("sabotaged/{quirk}"), &situation(quirk, "")).await;
        let call: Value = serde_json::from_str(&seen[1]).unwrap();
        (call["structured"]["value"].clone(), call)
    };
    assert_eq!(handed_out(ClientQuirk::StripsNulls).await.0.to_string(), r#"{"b":1}"#);
    assert_eq!(handed_out(ClientQuirk::DoubleEncodes).await.0, Value::from(r#"{"a":null,"b":1}"#));
    assert_eq!(handed_out(ClientQuirk::PrefersTextParse).await.0.to_string(), "[2]");
    assert_eq!(handed_out(ClientQuirk::UnwrapsResult).await.0.to_string(), "[1]");
    assert_eq!(handed_out(ClientQuirk::WrapsValue).await.0.to_string(), r#"{"result":[1]}"#);
    assert_eq!(handed_out(ClientQuirk::RoundsNumbers).await.0["n"].as_f64(), Some(9_007_199_254_740_992.0));
    assert_eq!(handed_out(ClientQuirk::IgnoresIsError).await.1["is_error"], false);
    assert_eq!(handed_out(ClientQuirk::MasksToolErrors).await.1["error"]["layer"], "tool");
    for quirk in [ClientQuirk::NullAsAbsent, ClientQuirk::Truthiness, ClientQuirk::ValidatesErrors] {
        assert_eq!(handed_out(quirk).await.1["error"]["layer"], "validate", "{quirk}");
    }
    assert_eq!(handed_out(ClientQuirk::RejectsNonObject).await.1["error"]["layer"], "decode");
}

#[tokio::test]
async fn an_endless_document_is_not_swallowed() {
    let long = Arc::new(Mutex::new(format!("\"{}\"", "x".repeat(2 * 1024 * 1024))));
    let fetched = web::serve(move |_| web::json(&long.lock().unwrap())).await;
    let shown = situation(ClientQuirk::FetchesRef, &fetched.url);
    let (seen, _) = session("sabotaged/fetches-ref", &shown).await;
    assert!(seen[1].contains("cannot be used"), "{seen:?}");
}

#[tokio::test]
async fn the_handshake_can_lack_its_end() {
    let legacy = || fake::legacy("", "{}");
    let (_, honest) = play("mock/dual+legacy", &[LIST], legacy()).await;
    let (_, sabotaged) = play("sabotaged/skips-initialized+legacy", &[LIST], legacy()).await;
    assert_eq!(fake::methods(&honest), ["initialize", "notifications/initialized", "tools/list"]);
    assert_eq!(fake::methods(&sabotaged), ["initialize", "tools/list"]);
}

#[test]
fn raw_text_is_compared_as_text() {
    // The comparison above is by text; this pins that an answer's text keeps what the wire had.
    let raw = RawValue::from_string("{\"b\":1, \"a\":1e400}".to_owned()).unwrap();
    assert_eq!(serde_json::to_string(&raw).unwrap(), "{\"b\":1, \"a\":1e400}");
}
