//! Arguments that a tool's schema wants repeated in headers (`x-mcp-header`), checked against the body.

use crate::wire::object::{Object, read_string};
use http::HeaderMap;

use super::headers::{decoded, mismatch, missing, one};
use crate::server::protocol::ProtocolError;

/// The annotation in a property's schema.
const ANNOTATION: &str = "x-mcp-header";

/// Depth to which properties are followed.
const DEPTH: usize = 64;

/// Checks the headers that a tool's `definition` asks for against the `arguments` of a call.
pub(super) fn check(headers: &HeaderMap, definition: &str, arguments: Option<&str>) -> Result<(), ProtocolError> {
    if !definition.contains(ANNOTATION) {
        return Ok(());
    }
    let Some(definition) = Object::read(definition) else { return Ok(()) };
    match definition.get("inputSchema") {
        Some(schema) => check_properties(headers, schema, arguments, DEPTH),
        None => Ok(()),
    }
}

/// Follows `properties` only: nowhere else may an annotation stand.
fn check_properties(headers: &HeaderMap, schema: &str, value: Option<&str>, depth: usize) -> Result<(), ProtocolError> {
    if depth == 0 {
        return Ok(());
    }
    let schema = Object::read(schema);
    let properties = schema.as_ref().and_then(|schema| schema.get("properties")).and_then(Object::read);
    let Some(mut properties) = properties else { return Ok(()) };
    let value = value.and_then(Object::read);
    for property in properties.members_mut() {
        let argument = property.key().and_then(|key| value.as_ref().and_then(|value| value.get(key)));
        if let Some(header) = annotation(&property.value) {
            check_argument(headers, &header, argument.filter(|argument| *argument != "null"))?;
        }
        check_properties(headers, &property.value, argument, depth - 1)?;
    }
    Ok(())
}

fn annotation(schema: &str) -> Option<String> {
    let schema = Object::read(schema)?;
    let name = read_string(schema.get(ANNOTATION)?)?;
    Some(format!("Mcp-Param-{name}"))
}

fn check_argument(headers: &HeaderMap, name: &str, argument: Option<&str>) -> Result<(), ProtocolError> {
    match (one(headers, name)?, argument) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(missing(name)),
        (Some(_), None) => Err(mismatch(format!("{name} is there, but the argument is not"))),
        (Some(header), Some(argument)) => {
            let header = decoded(name, header)?;
            let equal = match read_string(argument) {
                Some(text) => text == header,
                None => argument == header || same_number(argument, &header),
            };
            if equal { Ok(()) } else { Err(mismatch(format!("{name} says {header:?}, the body says {argument}"))) }
        }
    }
}

/// Returns whether two texts are the same number. Annotated integers stay in the range that a double holds exactly.
fn same_number(one: &str, other: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    number(one).zip(number(other)).is_some_and(|(one, other)| one.total_cmp(&other).is_eq())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITION: &str = r#"{"name":"t","inputSchema":{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"},
        "deep":{"type":"object","properties":{"count":{"type":"integer","x-mcp-header":"Count"}}}}}}"#;

    fn holds(headers: &[(&'static str, &str)], arguments: &str) -> bool {
        let headers = headers
            .iter()
            .map(|(name, value)| (http::HeaderName::from_static(name), http::HeaderValue::from_str(value).unwrap()));
        check(&headers.collect(), DEFINITION, Some(arguments)).is_ok()
    }

    #[test]
    fn a_header_has_to_say_what_the_argument_says() {
        assert!(holds(&[("mcp-param-region", "eu")], r#"{"region":"eu"}"#));
        assert!(holds(&[("mcp-param-region", "=?base64?ZXU=?=")], r#"{"region":"eu"}"#));
        assert!(holds(&[("mcp-param-count", "42")], r#"{"deep":{"count":42.0}}"#));
        assert!(!holds(&[("mcp-param-region", "us")], r#"{"region":"eu"}"#));
        assert!(!holds(&[("mcp-param-count", "43")], r#"{"deep":{"count":42}}"#));
    }

    #[test]
    fn header_and_argument_come_together_or_not_at_all() {
        assert!(holds(&[], r#"{"region":null}"#));
        assert!(holds(&[], "{}"));
        assert!(!holds(&[], r#"{"region":"eu"}"#));
        assert!(!holds(&[("mcp-param-region", "eu")], "{}"));
    }
}
