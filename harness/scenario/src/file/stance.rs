//! What an author says about the case: how clear the specification is, and what the tool means with its answer.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::payload::JsonText;
use super::table::{Completeness, Field, Place, Read};
use crate::sink::Sink;

/// An address on the web.
#[derive(Clone, Debug)]
pub(crate) struct Address(pub(crate) String);

/// How clear the specification is, where it is not.
#[derive(Clone, Debug)]
pub(crate) enum Unclear {
    Silent(Address),
    Conflict(Address),
}

/// What the tool means to tell, where it is said.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    Invalid,
    ToolError(String),
    Text(String),
    Value(JsonText),
}

impl Read for Address {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let text = String::read(place, sink)?;
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        if rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace)) {
            return Some(Self(text));
        }
        let mistake = sink
            .mistake(&place.span, format!("`{text}` is not an address"))
            .label("expected text that begins with `https://`");
        sink.report(mistake);
        None
    }
}

impl Read for Unclear {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let expected = "a table with `silent` or `conflict`";
        let example = "for example: `spec = { silent = \"https://modelcontextprotocol.io/…\" }`".to_owned();
        let Some(mut table) = place.table("a spec stance") else {
            return place.refuse(expected, Some(example), sink);
        };
        let silent = table.field("silent", sink);
        let conflict = table.field("conflict", sink);
        let completeness = table.finish(None, sink);
        match (silent, conflict) {
            (Field::Given(source), Field::Absent) => Some(Self::Silent(source.value)),
            (Field::Absent, Field::Given(source)) => Some(Self::Conflict(source.value)),
            (Field::Broken, _) | (_, Field::Broken) => None,
            (Field::Absent, Field::Absent) if completeness == Completeness::Partial => None,
            (Field::Absent, Field::Absent) | (Field::Given(_), Field::Given(_)) => {
                let mistake = sink.mistake(&place.span, "`spec` has either `silent` or `conflict`");
                sink.report(mistake.label(format!("expected {expected}")).help(example));
                None
            }
        }
    }
}

impl Read for Meaning {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let forms = "`means = \"invalid\"`, `means.value = '''JSON'''`, `means.text = \"words\"` and \
                     `means.tool-error = \"words\"`";
        let help = format!("the forms are {forms}");
        if let Some(word) = place.value.as_str() {
            if word == "invalid" {
                return Some(Self::Invalid);
            }
            let mistake = sink.mistake(&place.span, format!("`{word}` is not something that a tool can mean"));
            sink.report(mistake.label("the only meaning in one word is `invalid`").help(help));
            return None;
        }
        let Some(mut table) = place.table("a meaning") else {
            return place.refuse("`\"invalid\"` or a table", Some(help), sink);
        };
        let value: Field<JsonText> = table.field("value", sink);
        let text: Field<String> = table.field("text", sink);
        let error: Field<String> = table.field("tool-error", sink);
        let completeness = table.finish(None, sink);
        if completeness == Completeness::Partial || value.is_broken() || text.is_broken() || error.is_broken() {
            return None;
        }
        match (value, text, error) {
            (Field::Given(value), Field::Absent, Field::Absent) => Some(Self::Value(value.value)),
            (Field::Absent, Field::Given(text), Field::Absent) => Some(Self::Text(text.value)),
            (Field::Absent, Field::Absent, Field::Given(error)) => Some(Self::ToolError(error.value)),
            _ => {
                let mistake = sink.mistake(&place.key, "a tool means one thing");
                sink.report(mistake.label("expected one of `value`, `text` and `tool-error`").help(help));
                None
            }
        }
    }
}

impl JsonSchema for Address {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Address".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "uri", "pattern": "^https?://\\S+$" })
    }
}

impl JsonSchema for Unclear {
    fn schema_name() -> Cow<'static, str> {
        "Spec".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let address = Address::json_schema(generator);
        json_schema!({
            "description": "How clear the specification is, where it is not: an address where it is silent, or where it says two things.",
            "type": "object",
            "properties": { "silent": address, "conflict": address },
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
        })
    }
}

impl JsonSchema for Meaning {
    fn schema_name() -> Cow<'static, str> {
        "Meaning".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let json = generator.subschema_for::<JsonText>();
        json_schema!({
            "description": "What the tool means to return: a value, plain text, an error, or (as the word `invalid`) an invalid result.",
            "oneOf": [
                { "const": "invalid" },
                {
                    "type": "object",
                    "properties": {
                        "value": json,
                        "text": { "type": "string" },
                        "tool-error": { "type": "string" },
                    },
                    "additionalProperties": false,
                    "minProperties": 1,
                    "maxProperties": 1,
                },
            ],
        })
    }
}
