//! Answers to variations, compared with what is due.

use mcp_compat_json::Json;
use mcp_compat_model::count::nth;
use mcp_compat_model::excerpt::excerpt;

use super::super::results::is_error;
use super::Did;
use super::rows::Due;
use crate::probe::{Received, Reply};

/// Action of the server, if another one is due. `id` is the one that was sent, as JSON text.
pub(super) fn problem(due: Due, received: &Received, id: Option<&str>) -> Option<Did> {
    let has_ended = matches!(received.reply, Reply::Ended);
    let did = |words: String, is_fatal: bool| Some(Did { words, wire: None, is_fatal, has_ended });
    if due == Due::Silence {
        if let Some(answer) = received.without_id.first() {
            let words = format!("is answered, though it is a notification: {}", excerpt(answer));
            return Some(Did { words, wire: Some(answer.clone()), is_fatal: true, has_ended });
        }
        let status = received.status.filter(|status| *status >= 400);
        return match (&received.reply, status) {
            (Reply::Ended, _) => did("stops the server".to_owned(), true),
            (_, Some(status)) => did(format!("is answered with HTTP status {status}, where 202 is due"), false),
            _ => None,
        };
    }
    let has_answer = matches!(received.reply, Reply::Result(_) | Reply::Error { .. });
    if !received.without_id.is_empty() && !has_answer {
        return did("is answered without its id".to_owned(), true);
    }
    match &received.reply {
        Reply::Nothing => did("is not answered".to_owned(), true),
        Reply::Ended => did("ends the server".to_owned(), true),
        // The rows about ids tell it.
        Reply::OtherId(_) if due == Due::Error => None,
        Reply::OtherId(other) => {
            did(format!("is answered with the id {} in place of {}", excerpt(other), id.unwrap_or("none")), true)
        }
        Reply::Status(status, body) => {
            let body = if body.is_empty() { String::new() } else { format!(" ({})", excerpt(body)) };
            // A status is an answer to a request that is to be refused.
            let is_refusal = matches!(due, Due::Error | Due::Answer) && (400..500).contains(status);
            if is_refusal { None } else { did(format!("is answered with HTTP status {status}{body}"), true) }
        }
        Reply::Error { code, message } => match due {
            Due::Error | Due::Answer => None,
            Due::Result | Due::List(_) | Due::Silence => {
                did(format!("is answered with error {}", in_words(*code, message)), true)
            }
        },
        Reply::Result(result) => match due {
            Due::Error if is_error(result) => None,
            Due::Error => Some(Did {
                words: "is answered with a result that is not marked as an error".to_owned(),
                wire: Some(result.to_compact()),
                is_fatal: false,
                has_ended,
            }),
            Due::Result if result.as_object().is_none() => {
                did(format!("is answered with {}, where a result is an object", excerpt(&result.to_compact())), true)
            }
            Due::List(key) if !matches!(result.get(key), Some(Json::Array(_))) => {
                did(format!("is answered with a result without the array `{key}`"), true)
            }
            Due::List(key) => incomplete_entry(result, key).and_then(|(place, member)| {
                did(format!("is answered with a list in which {} has no text `{member}`", nth(place, "entry")), true)
            }),
            Due::Answer | Due::Result | Due::Silence => None,
        },
    }
}

/// The first entry of a list without a member that it must have, and that member. Rules of the judge read lists of tools.
fn incomplete_entry(result: &Json, key: &str) -> Option<(usize, &'static str)> {
    let required: &[&str] = match key {
        "resources" => &["uri", "name"],
        "resourceTemplates" => &["uriTemplate", "name"],
        "prompts" => &["name"],
        _ => &[],
    };
    let entries = result.get(key).and_then(Json::as_array).unwrap_or_default().iter().enumerate();
    let lacks = |entry: &Json, member: &str| entry.get(member).and_then(Json::as_str).is_none();
    entries
        .into_iter()
        .find_map(|(place, entry)| required.iter().find(|member| lacks(entry, member)).map(|member| (place, *member)))
}

/// An error in words: its code and its message.
pub(super) fn in_words(code: Option<i64>, message: &str) -> String {
    let code = code.map_or_else(|| "without a code".to_owned(), |code| code.to_string());
    if message.is_empty() { code } else { format!("{code} ({})", excerpt(message)) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rstest::rstest;

    use super::*;

    fn received(reply: Reply, without_id: &[&str]) -> Received {
        let without_id = without_id.iter().map(|text| (*text).to_owned()).collect();
        Received { reply, status: None, without_id, took: Duration::ZERO }
    }

    fn words(due: Due, reply: Reply) -> Option<String> {
        problem(due, &received(reply, &[]), Some("\"1\"")).map(|did| did.words)
    }

    fn error(code: i64) -> Reply {
        Reply::Error { code: Some(code), message: "no".to_owned() }
    }

    fn result(text: &str) -> Reply {
        Reply::Result(Json::parse(text).unwrap())
    }

    #[rstest]
    #[case::silence(Due::Answer, Reply::Nothing, Some("is not answered"))]
    #[case::end(Due::Answer, Reply::Ended, Some("ends the server"))]
    #[case::another_type(Due::Answer, Reply::OtherId("1".to_owned()), Some("is answered with the id 1 in place of \"1\""))]
    #[case::any_error(Due::Answer, error(-32601), None)]
    #[case::an_error_for_a_result(Due::Result, error(-32601), Some("is answered with error -32601 (no)"))]
    #[case::an_empty_result(Due::Result, result("{}"), None)]
    #[case::a_list(Due::List("tools"), result(r#"{"tools":[]}"#), None)]
    #[case::no_list(Due::List("tools"), result("{}"), Some("is answered with a result without the array `tools`"))]
    #[case::an_empty_array(Due::Result, result("[]"), Some("is answered with [], where a result is an object"))]
    #[case::a_whole_entry(Due::List("prompts"), result(r#"{"prompts":[{"name":"p"}]}"#), None)]
    #[case::half_an_entry(
        Due::List("resources"),
        result(r#"{"resources":[{"uri":"a:b","name":"r"},{"uri":null,"name":"s"}]}"#),
        Some("is answered with a list in which the second entry has no text `uri`")
    )]
    #[case::a_refusal(Due::Error, error(-32602), None)]
    #[case::a_marked_result(Due::Error, result(r#"{"content":[],"isError":true}"#), None)]
    #[case::a_success(
        Due::Error,
        result(r#"{"content":[]}"#),
        Some("is answered with a result that is not marked as an error")
    )]
    #[case::a_status_for_a_refusal(Due::Error, Reply::Status(404, String::new()), None)]
    #[case::a_failure(Due::Error, Reply::Status(500, "oops".to_owned()), Some("is answered with HTTP status 500 (oops)"))]
    fn what_is_not_due_is_told(#[case] due: Due, #[case] reply: Reply, #[case] told: Option<&str>) {
        assert_eq!(words(due, reply).as_deref(), told);
    }

    #[test]
    fn a_notification_that_is_answered_is_told_with_the_answer() {
        let error = r#"{"jsonrpc":"2.0","error":{"code":-32601}}"#;
        let did = problem(Due::Silence, &received(Reply::Nothing, &[error]), None).unwrap();
        assert_eq!(did.words, format!("is answered, though it is a notification: {error}"));
        assert_eq!(problem(Due::Silence, &received(Reply::Nothing, &[]), None), None);
        let refused = |status| Received { status: Some(status), ..received(Reply::Status(status, String::new()), &[]) };
        assert_eq!(problem(Due::Silence, &refused(202), None), None);
        let did = problem(Due::Silence, &refused(404), None).unwrap();
        assert_eq!((did.words.as_str(), did.is_fatal), ("is answered with HTTP status 404, where 202 is due", false));
    }
}
