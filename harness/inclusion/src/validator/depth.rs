//! How deep schemas and values are nested: the validator follows them on the stack.

use mcp_compat_json::Json;

/// How deep a schema or value may be nested.
pub(super) const DEPTH: usize = 128;

/// Whether a value is nested deeper than [`DEPTH`].
pub(super) fn is_too_deep(value: &Json) -> bool {
    is_deeper(value, DEPTH)
}

fn is_deeper(value: &Json, limit: usize) -> bool {
    match value {
        Json::Array(elements) => limit == 0 || elements.iter().any(|element| is_deeper(element, limit - 1)),
        Json::Object(object) => limit == 0 || object.iter().any(|(_, member)| is_deeper(member, limit - 1)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}
