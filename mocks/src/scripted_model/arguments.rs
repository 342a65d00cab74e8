//! Arguments of a planned call, with what a host demands beside those of the server.

use mcp_compat_json::{Json, members};
use serde_json::{Value, json};

use super::conversation::OfferedTool;

/// Adds the parameters that a tool requires as it is offered, and that the plan does not have: some hosts ask a model to
/// rate the risk of a call, or to give its reason.
pub(super) fn completed(arguments: &str, tool: &OfferedTool) -> String {
    let has = |key: &str| members(arguments).is_some_and(|all| all.iter().any(|(name, _)| *name == key));
    let Some(schema) = &tool.schema else { return arguments.to_owned() };
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    let added: Vec<String> = required
        .iter()
        .filter_map(Json::as_str)
        .filter(|key| !has(key))
        .map(|key| {
            let property = schema.get("properties").and_then(|properties| properties.get(key));
            format!("{}:{}", json!(key), some_value(property))
        })
        .collect();
    let inner = arguments.trim().trim_start_matches('{').trim_end_matches('}').trim();
    match (added.is_empty(), inner.is_empty()) {
        (true, _) => arguments.to_owned(),
        (false, true) => format!("{{{}}}", added.join(",")),
        (false, false) => format!("{{{inner},{}}}", added.join(",")),
    }
}

/// A value of a parameter: the second of several that it lists, which is rarely "unknown", or a plain one of its type.
fn some_value(property: Option<&Json>) -> Value {
    let listed = property.and_then(|property| property.get("enum")?.as_array());
    if let Some(value) = listed.and_then(|values| values.get(1).or_else(|| values.first())) {
        return value.to_value().unwrap_or(Value::Null);
    }
    match property.and_then(|property| property.get("type")?.as_str()) {
        Some("boolean") => json!(false),
        Some("integer" | "number") => json!(1),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("test"),
    }
}
