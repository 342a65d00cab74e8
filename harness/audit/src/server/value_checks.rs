//! The checks behind the rules about what a tool returned: its own errors, its text, its formats and its numbers.

use mcp_compat_inclusion::{Conformance, check, further_violations};
use mcp_compat_json::Json;
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::excerpt::excerpt;

use super::alike;
use super::audit_rule::{
    AuditRule, ERROR_VALUE_CONFORMS, NUMBERS_FIT_A_DOUBLE, OWN_RESULT_ACCEPTED, TEXT_AGREES, VALUE_MATCHES_FORMAT,
};
use super::findings::bounded;
use super::formats::violated_format;
use super::results::is_error;
use super::snapshot::ToolSnapshot;
use mcp_compat_scenario::write::Answer;

/// What is wrong, in a sentence; `None` if nothing is.
type Check = fn(&ToolSnapshot) -> Option<String>;

/// The findings about the results of one tool. `snapshots` shows it at each revision, oldest first.
pub(super) fn of_values(snapshots: &[ToolSnapshot]) -> Vec<AuditFinding> {
    const CHECKS: [(AuditRule, Check); 5] = [
        (OWN_RESULT_ACCEPTED, refuses_its_own_result),
        (ERROR_VALUE_CONFORMS, error_value_violates),
        (TEXT_AGREES, text_contradicts),
        (VALUE_MATCHES_FORMAT, format_is_violated),
        (NUMBERS_FIT_A_DOUBLE, number_is_too_large),
    ];
    let found = CHECKS.into_iter().filter_map(|(rule, problem)| {
        let (first, detail, at) = alike::first_problem(snapshots, problem)?;
        let wire = match first.call.as_ref().map(|call| &call.answer) {
            Some(Answer::Returns(text) | Answer::Error(text)) => Some(bounded(text)),
            Some(Answer::Raw(_) | Answer::Hang | Answer::Exit) | None => None,
        };
        Some(AuditFinding { wire, ..rule.violated(detail, at) })
    });
    found.collect()
}

fn refuses_its_own_result(snapshot: &ToolSnapshot) -> Option<String> {
    let words = snapshot.own_validation_error()?;
    let tool = &snapshot.tool.name;
    Some(format!(
        "the server's own validation refused the result of `{tool}`, so no client gets the value: {}",
        excerpt(&words)
    ))
}

fn error_value_violates(snapshot: &ToolSnapshot) -> Option<String> {
    let result = snapshot.result().filter(is_error)?;
    let schema = snapshot.output_schema()?;
    let value = result.get("structuredContent")?;
    let Conformance::Violates { message, instance_pointer, .. } = check(&schema, value) else { return None };
    let further = further_violations(&schema, value, &instance_pointer, &message);
    Some(format!(
        "an error result of `{}` has structuredContent that violates the outputSchema: {message}{further}. A client that \
         validates it reports this violation, and its user does not see the error of the tool",
        snapshot.tool.name
    ))
}

fn text_contradicts(snapshot: &ToolSnapshot) -> Option<String> {
    let (text, value) = snapshot.contradictory_text()?;
    Some(format!(
        "the text block of `{}` says {}, and structuredContent says {}. Clients and models that read the text get \
         another value",
        snapshot.tool.name,
        excerpt(&text.to_compact()),
        excerpt(&value.to_compact())
    ))
}

fn format_is_violated(snapshot: &ToolSnapshot) -> Option<String> {
    let (schema, value) = snapshot.declared_and_sent()?;
    let (place, message) = violated_format(&schema, &value)?;
    let at = if place.is_empty() { "its root".to_owned() } else { place };
    Some(format!(
        "the structuredContent of `{}` does not have the format that its outputSchema declares at {at}: {message}. \
         JSON Schema leaves it open whether a validator checks formats, and some clients do",
        snapshot.tool.name
    ))
}

fn number_is_too_large(snapshot: &ToolSnapshot) -> Option<String> {
    let result = snapshot.result()?;
    let number = beyond_double(result.get("structuredContent")?)?;
    Some(format!(
        "the structuredContent of `{}` has the number {}, which is beyond the range of a double. Most JSON parsers \
         read it as infinity or refuse the message",
        snapshot.tool.name,
        excerpt(&number)
    ))
}

/// Whether no double holds anything near a number.
pub(super) fn is_beyond_double(lexeme: &str) -> bool {
    lexeme.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// The first number in a value that no double holds.
fn beyond_double(value: &Json) -> Option<String> {
    match value {
        Json::Number(number) => is_beyond_double(number.lexeme()).then(|| number.lexeme().to_owned()),
        Json::Array(items) => items.iter().find_map(beyond_double),
        Json::Object(object) => object.iter().find_map(|(_, member)| beyond_double(member)),
        Json::Null | Json::Bool(_) | Json::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn a_number_is_too_large_only_beyond_the_range_of_a_double() {
        assert_eq!(beyond_double(&json(r#"{"a":[1,1.7e308,-1e400]}"#)).as_deref(), Some("-1e400"));
        assert_eq!(beyond_double(&json(r#"{"a":[1e308,9007199254740993,1e-400]}"#)), None);
    }
}
