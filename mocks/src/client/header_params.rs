//! Arguments of a call that a modern client repeats in HTTP headers, for intermediaries that do not read bodies.
//!
//! A tool asks for it with `x-mcp-header` at a property of its input schema. A tool that asks wrongly must not be
//! offered at all.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

const ANNOTATION: &str = "x-mcp-header";

/// Schemas nested deeper than this are refused.
const DEPTH: usize = 64;

/// The largest integer that may be header_params.
const SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// A parameter that is repeated in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderParam {
    header: HeaderName,
    path: Vec<String>,
}

/// The parameters that an input schema wants in headers.
///
/// # Errors
/// Problem of an annotation. The tool must not be used then.
pub(crate) fn header_params(input_schema: Option<&RawValue>) -> Result<Vec<HeaderParam>, String> {
    let Some(text) = input_schema.map(RawValue::get).filter(|text| text.contains(ANNOTATION)) else {
        return Ok(Vec::new());
    };
    let schema: Value = serde_json::from_str(text).map_err(|error| format!("inputSchema cannot be read: {error}"))?;
    let mut found = Vec::new();
    collect(&schema, Some(&mut Vec::new()), 0, &mut found)?;
    let mut names = BTreeSet::new();
    for header_params in &found {
        if !names.insert(header_params.header.as_str()) {
            return Err(format!("two parameters want the header {}", header_params.header));
        }
    }
    Ok(found)
}

/// Walks a schema. `path` leads to it through `properties` only, if it can be reached that way.
fn collect(
    schema: &Value,
    mut path: Option<&mut Vec<String>>,
    depth: usize,
    found: &mut Vec<HeaderParam>,
) -> Result<(), String> {
    let Value::Object(members) = schema else { return Ok(()) };
    if depth > DEPTH {
        return Err(format!("inputSchema is nested deeper than {DEPTH}"));
    }
    if let Some(name) = members.get(ANNOTATION) {
        let path = path.as_deref().filter(|path| !path.is_empty());
        let path = path.ok_or_else(|| format!("{ANNOTATION} where no chain of properties leads"))?;
        found.push(HeaderParam { header: annotated_header(name, members)?, path: path.clone() });
    }
    for (keyword, value) in members {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    match path.as_deref_mut() {
                        Some(path) => {
                            path.push(name.clone());
                            collect(property, Some(path), depth + 1, found)?;
                            path.pop();
                        }
                        None => collect(property, None, depth + 1, found)?,
                    }
                }
            }
            ("$defs" | "definitions" | "patternProperties" | "dependentSchemas", Value::Object(schemas)) => {
                for schema in schemas.values() {
                    collect(schema, None, depth + 1, found)?;
                }
            }
            // Data, not schemas.
            ("const" | "default" | "enum" | "examples", _) => {}
            (_, Value::Array(schemas)) => {
                for schema in schemas {
                    collect(schema, None, depth + 1, found)?;
                }
            }
            (_, schema) => collect(schema, None, depth + 1, found)?,
        }
    }
    Ok(())
}

fn annotated_header(name: &Value, property: &Map<String, Value>) -> Result<HeaderName, String> {
    let name = name.as_str().filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| format!("{ANNOTATION} has to be a string that is not empty"))?;
    let header = HeaderName::from_bytes(format!("mcp-param-{name}").as_bytes())
        .map_err(|_| format!("{name:?} cannot be part of a header's name"))?;
    match property.get("type").and_then(Value::as_str) {
        Some("string" | "integer" | "boolean") => Ok(header),
        Some(_) | None => Err(format!("{ANNOTATION} is for strings, integers and booleans only")),
    }
}

impl HeaderParam {
    /// The header for a call with these arguments. `None` if they have no such value.
    pub(crate) fn header(&self, arguments: &Value) -> Option<(HeaderName, HeaderValue)> {
        let value = self.path.iter().try_fold(arguments, |value, name| value.get(name))?;
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(yes) => yes.to_string(),
            Value::Number(number) => {
                let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= SAFE_INTEGER)?;
                format!("{float:.0}")
            }
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        Some((self.header.clone(), header_text(&text)))
    }
}

/// Text as the value of a header: unchanged if that is safe, else encoded and marked as such.
pub(crate) fn header_text(text: &str) -> HeaderValue {
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
    let padded = text.starts_with([' ', '\t']) || text.ends_with([' ', '\t']);
    let marked = text.starts_with("=?base64?") && text.ends_with("?=");
    let value = if plain && !padded && !marked {
        HeaderValue::from_str(text)
    } else {
        HeaderValue::from_str(&format!("=?base64?{}?=", STANDARD.encode(text)))
    };
    // Both forms are visible ASCII, so neither can fail.
    value.unwrap_or_else(|_| HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn of(schema: &str) -> Result<Vec<HeaderParam>, String> {
        header_params(Some(&RawValue::from_string(schema.to_owned()).unwrap()))
    }

    #[rstest]
    #[case::plain("us-west1", "us-west1")]
    #[case::not_ascii("Zoë", "=?base64?Wm/Dqw==?=")]
    #[case::padded(" a", "=?base64?IGE=?=")]
    #[case::line_end("a\nb", "=?base64?YQpi?=")]
    #[case::looks_encoded("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?=")]
    fn header_values_are_encoded_only_where_they_have_to_be(#[case] text: &str, #[case] value: &str) {
        assert_eq!(header_text(text), value);
    }

    #[test]
    fn a_nested_property_is_mirrored_from_its_exact_path() {
        let schema = r#"{"type":"object","properties":{"at":{"type":"object","properties":{
            "region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"}}}}}"#;
        let header_params = of(schema).unwrap();
        let headers = |arguments: &str| -> Vec<String> {
            let arguments = serde_json::from_str(arguments).unwrap();
            let text = |(name, value): (HeaderName, HeaderValue)| format!("{name}: {}", value.to_str().unwrap());
            header_params.iter().filter_map(|header_params| header_params.header(&arguments)).map(text).collect()
        };
        let mut both = headers(r#"{"at":{"region":"eu","n":42.0}}"#);
        both.sort();
        assert_eq!(both, ["mcp-param-n: 42", "mcp-param-region: eu"]);
        assert!(headers(r#"{"at":{"region":null,"n":0.5},"region":"eu"}"#).is_empty());
    }

    #[rstest]
    #[case::empty(r#"{"properties":{"a":{"type":"string","x-mcp-header":""}}}"#)]
    #[case::no_token(r#"{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}"#)]
    #[case::number(r#"{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#)]
    #[case::at_the_root(r#"{"type":"string","x-mcp-header":"A"}"#)]
    #[case::in_items(r#"{"properties":{"a":{"items":{"type":"string","x-mcp-header":"A"}}}}"#)]
    #[case::in_a_branch(r#"{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}"#)]
    #[case::twice(
        r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#
    )]
    fn a_wrong_annotation_is_an_error(#[case] schema: &str) {
        assert!(of(schema).is_err(), "{schema}");
    }

    #[test]
    fn a_property_of_that_name_and_data_are_no_annotations() {
        assert_eq!(of(r#"{"properties":{"x-mcp-header":{"type":"string"}},"default":{"x-mcp-header":1}}"#), Ok(vec![]));
    }
}
