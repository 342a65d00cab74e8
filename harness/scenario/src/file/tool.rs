//! A `[[tool]]`: how it is listed, what it answers, what it means.

use schemars::JsonSchema;

use super::besides::AlsoExpect;
use super::definition::Definition;
use super::part::Line;
use super::payload::JsonObject;
use super::reply::Reply;
use super::stance::Meaning;
use super::table::{At, Completeness, Field, Place, Read, Table};
use super::vocabulary::Expectation;
use crate::sink::{Sink, Span};

/// Keys of the file that end up in a tool when they are written below its header.
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
    /// Messages, or lines that are none, sent right before the answer, one line each, with the request's `{{id}}` and `{{progress-token}}`.
    pub(crate) before: Field<Vec<At<Line>>>,
    /// The tool whose call must have been answered before this one is.
    pub(crate) answers_after: Field<String>,
    /// What the tool means to tell. Default: its `structuredContent`, or else the first text of its content; of an error (`isError`), its first text.
    pub(crate) means: Field<Meaning>,
    /// A result that violates the tool's `outputSchema`: a client that takes this too checks nothing.
    pub(crate) control: Field<JsonObject>,
    /// What the user must get besides what the tool means.
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

    /// Returns whether nothing is written down.
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

    /// This tool with whatever the other one says in its place. An answer takes the place of any other answer.
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
