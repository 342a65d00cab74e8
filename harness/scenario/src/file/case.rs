//! A `[[case]]`: a member of a family, made from the file by overriding keys of it or of its only tool.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::File;
use super::table::{Field, Place, Read};
use super::tool::Tool;
use crate::sink::{Sink, Span};

/// A case.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) header: Span,
    /// The word in brackets of the member's id.
    pub(crate) name: Field<String>,
    /// What it overrides of the file.
    pub(crate) file: File,
    /// What it overrides of the file's only tool.
    pub(crate) tool: Tool,
}

impl Read for Case {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let Some(mut table) = place.table("a case") else {
            return place.refuse("a table", Some("a case begins with `[[case]]`".to_owned()), sink);
        };
        let mut name = table.field("case", sink);
        let file = File::read_keys(&mut table, sink);
        let tool = Tool::read_keys(&mut table, sink);
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
            "description": "The word that tells this member of the family from the others.",
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
