//! Texts of results: failures that are told in words alone, and text that is not valid JSON by a common mistake.

use mcp_compat_json::{Json, Object};
use mcp_compat_model::count::nth;
use mcp_compat_model::excerpt::{bounded, excerpt, quoted, tool_name};
use mcp_compat_model::tool::ToolResult;
use mcp_compat_model::verdict::Party;
use mcp_compat_scenario::scenario::Means;

use super::member_names::has_unseen_error_flag;
use super::nearly_json::{is_name_of_object, nearly_json};
use super::rule::{Affects, Check, Fix, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::{CallFacts, Facts};

/// Rule about failures without `isError`. An audit knows them by their words only.
pub static FAILED_CALL_IS_MARKED: Rule = Rule {
    id: "failed-call-is-marked",
    level: Levels::SHOULD,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Content,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult-iserror",
    title: "The result of a call that failed has `isError: true`.",
    violation: "a failure that the result does not mark with `isError`",
    explanation: "Without the flag, a client takes the failure for a success: it shows no error, does not try again, and \
                  passes the text on as the value. Where nothing else tells, mcp-compat goes by the first words of a text, \
                  such as `Error:` or `Failed to`, and by the members of a value: `isError: true`, or `success: false` beside \
                  an error or a message. A tool that returned such a text or value as its value is right.",
    remedy: SET_IS_ERROR,
    fix: Some(Fix::MarkError),
    check: Check::Wire(unmarked),
};

/// Rule about text that is meant as JSON.
pub static TEXT_IS_JSON: Rule = Rule {
    id: "text-is-json",
    level: Levels::SHOULD,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Content,
    source: "https://www.rfc-editor.org/rfc/rfc8259#section-6",
    title: "A text that is meant as JSON is JSON.",
    violation: "text that is nearly JSON, such as with bare NaN",
    explanation: "JSON has no NaN and no Infinity, no single quotes and no comma after the last member, and writes `true`, \
                  `false` and `null`. Whoever parses the text loses all of it, although the value is there. `[object Object]` and \
                  `<X object at 0x…>` have no value at all. The JSON of a text that is JSON has to be parsed twice; that is told \
                  of a tool whose value is an object or an array by its outputSchema or its structuredContent.",
    remedy: "write the text with a JSON serialiser that refuses NaN and Infinity, or send null in their place",
    fix: None,
    check: Check::Wire(nearly),
};

const FLAG_THE_RESULT: &str = "set `isError: true` beside `content` of the result, where clients look for it, and put the words of the failure into `content`";

/// Remedy for a call that failed.
pub const SET_IS_ERROR: &str = "set `isError: true` on the result of a call that failed";

fn unmarked(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for call in &facts.calls {
        let Some((message, result)) = facts.result_of_call(call) else { continue };
        let result = ToolResult::new(result);
        let is_flagged = facts.revision().is_some_and(|revision| has_unseen_error_flag(result.json(), revision));
        // Another rule is about a flag that no client sees.
        if result.is_error() || facts.is_interim(result.json()) || is_flagged {
            continue;
        }
        let tool = tool_name(&call.call.tool);
        let told = words_of_failure(facts, call);
        let is_flagged_within = matches!(&told, Some(Told::Flag(_)));
        let detail = match (&call.call.means, told) {
            (_, Some(Told::InWords(words))) => {
                format!("the text of {tool} begins {words}, and its result has no `isError: true`")
            }
            (_, Some(Told::Flag(member) | Told::Member(member))) => {
                format!("the value of {tool} has {member}, and its result itself has no `isError: true`")
            }
            (Means::ToolError(_), None) => format!("the failure of {tool} came in a result without `isError: true`"),
            (Means::Value(_) | Means::Text(_) | Means::Invalid, None) => continue,
        };
        let violation = Violation::new(detail, [message.seq]).of_tool(&call.call.tool).at("/isError");
        violations.push(if is_flagged_within { violation.mended_by(FLAG_THE_RESULT) } else { violation });
    }
    violations
}

/// Form in which a result that is not marked as an error tells of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// By the first words of its text, quoted.
    InWords(String),
    /// By `isError` in its value, in words.
    Flag(String),
    /// By another member of its value, in words.
    Member(String),
}

/// The words or the member by which a result that is not marked as an error tells of a failure.
fn words_of_failure(facts: &Facts<'_>, call: &CallFacts<'_>) -> Option<Told> {
    let (_, result) = facts.result_of_call(call)?;
    tells_of_failure(result, facts.declared_schema(call))
}

/// Returns true if a result is a failure that is not marked as clients read it: by a flag of another name, or by its words.
pub(super) fn is_unmarked_failure(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    let result = facts.result_of_call(call).map(|(_, result)| result);
    let is_flagged = |result| facts.revision().is_some_and(|revision| has_unseen_error_flag(result, revision));
    result.is_some_and(is_flagged) || words_of_failure(facts, call).is_some()
}

/// The form in which a result without `isError` tells of a failure: the first words of its text, which a framework may have
/// wrapped into a value, or a member of its value.
pub fn tells_of_failure(result: &Json, schema: Option<&Json>) -> Option<Told> {
    let result = ToolResult::new(result);
    if result.is_error() {
        return None;
    }
    if let Some(value) = result.structured_content().filter(|value| !value.is_null()) {
        return failed_value(value, schema).or_else(|| failed_text(wrapped_text(value)?));
    }
    let text = result.texts().next()?.trim_start();
    if let Some(told) = failed_text(text) {
        return Some(told);
    }
    let value = Json::parse(text).ok().filter(|_| text.starts_with('{') && text.len() <= LONGEST)?;
    let is_declared = schema.and_then(|schema| schema.get("properties")?.get("error")).is_some();
    if !is_declared && is_error_object(&value) {
        return Some(Told::InWords(quoted(&bounded(text, SHOWN))));
    }
    failed_value(&value, schema)
}

/// The first words of a text that begins as a failure.
fn failed_text(text: &str) -> Option<Told> {
    let line = text.lines().next().unwrap_or_default();
    begins_as_failure(text).then(|| Told::InWords(quoted(&bounded(line, SHOWN))))
}

/// The text that a framework wrapped into an object: it alone, as `result`.
fn wrapped_text(value: &Json) -> Option<&str> {
    value.get("result")?.as_str().filter(|_| value.as_object().is_some_and(|object| object.len() == 1))
}

/// The member by which a value, or an object in it, says that the call failed.
fn failed_value(value: &Json, schema: Option<&Json>) -> Option<Told> {
    let properties = |schema: Option<&Json>| schema.and_then(|schema| schema.get("properties")).cloned();
    let declared = properties(schema);
    let within = || {
        value.as_object()?.iter().find_map(|(key, inner)| {
            let (key, inner) = (key.as_str()?, inner.as_object()?);
            let declared = properties(declared.as_ref().and_then(|declared| declared.get(key)));
            failed_object(inner, declared.as_ref(), &format!(" in {}", quoted(&bounded(key, SHOWN))))
        })
    };
    failed_object(value.as_object()?, declared.as_ref(), "").or_else(within)
}

/// The member of an object at this place. A flag that is declared is a value of the tool. An object with `isError` and
/// `content` is a whole result in the wrong place.
fn failed_object(object: &Object, declared: Option<&Json>, place: &str) -> Option<Told> {
    let is_free = |flag: &&&str| declared.is_none_or(|declared| declared.get(flag).is_none());
    if object.get("isError").and_then(Json::as_bool) == Some(true) {
        let told = format!("`isError: true`{place}");
        let is_result = object.get("content").is_some_and(|content| content.as_array().is_some());
        return if is_result { Some(Told::Flag(told)) } else { is_free(&&"isError").then_some(Told::Member(told)) };
    }
    let is_false = |flag: &&&str| object.get(flag).and_then(Json::as_bool) == Some(false);
    let flag = ["success", "ok"].iter().filter(is_free).find(is_false).map(|flag| format!("{flag}: false"));
    // The status of something within may be what the tool was asked for.
    let is_status = place.is_empty() && is_free(&&"status");
    let status = object.get("status").and_then(Json::as_str).filter(|status| is_status && *status == "error");
    let flag = flag.or_else(|| Some(format!("status: {}", status?)))?;
    let reason = ["error", "message", "reason"].iter().find(|key| object.get(key).is_some_and(is_reason))?;
    Some(Told::Member(format!("`{flag}` beside `{reason}`{place}")))
}

/// Returns true for a text, or an object with a message.
fn is_reason(error: &Json) -> bool {
    match error {
        Json::String(words) => !words.is_empty(),
        Json::Object(error) => ["message", "code", "type"].iter().any(|key| error.contains_key(key)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) => false,
    }
}

/// Limit of the characters of a text in a sentence.
const SHOWN: usize = 60;

/// The longest text that is parsed.
const LONGEST: usize = 1 << 16;

fn begins_as_failure(text: &str) -> bool {
    const BEGINNINGS: [&str; 9] = [
        "error:",
        "error -",
        "error executing",
        "error calling",
        "fatal:",
        "failed:",
        "failed to ",
        "exception:",
        "traceback (most recent call last)",
    ];
    let first: String = text.chars().take(80).collect::<String>().to_lowercase();
    // An emoji or a sign often stands before the word.
    let words = first.trim_start_matches(|c: char| !c.is_alphanumeric());
    let told = words.split_once(':').map_or("", |(_, told)| told.trim_start());
    // A count or a field: `Failed: 0`, `error: none`.
    let told = told.lines().next().unwrap_or_default().trim_end_matches('.');
    let is_count = (words.starts_with("failed:") && told.starts_with(|c: char| c.is_ascii_digit()))
        || (!told.is_empty() && told.bytes().all(|byte| byte.is_ascii_digit()));
    let is_none = is_count || ["none", "null", "false"].contains(&told);
    let begins = BEGINNINGS.iter().any(|beginning| words.starts_with(beginning));
    !is_none && (begins || begins_with_exception(text) || begins_with_activity(words) || begins_with_place(words))
}

/// Returns true for the beginning `error fetching the page: …`. A text may also be about error handling.
fn begins_with_activity(words: &str) -> bool {
    const ACTIVITIES: [&str; 16] = [
        "accessing",
        "connecting",
        "creating",
        "deleting",
        "fetching",
        "getting",
        "listing",
        "loading",
        "opening",
        "parsing",
        "processing",
        "querying",
        "reading",
        "retrieving",
        "searching",
        "updating",
    ];
    let activity = words.strip_prefix("error ").and_then(|rest| rest.lines().next()?.split_once(": "));
    activity.and_then(|(what, _)| what.split_whitespace().next()).is_some_and(|word| ACTIVITIES.contains(&word))
}

/// Returns true for the beginning `database error: …`.
fn begins_with_place(words: &str) -> bool {
    const PLACES: [&str; 7] = ["api", "authentication", "connection", "database", "internal", "network", "server"];
    let place = words.split_once(" error: ").map(|(place, _)| place);
    place.is_some_and(|place| PLACES.contains(&place))
}

/// Returns true if a text begins with the name of an exception and a colon, such as `TypeError: …`.
fn begins_with_exception(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let Some((name, _)) = text.split_once(": ") else { return false };
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '_');
    let kind = ["Error", "Exception"].iter().find_map(|kind| last.strip_suffix(kind));
    is_word && last.starts_with(char::is_uppercase) && kind.is_some()
}

/// Returns true for `{"error": "…"}` and the like, with little beside it.
fn is_error_object(value: &Json) -> bool {
    const MOST_MEMBERS: usize = 4;
    value.as_object().is_some_and(|object| object.len() <= MOST_MEMBERS && object.get("error").is_some_and(is_reason))
}

const WRITE_MEMBERS: &str =
    "return the members of the object, written by a JSON serialiser (`JSON.stringify`, `json.dumps`)";

const SERIALISE_ONCE: &str = "serialise the value once: return the value, or its JSON, and not the JSON of its JSON";

/// Returns true for the JSON of a text that is itself the JSON of an object or array.
fn is_json_in_json(text: &str) -> bool {
    let text = text.trim();
    if text.len() > LONGEST || !(text.starts_with("\"{") || text.starts_with("\"[")) {
        return false;
    }
    let Ok(Json::String(inner)) = Json::parse(text) else { return false };
    inner.as_str().is_some_and(|inner| matches!(Json::parse(inner), Ok(Json::Object(_) | Json::Array(_))))
}

fn nearly(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for call in &facts.calls {
        let Some((message, result)) = facts.result_of_call(call) else { continue };
        let texts = ToolResult::new(result).content().iter().enumerate().filter_map(|(index, block)| {
            let is_text = block.get("type").and_then(Json::as_str) == Some("text");
            block.get("text").and_then(Json::as_str).filter(|_| is_text).map(|text| (index, text))
        });
        let has_value = means_members(ToolResult::new(result), facts.declared_schema(call));
        let Some((index, what, remedy)) = texts.into_iter().find_map(|(index, text)| {
            let (what, remedy) = mistake(text, has_value)?;
            Some((index, what, remedy))
        }) else {
            continue;
        };
        let (block, tool) = (nth(index, "content block"), tool_name(&call.call.tool));
        let detail = format!("the text of {block} of the result of {tool} {what}");
        let violation = Violation::new(detail, [message.seq]).of_tool(&call.call.tool);
        let violation = violation.at(format!("/content/{index}/text"));
        violations.push(match remedy {
            Some(remedy) => violation.mended_by(remedy),
            None => violation,
        });
    }
    violations
}

/// Returns true if the value of a result is an object or an array, by what the result or its schema says. The value of another
/// tool may be a text that is JSON.
fn means_members(result: ToolResult<'_>, schema: Option<&Json>) -> bool {
    let is_composite = |value: &Json| matches!(value, Json::Object(_) | Json::Array(_));
    let type_name = schema.and_then(|schema| schema.get("type")?.as_str());
    result.structured_content().is_some_and(is_composite) || type_name.is_some_and(|it| it == "object" || it == "array")
}

/// Mistake in a text that stands for a value, after the words "the text", and its own remedy. `has_members` says that the value
/// is an object or an array.
fn mistake(text: &str, has_members: bool) -> Option<(String, Option<&'static str>)> {
    if is_name_of_object(text.trim()) {
        let name = excerpt(text.trim());
        return Some((format!("is `{name}`: the server printed the object and not its members"), Some(WRITE_MEMBERS)));
    }
    if has_members && is_json_in_json(text) {
        return Some((
            "is a JSON string that holds JSON: the value was serialised twice".to_owned(),
            Some(SERIALISE_ONCE),
        ));
    }
    nearly_json(text).map(|mistake| (format!("is nearly JSON: it has {mistake}"), None))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_word("Error: 404 Not Found", true)]
    #[case::after_a_sign("❌ Error: no such page", true)]
    #[case::an_exception("TypeError: x is not a function", true)]
    #[case::of_a_module("requests.exceptions.ConnectionError: refused", true)]
    #[case::a_sentence("Failed to fetch the page", true)]
    #[case::an_object(r#"{"error": "no such page"}"#, true)]
    #[case::an_object_of_a_code(r#"{"error": {"code": 404}, "ok": false}"#, true)]
    #[case::no_error(r#"{"error": null, "rows": []}"#, false)]
    #[case::a_report(r#"{"error": "rate", "a": 1, "b": 2, "c": 3, "d": 4}"#, false)]
    #[case::a_subject("Errors of last week: 3", false)]
    #[case::a_count("Error rate: 3 %", false)]
    #[case::a_later_word("3 tests passed. Error: none", false)]
    #[case::a_count_of_tests("Failed: 0, passed: 12", false)]
    #[case::a_field("last_error: none", false)]
    #[case::a_field_of_yaml("is_error: refused", false)]
    #[case::another_word("Terror: a history of it", false)]
    #[case::rates(r#"{"error": {"rate": 0.1}, "p99": 3}"#, false)]
    fn a_failure_is_known_by_its_first_words(#[case] text: &str, #[case] expected: bool) {
        let block = Json::Object([("type", Json::from("text")), ("text", Json::from(text))].into_iter().collect());
        let result = Json::Object([("content", Json::Array(vec![block]))].into_iter().collect());
        assert_eq!(tells_of_failure(&result, None).is_some(), expected);
    }
}
