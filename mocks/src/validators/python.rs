//! Deviations of `jsonschema` for Python. Files are those of `jsonschema` 4.26.

use mcp_compat_schema::validator::{Draft, each_schema, is_unknown_dialect};
use serde_json::{Map, Value, json};

use crate::validators::Refusal;
use crate::validators::addresses::Addresses;

/// Keywords that the validator here asserts in old drafts, and `_keywords.py` has no function for.
const IGNORED: [&str; 2] = ["contentEncoding", "contentMediaType"];

/// Reads a schema as `jsonschema.validate` does.
///
/// # Errors
/// When `$schema` is nothing that can be looked up.
pub(crate) fn read(mut schema: Value) -> Result<(Value, Draft), Refusal> {
    match schema.get("$schema") {
        None | Some(Value::String(_) | Value::Null | Value::Bool(false)) => {}
        Some(_) => return Refusal::schema("$schema is no string"),
    }
    // `validators.py`, `validator_for`: the latest draft stands in for an unknown dialect.
    if is_unknown_dialect(&schema)
        && let Some(members) = schema.as_object_mut()
    {
        members.remove("$schema");
    }
    let draft = Draft::default().detect(&schema);
    let document = schema.clone();
    let addresses = Addresses::of(&document, draft);
    each_schema(&mut schema, &mut |pointer, members| {
        IGNORED.iter().for_each(|keyword| drop(members.remove(*keyword)));
        resolve_late(members, draft, |reference| {
            let base = addresses.base_at(&document, pointer);
            is_meta_schema(reference) || addresses.resolve(&document, &base, reference).is_some()
        });
        Ok::<(), Refusal>(())
    })?;
    Ok((schema, draft))
}

/// Replaces a reference that leads to nothing, so that it fails when a value comes to it (`_keywords.py`, `ref`).
fn resolve_late(members: &mut Map<String, Value>, draft: Draft, leads_somewhere: impl Fn(&str) -> bool) {
    let keywords: &[&str] = if draft == Draft::Draft202012 { &["$ref", "$dynamicRef"] } else { &["$ref"] };
    for keyword in keywords {
        match members.get(*keyword) {
            Some(Value::String(root)) if root.is_empty() => drop(members.insert((*keyword).to_owned(), json!("#"))),
            Some(Value::String(reference)) if !leads_somewhere(reference) => {
                if draft <= Draft::Draft7 {
                    members.clear();
                }
                members.remove(*keyword);
                members.insert("not".to_owned(), json!({}));
            }
            Some(_) | None => {}
        }
    }
}

/// Returns whether an address is that of a meta-schema, which every registry has.
fn is_meta_schema(reference: &str) -> bool {
    reference.contains("://json-schema.org/")
}
