//! Members and content blocks that the schema of a revision does not allow, left out. This shows what a correction brings,
//! whatever the right value is.

use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::tool_result::block_type_since;
use mcp_compat_shapes::{Official, RESULT, Shape, TOOL, block, mismatches};

use super::members::{with_member, without};

/// The parts of a definition whose members are left out one by one. Other members are left out as a whole.
const PARTS: [&str; 2] = ["annotations", "inputSchema"];

/// The definition without its wrong members; `None` if it has none.
pub(super) fn without_in_definition(definition: &Json, revision: Revision) -> Option<Json> {
    let wrong = wrong(&TOOL, definition, revision);
    // A schema that is no object at all cannot be left out.
    let wrong: Vec<_> = wrong.iter().filter(|place| place.as_slice() != ["inputSchema"]).collect();
    let mut changed = definition.clone();
    for place in &wrong {
        changed = match place.as_slice() {
            [part, member, ..] if PARTS.contains(&part.as_str()) => {
                let Some(whole) = changed.get(part) else { continue };
                let whole = without(whole, |key, _| key == member);
                with_member(&changed, part, whole)
            }
            [member, ..] => without(&changed, |key, _| key == member),
            [] => continue,
        };
    }
    (!wrong.is_empty()).then_some(changed)
}

/// The result without its wrong members; `None` if it has none.
pub(super) fn without_in_result(result: &Json, revision: Revision) -> Option<Json> {
    let wrong = wrong(&RESULT, result, revision);
    let is_wrong = |key: &str| wrong.iter().any(|place| place.first().is_some_and(|member| member == key));
    (!wrong.is_empty()).then(|| without(result, |key, _| is_wrong(key)))
}

/// The result without its wrong content blocks; `None` if it has none.
pub(super) fn without_blocks(result: &Json, revision: Revision) -> Option<Json> {
    let blocks = result.get("content").and_then(Json::as_array)?;
    let is_right = |content: &&Json| {
        let kind = content.get("type").and_then(Json::as_str);
        let kind = kind.filter(|kind| block_type_since(kind).is_some_and(|since| revision >= since));
        kind.and_then(block).is_some_and(|shape| wrong(shape, content, revision).is_empty())
    };
    let right: Vec<Json> = blocks.iter().filter(is_right).cloned().collect();
    (right.len() < blocks.len()).then(|| with_member(result, "content", Json::Array(right)))
}

/// The places of what the revision does not allow, but for members that are null: leaving those out is a change of its own.
fn wrong(shape: &'static Shape, value: &Json, revision: Revision) -> Vec<Vec<String>> {
    let found = mismatches(&Official(revision), shape, value);
    let found = found.iter().filter(|mismatch| !mismatch.is_dispensable_null());
    found.map(|mismatch| mismatch.pointer.split('/').skip(1).map(str::to_owned).collect()).collect()
}
