//! Lists: their pages, and how long they hold.

use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::JobStep;
use rstest::rstest;
use serde_json::Value;

use crate::client::fake::{self, Heard, LIST, PLAIN, call, error, layer, methods, names, play, tool, value};

const OBJECT: &str = r#"{"type":"object"}"#;
const STRING: &str = r#"{"type":"string"}"#;
const TOLD: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

/// Pages by the cursor that leads to them.
fn paged(pages: &'static [(Option<&'static str>, &'static str)]) -> impl FnMut(&Heard) -> Vec<String> {
    let mut legacy = fake::legacy("", "{}");
    move |heard| match heard.method.as_str() {
        "tools/list" => match pages.iter().find(|(cursor, _)| *cursor == heard.params["cursor"].as_str()) {
            Some((_, page)) => heard.result(page),
            None => heard.error(-32602, &Value::Null),
        },
        _ => legacy(heard),
    }
}

const PAGES: &[(Option<&str>, &str)] = &[
    (None, r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":""}"#),
    (Some(""), r#"{"tools":[],"nextCursor":"\u0000\"x"}"#),
    (Some("\0\"x"), r#"{"tools":[{"name":"b","inputSchema":{"type":"object"}}],"nextCursor":null}"#),
];

#[tokio::test]
async fn every_page_is_listed_whatever_the_cursor_looks_like() {
    let (answer, _) = play("mock/2025-11-25", &[LIST], paged(PAGES)).await;
    assert_eq!(names(&answer.steps[0]), ["a", "b"]);
    for (quirk, listed) in
        [("first-page-only", vec!["a"]), ("ends-at-empty-cursor", vec!["a"]), ("drops-value", vec!["a", "b"])]
    {
        let (answer, _) = play(&format!("sabotaged/{quirk}+legacy"), &[LIST], paged(PAGES)).await;
        assert_eq!(names(&answer.steps[0]), listed, "{quirk}");
    }
}

#[rstest]
#[case::page_refused(&[(None, r#"{"tools":[],"nextCursor":"gone"}"#)], Layer::Protocol)]
#[case::circle(&[(None, r#"{"tools":[],"nextCursor":"a"}"#), (Some("a"), r#"{"tools":[],"nextCursor":"a"}"#)], Layer::Decode)]
#[case::no_tools(&[(None, "{}")], Layer::Decode)]
#[case::cursor_number(&[(None, r#"{"tools":[],"nextCursor":1}"#)], Layer::Decode)]
#[case::nameless(&[(None, r#"{"tools":[{"inputSchema":{"type":"object"}}]}"#)], Layer::Decode)]
#[case::tool_text(&[(None, r#"{"tools":["a"]}"#)], Layer::Decode)]
#[tokio::test]
async fn a_page_that_fails_fails_the_list(
    #[case] pages: &'static [(Option<&'static str>, &'static str)],
    #[case] expected: Layer,
) {
    let (answer, _) = play("mock/2025-11-25/lenient", &[LIST], paged(pages)).await;
    assert_eq!(layer(&answer.steps[0]), expected, "{answer:?}");
}

#[tokio::test]
async fn a_page_that_repeats_the_one_before_ends_the_list_of_the_typescript_sdk() {
    const PAGE: &str = r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"2"}"#;
    const OTHER: &str = r#"{"tools":[{"name":"b","inputSchema":{"type":"object"}}],"nextCursor":"2"}"#;
    let itself: &'static [_] = &[(None, PAGE), (Some("2"), PAGE)];
    let (answer, heard) = play("profile/typescript@2+legacy", &[LIST], paged(itself)).await;
    assert_eq!(names(&answer.steps[0]), ["a"]);
    assert_eq!(methods(&heard).iter().filter(|method| **method == "tools/list").count(), 2);
    // The next page is another one, and repeats itself after that.
    let later: &'static [_] = &[(None, PAGE), (Some("2"), OTHER)];
    assert_eq!(names(&play("profile/typescript@2+legacy", &[LIST], paged(later)).await.0.steps[0]), ["a", "b"]);
    let (answer, _) = play("profile/python@2+legacy", &[LIST], paged(itself)).await;
    assert_eq!(layer(&answer.steps[0]), Layer::Decode);
}

/// What serializers of Rust types write for a parameter that may be anything.
#[tokio::test]
async fn a_boolean_property_of_either_schema_loses_the_list_of_a_client_with_records_of_objects() {
    let list = |pages: &'static [(Option<&'static str>, &'static str)]| async move {
        let (answer, _) = play("profile/typescript@1", &[LIST], paged(pages)).await;
        answer.steps[0].clone()
    };
    let any = &[(None, r#"{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"a":true}}}]}"#)];
    assert_eq!(layer(&list(any).await), Layer::Decode);
    let empty = &[(None, r#"{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"a":{}}}}]}"#)];
    assert_eq!(names(&list(empty).await), ["t"]);
}

#[tokio::test]
async fn a_client_that_validates_lists_before_its_first_call_and_one_that_does_not_never_does() {
    let tools = tool("t", STRING);
    let reply = r#"{"content":[],"structuredContent":{}}"#;
    let (answer, heard) = play("mock/dual+auto", &[call("t"), call("t")], fake::modern(&tools, reply)).await;
    assert_eq!(methods(&heard), ["server/discover", "tools/list", "tools/call", "tools/call"]);
    assert_eq!(layer(&answer.steps[0]), Layer::Validate);
    let (answer, heard) = play("mock/dual/skip+auto", &[call("t")], fake::modern(&tools, reply)).await;
    assert_eq!(methods(&heard), ["server/discover", "tools/call"]);
    assert_eq!(value(&answer.steps[0]), Some("{}"));
}

/// A server whose tool has another output schema after it evolved: `told` says on which way it tells.
fn evolving(ttl: &str, told: fn(&Heard) -> Option<String>) -> impl FnMut(&Heard) -> Vec<String> {
    let (ttl, mut evolved, mut listen) = (ttl.to_owned(), false, None::<Heard>);
    move |heard| match heard.method.as_str() {
        "server/discover" => heard.result(fake::DISCOVERED),
        "initialize" => heard.result(&fake::initialized("2025-11-25")),
        "subscriptions/listen" => {
            listen = Some(heard.clone());
            vec![fake::acknowledged(heard)]
        }
        "tools/list" => {
            let tools = tool("t", if evolved { STRING } else { OBJECT });
            heard.result(&format!(r#"{{"tools":[{tools}]{ttl},"cacheScope":"private"}}"#))
        }
        "tools/call" if heard.params["name"] == "mcp_compat_evolve" => {
            evolved = true;
            let notice = told(listen.as_ref().unwrap_or(heard));
            notice.into_iter().chain(heard.result(r#"{"content":[]}"#)).collect()
        }
        "tools/call" => heard.result(r#"{"content":[],"structuredContent":"new"}"#),
        _ => vec![],
    }
}

fn bare(_: &Heard) -> Option<String> {
    Some(TOLD.to_owned())
}

fn on_the_subscription(listen: &Heard) -> Option<String> {
    Some(fake::subscribed(listen, "notifications/tools/list_changed"))
}

fn untold(_: &Heard) -> Option<String> {
    None
}

const HOUR: &str = r#","ttlMs":3600000"#;

#[rstest]
#[case::legacy_told("mock/dual+legacy", HOUR, bare as fn(&Heard) -> Option<String>, true, true)]
#[case::legacy_untold("mock/dual+legacy", HOUR, untold, false, false)]
#[case::modern_told("mock/dual+auto", HOUR, on_the_subscription, true, true)]
#[case::modern_told_off_the_subscription("mock/dual+auto", HOUR, bare, false, false)]
#[case::modern_untold("mock/dual+auto", HOUR, untold, false, false)]
#[case::modern_untold_but_stale("mock/dual+auto", r#","ttlMs":0"#, untold, false, true)]
#[case::modern_without_ttl("mock/dual+auto", "", untold, false, true)]
#[case::modern_negative_ttl("mock/dual+auto", r#","ttlMs":-5"#, untold, false, true)]
#[case::ignoring_legacy("sabotaged/ignores-list-changed+legacy", HOUR, bare, true, false)]
#[case::ignoring_modern("sabotaged/ignores-list-changed", HOUR, on_the_subscription, true, false)]
#[tokio::test]
async fn a_call_is_validated_by_the_latest_list_that_the_client_has_reason_to_ask_for(
    #[case] client: &str,
    #[case] ttl: &str,
    #[case] told: fn(&Heard) -> Option<String>,
    #[case] hears: bool,
    #[case] knows: bool,
) {
    let steps = [LIST, JobStep::Evolve { told: true }, call("t")];
    let (answer, heard) = play(client, &steps, evolving(ttl, told)).await;
    assert_eq!(answer.steps[1].evolved, Some(hears), "{answer:?}");
    let understood = answer.steps[2].error.is_none();
    assert_eq!(understood, knows, "{answer:?}");
    assert_eq!(methods(&heard).contains(&"subscriptions/listen"), answer.negotiated.as_deref() == Some("2026-07-28"));
}

#[tokio::test]
async fn a_list_holds_for_its_time_and_the_older_one_serves_when_it_cannot_be_had_again() {
    let (mut listed, mut modern) = (0, fake::modern("", r#"{"content":[],"structuredContent":7}"#));
    let server = move |heard: &Heard| match heard.method.as_str() {
        "tools/list" => {
            listed += 1;
            let page = format!(r#"{{"tools":[{}],"ttlMs":0,"cacheScope":"private"}}"#, tool("t", STRING));
            if listed == 1 { heard.result(&page) } else { heard.error(-32603, &Value::Null) }
        }
        _ => modern(heard),
    };
    let (answer, heard) = play("mock/dual+auto", &[LIST, call("t")], server).await;
    assert_eq!(methods(&heard), ["server/discover", "tools/list", "tools/list", "tools/call"]);
    assert_eq!(layer(&answer.steps[1]), Layer::Validate, "by the older list");
    let (_, heard) = play("mock/dual+auto", &[LIST, call("t")], fake::modern(PLAIN, r#"{"content":[]}"#)).await;
    assert_eq!(methods(&heard), ["server/discover", "tools/list", "tools/call"], "the list still holds");
}

#[tokio::test]
async fn a_subscription_is_asked_for_only_when_a_change_will_be_told() {
    for (told, listens) in [(true, true), (false, false)] {
        let steps = [JobStep::Evolve { told }];
        let (_, heard) = play("mock/dual+auto", &steps, evolving(HOUR, on_the_subscription)).await;
        assert_eq!(methods(&heard).contains(&"subscriptions/listen"), listens);
    }
}

#[tokio::test]
async fn a_change_that_fails_is_an_error() {
    let (answer, _) =
        play("mock/dual+auto", &[JobStep::Evolve { told: false }], fake::modern("", r#"{"isError":true}"#)).await;
    assert_eq!(error(&answer.steps[0]).layer, Layer::Tool);
}

/// Two pages, of which the second fails as often as `failures` says.
fn second_page_fails(mut failures: usize) -> impl FnMut(&Heard) -> Vec<String> {
    let last = tool("last", r#"{"type":"object","required":["n"]}"#);
    let mut modern = fake::modern("", r#"{"content":[],"structuredContent":{}}"#);
    move |heard| match (heard.method.as_str(), heard.params["cursor"].as_str()) {
        ("tools/list", None) => {
            let first = tool("first", r#"{"type":"object"}"#);
            heard.result(&format!(r#"{{"tools":[{first}],"nextCursor":"2","ttlMs":3600000}}"#))
        }
        ("tools/list", Some(_)) if failures > 0 => {
            failures -= 1;
            heard.error(-32603, &Value::Null)
        }
        ("tools/list", Some(_)) => heard.result(&format!(r#"{{"tools":[{last}],"ttlMs":3600000}}"#)),
        _ => modern(heard),
    }
}

#[tokio::test]
async fn a_list_that_breaks_off_is_an_error_but_the_tools_that_came_can_be_called() {
    let steps = [LIST, call("first"), call("last")];
    for steps in [&steps[..], &steps[1..]] {
        let (answer, _) = play("mock/dual+auto", steps, second_page_fails(usize::MAX)).await;
        let errors: Vec<_> = answer.steps.iter().map(|step| step.error.as_ref().and_then(|error| error.code)).collect();
        let expected = [Some(-32603), None, Some(-32603)];
        assert_eq!(errors, expected[expected.len() - steps.len()..], "{answer:?}");
    }
}

#[tokio::test]
async fn what_broke_off_is_asked_for_again_when_a_tool_is_missing() {
    let (answer, heard) = play("mock/dual+auto", &[LIST, call("first"), call("last")], second_page_fails(1)).await;
    assert_eq!(layer(&answer.steps[2]), Layer::Validate, "its schema has come: {answer:?}");
    let lists = methods(&heard).into_iter().filter(|method| *method == "tools/list").count();
    assert_eq!(lists, 4, "two pages, twice");
}

#[tokio::test]
async fn a_whole_list_is_better_than_one_that_broke_off() {
    let mut whole = second_page_fails(0);
    let mut broken = second_page_fails(usize::MAX);
    let mut lists = 0;
    let server = move |heard: &Heard| {
        lists += usize::from(heard.method == "tools/list");
        if lists > 2 { broken(heard) } else { whole(heard) }
    };
    let (answer, _) = play("mock/dual+auto", &[LIST, LIST, call("last")], server).await;
    assert_eq!(error(&answer.steps[1]).code, Some(-32603));
    assert_eq!(layer(&answer.steps[2]), Layer::Validate, "the schema of the first list holds");
}
