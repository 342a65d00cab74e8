//! Content of a tool result: errors, text blocks, formats, and the part of the structured content that the text has.

use mcp_compat_json::{Difference, Json, Object};
use mcp_compat_schema::inclusion::{Conformance, check, check_with_formats};

pub(super) fn is_error(result: &Json) -> bool {
    result.get("isError").and_then(Json::as_bool) == Some(true)
}

pub(super) fn text_blocks(result: &Json) -> impl Iterator<Item = &str> {
    let blocks = result.get("content").and_then(Json::as_array).unwrap_or_default();
    let text = |block: &&Json| block.get("type").and_then(Json::as_str) == Some("text");
    blocks.iter().filter(text).filter_map(|block| block.get("text")?.as_str())
}

/// Returns whether a text block parses to the value.
pub(super) fn states_whole(blocks: &[&str], value: &Json) -> bool {
    blocks.iter().any(|text| parses(text, value))
}

fn parses(text: &str, value: &Json) -> bool {
    Json::parse(text).ok().as_ref() == Some(value)
}

/// Returns whether a text block parses to the value, or each element of the value has a block that does.
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

/// Returns whether a value in a text block cannot be true beside another one: members of the same name that differ, or
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

/// Returns whether the text states what is wrapped under one key.
fn is_only_member(text: &Json, sent: &Object) -> bool {
    sent.len() == 1 && sent.iter().all(|(_, member)| member == text)
}

/// Finds a `format` that a value violates, if the value conforms to the schema otherwise. Returns the place and the
/// problem.
pub(super) fn violated_format(schema: &Json, value: &Json) -> Option<(String, String)> {
    if check(schema, value) != Conformance::Conforms {
        return None;
    }
    match check_with_formats(schema, value) {
        Conformance::Violates { instance_pointer, message, .. } => Some((instance_pointer, message)),
        Conformance::Conforms | Conformance::Undecided { .. } => None,
    }
}

/// Returns whether a value conforms to a schema but for a `format`.
pub(super) fn violates_a_format(schema: &Json, value: &Json) -> bool {
    violated_format(schema, value).is_some()
}

/// Part of its structured content that the text of a successful result has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextOfValue {
    NoText,
    /// The value under the only key of the structured content, as SDKs write it that wrap a plain value.
    OnlyMember {
        key: String,
    },
    /// The items of the list under the only key of the structured content, a block for each.
    ItemsOfOnlyMember {
        key: String,
    },
    /// JSON of the same kind as the structured content, and not equal to it.
    OtherJson {
        text: Json,
        difference: Difference,
    },
    /// JSON of another kind than the structured content.
    AnotherKind {
        text: &'static str,
        value: &'static str,
    },
    /// Text blocks without a character.
    Empty,
    Prose,
}

impl TextOfValue {
    /// `None` if a text block parses to the structured content, or there is no structured content.
    pub(super) fn of(result: &Json) -> Option<Self> {
        let value = result.get("structuredContent")?;
        let blocks: Vec<&str> = text_blocks(result).collect();
        if states(&blocks, value) {
            return None;
        }
        if blocks.is_empty() {
            return Some(Self::NoText);
        }
        if let Some((key, member)) = only_member(value)
            && says(&blocks, member)
        {
            let items = member.as_array().is_some() && !states_whole(&blocks, member);
            return Some(if items { Self::ItemsOfOnlyMember { key } } else { Self::OnlyMember { key } });
        }
        let parsed: Vec<Json> = blocks.iter().filter_map(|text| Json::parse(text).ok()).collect();
        let another = parsed.first().map(Json::kind);
        let other = parsed.into_iter().filter(|text| is_compound(text) && text.kind() == value.kind());
        let other = other.filter_map(|text| Some((value.first_difference(&text)?, text))).next();
        Some(match (other, another) {
            (Some((difference, text)), _) => Self::OtherJson { text, difference },
            (None, Some(text)) if text != value.kind() => Self::AnotherKind { text, value: value.kind() },
            (None, _) if blocks.iter().all(|text| text.trim().is_empty()) => Self::Empty,
            (None, _) => Self::Prose,
        })
    }
}

fn only_member(value: &Json) -> Option<(String, &Json)> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.iter().next().map(|(key, member)| (key.to_string_lossy().into_owned(), member))
}

const fn is_compound(value: &Json) -> bool {
    matches!(value, Json::Object(_) | Json::Array(_))
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

#[cfg(test)]
mod text_of_value_tests {
    use super::*;

    fn of(value: &str, texts: &[&str]) -> Option<TextOfValue> {
        let block = |text: &&str| format!(r#"{{"type":"text","text":{}}}"#, Json::from(*text).to_compact());
        let content = texts.iter().map(block).collect::<Vec<_>>().join(",");
        TextOfValue::of(&Json::parse(&format!(r#"{{"structuredContent":{value},"content":[{content}]}}"#)).unwrap())
    }

    #[test]
    fn text_that_states_the_value_is_told_from_none_part_other_json_and_prose() {
        assert_eq!(of(r#"{"n":1}"#, &["hello", r#"{"n": 1}"#]), None);
        assert_eq!(of("[1,2]", &["1", "2"]), None, "a block for each element");
        assert_eq!(of(r#"{"n":1}"#, &[]), Some(TextOfValue::NoText));
        let wrapped = Some(TextOfValue::OnlyMember { key: "result".to_owned() });
        assert_eq!(of(r#"{"result":"14"}"#, &["14"]), wrapped, "a string is its own text");
        assert_eq!(of(r#"{"result":[{"n":1}]}"#, &[r#"[{"n": 1}]"#]), wrapped);
        let items = Some(TextOfValue::ItemsOfOnlyMember { key: "result".to_owned() });
        assert_eq!(of(r#"{"result":[{"n":1}]}"#, &[r#"{"n": 1}"#]), items);
        assert_eq!(of(r#"{"result":["a","b"]}"#, &["a", "b"]), items);
        assert_eq!(of(r#"{"n":1}"#, &["one"]), Some(TextOfValue::Prose));
        let kinds = Some(TextOfValue::AnotherKind { text: "number", value: "object" });
        assert_eq!(of(r#"{"n":1,"unit":"m"}"#, &["1"]), kinds);
        assert_eq!(of(r#"{"result":"14","more":1}"#, &["14"]), kinds);
        assert_eq!(of(r#"{"n":1}"#, &[" "]), Some(TextOfValue::Empty));
        let Some(TextOfValue::OtherJson { difference, .. }) = of(r#"{"n":1}"#, &[r#"{"n":1,"created":null}"#]) else {
            panic!("the text has a member more");
        };
        assert_eq!(difference.pointer, "/created");
    }
}
