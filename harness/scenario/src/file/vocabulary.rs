//! Values with a form of their own: words from a fixed set, whole numbers, addresses, the clarity of the specification, the
//! meaning of an answer.

use std::borrow::Cow;

use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::AnsweredMethod;
use mcp_compat_model::verdict::Outcome;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::payload::JsonText;
use super::table::{At, Completeness, Field, Place, Read};
use crate::sink::Sink;
use crate::words::{either, renamed};

/// Outcomes that a scenario can ask for. The others mean that nothing was proven.
const ASKED_FOR: [Outcome; 15] = [
    Outcome::Intact,
    Outcome::Wrapped,
    Outcome::Text,
    Outcome::Prose,
    Outcome::Rejected,
    Outcome::Altered,
    Outcome::Lost,
    Outcome::Told,
    Outcome::Masked,
    Outcome::Swallowed,
    Outcome::Caught,
    Outcome::Uncaught,
    Outcome::Hung,
    Outcome::Crashed,
    Outcome::Unreachable,
];

/// Behaviour of a tool in place of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub(crate) enum Does {
    /// It never answers.
    Hang,
    /// It ends its process, or its connection.
    Exit,
}

/// Notification about a change of the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub(crate) enum Evolution {
    /// The server sends `notifications/tools/list_changed`.
    Notify,
    /// The server sends nothing.
    Silent,
}

/// The least that a user of the client must get: in both eras, or in each.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    pub(crate) legacy: Field<Outcome>,
    pub(crate) modern: Field<Outcome>,
}

impl Does {
    const ALL: [Self; 2] = [Self::Hang, Self::Exit];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Hang => "hang",
            Self::Exit => "exit",
        }
    }
}

impl Evolution {
    const ALL: [Self; 2] = [Self::Notify, Self::Silent];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Notify => "notify",
            Self::Silent => "silent",
        }
    }
}

/// Reads one of `words`; `what` names their kind in messages.
fn one_of<T: Copy>(
    place: &Place<'_>,
    what: &str,
    words: &[T],
    name: impl Fn(T) -> &'static str,
    sink: &mut Sink<'_>,
) -> Option<T> {
    let written = String::read(place, sink)?;
    let found = words.iter().copied().find(|word| name(*word) == written);
    if found.is_none() {
        let known = || words.iter().map(|word| name(*word));
        let mut unknown = sink
            .mistake(&place.span, format!("`{written}` is not {what}"))
            .label(format!("expected {}", either(known())));
        let now = renamed(&written, known()).map(|now| format!("`{written}` is now called `{now}`"));
        let near = || sink.nearest(&written, known()).map(|near| format!("the nearest is `{near}`"));
        unknown.help.extend(now.or_else(near));
        sink.report(unknown);
    }
    found
}

impl Read for Outcome {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        one_of(place, "an outcome to ask for", &ASKED_FOR, Self::as_str, sink)
    }
}

impl Read for Revision {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        one_of(place, "a revision of the specification", &Self::ALL, Self::as_str, sink)
    }
}

impl Read for AnsweredMethod {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        one_of(place, "a request whose answer can be written", &Self::ALL, Self::as_str, sink)
    }
}

impl Read for Does {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        one_of(place, "something that a tool can do", &Self::ALL, Self::as_str, sink)
    }
}

impl Read for Evolution {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        one_of(place, "a way to evolve", &Self::ALL, Self::as_str, sink)
    }
}

impl Read for Expectation {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let Some(mut eras) = place.table("an expectation") else {
            if place.value.as_str().is_none() {
                let example = "for example: `expect = { modern = \"intact\", legacy = \"text\" }`".to_owned();
                return place.refuse("an outcome, or a table with one for each era", Some(example), sink);
            }
            let value = Outcome::read(place, sink)?;
            let both = Field::Given(At { value, key: place.key.clone(), span: place.span.clone() });
            return Some(Self { legacy: both.clone(), modern: both });
        };
        let expectation = Self { modern: eras.field("modern", sink), legacy: eras.field("legacy", sink) };
        eras.finish(None, sink);
        Some(expectation)
    }
}

impl JsonSchema for Expectation {
    fn schema_name() -> Cow<'static, str> {
        "Expectation".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let outcome = json_schema!({ "enum": ASKED_FOR.map(Outcome::as_str) });
        json_schema!({
            "description": "An outcome for both eras, or one for each.",
            "oneOf": [
                outcome,
                {
                    "type": "object",
                    "properties": { "modern": outcome, "legacy": outcome },
                    "additionalProperties": false,
                    "minProperties": 1,
                },
            ],
        })
    }
}

/// An address on the web.
#[derive(Clone, Debug)]
pub(crate) struct Address(pub(crate) String);

/// Kind of unclarity of the specification.
#[derive(Clone, Debug)]
pub(crate) enum Unclear {
    Silent(Address),
    Conflict(Address),
}

/// Meaning of the tool's answer, given explicitly.
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
            "description": "Gap or contradiction of the specification: an address where it is silent, or where it contradicts itself.",
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
            "description": "Meaning of the answer: a value, plain text, an error, or (as the word `invalid`) an invalid result.",
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

/// A whole number from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count(pub(crate) u32);

impl Read for Count {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let expected = "a whole number from 1";
        let Some(integer) = place.value.as_integer() else {
            return place.refuse(expected, None, sink);
        };
        match u32::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(count) if count > 0 => Some(Self(count)),
            Ok(_) | Err(_) => {
                let mistake = sink.mistake(&place.span, format!("`{}` must be {expected}", place.name));
                sink.report(mistake.label(format!("expected {expected} that 32 bits hold")));
                None
            }
        }
    }
}

impl JsonSchema for Count {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Count".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": u32::MAX })
    }
}
