//! What the text of a result has of its structured content, if no text block parses to it.

use mcp_compat_json::{Difference, Json};

use super::results::{says, states, states_whole, text_blocks};

/// What the text of a successful result has of its structured content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextOfValue {
    /// There is no text block.
    NoText,
    /// The value under the only key of the structured content, as SDKs write it that wrap a plain value.
    OnlyMember { key: String },
    /// The items of the list under the only key of the structured content, a block for each.
    ItemsOfOnlyMember { key: String },
    /// JSON of the same kind as the structured content, and not equal to it.
    OtherJson { text: Json, difference: Difference },
    /// JSON of another kind than the structured content.
    AnotherKind { text: &'static str, value: &'static str },
    /// Text blocks without a character.
    Empty,
    /// Words.
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
