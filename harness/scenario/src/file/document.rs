//! The keys of a file, and of a `[[case]]`: a member of a family, which overrides keys of the file or of its only tool.

use std::borrow::Cow;

use mcp_compat_model::Revision;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::extras::Answer;
use super::part::report_unused;
use super::payload::JsonObject;
use super::step::{Step, Yes};
use super::table::{At, Field, Place, Read, Table};
use super::tool::{Reply, Tool};
use super::vocabulary::{Address, Count, Expectation, Unclear};
use crate::parts::Parts;
use crate::sink::{Sink, Span};

/// A scenario of mcp-compat: what a server's tools return, what a client does, and what its user must get.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(title = "mcp-compat scenario", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("required" = ["title", "why"]))]
pub(crate) struct File {
    /// Subject of the scenario, in one line.
    pub(crate) title: Field<String>,
    /// Reason why it matters, for a stranger.
    pub(crate) why: Field<String>,
    /// The first revision in which a server may do this. Default: 2025-06-18, which brought structured output.
    pub(crate) since: Field<Revision>,
    /// Sources of the case: at least one address. Every file of mcp-compat's own corpus has them.
    #[schemars(length(min = 1))]
    pub(crate) sources: Field<Vec<At<Address>>>,
    /// Clarity of the specification about this case. Default: clear.
    pub(crate) spec: Field<Unclear>,
    /// The least that a user of the client must get. Default: by what the tool means.
    pub(crate) expect: Field<Expectation>,
    /// True for the few scenarios of the default run, which represent the corpus. Default: false.
    pub(crate) smoke: Field<Yes>,
    /// Number of tools on a page of the list. Default: all.
    pub(crate) page_size: Field<Count>,
    /// Members that the result of `tools/list` has beside `tools`.
    pub(crate) list: Field<JsonObject>,
    /// Members that the result of `tools/list` is sent without, although the revision asks for them.
    pub(crate) list_without: Field<Vec<At<String>>>,
    /// Answers to requests other than calls, in place of the server's own answers.
    pub(crate) answer: Field<Vec<At<Answer>>>,
    /// Text that is too long to write out; it replaces `{{NAME}}`.
    #[expect(dead_code, reason = "put in while the rest is read; it stands here for the format's schema")]
    pub(crate) part: Field<Parts>,
    /// The tools that the server offers from the start.
    pub(crate) tool: Field<Vec<At<Tool>>>,
    /// Actions of the client. Default: list, call each tool and its control, call the bystander.
    pub(crate) step: Field<Vec<At<Step>>>,
    /// The members of a family; each overrides what differs.
    pub(crate) case: Field<Vec<At<Case>>>,
    /// Number of bytes read from the file's own keys; each member of a family copies them.
    #[schemars(skip)]
    pub(crate) bytes: usize,
}

impl File {
    /// Reads a whole file.
    pub(crate) fn read(mut table: Table<'_>, sink: &mut Sink<'_>) -> Self {
        // Every value that is read from here on may contain parts.
        if let Field::Given(parts) = table.field("part", sink) {
            sink.parts = parts.value;
        }
        let before = sink.budget.bytes_left();
        let mut file = Self::read_keys(&mut table, sink);
        file.bytes = before - sink.budget.bytes_left();
        file.case = table.field("case", sink);
        report_unused(sink);
        table.need(&mut file.title, "title", "\"An array at the root of structuredContent\"", sink);
        table.need(&mut file.why, "why", "\"Clients typed to the earlier wire format expect an object.\"", sink);
        let of_a_tool = [&Reply::KEYS[..], &Tool::KEYS].concat();
        table.finish(Some((&of_a_tool, "in a `[[tool]]`")), sink);
        file
    }

    /// Reads the keys that a case can override.
    fn read_keys(table: &mut Table<'_>, sink: &mut Sink<'_>) -> Self {
        let file = Self {
            title: table.field("title", sink),
            why: table.field("why", sink),
            since: table.field("since", sink),
            sources: table.field("sources", sink),
            spec: table.field("spec", sink),
            expect: table.field("expect", sink),
            smoke: table.field("smoke", sink),
            page_size: table.field("page-size", sink),
            list: table.field("list", sink),
            list_without: table.field("list-without", sink),
            answer: table.field("answer", sink),
            part: Field::Absent,
            tool: table.field("tool", sink),
            step: table.field("step", sink),
            case: Field::Absent,
            bytes: 0,
        };
        if let Some(sources) = file.sources.given().filter(|sources| sources.value.is_empty()) {
            let mistake = sink.mistake(&sources.span, "`sources` is empty");
            sink.report(mistake.label("expected at least one address"));
        }
        if let Some(list) = file.list.given().filter(|list| list.value.members.contains_key("tools")) {
            let mistake = sink.mistake(&list.key, "`list` must not have a member `tools`");
            sink.report(mistake.label("these are the members beside `tools`").help("tools are written as `[[tool]]`"));
        }
        file
    }

    /// Returns this file with the keys of the other one in place of its own.
    pub(crate) fn overridden_by(&self, other: &Self) -> Self {
        Self {
            title: other.title.or(&self.title),
            why: other.why.or(&self.why),
            since: other.since.or(&self.since),
            sources: other.sources.or(&self.sources),
            spec: other.spec.or(&self.spec),
            expect: other.expect.or(&self.expect),
            smoke: other.smoke.or(&self.smoke),
            page_size: other.page_size.or(&self.page_size),
            list: other.list.or(&self.list),
            list_without: other.list_without.or(&self.list_without),
            answer: other.answer.or(&self.answer),
            part: Field::Absent,
            tool: other.tool.or(&self.tool),
            step: other.step.or(&self.step),
            case: Field::Absent,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// A case.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) header: Span,
    /// The word in brackets of the member's id.
    pub(crate) name: Field<String>,
    /// Keys that override those of the file.
    pub(crate) file: File,
    /// Keys that override those of the file's only tool.
    pub(crate) tool: Tool,
}

impl Read for Case {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let Some(mut table) = place.table("a case") else {
            return place.refuse("a table", Some("a case begins with `[[case]]`".to_owned()), sink);
        };
        let before = sink.budget.bytes_left();
        let mut name = table.field("case", sink);
        let mut file = File::read_keys(&mut table, sink);
        let tool = Tool::read_keys(&mut table, sink);
        file.bytes = before - sink.budget.bytes_left();
        table.need(&mut name, "case", "\"zero\"", sink);
        table.finish(None, sink);
        Some(Self { header: place.span.clone(), name, file, tool })
    }
}

/// A case has the keys of a file and those of a tool, none of them required.
impl JsonSchema for Case {
    fn schema_name() -> Cow<'static, str> {
        "Case".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let name = json_schema!({
            "type": "string",
            "pattern": "^[a-z0-9-]+$",
            "description": "The word that distinguishes this member of the family from the others.",
        });
        let mut properties = Map::from_iter([("case".to_owned(), name.to_value())]);
        for keys in [Tool::json_schema(generator), File::json_schema(generator)] {
            let Some(Value::Object(keys)) = keys.get("properties").cloned() else { continue };
            let overridable = keys.into_iter().filter(|(key, _)| !["case", "part"].contains(&key.as_str()));
            properties.extend(overridable);
        }
        json_schema!({
            "description": "A member of a family: it overrides keys of the file, or of the file's only tool.",
            "type": "object",
            "properties": properties,
            "required": ["case"],
            "additionalProperties": false,
        })
    }
}
