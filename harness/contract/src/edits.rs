//! Places in a schema that a difference changes, made in one schema and undone in the other.

use mcp_compat_json::{Json, Object};

/// A place that a difference changes: the value in the old schema that makes it, and the one in the new schema that undoes it.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) path: Vec<String>,
    pub(crate) make: Option<Json>,
    pub(crate) undo: Option<Json>,
}

/// The value with those at paths replaced, one after the other.
pub(crate) fn edited<'e>(value: &Json, edits: impl Iterator<Item = (&'e [String], Option<&'e Json>)>) -> Json {
    let mut edited = None;
    for (path, with) in edits {
        edited = Some(replaced(edited.as_ref().unwrap_or(value), path, with));
    }
    edited.unwrap_or_else(|| value.clone())
}

/// The value with the one at a path replaced, or removed if there is no new one.
fn replaced(value: &Json, path: &[String], with: Option<&Json>) -> Json {
    let Some((first, rest)) = path.split_first() else { return with.unwrap_or(value).clone() };
    match value {
        Json::Object(members) => {
            let mut changed = Object::new();
            for (key, member) in members.iter() {
                if *key != **first {
                    changed.push(key.clone(), member.clone());
                } else if !rest.is_empty() || with.is_some() {
                    changed.push(key.clone(), replaced(member, rest, with));
                }
            }
            if !members.contains_key(first) && with.is_some() {
                // If the keyword is new, so is the path below it.
                changed.push(first.as_str(), replaced(&Object::new().into(), rest, with));
            }
            changed.into()
        }
        Json::Array(elements) => {
            let at = |(at, element): (usize, &Json)| {
                if at.to_string() == *first { replaced(element, rest, with) } else { element.clone() }
            };
            elements.iter().enumerate().map(at).collect::<Vec<_>>().into()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value.clone(),
    }
}

/// The list and one value more.
pub(crate) fn with(list: &[Json], value: &Json) -> Json {
    list.iter().chain([value]).cloned().collect::<Vec<_>>().into()
}

/// The list without a value.
pub(crate) fn without(list: &[Json], value: &Json) -> Json {
    list.iter().filter(|other| *other != value).cloned().collect::<Vec<_>>().into()
}
