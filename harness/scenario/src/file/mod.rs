//! A scenario file as it is written: every key with its place, nothing filled in, nothing compared.
//!
//! `syntax` turns text into a TOML tree, `table` takes keys out of it, and each type here says how it is read:
//!
//! ```text
//! File                                  this module
//!   Tool, Definition, JsonObject, …     tool, definition, payload
//!   Step                                step
//!   Outcome, Revision, …                vocabulary, stance
//!   Case = File + Tool, overriding      case
//! ```
//!
//! The same types give the JSON Schema of the format: the comments on their fields are what an editor shows.

pub(crate) mod case;
pub(crate) mod definition;
pub(crate) mod payload;
pub(crate) mod stance;
pub(crate) mod step;
pub(crate) mod syntax;
pub(crate) mod table;
pub(crate) mod tool;
pub(crate) mod vocabulary;

use std::borrow::Cow;

use mcp_compat_model::Revision;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::sink::Sink;
use case::Case;
use payload::JsonObject;
use stance::{Address, Unclear};
use step::Step;
use table::{At, Field, Place, Read, Table};
use tool::Tool;
use vocabulary::Expectation;

/// A scenario of mcp-compat: what a server's tools return, what a client does, and what its user must get.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(title = "mcp-compat scenario", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("required" = ["title", "why", "sources"]))]
pub(crate) struct File {
    /// What the scenario is about, in a line.
    pub(crate) title: Field<String>,
    /// Why it matters, for a stranger.
    pub(crate) why: Field<String>,
    /// The first revision in which a server may do this. Default: 2025-06-18, which brought structured output.
    pub(crate) since: Field<Revision>,
    /// Where the case comes from: at least one address.
    #[schemars(length(min = 1))]
    pub(crate) sources: Field<Vec<At<Address>>>,
    /// How clear the specification is. Default: clear.
    pub(crate) spec: Field<Unclear>,
    /// The least that a user of the client must get. Default: by what the tool means.
    pub(crate) expect: Field<Expectation>,
    /// How many tools a page of the list holds. Default: all.
    pub(crate) page_size: Field<PageSize>,
    /// Members that the result of `tools/list` has beside `tools`.
    pub(crate) list: Field<JsonObject>,
    /// The tools that the server offers from the start.
    pub(crate) tool: Field<Vec<At<Tool>>>,
    /// What the client does. Default: list, call each tool and its control, call the bystander.
    pub(crate) step: Field<Vec<At<Step>>>,
    /// The members of a family; each overrides what differs.
    pub(crate) case: Field<Vec<At<Case>>>,
}

/// How many tools a page holds: at least one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageSize(pub(crate) u32);

impl File {
    /// Reads a whole file.
    pub(crate) fn read(mut table: Table<'_>, sink: &mut Sink<'_>) -> Self {
        let mut file = Self::read_keys(&mut table, sink);
        file.case = table.field("case", sink);
        table.need(&mut file.title, "title", "\"An array at the root of structuredContent\"", sink);
        table.need(&mut file.why, "why", "\"Clients typed to the earlier wire format expect an object.\"", sink);
        table.need(&mut file.sources, "sources", "[\"https://…\"]", sink);
        let tool = ["definition", "returns", "error", "raw", "raw-file", "does", "control", "means", "arguments"];
        table.finish(Some((&tool, "in a `[[tool]]`")), sink);
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
            page_size: table.field("page-size", sink),
            list: table.field("list", sink),
            tool: table.field("tool", sink),
            step: table.field("step", sink),
            case: Field::Absent,
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

    /// This file with whatever the other one says in its place.
    pub(crate) fn overridden_by(&self, other: &Self) -> Self {
        Self {
            title: other.title.or(&self.title),
            why: other.why.or(&self.why),
            since: other.since.or(&self.since),
            sources: other.sources.or(&self.sources),
            spec: other.spec.or(&self.spec),
            expect: other.expect.or(&self.expect),
            page_size: other.page_size.or(&self.page_size),
            list: other.list.or(&self.list),
            tool: other.tool.or(&self.tool),
            step: other.step.or(&self.step),
            case: Field::Absent,
        }
    }
}

impl Read for PageSize {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let expected = "a whole number from 1";
        let Some(integer) = place.value.as_integer() else {
            return place.refuse(expected, None, sink);
        };
        match u32::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(size) if size > 0 => Some(Self(size)),
            Ok(_) | Err(_) => {
                let mistake = sink.mistake(&place.span, format!("`{}` must be {expected}", place.name));
                sink.report(mistake.label(format!("{integer} tools do not make a page")));
                None
            }
        }
    }
}

impl JsonSchema for PageSize {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PageSize".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": u32::MAX })
    }
}
