//! What a user passes on from one call to the next: pieces of a value, put into the arguments. Pure.

use std::collections::BTreeMap;

use serde_json::Value;

/// The arguments with what they take from the value of the call before: from JSON Pointer in the arguments to JSON
/// Pointer in that value. What is not there is left out.
pub(super) fn fed(mut arguments: Value, feed: &BTreeMap<String, String>, last: Option<&Value>) -> Value {
    for (into, from) in feed {
        let Some(piece) = last.and_then(|last| last.pointer(from)) else { continue };
        let Some((parent, key)) = into.rsplit_once('/') else { continue };
        if let Some(Value::Object(parent)) = arguments.pointer_mut(parent) {
            parent.insert(key.replace("~1", "/").replace("~0", "~"), piece.clone());
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_of_a_value_go_into_the_arguments_and_what_is_not_there_does_not() {
        let feed = BTreeMap::from([
            ("/id".to_owned(), "/users/0/id".to_owned()),
            ("/a~1b".to_owned(), "/users".to_owned()),
            ("/none".to_owned(), "/absent".to_owned()),
        ]);
        let last = json!({"users": [{"id": "u1"}]});
        let all = fed(json!({"limit": 2}), &feed, Some(&last));
        assert_eq!(all, json!({"limit": 2, "id": "u1", "a/b": [{"id": "u1"}]}));
        assert_eq!(fed(json!({}), &feed, None), json!({}));
    }
}
