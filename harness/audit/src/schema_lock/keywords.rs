//! The keywords of JSON Schema: what stands below each, the kind of its changes, and the words for them.

use mcp_compat_json::Json;
use mcp_compat_model::comparison::ChangeKind;

/// Number of characters of a value that are shown in a sentence.
const SHOWN: usize = 60;

/// The keywords whose members are schemas by name.
pub(crate) const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// The keywords whose elements are schemas.
pub(crate) const LISTED: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// The keywords that are one schema.
pub(crate) const NESTED: [&str; 11] = [
    "additionalProperties",
    "unevaluatedProperties",
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
];

/// The keywords that are only documentation.
pub(crate) const WORDS: [&str; 7] =
    ["title", "description", "$comment", "examples", "deprecated", "readOnly", "writeOnly"];

/// Returns true if the value of a keyword has schemas in it.
pub(crate) fn holds_schemas(key: &str) -> bool {
    NAMED.contains(&key) || LISTED.contains(&key) || NESTED.contains(&key)
}

/// The kind of a change of a keyword.
pub(crate) fn kind(key: &str, is_root: bool, old: Option<&Json>, new: Option<&Json>) -> ChangeKind {
    // A schema is more open than `false` and less open than none.
    let openness = |value: Option<&Json>| match value {
        Some(Json::Bool(false)) => 0,
        None | Some(Json::Bool(true)) => 2,
        Some(_) => 1,
    };
    match key {
        key if WORDS.contains(&key) => ChangeKind::Words,
        "type" if is_root => ChangeKind::RootType,
        "type" => ChangeKind::Type,
        "additionalProperties" | "unevaluatedProperties" if openness(new) < openness(old) => {
            ChangeKind::AdditionalPropertiesClosed
        }
        "additionalProperties" | "unevaluatedProperties" => ChangeKind::AdditionalPropertiesOpened,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength"
        | "minItems" | "maxItems" | "uniqueItems" | "minProperties" | "maxProperties" | "minContains"
        | "maxContains" => ChangeKind::Limit,
        "pattern" => ChangeKind::Pattern,
        "format" => ChangeKind::Format,
        "default" => ChangeKind::Default,
        "$schema" => ChangeKind::Dialect,
        "$ref" | "$dynamicRef" | "$id" | "$anchor" => ChangeKind::Reference,
        _ => ChangeKind::Keyword,
    }
}

/// A description of a change of a keyword.
pub(crate) fn change(key: &str, old: Option<&Json>, new: Option<&Json>) -> String {
    match (old, new) {
        (_, _) if WORDS.contains(&key) => format!("`{key}` changed"),
        (Some(old), Some(new)) => format!("`{key}` changed from {} to {}", shown(old), shown(new)),
        (None, Some(new)) => format!("`{key}` added: {}", shown(new)),
        (Some(old), None) => format!("`{key}` removed: it was {}", shown(old)),
        (None, None) => format!("`{key}` changed"),
    }
}

/// A value, short enough for a sentence.
pub(crate) fn shown(value: &Json) -> String {
    let text = value.to_compact();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
