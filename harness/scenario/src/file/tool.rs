//! A `[[tool]]`: how it is listed, what it answers, what it means.

use schemars::JsonSchema;

use super::definition::Definition;
use super::payload::{ErrorObject, JsonObject};
use super::stance::Meaning;
use super::table::{Completeness, Field, Place, Read, Table};
use super::vocabulary::{Does, Expectation};
use crate::sink::{Sink, Span};

/// Keys of the file that end up in a tool when they are written below its header.
const OF_THE_FILE: [&str; 8] = ["title", "why", "since", "sources", "spec", "page-size", "list", "case"];

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
    /// The result of a call.
    pub(crate) returns: Field<JsonObject>,
    /// The JSON-RPC error that a call is answered with.
    pub(crate) error: Field<ErrorObject>,
    /// The whole message that a call is answered with, verbatim; `{{id}}` stands for the request's id.
    pub(crate) raw: Field<String>,
    /// A file beside the scenario with the bytes of the whole message; `{{id}}` stands for the request's id.
    pub(crate) raw_file: Field<String>,
    /// What the tool does instead of answering.
    pub(crate) does: Field<Does>,
    /// What the tool means to tell. Default: its `structuredContent`, or else the first text of its content.
    pub(crate) means: Field<Meaning>,
    /// A result that violates the tool's `outputSchema`: a client that takes this too checks nothing.
    pub(crate) control: Field<JsonObject>,
    /// The least that a user of the client must get from this tool. Default: what the file expects.
    pub(crate) expect: Field<Expectation>,
}

impl Tool {
    /// Reads the keys that a case with a single tool can override.
    pub(super) fn read_keys(table: &mut Table<'_>, sink: &mut Sink<'_>) -> Self {
        Self {
            header: table.header.clone(),
            completeness: Completeness::Whole,
            definition: table.field("definition", sink),
            arguments: table.field("arguments", sink),
            returns: table.field("returns", sink),
            error: table.field("error", sink),
            raw: table.field("raw", sink),
            raw_file: table.field("raw-file", sink),
            does: table.field("does", sink),
            means: table.field("means", sink),
            control: table.field("control", sink),
            expect: Field::Absent,
        }
    }

    /// The ways to answer that are written down, and where.
    pub(crate) fn answers(&self) -> Vec<(&'static str, Option<&Span>)> {
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

    /// Whether nothing is written down.
    pub(crate) fn is_empty(&self) -> bool {
        self.answers().is_empty()
            && self.definition.is_absent()
            && self.arguments.is_absent()
            && self.means.is_absent()
            && self.control.is_absent()
    }

    /// This tool with whatever the other one says in its place. An answer takes the place of any other answer.
    pub(crate) fn overridden_by(&self, other: &Self) -> Self {
        let answer = if other.answers().is_empty() { self } else { other }.clone();
        Self {
            header: self.header.clone(),
            completeness: self.completeness,
            definition: other.definition.or(&self.definition),
            arguments: other.arguments.or(&self.arguments),
            means: other.means.or(&self.means),
            control: other.control.or(&self.control),
            expect: other.expect.or(&self.expect),
            ..answer
        }
    }
}

impl Read for Tool {
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
