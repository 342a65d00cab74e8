//! Tools that the real interfaces refuse, with all other tools of the request.

use mcp_compat_json::Json;

use super::conversation::OfferedTool;
use super::interface::Interface;

/// A reason why an interface refuses a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Name of the tool as it was offered.
    pub tool: String,
    pub why: &'static str,
}

/// Finds the tools for which an interface refuses the whole request.
pub fn refusals(interface: Interface, offered: &[OfferedTool]) -> Vec<Refusal> {
    let of_tool = |tool: &OfferedTool| {
        let is_wrong = of_name(interface, &tool.name).or_else(|| of_schema(interface, tool.schema.as_ref()?));
        is_wrong.map(|why| Refusal { tool: tool.name.clone(), why })
    };
    offered.iter().filter_map(of_tool).collect()
}

fn of_name(interface: Interface, name: &str) -> Option<&'static str> {
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    let (is_taken, why) = match interface {
        Interface::ChatCompletions | Interface::Responses => {
            (name.len() <= 64 && name.chars().all(is_word), "the name does not match ^[a-zA-Z0-9_-]{1,64}$")
        }
        Interface::Messages => {
            (name.len() <= 128 && name.chars().all(is_word), "the name does not match ^[a-zA-Z0-9_-]{1,128}$")
        }
        Interface::GenerateContent => (
            name.len() <= 64
                && name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
                && name.chars().all(|it| is_word(it) || it == '.' || it == ':'),
            "the name does not start with a letter or an underscore, has other characters than a-z, A-Z, 0-9, _ . : -, \
             or more than 64 of them",
        ),
    };
    (!is_taken || name.is_empty()).then_some(why)
}

fn of_schema(interface: Interface, schema: &Json) -> Option<&'static str> {
    let is_object = schema.get("type").and_then(Json::as_str) == Some("object");
    let is_combined = ["oneOf", "anyOf", "allOf"].iter().any(|key| schema.get(key).is_some());
    match interface {
        Interface::ChatCompletions | Interface::Responses if !is_object => {
            Some("the schema of the parameters has no `type: \"object\"` at its root")
        }
        Interface::Messages if !is_object => Some("the input schema has no `type: \"object\"` at its root"),
        Interface::Messages | Interface::Responses if is_combined => {
            Some("the schema has oneOf, allOf or anyOf at its root")
        }
        Interface::ChatCompletions | Interface::Responses | Interface::Messages | Interface::GenerateContent => None,
    }
}
