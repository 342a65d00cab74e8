//! Objects with other members.

use mcp_compat_json::{Json, Object};

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
