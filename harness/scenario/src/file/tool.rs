//! A `[[tool]]`: its definition, its answer and its meaning; and the keys of any answer.

use std::borrow::Cow;

use mcp_compat_json::{Json, map_strings};
use mcp_compat_model::peer_contract::{BYSTANDER_TOOL, EVOLVE_TOOL};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::value::RawValue;

use super::extras::AlsoExpect;
use super::part::{Line, RawText};
use super::payload::{ErrorObject, JsonObject};
use super::table::{At, Completeness, Field, Place, Read, Table};
use super::vocabulary::{Does, Expectation, Meaning};
use crate::sink::{Sink, Span};

/// Keys of the file that TOML assigns to a tool when they are written below its header.
const OF_THE_FILE: [&str; 12] = [
    "title",
    "why",
    "since",
    "sources",
    "spec",
    "smoke",
    "page-size",
    "list",
    "list-without",
    "answer",
    "part",
    "case",
];

/// A tool. It answers in exactly one way: `returns`, `error`, `raw`, `raw-file` or `does`.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
// The cases of a family may give what the file's tool lacks, so neither a definition nor an answer is required here.
#[schemars(extend("required" = []))]
#[schemars(extend("oneOf" = [
    { "required": ["returns"] },
    { "required": ["error"] },
    { "required": ["raw"] },
    { "required": ["raw-file"] },
    { "required": ["does"] },
    { "properties": { "returns": false, "error": false, "raw": false, "raw-file": false, "does": false } },
]))]
pub(crate) struct Tool {
    #[schemars(skip)]
    pub(crate) header: Span,
    #[schemars(skip)]
    pub(crate) completeness: Completeness,
    /// The tool as it stands in `tools/list`, with its name.
    pub(crate) definition: Field<Definition>,
    /// The arguments with which it is called. Default: `{}`.
    pub(crate) arguments: Field<JsonObject>,
    #[schemars(flatten)]
    pub(crate) reply: Reply,
    /// Members that the result is sent without, although the revision asks for them.
    pub(crate) without: Field<Vec<At<String>>>,
    /// Messages, or other lines, that are sent right before the answer, one line each, with the request's `{{id}}` and
    /// `{{progress-token}}`.
    pub(crate) before: Field<Vec<At<Line>>>,
    /// The tool whose call must have been answered before this one is.
    pub(crate) answers_after: Field<String>,
    /// Meaning of the answer. Default: its `structuredContent`, or else the first text of its content; of an error
    /// (`isError`), its first text.
    pub(crate) means: Field<Meaning>,
    /// A result that violates the tool's `outputSchema`. A client that accepts it does not validate.
    pub(crate) control: Field<JsonObject>,
    /// Parts of the result that the user must get in addition to the meaning.
    pub(crate) also_expect: Field<AlsoExpect>,
    /// The least that a user of the client must get from this tool. Default: what the file expects.
    pub(crate) expect: Field<Expectation>,
}

impl Tool {
    /// The keys of a tool besides those of its answer, as messages name them.
    pub(super) const KEYS: [&'static str; 8] =
        ["definition", "arguments", "means", "control", "also-expect", "without", "before", "answers-after"];

    /// Reads the keys that a case with a single tool can override.
    pub(super) fn read_keys(table: &mut Table<'_>, sink: &mut Sink<'_>) -> Self {
        Self {
            header: table.header.clone(),
            completeness: Completeness::Whole,
            definition: table.field("definition", sink),
            arguments: table.field("arguments", sink),
            reply: Reply::read_keys(table, sink),
            without: table.field("without", sink),
            before: table.field("before", sink),
            answers_after: table.field("answers-after", sink),
            means: table.field("means", sink),
            control: table.field("control", sink),
            also_expect: table.field("also-expect", sink),
            expect: Field::Absent,
        }
    }

    /// Returns whether no key is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.reply.ways().is_empty()
            && self.definition.is_absent()
            && self.arguments.is_absent()
            && self.means.is_absent()
            && self.control.is_absent()
            && self.without.is_absent()
            && self.before.is_absent()
            && self.answers_after.is_absent()
            && self.also_expect.is_absent()
    }

    /// Returns this tool with the keys of the other one in place of its own. An answer replaces any other answer.
    pub(crate) fn overridden_by(&self, other: &Self) -> Self {
        let reply = if other.reply.ways().is_empty() { &self.reply } else { &other.reply };
        Self {
            header: self.header.clone(),
            completeness: self.completeness,
            definition: other.definition.or(&self.definition),
            arguments: other.arguments.or(&self.arguments),
            means: other.means.or(&self.means),
            control: other.control.or(&self.control),
            expect: other.expect.or(&self.expect),
            also_expect: other.also_expect.or(&self.also_expect),
            reply: reply.clone(),
            without: other.without.or(&self.without),
            before: other.before.or(&self.before),
            answers_after: other.answers_after.or(&self.answers_after),
        }
    }
}

impl Read for Tool {
    const MOST: usize = 5_000;

    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let Some(mut table) = place.table("a tool") else {
            return place.refuse("a table", Some("a tool begins with `[[tool]]`".to_owned()), sink);
        };
        let mut tool = Self::read_keys(&mut table, sink);
        tool.expect = table.field("expect", sink);
        tool.completeness =
            table.finish(Some((&OF_THE_FILE, "at the top of the file, before the first `[[tool]]`")), sink);
        Some(tool)
    }
}

/// Prefix of the names that the harness reserves.
const RESERVED: &str = "mcp_compat_";

/// A definition as it stands in `tools/list`.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Text as written, without white space between tokens.
    pub(crate) text: Box<RawValue>,
    pub(crate) name: String,
    pub(crate) has_output_schema: bool,
}

impl Definition {
    /// Returns the definition's text under another name, every other token untouched.
    pub(crate) fn renamed(&self, name: &str) -> String {
        let text = self.text.get();
        let renamed = map_strings(text, |place, _| place.is_member("name").then(|| name.into()));
        renamed.unwrap_or_else(|_| text.to_owned())
    }
}

impl Read for Definition {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let JsonObject { text, members } = JsonObject::read(place, sink)?;
        let names: Vec<&Json> = members.get_all("name").collect();
        let label = match names[..] {
            [] => "no member `name` here",
            [Json::String(name)] => match name.as_str() {
                Some("") => "its `name` is empty",
                Some(name) if name.starts_with(RESERVED) => return refuse_reserved(place, name, sink),
                Some(name) => {
                    let has_output_schema = members.contains_key("outputSchema");
                    return Some(Self { text, name: name.to_owned(), has_output_schema });
                }
                None => "its `name` is not valid Unicode",
            },
            [_] => "its `name` is not a string",
            [..] => "it has more than one `name`",
        };
        let mistake = sink
            .mistake(&place.key, "a definition needs the tool's name")
            .label(label)
            .help("for example: `{\"name\": \"list_users\", \"inputSchema\": {\"type\": \"object\"}}`");
        sink.report(mistake);
        None
    }
}

fn refuse_reserved<T>(place: &Place<'_>, name: &str, sink: &mut Sink<'_>) -> Option<T> {
    let mistake = sink
        .mistake(&place.key, format!("the name `{name}` is reserved"))
        .label(format!("no tool of a scenario may begin with `{RESERVED}`"))
        .help(format!("`{BYSTANDER_TOOL}` is listed beside every tool anyway, `{EVOLVE_TOOL}` where tools change"));
    sink.report(mistake);
    None
}

impl JsonSchema for Definition {
    fn schema_name() -> Cow<'static, str> {
        "Definition".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "contentMediaType": "application/json",
            "description": "A tool as it stands in `tools/list`: a JSON object as text, with a `name`.",
        })
    }
}

/// The keys of an answer. Exactly one of them is written.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub(crate) struct Reply {
    /// The result.
    pub(crate) returns: Field<JsonObject>,
    /// The JSON-RPC error in place of a result.
    pub(crate) error: Field<ErrorObject>,
    /// The whole message in place of an answer, verbatim; `{{id}}` stands for the request's id.
    pub(crate) raw: Field<RawText>,
    /// A file beside the scenario with the bytes of the whole message; `{{id}}` stands for the request's id.
    pub(crate) raw_file: Field<String>,
    /// Behaviour of the server in place of an answer.
    pub(crate) does: Field<Does>,
}

impl Reply {
    /// The keys, as messages name them.
    pub(super) const KEYS: [&'static str; 5] = ["returns", "error", "raw", "raw-file", "does"];

    pub(super) fn read_keys(table: &mut Table<'_>, sink: &mut Sink<'_>) -> Self {
        Self {
            returns: table.field("returns", sink),
            error: table.field("error", sink),
            raw: table.field("raw", sink),
            raw_file: table.field("raw-file", sink),
            does: table.field("does", sink),
        }
    }

    /// Returns the ways to answer that the file gives, each with its place.
    pub(crate) fn ways(&self) -> Vec<(&'static str, Option<&Span>)> {
        fn written<'a, T>(name: &'static str, field: &'a Field<T>) -> Option<(&'static str, Option<&'a Span>)> {
            match field {
                Field::Absent => None,
                Field::Broken => Some((name, None)),
                Field::Given(at) => Some((name, Some(&at.key))),
            }
        }
        let all = [
            written("returns", &self.returns),
            written("error", &self.error),
            written("raw", &self.raw),
            written("raw-file", &self.raw_file),
            written("does", &self.does),
        ];
        all.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(text: &str) -> Definition {
        let text = RawValue::from_string(text.to_owned()).unwrap();
        Definition { text, name: String::new(), has_output_schema: true }
    }

    #[test]
    fn only_the_name_changes() {
        let text = r#"{"title":"name","x":{"name":"inner","n":1.50},"y":["name","z"],"n\u0061me":"a\"b","é\"":1e2}"#;
        assert_eq!(
            definition(text).renamed("new \"name\""),
            r#"{"title":"name","x":{"name":"inner","n":1.50},"y":["name","z"],"n\u0061me":"new \"name\"","é\"":1e2}"#
        );
    }
}
