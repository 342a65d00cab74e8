//! Tools that a host does not offer at first: a model finds them with a search, and calls them through a bridge.

use mcp_compat_json::{Json, first_value};

use super::code_mode::{functions, runner};
use super::conversation::{Conversation, MadeCall, OfferedTool, Part, text_at};

/// Names of tools that search for tools, as they stand in the names that hosts give them.
const SEARCHES: [&str; 6] =
    ["tool_search", "toolsearch", "search_tools", "search_mcp_tools", "search_tool_functions", "find_tools"];

/// Names of tools that call another one.
const BRIDGES: [&str; 6] = ["tool_call", "toolcall", "call_tool", "use_mcp_tool", "call_mcp_tool", "execute_tool"];

/// Finds the tool of the host that searches for tools.
pub(super) fn search(offered: &[OfferedTool]) -> Option<&OfferedTool> {
    offered.iter().find(|tool| is_one_of(&SEARCHES, &tool.name))
}

/// Finds the tool of the host that calls tools which are not offered.
pub(super) fn bridge(offered: &[OfferedTool]) -> Option<&OfferedTool> {
    offered.iter().find(|tool| is_one_of(&BRIDGES, &tool.name))
}

fn is_one_of(names: &[&str], name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['-', '.'], "_");
    names.iter().any(|it| name.ends_with(it))
}

/// Tools that the answers to searches describe: JSON objects with a name, within a text, or functions for programs.
pub(super) fn found(conversation: &Conversation) -> Vec<OfferedTool> {
    let searched = conversation.calls.iter().filter(|call| is_one_of(&SEARCHES, &call.name));
    let parts = searched.filter_map(|call| call.answer.as_ref()).flat_map(|answer| &answer.parts);
    if runner(&conversation.offered).is_some() {
        return parts.flat_map(functions).collect();
    }
    parts.flat_map(described).collect()
}

fn described(part: &Part) -> Vec<OfferedTool> {
    let Part::Text(text) = part else { return Vec::new() };
    let (mut rest, mut tools) = (text.as_str(), Vec::new());
    while let Some(start) = rest.find('{') {
        rest = &rest[start..];
        let object = first_value(rest).ok().and_then(|(value, after)| Some((Json::parse(value).ok()?, after)));
        rest = match object {
            Some((object, after)) => {
                tools.extend(tool(&object));
                after
            }
            None => &rest[1..],
        };
    }
    tools
}

fn tool(object: &Json) -> Option<OfferedTool> {
    let schema = ["parametersJsonSchema", "parameters", "inputSchema", "input_schema"];
    Some(OfferedTool {
        namespace: None,
        name: text_at(object, "name")?,
        description: text_at(object, "description"),
        schema: schema.into_iter().find_map(|key| object.get(key)).cloned(),
    })
}

/// Arguments for a search: `query`, the parameter that is required first, or the first one.
pub(super) fn query(search: &OfferedTool, tool: &str) -> String {
    let required = || search.schema.as_ref().and_then(|schema| schema.get("required")?.as_array()?.first()?.as_str());
    let named = parameters(search).find(|key| *key == "query");
    let key = named.or_else(required).or_else(|| parameters(search).next()).unwrap_or("query");
    serde_json::json!({ key: tool }).to_string()
}

/// Arguments for a bridge: the parameters whose names speak of a name and of arguments.
pub(super) fn bridged(bridge: &OfferedTool, tool: &str, arguments: &str) -> String {
    let called = |words: &[&str]| {
        let is_called = |key: &&str| words.iter().any(|word| key.to_ascii_lowercase().contains(word));
        parameters(bridge).find(is_called)
    };
    let name = called(&["tool_name", "toolname"]).or_else(|| called(&["name", "tool"])).unwrap_or("name");
    let key = called(&["arg", "input", "param"]).unwrap_or("arguments");
    let is_text = bridge.schema.as_ref().and_then(|schema| schema.get("properties")?.get(key)?.get("type")?.as_str())
        == Some("string");
    let arguments = if is_text { serde_json::json!(arguments).to_string() } else { arguments.to_owned() };
    format!("{{{}:{},{}:{arguments}}}", quoted(name), quoted(tool), quoted(key))
}

fn quoted(text: &str) -> String {
    serde_json::json!(text).to_string()
}

fn parameters(tool: &OfferedTool) -> impl Iterator<Item = &str> {
    let properties = tool.schema.as_ref().and_then(|schema| schema.get("properties")?.as_object());
    properties.into_iter().flat_map(|properties| properties.iter()).filter_map(|(key, _)| key.as_str())
}

/// Finds the call that a bridge made, by the name in its arguments.
pub(super) fn through_bridge(call: &MadeCall) -> Option<String> {
    if !is_one_of(&BRIDGES, &call.name) {
        return None;
    }
    let arguments = Json::parse(&call.arguments).ok()?;
    let name = arguments.as_object()?.iter().find(|(key, _)| key.to_string_lossy().to_lowercase().contains("name"))?.1;
    name.as_str().map(ToOwned::to_owned)
}
