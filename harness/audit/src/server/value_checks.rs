//! The checks behind the rules about what a tool returned: its own errors, its text, its formats and its numbers.

use mcp_compat_json::{Json, Number};
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_schema::inclusion::{Conformance, check, further_violations};

use super::audit_rule::{
    AuditRule, ERROR_VALUE_CONFORMS, INTEGERS_FIT_A_DOUBLE, INTEGERS_OF_TEXT, LIST_STAYS_A_LIST, NUMBERS_FIT_A_DOUBLE,
    OWN_RESULT_ACCEPTED, STRINGS_ARE_UNICODE, TEXT_AGREES, VALUE_MATCHES_FORMAT,
};
use super::findings::answer_of;
use super::refused_result;
use super::results::{is_error, text_blocks, violated_format};
use super::snapshot::{ToolSnapshot, first_problem};

/// Check that returns the problem in a sentence, or `None`.
type Check = fn(&ToolSnapshot) -> Option<String>;

/// The findings about the results of one tool. `snapshots` shows it at each revision, oldest first.
pub(super) fn of_values(snapshots: &[ToolSnapshot]) -> Vec<AuditFinding> {
    const CHECKS: [(AuditRule, Check); 9] = [
        (OWN_RESULT_ACCEPTED, refuses_its_own_result),
        (ERROR_VALUE_CONFORMS, error_value_violates),
        (TEXT_AGREES, text_contradicts),
        (LIST_STAYS_A_LIST, list_is_copied),
        (VALUE_MATCHES_FORMAT, format_is_violated),
        (NUMBERS_FIT_A_DOUBLE, number_is_too_large),
        (INTEGERS_FIT_A_DOUBLE, integer_is_rounded),
        (INTEGERS_OF_TEXT, integer_in_text_is_rounded),
        (STRINGS_ARE_UNICODE, string_is_not_unicode),
    ];
    let older = snapshots.iter().take_while(|snapshot| !snapshot.revision.has_structured_output()).count();
    let found = CHECKS.into_iter().filter_map(|(rule, problem)| {
        let looked_at = if rule.of_structured_output { &snapshots[older..] } else { snapshots };
        let (first, detail, at) = first_problem(looked_at, problem)?;
        let found = AuditFinding { wire: answer_of(first), ..rule.violated(detail, at) };
        let remedy = if rule == OWN_RESULT_ACCEPTED { refused_result::remedy(first) } else { None };
        Some(AuditFinding { remedy: remedy.unwrap_or_else(|| found.remedy.clone()), ..found })
    });
    found.collect()
}

fn refuses_its_own_result(snapshot: &ToolSnapshot) -> Option<String> {
    let words = snapshot.own_validation_error()?;
    let tool = &snapshot.tool.name;
    Some(format!("the server's SDK refused the result of `{tool}`, so no client gets the value: {}", excerpt(&words)))
}

fn error_value_violates(snapshot: &ToolSnapshot) -> Option<String> {
    let result = snapshot.result().filter(is_error)?;
    let schema = snapshot.output_schema()?;
    let value = result.get("structuredContent")?;
    let Conformance::Violates { message, instance_pointer, .. } = check(&schema, value) else { return None };
    let further = further_violations(&schema, value, &instance_pointer, &message);
    Some(format!(
        "an error result of `{}` has structuredContent that violates the outputSchema: {message}{further}. The \
         specification does not say whether it has to conform. A client that validates it reports this violation, and its \
         user does not see the error of the tool",
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

fn list_is_copied(snapshot: &ToolSnapshot) -> Option<String> {
    let (list, value) = snapshot.copied_list()?;
    Some(format!(
        "the structuredContent of `{}` is an object with the keys 0, 1 and so on, and the text is the list that was copied into \
         it: {} for {}. Programs that read structuredContent find no list",
        snapshot.tool.name,
        excerpt(&value.to_compact()),
        excerpt(&list.to_compact())
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

fn integer_is_rounded(snapshot: &ToolSnapshot) -> Option<String> {
    let result = snapshot.result()?;
    let (sent, read) = first_rounded(result.get("structuredContent")?)?;
    Some(format!(
        "the structuredContent of `{}` has the integer {}, which clients that read numbers as doubles show as {}",
        snapshot.tool.name,
        excerpt(&sent),
        excerpt(&read)
    ))
}

fn integer_in_text_is_rounded(snapshot: &ToolSnapshot) -> Option<String> {
    let result = snapshot.result()?;
    if result.get("structuredContent").is_some_and(|value| first_rounded(value).is_some()) {
        return None;
    }
    let values = text_blocks(&result).filter_map(|text| Json::parse(text).ok());
    let (sent, read) = values.into_iter().find_map(|value| first_rounded(&value))?;
    Some(format!(
        "the text of `{}` is JSON with the integer {}, which programs that read numbers as doubles (JavaScript) show as {}, and \
         send back as that. Write such ids as strings, and accept them as strings: no client is lost by that",
        snapshot.tool.name,
        excerpt(&sent),
        excerpt(&read)
    ))
}

/// The first integer that is another number as a double, and that number.
fn first_rounded(value: &Json) -> Option<(String, String)> {
    find(value, &|value| match value {
        Json::Number(number) => rounded(number).map(|rounded| (number.lexeme().to_owned(), rounded)),
        Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => None,
    })
}

fn string_is_not_unicode(snapshot: &ToolSnapshot) -> Option<String> {
    let not_unicode = |value: &Json| match value {
        Json::String(text) if text.as_str().is_none() => Some(value.to_compact()),
        Json::Object(object) => {
            let mut keys = object.iter().map(|(key, _)| key);
            keys.find(|key| key.as_str().is_none()).map(|key| Json::String(key.clone()).to_compact())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => None,
    };
    let in_result = snapshot.result().and_then(|result| Some(("result", find(&result, &not_unicode)?)));
    let in_definition = || Some(("definition", find(&Json::parse(&snapshot.tool.definition).ok()?, &not_unicode)?));
    let (part, text) = in_result.or_else(in_definition)?;
    Some(format!(
        "the {part} of `{}` has the string {}, which has half of a surrogate pair",
        snapshot.tool.name,
        excerpt(&text)
    ))
}

/// The first thing that is found in a value or within it.
fn find<T>(value: &Json, found: &dyn Fn(&Json) -> Option<T>) -> Option<T> {
    found(value).or_else(|| match value {
        Json::Array(items) => items.iter().find_map(|item| find(item, found)),
        Json::Object(object) => object.iter().find_map(|(_, member)| find(member, found)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    })
}

/// An integer as programs write it that read it as a double, if the double is another number.
fn rounded(number: &Number) -> Option<String> {
    // With an exponent or a fraction it was written as a double.
    let is_plain = number.lexeme().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let double: f64 = number.lexeme().parse().ok().filter(|double: &f64| double.is_finite() && is_plain)?;
    // The shortest number that is read as this double, as JavaScript writes it below 10^21.
    (Number::parse(&format!("{double:.0}"))? != *number).then(|| format!("{double}"))
}

/// Returns whether no double holds anything near a number.
pub(super) fn is_beyond_double(lexeme: &str) -> bool {
    lexeme.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// The first number in a value that no double holds.
fn beyond_double(value: &Json) -> Option<String> {
    find(value, &|value| match value {
        Json::Number(number) => is_beyond_double(number.lexeme()).then(|| number.lexeme().to_owned()),
        Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn an_integer_is_rounded_where_its_double_is_another_number() {
        let rounded = |lexeme: &str| rounded(&Number::parse(lexeme).unwrap());
        assert_eq!(rounded("9007199254740993").as_deref(), Some("9007199254740992"));
        assert_eq!(rounded("-9007199254740993").as_deref(), Some("-9007199254740992"));
        // As `JSON.stringify(JSON.parse("2574604874062343519"))` of Node.js.
        assert_eq!(rounded("2574604874062343519").as_deref(), Some("2574604874062343700"));
        for exact in ["9007199254740992", "1152921504606846976", "0.1", "1e400", "6.02214076e+23", "1e300", "7"] {
            assert_eq!(rounded(exact), None, "{exact}");
        }
    }

    #[test]
    fn a_number_is_too_large_only_beyond_the_range_of_a_double() {
        assert_eq!(beyond_double(&json(r#"{"a":[1,1.7e308,-1e400]}"#)).as_deref(), Some("-1e400"));
        assert_eq!(beyond_double(&json(r#"{"a":[1e308,9007199254740993,1e-400]}"#)), None);
    }
}
