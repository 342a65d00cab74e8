//! Advice about results that the server's own SDK refuses: by the member that its message names.

use mcp_compat_json::Json;
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_scenario::write::Answer;

use super::snapshot::ToolSnapshot;

/// The JSON-RPC code of invalid parameters.
const INVALID_PARAMS: i64 = -32602;

/// The members of a result that no outputSchema is about.
const PARTS: [&str; 3] = ["content", "isError", "_meta"];

/// Advice for a tool whose result was refused. `None` if it is the one of the rule, which is about the outputSchema.
pub(super) fn remedy(snapshot: &ToolSnapshot) -> Option<String> {
    let words = snapshot.own_validation_error()?;
    let code = match &snapshot.call.as_ref()?.answer {
        Answer::Error(text) => Json::parse(text).ok()?.get("code").and_then(Json::as_number)?.as_i64(),
        Answer::Returns(_) | Answer::Raw(_) | Answer::Hang | Answer::Exit => None,
    };
    // The arguments are not the reason.
    let code = if code == Some(INVALID_PARAMS) {
        "; and tell a failure of the tool by a result with `isError`: the error -32602 blames the arguments"
    } else {
        ""
    };
    let is_of_result = |place: &[String]| place.first().is_some_and(|root| PARTS.contains(&root.as_str()));
    match issues(&words).into_iter().find(|(place, _)| is_of_result(place)) {
        Some((place, message)) => {
            let what = if message.to_lowercase().contains("base64") {
                "send bare base64, without a prefix such as `data:image/png;base64,`, in"
            } else {
                "give the value that the schema of the protocol defines to"
            };
            Some(format!("{what} `{}` of the result{code}", excerpt(&path(&place))))
        }
        None if snapshot.output_schema().is_none() => {
            Some(format!("return a result that the server's own validation accepts: its message names the place{code}"))
        }
        None => None,
    }
}

/// The places that a validator names, with what it says of each: the issues of zod, which are an array of JSON.
fn issues(words: &str) -> Vec<(Vec<String>, String)> {
    let (Some(start), Some(end)) = (words.find('['), words.rfind(']')) else { return Vec::new() };
    let Ok(issues) = Json::parse(words.get(start..=end).unwrap_or_default()) else { return Vec::new() };
    let mut found = Vec::new();
    collect(&issues, &[], &mut found);
    // Of the alternatives of a union, the one that got furthest is about the value.
    found.sort_by_key(|(place, _): &(Vec<String>, String)| std::cmp::Reverse(place.len()));
    found
}

fn collect(issues: &Json, outer: &[String], found: &mut Vec<(Vec<String>, String)>) {
    match issues {
        Json::Array(items) => items.iter().for_each(|item| collect(item, outer, found)),
        Json::Object(_) => {
            let mut place = outer.to_vec();
            let inner = issues.get("path").and_then(Json::as_array).unwrap_or_default();
            place.extend(inner.iter().map(|token| token.as_str().map_or_else(|| token.to_compact(), str::to_owned)));
            let message = issues.get("message").and_then(Json::as_str).unwrap_or_default().to_owned();
            for key in ["errors", "unionErrors", "issues"] {
                issues.get(key).into_iter().for_each(|inner| collect(inner, &place, found));
            }
            found.push((place, message));
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// A place as people write it, such as `content[0].data`.
fn path(place: &[String]) -> String {
    let mut path = String::new();
    for token in place {
        let is_index = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
        let separator = if path.is_empty() || is_index { "" } else { "." };
        path.push_str(&if is_index { format!("[{token}]") } else { format!("{separator}{token}") });
    }
    path
}

#[cfg(test)]
mod tests {
    use mcp_compat_author::capture::{CapturedCall, CapturedTool};
    use mcp_compat_model::Revision;
    use rstest::rstest;

    use super::*;
    use crate::server::handshake::Handshake;

    const CODE: &str =
        "; and tell a failure of the tool by a result with `isError`: the error -32602 blames the arguments";

    #[rstest]
    #[case::bytes(
        r#"MCP error -32602: Invalid tools/call result: [{"path":["content",0,"data"],"message":"Invalid Base64 string"}]"#,
        "",
        Some("send bare base64, without a prefix such as `data:image/png;base64,`, in `content[0].data` of the result")
    )]
    #[case::a_block_of_a_union(
        r#"Invalid tools/call result: [{"code":"invalid_union","path":["content",1],"message":"Invalid input","errors":[[{"path":["mimeType"],"message":"Required"}],[]]}]"#,
        "",
        Some("give the value that the schema of the protocol defines to `content[1].mimeType` of the result")
    )]
    #[case::a_value(
        r#"Output validation error: [{"path":["n"],"message":"Required"}]"#,
        r#","outputSchema":{"type":"object"}"#,
        None
    )]
    #[case::words_alone(
        "Invalid tools/call result",
        "",
        Some("return a result that the server's own validation accepts: its message names the place")
    )]
    fn the_advice_is_about_the_member_that_the_message_names(
        #[case] message: &str,
        #[case] rest: &str,
        #[case] told: Option<&str>,
    ) {
        let error = format!(r#"{{"code":-32602,"message":{}}}"#, Json::from(message).to_compact());
        let definition = format!(r#"{{"name":"t"{rest}}}"#);
        let answer = Answer::Error(error);
        let snapshot = ToolSnapshot {
            revision: Revision::NEWEST,
            tool: CapturedTool { name: "t".to_owned(), definition },
            call: Some(CapturedCall { stage: 0, tool: "t".to_owned(), arguments: None, answer, without: Vec::new() }),
            list: None,
            handshake: Handshake::default(),
        };
        assert_eq!(remedy(&snapshot), told.map(|told| format!("{told}{CODE}")));
    }
}
