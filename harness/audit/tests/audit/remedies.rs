//! Advice that fits what a tool was seen to say, where that of the rule is wider.

use mcp_compat_json::Json;
use mcp_compat_model::audit::Audit;
use rstest::rstest;

use crate::server_audit::{READS, finding};
use crate::sessions::{answering, audited};

fn is(asked: &Json, method: &str) -> bool {
    asked.get("method").and_then(Json::as_str) == Some(method)
}

/// The usual answer, or this result of the list or of a call.
fn odd(asked: &Json, usual: &str, method: &str, result: &str) -> (String, String) {
    let is_it = is(asked, method) && asked.pointer("/params/name").is_none_or(|name| name.as_str() == Some("look"));
    (String::new(), if is_it { format!(r#""result":{result}"#) } else { usual.to_owned() })
}

#[rstest]
#[case::a_type_of_media(
    |asked: &Json, usual: &str| odd(asked, usual, "tools/call", r#"{"content":[{"type":"application/json","text":"{}"}]}"#),
    "content-blocks",
    "send words and JSON in blocks of type `text`: `{\"type\": \"text\", \"text\": …}`"
)]
#[case::an_address_without_a_scheme(
    |asked: &Json, usual: &str| {
        let block = r#"{"type":"resource","resource":{"uri":"/a.md","text":"a"}}"#;
        odd(asked, usual, "tools/call", &format!(r#"{{"content":[{block}]}}"#))
    },
    "content-blocks",
    "give the address a scheme, as in `https://…`, `file:///…` or one of the server's own"
)]
#[case::an_array_for_an_object(
    |asked: &Json, usual: &str| {
        let reads = READS.replace(r#""inputSchema":{"type":"object""#, r#""inputSchema":{"type":"object","properties":[]"#);
        odd(asked, usual, "tools/list", &format!(r#"{{"tools":[{{"name":"look",{reads}}}]}}"#))
    },
    "tool-definition-members",
    "send `{}` for an object without members, which PHP and Lua serialise as `[]`, or omit the member"
)]
#[case::a_schema_without_a_type(
    |asked: &Json, usual: &str| {
        let list = format!(r#"{{"tools":[{{"name":"look","outputSchema":{{"description":"any"}},{READS}}}]}}"#);
        odd(asked, usual, "tools/list", &list)
    },
    "output-schema-object-root",
    "declare `\"type\": \"object\"` at the root of the outputSchema, or omit the outputSchema"
)]
#[case::a_flag_in_the_value(
    |asked: &Json, usual: &str| {
        odd(asked, usual, "tools/call", r#"{"content":[],"structuredContent":{"isError":true,"content":[]}}"#)
    },
    "failed-call-is-marked",
    "set `isError: true` beside `content` of the result, where clients look for it, and put the words of the failure into \
     `content`"
)]
#[tokio::test]
async fn the_advice_is_about_what_was_seen(
    #[case] answer: fn(&Json, &str) -> (String, String),
    #[case] rule: &str,
    #[case] remedy: &str,
) {
    let audit: Audit = audited(answering(answer)).await.unwrap();
    assert_eq!(finding(&audit, rule).remedy, remedy);
}
