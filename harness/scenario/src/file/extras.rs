//! Keys around a tool: `[[answer]]` for requests other than calls, `also-expect` of a call, `args-from` between two
//! calls.

use std::borrow::Cow;

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::AnsweredMethod;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

use super::payload::JsonText;
use super::table::{At, Completeness, Field, Place, Read};
use super::tool::Reply;
use super::vocabulary::Count;
use crate::budget::MOST_ENTRIES;
use crate::sink::{Sink, Span};

/// An answer to a request other than a call. It answers in exactly one way, as a tool does.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("required" = ["to"]))]
#[schemars(extend("oneOf" = [
    { "required": ["returns"] },
    { "required": ["error"] },
    { "required": ["raw"] },
    { "required": ["raw-file"] },
    { "required": ["does"] },
]))]
pub(crate) struct Answer {
    #[schemars(skip)]
    pub(crate) header: Span,
    #[schemars(skip)]
    pub(crate) completeness: Completeness,
    /// The request that gets this answer.
    #[schemars(with = "AnsweredWord")]
    pub(crate) to: Field<AnsweredMethod>,
    /// Page of `tools/list`, from 1. Default: every page.
    pub(crate) page: Field<Count>,
    #[schemars(flatten)]
    pub(crate) reply: Reply,
}

/// Schema of a method in the format's JSON Schema.
struct AnsweredWord;

/// Parts of the result that the user must get in addition to the tool's meaning.
#[derive(Clone, Debug)]
pub(crate) struct AlsoExpect {
    pub(crate) blocks: Field<Blocks>,
    pub(crate) value: Field<JsonText>,
}

/// Content blocks.
#[derive(Clone, Debug)]
pub(crate) struct Blocks(pub(crate) Vec<Json>);

/// From JSON Pointer in the arguments to JSON Pointer in the value of the call before.
#[derive(Clone, Debug)]
pub(crate) struct ArgsFrom(pub(crate) Vec<(At<String>, At<String>)>);

impl Read for Answer {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let Some(mut table) = place.table("an answer") else {
            return place.refuse("a table", Some("an answer begins with `[[answer]]`".to_owned()), sink);
        };
        let mut to = table.field("to", sink);
        let page = table.field("page", sink);
        let reply = Reply::read_keys(&mut table, sink);
        table.need(&mut to, "to", "\"server/discover\"", sink);
        let completeness = table.finish(None, sink);
        let answer = Self { header: place.span.clone(), completeness, to, page, reply };
        if let (Some(to), Some(page)) = (answer.to.given(), answer.page.given())
            && to.value != AnsweredMethod::ListTools
        {
            let mistake = sink.mistake(&page.key, format!("`{}` has no pages", to.value.as_str()));
            sink.report(mistake.label("only `tools/list` has"));
            return None;
        }
        Some(answer)
    }
}

impl Read for AlsoExpect {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        const FORMS: &str = "the forms are `also-expect.blocks = 'JSON array'` and `also-expect.value = 'JSON'`";
        let Some(mut table) = place.table("`also-expect`") else {
            return place.refuse("a table", Some(FORMS.to_owned()), sink);
        };
        let also = Self { blocks: table.field("blocks", sink), value: table.field("value", sink) };
        let completeness = table.finish(None, sink);
        if completeness == Completeness::Partial || also.blocks.is_broken() || also.value.is_broken() {
            return None;
        }
        if also.blocks.is_absent() && also.value.is_absent() {
            let mistake = sink.mistake(&place.key, "`also-expect` says nothing");
            sink.report(mistake.label("expected `blocks`, `value` or both").help(FORMS));
            return None;
        }
        Some(also)
    }
}

impl Read for Blocks {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let JsonText { value, .. } = JsonText::read(place, sink)?;
        if let Json::Array(blocks) = value
            && !blocks.is_empty()
            && blocks.iter().all(|block| block.as_object().is_some())
        {
            return Some(Self(blocks));
        }
        let mistake = sink
            .mistake(&place.span, format!("`{}` must be content blocks", place.name))
            .label("expected a JSON array of objects, with at least one in it")
            .help("for example: `[{\"type\": \"image\", \"mimeType\": \"image/gif\", \"data\": \"R0lG\"}]`");
        sink.report(mistake);
        None
    }
}

impl Read for ArgsFrom {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        const EXAMPLE: &str = "for example: `args-from.\"/id\" = \"/users/0/id\"`";
        let DeValue::Table(entries) = place.value else {
            return place.refuse("a table of JSON Pointers", Some(EXAMPLE.to_owned()), sink);
        };
        if !place.has_at_most(MOST_ENTRIES, entries.len(), sink) {
            return None;
        }
        let mut feed = Vec::new();
        let mut valid = true;
        for (into, from) in entries {
            let name: &str = into.get_ref();
            let value = Place { name, key: into.span(), span: from.span(), value: from.get_ref() };
            let Some(pointer) = String::read(&value, sink) else {
                valid = false;
                continue;
            };
            let is_pointer = |text: &str| text.starts_with('/');
            let both = [
                (name, &value.key, is_pointer(name)),
                (&*pointer, &value.span, pointer.is_empty() || is_pointer(&pointer)),
            ];
            for (pointer, span, _) in both.into_iter().filter(|(_, _, fits)| !fits) {
                let mistake = sink.mistake(span, format!("`{pointer}` is not a JSON Pointer to a member"));
                sink.report(mistake.label("expected text that begins with `/`").help(EXAMPLE));
                valid = false;
            }
            let into = At { value: name.to_owned(), key: value.key.clone(), span: value.key.clone() };
            feed.push((into, At { value: pointer, key: value.key, span: value.span }));
        }
        valid.then_some(Self(feed))
    }
}

impl JsonSchema for AnsweredWord {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AnsweredMethod".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": AnsweredMethod::ALL.map(AnsweredMethod::as_str) })
    }
}

impl JsonSchema for AlsoExpect {
    fn schema_name() -> Cow<'static, str> {
        "Also".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let json = generator.subschema_for::<JsonText>();
        json_schema!({
            "description": "Parts of the result that the user must get in addition to the tool's meaning: content blocks (a JSON array as text), structured content.",
            "type": "object",
            "properties": { "blocks": json, "value": json },
            "additionalProperties": false,
            "minProperties": 1,
        })
    }
}

impl JsonSchema for ArgsFrom {
    fn schema_name() -> Cow<'static, str> {
        "ArgsFrom".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Arguments that come from the value of the call before: JSON Pointer in the arguments to JSON Pointer in that value.",
            "type": "object",
            "propertyNames": { "pattern": "^/" },
            "additionalProperties": { "type": "string", "pattern": "^(/|$)" },
        })
    }
}
