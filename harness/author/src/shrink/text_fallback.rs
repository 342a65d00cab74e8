//! What else tells a value: the text blocks beside it follow it when it changes.

use mcp_compat_json::{Json, Object};

use super::tree;

/// The structured content of a result, if there is exactly one.
pub(super) fn structured(result: &Json) -> Option<&Json> {
    let mut values = result.as_object()?.get_all("structuredContent");
    match (values.next(), values.next()) {
        (Some(value), None) => Some(value),
        (Some(_), Some(_)) | (None, _) => None,
    }
}

/// The first text of a result's blocks: what it says where it has no structured content.
pub(super) fn first_text(result: &Json) -> Option<&str> {
    content(result)?.iter().find_map(text)
}

/// The texts of a result's text blocks.
pub(super) fn texts(result: &Json) -> impl Iterator<Item = &str> {
    content(result).unwrap_or_default().iter().filter_map(text)
}

/// The text blocks that tell a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextFallback {
    /// None does.
    Absent,
    /// At least one parses to all of it.
    Whole,
    /// One block an item, and all of them.
    PerItem,
}

/// How the text blocks of a result tell a value.
pub(super) fn fallback(result: &Json, value: &Json) -> TextFallback {
    let parsed: Vec<Option<Json>> =
        content(result).unwrap_or_default().iter().filter_map(text).map(|text| Json::parse(text).ok()).collect();
    if parsed.iter().flatten().any(|candidate| candidate == value) {
        return TextFallback::Whole;
    }
    match value.as_array() {
        Some(items) if !items.is_empty() && parsed.iter().flatten().eq(items) && parsed.len() == items.len() => {
            TextFallback::PerItem
        }
        Some(_) | None => TextFallback::Absent,
    }
}

/// The result with the text blocks that tell `old` telling `new` instead, as JSON without white space.
pub(super) fn updated(result: &Json, old: &Json, new: &Json) -> Option<Json> {
    let blocks = match fallback(result, old) {
        TextFallback::Absent => return Some(result.clone()),
        TextFallback::Whole => {
            let tells = |block: &Json| text(block).and_then(|text| Json::parse(text).ok()).as_ref() == Some(old);
            let blocks = content(result)?.iter();
            blocks.map(|block| if tells(block) { with_text(block, new) } else { Some(block.clone()) }).collect()
        }
        TextFallback::PerItem => per_item(content(result)?, new),
    };
    tree::with_member(result, "content", Json::Array(blocks?))
}

/// One block an item: those that are there as long as they last, others left as they are, the surplus gone.
fn per_item(blocks: &[Json], new: &Json) -> Option<Vec<Json>> {
    let mut items = new.as_array()?.iter();
    let retold = blocks.iter().filter_map(|block| match text(block) {
        Some(_) => items.next().map(|item| with_text(block, item)),
        None => Some(Some(block.clone())),
    });
    let retold: Option<Vec<Json>> = retold.collect();
    items.next().is_none().then_some(retold)?
}

fn with_text(block: &Json, told: &Json) -> Option<Json> {
    tree::with_member(block, "text", told.to_compact().into())
}

fn content(result: &Json) -> Option<&[Json]> {
    result.as_object().and_then(|result: &Object| result.get("content"))?.as_array()
}

/// The text of a text block.
fn text(block: &Json) -> Option<&str> {
    let is_text = block.get("type").and_then(Json::as_str) == Some("text");
    if is_text { block.get("text").and_then(Json::as_str) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    fn result(texts: &[&str]) -> Json {
        let block = |text: &&str| format!(r#"{{"type":"text","text":{}}}"#, Json::from(*text).to_compact());
        let blocks: Vec<_> = texts.iter().map(block).collect();
        json(&format!(r#"{{"content":[{},{{"type":"image"}}]}}"#, blocks.join(",")))
    }

    fn texts(result: &Json) -> Vec<&str> {
        content(result).unwrap().iter().filter_map(text).collect()
    }

    #[test]
    fn a_block_that_tells_the_value_follows_it_and_prose_does_not() {
        let result = result(&["Two users.", "[ 1,\n 2 ]"]);
        let retold = updated(&result, &json("[1,2]"), &json("[1]")).unwrap();
        assert_eq!(texts(&retold), ["Two users.", "[1]"]);
    }

    #[test]
    fn blocks_that_tell_an_item_each_follow_the_items() {
        let result = result(&["1", "2", "3"]);
        assert_eq!(fallback(&result, &json("[1,2,3]")), TextFallback::PerItem);
        assert_eq!(texts(&updated(&result, &json("[1,2,3]"), &json("[1,4]")).unwrap()), ["1", "4"]);
        assert_eq!(updated(&result, &json("[1,2,3]"), &json("[1,2,3,4]")), None, "a block more has no model");
        assert_eq!(updated(&result, &json("[1,2,3]"), &json("{}")), None);
    }

    #[test]
    fn blocks_that_tell_something_else_stay() {
        let result = result(&["1", "2"]);
        assert_eq!(fallback(&result, &json("[1]")), TextFallback::Absent);
        assert_eq!(updated(&result, &json("[1]"), &json("[]")), Some(result));
    }

    #[test]
    fn structured_content_given_twice_is_none_that_can_be_followed() {
        assert_eq!(structured(&json(r#"{"structuredContent":null}"#)), Some(&Json::Null));
        assert_eq!(structured(&json(r#"{"structuredContent":1,"structuredContent":2}"#)), None);
        assert_eq!(structured(&json("{}")), None);
    }
}
