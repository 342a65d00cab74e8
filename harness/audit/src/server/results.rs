//! What a result says, by itself.

use mcp_compat_json::{Json, Object};

/// Whether a result is a tool error.
pub(super) fn is_error(result: &Json) -> bool {
    result.get("isError").and_then(Json::as_bool) == Some(true)
}

/// The text blocks of a result.
pub(super) fn text_blocks(result: &Json) -> impl Iterator<Item = &str> {
    let blocks = result.get("content").and_then(Json::as_array).unwrap_or_default();
    let text = |block: &&Json| block.get("type").and_then(Json::as_str) == Some("text");
    blocks.iter().filter(text).filter_map(|block| block.get("text")?.as_str())
}

/// Whether a text block parses to the value.
pub(super) fn states_whole(blocks: &[&str], value: &Json) -> bool {
    blocks.iter().any(|text| parses(text, value))
}

fn parses(text: &str, value: &Json) -> bool {
    Json::parse(text).ok().as_ref() == Some(value)
}

/// Whether a text block parses to the value, or each element of the value has a block that does.
pub(super) fn states(blocks: &[&str], value: &Json) -> bool {
    let each = |items: &[Json]| {
        !items.is_empty()
            && items.len() == blocks.len()
            && items.iter().zip(blocks).all(|(item, text)| parses(text, item))
    };
    states_whole(blocks, value) || value.as_array().is_some_and(each)
}

/// As [`states`], where a text is also the text of itself.
pub(super) fn says(blocks: &[&str], value: &Json) -> bool {
    let is_itself = |text: &str, value: &Json| value.as_str() == Some(text);
    let each = |items: &[Json]| {
        !items.is_empty()
            && items.len() == blocks.len()
            && items.iter().zip(blocks).all(|(item, text)| is_itself(text, item) || states(&[*text], item))
    };
    states(blocks, value) || blocks.iter().any(|text| is_itself(text, value)) || value.as_array().is_some_and(each)
}

/// Whether a value that a text block states cannot be true beside another one: members of the same name that differ, or
/// another value of the same type. A summary with other members does not contradict.
pub(super) fn contradicts(text: &Json, value: &Json) -> bool {
    match (text, value) {
        (Json::Object(stated), Json::Object(sent)) => {
            stated
                .iter()
                .any(|(key, stated)| key.as_str().and_then(|key| sent.get(key)).is_some_and(|sent| sent != stated))
                && !is_only_member(text, sent)
        }
        (Json::Array(_), Json::Array(_)) => text != value,
        (Json::Number(_), Json::Number(_)) | (Json::Bool(_), Json::Bool(_)) => text != value,
        (
            Json::Object(_) | Json::Array(_) | Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_),
            Json::Object(_) | Json::Array(_) | Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_),
        ) => false,
    }
}

/// Whether the text states what is wrapped under one key.
fn is_only_member(text: &Json, sent: &Object) -> bool {
    sent.len() == 1 && sent.iter().all(|(_, member)| member == text)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[rstest]
    #[case::another_value_of_a_member(r#"{"n":2}"#, r#"{"n":1}"#, true)]
    #[case::the_same(r#"{"n":1.0}"#, r#"{"n":1}"#, false)]
    #[case::a_part(r#"{"n":1}"#, r#"{"n":1,"m":2}"#, false)]
    #[case::a_summary(r#"{"status":"ok"}"#, r#"{"n":1}"#, false)]
    #[case::what_is_wrapped(r#"[1]"#, r#"{"result":[1]}"#, false)]
    #[case::another_list("[1,2]", "[1]", true)]
    #[case::an_item_of_a_list(r#"{"n":1}"#, r#"[{"n":1}]"#, false)]
    #[case::another_number("2", "1", true)]
    #[case::a_number_in_place_of_a_text("2", r#""two""#, false)]
    fn text_contradicts_a_value_only_if_both_cannot_be_true(
        #[case] text: &str,
        #[case] value: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(contradicts(&json(text), &json(value)), expected);
    }
}
