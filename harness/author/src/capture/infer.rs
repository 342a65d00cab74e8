//! Infers what a tool's definition and one of its answers imply, so that the author of a scenario need not write it.

use mcp_compat_json::{Json, text_at};
use mcp_compat_model::Revision;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::scenario::{AlsoExpect, Expect, Means};
use mcp_compat_scenario::write::{Answer, Noted};
use mcp_compat_schema::inclusion::{Conformance, check};

/// Facts that a definition and an answer show.
#[derive(Debug)]
pub struct Reading {
    /// The first revision in which a server may do this.
    pub since: Revision,
    /// Meaning of the tool. `None` if the loader infers the same from the answer.
    pub means: Option<Noted<Means>>,
    /// The least that a user must get. `None` for the default.
    pub expect: Option<Noted<Expect>>,
    /// Parts that a user must get besides what the tool means.
    pub also_expect: AlsoExpect,
    /// Predicate after the tool's name: what the tool does.
    pub does: String,
    /// Explanation for readers without context why that may go wrong.
    pub why: &'static str,
    /// The value and its schema, if the value conforms.
    pub conforming: Option<(Json, Json)>,
}

pub fn read(definition: &str, answer: &Answer) -> Reading {
    let schema = Json::parse(definition).ok().and_then(|definition| definition.get("outputSchema").cloned());
    let schema_since = match &schema {
        None => Revision::V2024_11_05,
        Some(schema) if schema.get("type").and_then(Json::as_str) == Some("object") => Revision::V2025_06_18,
        Some(_) => Revision::V2026_07_28,
    };
    let mut reading = match answer {
        Answer::Returns(text) => match Json::parse(text) {
            Ok(result) => of_result(schema, &result),
            Err(_) => Reading::that("returns what is no JSON", NO_MESSAGE),
        },
        Answer::Error(text) => {
            let code = Json::parse(text).ok().and_then(|error| error.get("code").map(Json::to_compact));
            Reading::that(format!("answers with the JSON-RPC error {}", code.unwrap_or_default()), TOOL_ERROR)
        }
        Answer::Raw(bytes) if own_response(bytes).is_some() => of_response(schema, bytes),
        Answer::Raw(_) => Reading {
            means: Some(Noted::with(Means::Invalid, "The captured message is not a JSON-RPC answer.")),
            ..Reading::that("answers with something that is not a JSON-RPC message", NO_MESSAGE)
        },
        Answer::Hang => silent("never answers"),
        Answer::Exit => silent("ends its process instead of an answer"),
    };
    reading.since = reading.since.max(schema_since);
    reading
}

/// The result or error of a whole message that is a response with an id of its own.
fn own_response(bytes: &[u8]) -> Option<Json> {
    let message = Json::parse(std::str::from_utf8(bytes).ok()?).ok()?;
    let is_response = message.get("id").is_some() && message.get("jsonrpc").is_some();
    message.get("result").filter(|result| is_response && result.as_object().is_some()).cloned()
}

/// A response that is not to the request: it means what it would mean under the right id.
fn of_response(schema: Option<Json>, bytes: &[u8]) -> Reading {
    let Some(result) = own_response(bytes) else { return Reading::that("answers nothing", NO_MESSAGE) };
    let reading = of_result(schema, &result);
    let text = || first_text(&result).unwrap_or_default().to_owned();
    let failed = result.get("isError").and_then(Json::as_bool) == Some(true);
    let meant = match result.get("structuredContent") {
        _ if failed => Means::ToolError(text()),
        Some(value) => Means::Value(value.clone()),
        None => Means::Text(text()),
    };
    let means = reading.means.or_else(|| Some(meant.into()));
    let does = "answers under another id than that of the request".to_owned();
    Reading { means, expect: None, does, why: OTHER_ID, also_expect: AlsoExpect::default(), ..reading }
}

/// Returns true if an answer is only plain text, which every client handles.
pub fn is_plain(definition: &str, answer: &Answer) -> bool {
    let Answer::Returns(result) = answer else { return false };
    let absent = |text: &str, pointer: &str| text_at(text, pointer).is_none();
    absent(definition, "/outputSchema")
        && absent(result, "/structuredContent")
        && absent(result, "/isError")
        && Json::parse(result).is_ok_and(|result| has_only_text(&result) && has_only_usual_members(&result))
}

/// Returns true if a result has no member that a client may trip over, or that says something in a wrong place.
fn has_only_usual_members(result: &Json) -> bool {
    let is_usual = |key: Option<&str>, value: &Json| match key {
        Some("content") => true,
        Some("resultType") => value.as_str() == Some("complete"),
        Some("_meta") => value.as_object().is_some(),
        Some(_) | None => false,
    };
    result.as_object().into_iter().flat_map(|members| members.iter()).all(|(key, value)| is_usual(key.as_str(), value))
}

/// Returns true if every block of a result is a text and nothing more.
fn has_only_text(result: &Json) -> bool {
    let is_text = |block: &Json| {
        let mut members = block.as_object().into_iter().flat_map(|block| block.iter().map(|(name, _)| name.as_str()));
        kind(block) == Some("text") && members.all(|name| matches!(name, Some("type" | "text")))
    };
    let blocks = result.get("content").and_then(Json::as_array);
    blocks.is_some_and(|blocks| !blocks.is_empty() && blocks.iter().all(is_text))
}

const ANY_VALUE: &str =
    "Any JSON value is allowed since 2026-07-28. A client that expects an object loses it, or even every tool.";
const AS_IT_IS: &str = "A server returned this value. The user of every client has to get all of it.";
const VIOLATION: &str = "The server violates its own schema. A client that does not validate returns a wrong value.";
const TOOL_ERROR: &str = "The user has to see why the tool failed, whatever else is in the result.";
const NO_VALUE: &str =
    "The tool declares a value and returns none. A client may reject the result, but must not return a value.";
const NO_MESSAGE: &str =
    "The message is not an answer. The client must report an error to its user and continue the session.";
const OTHER_ID: &str = "The answer belongs to no request. The client waits for one that never comes.";
const SILENCE: &str = "No answer comes. A client has to give up in the end, and to report that to its user.";
const PLAIN: &str = "Most tools return plain content. It has to reach the user of every client that has a session.";

impl Reading {
    fn that(does: impl Into<String>, why: &'static str) -> Self {
        let also_expect = AlsoExpect::default();
        let since = Revision::V2024_11_05;
        Self { since, means: None, expect: None, also_expect, does: does.into(), why, conforming: None }
    }
}

fn silent(does: &str) -> Reading {
    let means = Means::ToolError("no answer".to_owned());
    Reading { means: Some(means.into()), ..Reading::that(does, SILENCE) }
}

/// A failure or a value under a name that is nearly that of the member, as `is_error`.
fn of_misspelt(result: &Json) -> Option<Reading> {
    let plain = |key: &str| key.replace(['_', '-'], "").to_ascii_lowercase();
    let misspelt = |wanted: &str| {
        let members = result.as_object()?.iter();
        let mut named = members.filter_map(|(key, value)| Some((key.as_str()?, value)));
        named.find(|(key, _)| *key != wanted && plain(key) == wanted.to_ascii_lowercase())
    };
    if result.get("isError").is_none()
        && let Some((key, Json::Bool(true))) = misspelt("isError")
    {
        let note = format!("The flag is written `{key}`, and clients read `isError`.");
        let means = Means::ToolError(first_text(result).unwrap_or_default().to_owned());
        let does = format!("fails, and flags the failure as `{key}`");
        return Some(Reading { means: Some(Noted::with(means, note)), ..Reading::that(does, TOOL_ERROR) });
    }
    let (key, value) = misspelt("structuredContent").filter(|_| result.get("structuredContent").is_none())?;
    let note = format!("The value is in `{key}`, and clients read `structuredContent`.");
    let (means, since) = (Some(Noted::with(Means::Value(value.clone()), note)), Revision::V2025_06_18);
    Some(Reading { means, since, ..Reading::that(format!("returns its value in `{key}`"), AS_IT_IS) })
}

fn of_result(schema: Option<Json>, result: &Json) -> Reading {
    if let Some(reading) = of_misspelt(result) {
        return reading;
    }
    let failed = result.get("isError").and_then(Json::as_bool) == Some(true);
    let text = first_text(result);
    let values = result.as_object().map_or(0, |result| result.get_all("structuredContent").count());
    let mut reading = match (result.get("structuredContent"), schema) {
        (Some(_), _) if values > 1 => {
            let means = Some(Noted::with(Means::Invalid, "The result gives its value more than once."));
            Reading {
                means,
                since: Revision::V2025_06_18,
                ..Reading::that("returns its value more than once", VIOLATION)
            }
        }
        (Some(value), _) if failed => {
            let also_expect = AlsoExpect { value: Some(value.clone()), ..AlsoExpect::default() };
            let since = Revision::V2025_06_18;
            Reading { since, also_expect, ..Reading::that("fails with a tool error and a value", TOOL_ERROR) }
        }
        (Some(value), schema) => of_value(schema, value),
        (None, _) if failed => Reading::that("fails with a tool error", TOOL_ERROR),
        (None, Some(schema)) => without_value(&schema, text),
        (None, None) => Reading::that("answers with plain content", PLAIN),
    };
    reading.since = reading.since.max(since_of_content(result));
    if reading.means.is_none() && text.is_none() && result.get("structuredContent").is_none() {
        let (nothing, note) = (String::new(), "The result has no value and no text.");
        reading.means = Some(Noted::with(if failed { Means::ToolError(nothing) } else { Means::Text(nothing) }, note));
        // Then the other blocks are all that there is.
        reading.also_expect.blocks = result.get("content").and_then(Json::as_array).unwrap_or_default().to_vec();
    }
    reading
}

fn of_value(schema: Option<Json>, value: &Json) -> Reading {
    let (since, kind) = match value {
        Json::Object(_) => (Revision::V2025_06_18, "an object"),
        Json::Array(_) => (Revision::V2026_07_28, "an array"),
        Json::Null => (Revision::V2026_07_28, "null"),
        Json::Bool(_) => (Revision::V2026_07_28, "a boolean"),
        Json::Number(_) => (Revision::V2026_07_28, "a number"),
        Json::String(_) => (Revision::V2026_07_28, "a string"),
    };
    let why = if since.has_any_value_output() { ANY_VALUE } else { AS_IT_IS };
    let returns = Reading { since, ..Reading::that(format!("returns {kind}"), why) };
    let Some(schema) = schema else { return returns };
    match check(&schema, value) {
        Conformance::Conforms => Reading { conforming: Some((schema, value.clone())), ..returns },
        Conformance::Violates { message, instance_pointer, .. } => {
            let place = if instance_pointer.is_empty() { String::new() } else { format!(" (at {instance_pointer})") };
            let note = format!("The value violates the outputSchema: {message}{place}.");
            let means = Some(Noted::with(Means::Invalid, note));
            Reading {
                since,
                means,
                ..Reading::that(format!("returns {kind} that violates its outputSchema"), VIOLATION)
            }
        }
        Conformance::Undecided { reason, .. } => {
            let reason = reason.strip_prefix("of the schema: ").unwrap_or(&reason);
            let note = format!("Whether the value conforms to the outputSchema is unknown: {reason}.");
            let refused = "A client that cannot decide it either may refuse the result.";
            Reading {
                means: Some(Noted::with(Means::Value(value.clone()), note)),
                expect: Some(Noted::with(Expect::both(Outcome::Rejected), refused)),
                ..returns
            }
        }
    }
}

/// A result without the value that the definition declares.
fn without_value(schema: &Json, text: Option<&str>) -> Reading {
    let note = "The definition promises a value, and none came: a client may refuse the result.";
    let refused = Some(Noted::with(Expect::both(Outcome::Rejected), note));
    let since = Revision::V2025_06_18;
    let told = text.map(|text| (text, Json::parse(text).ok()));
    match told {
        Some((_, Some(value))) if check(schema, &value) == Conformance::Conforms => {
            let does = "declares an outputSchema and returns its value only as text";
            Reading { since, means: Some(Means::Value(value).into()), expect: refused, ..Reading::that(does, NO_VALUE) }
        }
        Some((text, _)) => {
            let does = "declares an outputSchema and answers with text alone";
            Reading {
                since,
                means: Some(Means::Text(text.to_owned()).into()),
                expect: refused,
                ..Reading::that(does, NO_VALUE)
            }
        }
        None => {
            let means = Noted::with(Means::Invalid, "The definition promises a value, and nothing came.");
            Reading {
                since,
                means: Some(means),
                ..Reading::that("declares an outputSchema and returns nothing", NO_VALUE)
            }
        }
    }
}

fn first_text(result: &Json) -> Option<&str> {
    let blocks = result.get("content")?.as_array()?;
    blocks.iter().find(|block| kind(block) == Some("text"))?.get("text")?.as_str()
}

fn kind(block: &Json) -> Option<&str> {
    block.get("type")?.as_str()
}

fn since_of_content(result: &Json) -> Revision {
    let since = |block: &Json| match kind(block) {
        Some("audio") => Revision::V2025_03_26,
        Some("resource_link") => Revision::V2025_06_18,
        Some(_) | None => Revision::V2024_11_05,
    };
    let blocks = result.get("content").and_then(Json::as_array).unwrap_or_default();
    blocks.iter().map(since).max().unwrap_or(Revision::V2024_11_05)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: &str = r#"{"name":"a","outputSchema":{"type":"object","required":["id"]}}"#;
    const ARRAY: &str = r#"{"name":"a","outputSchema":{"type":"array"}}"#;
    const NONE: &str = r#"{"name":"a"}"#;

    fn of(definition: &str, result: &str) -> Reading {
        read(definition, &Answer::Returns(result.to_owned()))
    }

    #[test]
    fn the_first_revision_follows_from_what_is_returned() {
        for (definition, result, since) in [
            (NONE, r#"{"content":[{"type":"text","text":"a"}]}"#, Revision::V2024_11_05),
            (NONE, r#"{"content":[{"type":"audio"},{"type":"text","text":"a"}]}"#, Revision::V2025_03_26),
            (NONE, r#"{"content":[{"type":"resource_link"},{"type":"text","text":"a"}]}"#, Revision::V2025_06_18),
            (OBJECT, r#"{"structuredContent":{"id":1},"content":[]}"#, Revision::V2025_06_18),
            (NONE, r#"{"structuredContent":[],"content":[]}"#, Revision::V2026_07_28),
            (ARRAY, r#"{"content":[{"type":"text","text":"a"}]}"#, Revision::V2026_07_28),
        ] {
            assert_eq!(of(definition, result).since, since, "{definition} {result}");
        }
    }

    #[test]
    fn a_value_that_violates_its_schema_means_nothing_valid() {
        let violating = of(OBJECT, r#"{"structuredContent":{"name":1},"content":[]}"#);
        assert_eq!(violating.means.unwrap().value, Means::Invalid);
        assert!(violating.conforming.is_none());
        let conforming = of(OBJECT, r#"{"structuredContent":{"id":1},"content":[]}"#);
        assert!(conforming.means.is_none() && conforming.conforming.is_some());
    }

    #[test]
    fn a_tool_error_is_one_whatever_else_is_in_it() {
        let error = r#"{"structuredContent":{"code":7},"content":[{"type":"text","text":"Out"}],"isError":true}"#;
        let reading = of(OBJECT, error);
        assert!(reading.means.is_none(), "the loader sees it");
        assert_eq!(reading.also_expect.value, Some(Json::parse(r#"{"code":7}"#).unwrap()));
        assert!(of(OBJECT, r#"{"content":[{"type":"text","text":"Out"}],"isError":true}"#).means.is_none());
        let silent = of(NONE, r#"{"content":[],"isError":true}"#);
        assert_eq!(silent.means.unwrap().value, Means::ToolError(String::new()));
    }

    #[test]
    fn a_member_under_a_name_that_is_nearly_right_means_what_it_would() {
        let failed = of(NONE, r#"{"content":[{"type":"text","text":"No such file"}],"is_error":true}"#);
        assert_eq!(failed.means.unwrap().value, Means::ToolError("No such file".to_owned()));
        assert!(of(NONE, r#"{"content":[{"type":"text","text":"ok"}],"is_error":false}"#).means.is_none());
        let value = of(OBJECT, r#"{"content":[],"structured_content":{"id":1}}"#);
        assert_eq!(value.means.unwrap().value, Means::Value(Json::parse(r#"{"id":1}"#).unwrap()));
    }

    #[test]
    fn a_result_of_nothing_is_not_invalid() {
        assert_eq!(of(NONE, r#"{"content":[]}"#).means.unwrap().value, Means::Text(String::new()));
        let link = r#"{"type":"resource_link","uri":"a:b","name":"c"}"#;
        let linked = of(NONE, &format!(r#"{{"content":[{link}]}}"#));
        assert_eq!(linked.also_expect.blocks, [Json::parse(link).unwrap()]);
    }

    #[test]
    fn only_text_alone_is_plain() {
        let plain = |result: &str| is_plain(NONE, &Answer::Returns(result.to_owned()));
        assert!(plain(r#"{"content":[{"type":"text","text":"a"}]}"#));
        for result in [
            r#"{"content":[]}"#,
            r#"{"content":[{"type":"text","text":"a","_meta":null}]}"#,
            r#"{"content":[{"type":"resource_link","uri":"a:b","name":"c"}]}"#,
            r#"{"content":[{"type":"text","text":"a"}],"isError":false}"#,
        ] {
            assert!(!plain(result), "{result}");
        }
    }

    #[test]
    fn a_promise_that_is_not_kept_may_be_refused() {
        let text = of(OBJECT, r#"{"content":[{"type":"text","text":"{\"id\": 1}"}]}"#);
        assert_eq!(text.means.unwrap().value, Means::Value(Json::parse(r#"{"id":1}"#).unwrap()));
        assert_eq!(text.expect.unwrap().value, Expect::both(Outcome::Rejected));
        let prose = of(OBJECT, r#"{"content":[{"type":"text","text":"Done"}]}"#);
        assert_eq!(prose.means.unwrap().value, Means::Text("Done".to_owned()));
        assert_eq!(of(OBJECT, r#"{"content":[]}"#).means.unwrap().value, Means::Invalid);
    }
}
