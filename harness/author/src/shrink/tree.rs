//! Surgery on JSON: what stands at a place, and the same value with one place changed.
//!
//! A place is the way down from the root as indices of children. Keys would not do: one may be given twice.

use std::ops::Range;

use mcp_compat_json::{Json, JsonString, Object, pointer_token};

/// How many elements or members a value has.
pub(super) fn children(value: &Json) -> usize {
    match value {
        Json::Array(elements) => elements.len(),
        Json::Object(object) => object.len(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 0,
    }
}

/// The element or member at `index`.
pub(super) fn child(value: &Json, index: usize) -> Option<&Json> {
    match value {
        Json::Array(elements) => elements.get(index),
        Json::Object(object) => object.iter().nth(index).map(|(_, value)| value),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    }
}

/// The key of the member at `index`; nothing for an element.
pub(super) fn key(value: &Json, index: usize) -> Option<&JsonString> {
    value.as_object()?.iter().nth(index).map(|(key, _)| key)
}

/// Where the member `key` stands among the members; the last one, as [`Json::get`] has it.
pub(super) fn place(value: &Json, key: &str) -> Option<usize> {
    let object = value.as_object()?;
    object.iter().enumerate().rfind(|(_, (name, _))| **name == *key).map(|(index, _)| index)
}

/// What stands at a place.
pub(super) fn at<'j>(root: &'j Json, path: &[usize]) -> Option<&'j Json> {
    path.iter().try_fold(root, |value, index| child(value, *index))
}

/// The same value with something else at a place.
pub(super) fn replaced(root: &Json, path: &[usize], new: Json) -> Option<Json> {
    let Some((index, rest)) = path.split_first() else { return Some(new) };
    let inner = replaced(child(root, *index)?, rest, new)?;
    Some(match root {
        Json::Array(elements) => {
            let mut elements = elements.clone();
            *elements.get_mut(*index)? = inner;
            Json::Array(elements)
        }
        Json::Object(object) => {
            let mut inner = Some(inner);
            let members = object.iter().enumerate().map(|(place, (key, value))| {
                let value = if place == *index { inner.take() } else { None }.unwrap_or_else(|| value.clone());
                (key.clone(), value)
            });
            Json::Object(members.collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
    })
}

/// The same value without a run of the elements or members at a place.
pub(super) fn without(root: &Json, path: &[usize], gone: &Range<usize>) -> Option<Json> {
    let left = match at(root, path)? {
        Json::Array(elements) => {
            let kept = elements.iter().enumerate().filter(|(index, _)| !gone.contains(index));
            Json::Array(kept.map(|(_, element)| element.clone()).collect())
        }
        Json::Object(object) => {
            let kept = object.iter().enumerate().filter(|(index, _)| !gone.contains(index));
            Json::Object(kept.map(|(_, (key, value))| (key.clone(), value.clone())).collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
    };
    replaced(root, path, left)
}

/// The same object with this value for `key`, in its place; added at the end where there was none.
pub(super) fn with_member(object: &Json, key: &str, value: Json) -> Option<Json> {
    if let Some(index) = place(object, key) {
        return replaced(object, &[index], value);
    }
    let mut members: Object = object.as_object()?.clone();
    members.push(key, value);
    Some(members.into())
}

/// The same value with every part that equals `old` exchanged for `new`.
pub(super) fn exchanged(root: &Json, old: &Json, new: &Json) -> Json {
    if root == old {
        return new.clone();
    }
    match root {
        Json::Array(elements) => Json::Array(elements.iter().map(|element| exchanged(element, old, new)).collect()),
        Json::Object(object) => {
            let members = object.iter().map(|(key, value)| (key.clone(), exchanged(value, old, new)));
            Json::Object(members.collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => root.clone(),
    }
}

/// Whether some part of a value equals another.
pub(super) fn holds(root: &Json, part: &Json) -> bool {
    root == part || (0..children(root)).filter_map(|index| child(root, index)).any(|inner| holds(inner, part))
}

/// A place as a JSON Pointer, for people: a lone surrogate in a key is shown as U+FFFD.
pub(super) fn pointer(root: &Json, path: &[usize]) -> String {
    let mut pointer = String::new();
    let mut value = Some(root);
    for index in path {
        pointer.push('/');
        match value.and_then(|value| key(value, *index)) {
            Some(key) => pointer.push_str(&pointer_token(&key.to_string_lossy())),
            None => pointer.push_str(&index.to_string()),
        }
        value = value.and_then(|value| child(value, *index));
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn a_place_is_found_changed_and_named() {
        let root = json(r#"{"a":[1,{"b/c":2}],"d":3}"#);
        assert_eq!(at(&root, &[0, 1, 0]), Some(&json("2")));
        assert_eq!(pointer(&root, &[0, 1, 0]), "/a/1/b~1c");
        assert_eq!(replaced(&root, &[0, 1], json("9")).unwrap().to_compact(), r#"{"a":[1,9],"d":3}"#);
        assert_eq!(without(&root, &[0], &(0..1)).unwrap().to_compact(), r#"{"a":[{"b/c":2}],"d":3}"#);
        assert_eq!(without(&root, &[], &(0..2)).unwrap().to_compact(), "{}");
        for path in [&[2][..], &[1, 0], &[0, 0, 0]] {
            assert_eq!((at(&root, path), replaced(&root, path, Json::Null)), (None, None), "{path:?}");
        }
        assert_eq!(without(&root, &[1], &(0..1)), None);
    }

    #[test]
    fn of_two_members_with_one_key_each_is_a_place_of_its_own() {
        let root = json(r#"{"a":1,"a":2}"#);
        assert_eq!(without(&root, &[], &(0..1)).unwrap().to_compact(), r#"{"a":2}"#);
        assert_eq!(replaced(&root, &[0], json("3")).unwrap().to_compact(), r#"{"a":3,"a":2}"#);
        assert_eq!(with_member(&root, "a", json("4")).unwrap().to_compact(), r#"{"a":1,"a":4}"#);
    }

    #[test]
    fn a_part_is_exchanged_wherever_it_stands() {
        let root = json(r#"{"result":[1,2],"twice":{"result":[1.0,2]}}"#);
        assert!(holds(&root, &json("[1,2]")) && !holds(&root, &json("[2,1]")));
        let exchanged = exchanged(&root, &json("[1,2]"), &json("[]"));
        assert_eq!(exchanged.to_compact(), r#"{"result":[],"twice":{"result":[]}}"#);
    }
}
