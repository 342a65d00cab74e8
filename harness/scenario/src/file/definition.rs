//! A tool's definition: JSON text with a name that can be exchanged without touching the rest.

use std::borrow::Cow;

use mcp_compat_json::{Json, map_strings};
use mcp_compat_model::peer_contract::{BYSTANDER_TOOL, EVOLVE_TOOL};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::value::RawValue;

use super::payload::JsonObject;
use super::table::{Place, Read};
use crate::sink::Sink;

/// Names that begin so belong to the harness.
const RESERVED: &str = "mcp_compat_";

/// A definition as it stands in `tools/list`.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Without white space between tokens; otherwise as it was written.
    pub(crate) text: Box<RawValue>,
    pub(crate) name: String,
    pub(crate) has_output_schema: bool,
}

impl Definition {
    /// The text of the same definition under another name, every other token untouched.
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
