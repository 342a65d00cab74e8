//! JSON inside a TOML literal: parsed exactly, every lexeme kept, errors at an exact line and column.

use std::borrow::Cow;

use mcp_compat_json::{Json, JsonError, Object, minify};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::value::RawValue;

use super::part::put_parts;
use super::table::{Place, Read};
use crate::budget::Size;
use crate::sink::{Sink, Span};

/// Any JSON value as text.
#[derive(Clone, Debug)]
pub(crate) struct JsonText {
    /// Text as written, without white space between tokens.
    pub(crate) text: Box<RawValue>,
    pub(crate) value: Json,
}

/// A JSON object as text.
#[derive(Clone, Debug)]
pub(crate) struct JsonObject {
    /// Text as written, without white space between tokens.
    pub(crate) text: Box<RawValue>,
    pub(crate) members: Object,
}

/// A JSON-RPC error object as text.
#[derive(Clone, Debug)]
pub(crate) struct ErrorObject {
    /// Text as written, without white space between tokens.
    pub(crate) text: Box<RawValue>,
    pub(crate) message: String,
}

impl Read for JsonText {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let Some(written) = place.value.as_str() else {
            let expected = "JSON text in quotes";
            return place.refuse(expected, Some(format!("for example: `{} = '''{{}}'''`", place.name)), sink);
        };
        let filled = put_parts(place, written, sink)?;
        let written = &*filled;
        if !sink.fits_budget(Size::of_json_text(written), &place.span) {
            return None;
        }
        let parsed = Json::parse(written).and_then(|value| Ok((value, minify(written)?)));
        let (value, minified) = match parsed {
            Ok(parsed) => parsed,
            Err(error) => return refuse_json(place, written, error, sink),
        };
        match RawValue::from_string(minified) {
            Ok(text) => Some(Self { text, value }),
            Err(error) => {
                let mistake = sink.mistake(&place.span, format!("`{}` cannot be carried as JSON", place.name));
                sink.report(mistake.label(error.to_string()).help("what is not quite JSON can be sent with `raw`"));
                None
            }
        }
    }
}

impl Read for JsonObject {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let JsonText { text, value } = JsonText::read(place, sink)?;
        let found = match value {
            Json::Object(members) => return Some(Self { text, members }),
            Json::Null => "`null`",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
        };
        let mistake = sink.mistake(&place.span, format!("`{}` must be a JSON object", place.name));
        sink.report(mistake.label(format!("expected a JSON object, found {found}")));
        None
    }
}

impl Read for ErrorObject {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let JsonObject { text, members } = JsonObject::read(place, sink)?;
        let whole = members.get("code").and_then(Json::as_number).is_some_and(|code| code.as_i64().is_some());
        let message = members.get("message").and_then(Json::as_str);
        if let (true, Some(message)) = (whole, message) {
            return Some(Self { text, message: message.to_owned() });
        }
        let mistake = sink
            .mistake(&place.span, "a JSON-RPC error has a `code` and a `message`")
            .label(if whole { "no `message` that is text" } else { "no `code` that is an integer" })
            .help("for example: `error = '''{\"code\": -32603, \"message\": \"out of stock\"}'''`")
            .help("an answer that breaks JSON-RPC is written with `raw`");
        sink.report(mistake);
        None
    }
}

/// Reports that a literal is not JSON, at the character where it stops being JSON.
fn refuse_json<T>(place: &Place<'_>, written: &str, error: JsonError, sink: &mut Sink<'_>) -> Option<T> {
    let message = format!("`{}` is not JSON", place.name);
    let mistake = match verbatim_start(place, written, sink) {
        Some(start) => {
            let at = start + error.offset;
            let length = written[error.offset..].chars().next().map_or(1, char::len_utf8);
            sink.mistake(&(at..at + length), message).label(error.kind.to_string())
        }
        None => {
            let (line, column) = error.line_column(written);
            let literal = sink.text.get(place.span.clone()).unwrap_or_default();
            let help = if literal.contains("{{") {
                "the text is what stands here with its parts put in"
            } else {
                "write JSON between `'''` and `'''`, where nothing has to be escaped for TOML"
            };
            sink.mistake(&place.span, message)
                .label(format!("{} (line {line}, column {column} of the text)", error.kind))
                .help(help)
        }
    };
    sink.report(mistake);
    None
}

/// Returns the offset in the file at which the content of a string begins, if the string has no escapes.
fn verbatim_start(place: &Place<'_>, content: &str, sink: &Sink<'_>) -> Option<usize> {
    let Span { start, end } = place.span;
    let literal = sink.text.get(start..end)?;
    let quotes = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quotes| literal.starts_with(quotes))?;
    let inner = literal.strip_prefix(quotes)?.strip_suffix(quotes)?;
    // TOML takes away a line break right after the three opening quotes.
    let trimmed = if quotes.len() == 3 {
        inner.strip_prefix("\r\n").or_else(|| inner.strip_prefix('\n')).unwrap_or(inner)
    } else {
        inner
    };
    (trimmed == content).then(|| start + quotes.len() + (inner.len() - trimmed.len()))
}

fn json_in_a_string(description: &str) -> Schema {
    json_schema!({ "type": "string", "contentMediaType": "application/json", "description": description })
}

impl JsonSchema for JsonText {
    fn schema_name() -> Cow<'static, str> {
        "JsonText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_in_a_string("Any JSON value as text, sent lexeme for lexeme.")
    }
}

impl JsonSchema for JsonObject {
    fn schema_name() -> Cow<'static, str> {
        "JsonObject".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_in_a_string("A JSON object as text, sent lexeme for lexeme.")
    }
}

impl JsonSchema for ErrorObject {
    fn schema_name() -> Cow<'static, str> {
        "ErrorObject".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_in_a_string("A JSON-RPC error object as text, with `code` and `message`.")
    }
}
