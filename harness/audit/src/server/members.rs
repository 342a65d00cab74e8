//! Objects with other members.

use mcp_compat_json::{Json, Object};
use mcp_compat_model::Revision;
use mcp_compat_model::shapes::{Mismatch, Official, RESULT, Shape, TOOL, block, mismatches};
use mcp_compat_model::tool::block_type_since;

use super::unusable_result::with_bytes;

/// An object with one member replaced, or added at its end.
pub(super) fn with_member(json: &Json, key: &str, value: Json) -> Json {
    let mut object = Object::new();
    let mut value = Some(value);
    for (known, old) in json.as_object().into_iter().flat_map(Object::iter) {
        match (known.as_str() == Some(key)).then(|| value.take()).flatten() {
            Some(new) => object.push(known.clone(), new),
            None => object.push(known.clone(), old.clone()),
        }
    }
    if let Some(value) = value {
        object.push(key, value);
    }
    Json::Object(object)
}

/// A value in which the member at a place has another value, or is not there. Objects on the way are made if need be.
pub(super) fn edited(json: &Json, place: &[&str], value: Option<&Json>) -> Json {
    match place {
        [] => value.unwrap_or(json).clone(),
        [key] => match value {
            Some(value) => with_member(json, key, value.clone()),
            None => without(json, |member, _| member == *key),
        },
        [key, rest @ ..] => {
            let empty = Json::Object(Object::new());
            with_member(json, key, edited(json.get(key).unwrap_or(&empty), rest, value))
        }
    }
}

/// An object without some of its members.
pub(super) fn without(json: &Json, unwanted: impl Fn(&str, &Json) -> bool) -> Json {
    let members = json.as_object().into_iter().flat_map(Object::iter);
    let kept = members.filter(|(key, value)| !key.as_str().is_some_and(|key| unwanted(key, value)));
    Json::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// The parts of a definition whose members are left out one by one. Other members are left out as a whole.
const PARTS: [&str; 3] = ["annotations", "inputSchema", "outputSchema"];

/// An object that says what a boolean schema says.
fn schema_as_object(says: bool) -> Json {
    let mut schema = Object::new();
    if !says {
        schema.push("not", Json::Object(Object::new()));
    }
    Json::Object(schema)
}

/// The definition without its wrong members, and with objects for boolean schemas; `None` if nothing is wrong.
pub(super) fn without_in_definition(definition: &Json, revision: Revision) -> Option<Json> {
    let wrong = wrong(&TOOL, definition, revision);
    let mut changed = definition.clone();
    for mismatch in &wrong {
        let names: Vec<String> = mismatch.names().collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        changed = match (mismatch.boolean_schema(), names.as_slice()) {
            (Some(says), place) => edited(&changed, place, Some(&schema_as_object(says))),
            (None, [part, member, ..]) if PARTS.contains(part) => {
                let Some(whole) = changed.get(part) else { continue };
                let whole = without(whole, |key, _| key == *member);
                with_member(&changed, part, whole)
            }
            (None, [member, ..]) => without(&changed, |key, _| key == *member),
            (None, []) => continue,
        };
    }
    (!wrong.is_empty()).then_some(changed)
}

/// The result without its wrong members; `None` if it has none.
pub(super) fn without_in_result(result: &Json, revision: Revision) -> Option<Json> {
    let wrong = wrong(&RESULT, result, revision);
    let is_wrong = |key: &str| wrong.iter().any(|mismatch| mismatch.names().next().is_some_and(|name| name == key));
    (!wrong.is_empty()).then(|| without(result, |key, _| is_wrong(key)))
}

/// The result without its wrong content blocks, and with bytes where a text stands for them; `None` if it has none.
pub(super) fn without_blocks(result: &Json, revision: Revision) -> Option<Json> {
    let blocks = result.get("content").and_then(Json::as_array)?;
    let is_right = |content: &&Json| {
        let kind = content.get("type").and_then(Json::as_str);
        let kind = kind.filter(|kind| block_type_since(kind).is_some_and(|since| revision >= since));
        kind.and_then(block).is_some_and(|shape| wrong(shape, content, revision).is_empty())
    };
    let mended: Vec<Json> = blocks.iter().map(|block| with_bytes(block, revision)).collect();
    let right: Vec<Json> = mended.into_iter().filter(|block| is_right(&block)).collect();
    (right != *blocks).then(|| with_member(result, "content", Json::Array(right)))
}

/// Mismatches with the revision, but for members that are null and bad schemas: other changes are about those.
fn wrong<'j>(shape: &'static Shape, value: &'j Json, revision: Revision) -> Vec<Mismatch<'j>> {
    let mut found = mismatches(&Official(revision), shape, value);
    found.retain(|mismatch| !mismatch.is_dispensable_null() && !mismatch.is_bad_schema());
    found
}
