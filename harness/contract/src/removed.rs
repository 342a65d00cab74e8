//! What callers miss of a property that is gone from a result.

use mcp_compat_json::{Json, Object};
use mcp_compat_model::comparison::{ChangeKind, Part};

use crate::declared_inputs;
use crate::differences::Difference;
use crate::keywords::shown;

/// The words to add to such a change, if it breaks callers.
pub(crate) fn missed(old: &Json, part: Part, found: &Difference) -> Option<String> {
    if (found.kind, part) != (ChangeKind::PropertyRemoved, Part::Output) {
        return None;
    }
    let (schema, name) = found.pointer.rsplit_once("/properties/")?;
    let name = name.replace("~1", "/").replace("~0", "~");
    let (before, after) = (old.pointer(schema)?.as_object()?, found.alone.pointer(schema)?.as_object()?);
    let kind = old.pointer(&found.pointer).and_then(|property| property.get("type"));
    Some(match kind {
        _ if requires(before, &name) && !requires(after, &name) => ": it may be missing now".to_owned(),
        _ if !declared_inputs::is_open(after) => ": its value is no longer declared".to_owned(),
        Some(kind) => format!(": it no longer has to be of type {}", shown(kind)),
        None => ": it may have any value now".to_owned(),
    })
}

/// Whether an object requires the property that has a keyword at this place.
pub(crate) fn is_required(root: &Json, keyword: &str) -> bool {
    let property = keyword.rsplit_once('/').and_then(|(property, _)| property.rsplit_once("/properties/"));
    property.is_some_and(|(schema, name)| {
        let name = name.replace("~1", "/").replace("~0", "~");
        root.pointer(schema).and_then(Json::as_object).is_some_and(|schema| requires(schema, &name))
    })
}

fn requires(schema: &Object, name: &str) -> bool {
    let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    required.iter().any(|required| required.as_str() == Some(name))
}
