//! Generated values and texts.

use super::{json, number};
use mcp_compat_json::{Json, JsonString};
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) fn any_lexeme() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?",
        "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?",
        any::<i64>().prop_map(|integer| integer.to_string()),
        any::<f64>().prop_filter_map("finite", |double| serde_json::Number::from_f64(double).map(|n| n.to_string())),
    ]
}

pub(crate) fn any_string() -> impl Strategy<Value = JsonString> {
    let unit = prop_oneof![any::<u16>(), 0xd800..0xe000_u16, 0..0x80_u16];
    prop_oneof![
        any::<String>().prop_map(JsonString::from),
        vec(unit, 0..8).prop_map(|units| JsonString::from_utf16(&units)),
    ]
}

pub(crate) fn any_value(scalar: BoxedStrategy<Json>, key: BoxedStrategy<JsonString>) -> impl Strategy<Value = Json> {
    scalar.prop_recursive(4, 40, 6, move |inner| {
        let members = vec((key.clone(), inner.clone()), 0..6);
        prop_oneof![
            vec(inner, 0..6).prop_map(Json::Array),
            members.prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

pub(crate) fn any_json() -> impl Strategy<Value = Json> {
    let scalar = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any_lexeme().prop_map(|lexeme| Json::Number(number(&lexeme))),
        any_string().prop_map(Json::String),
    ];
    any_value(scalar.boxed(), any_string().boxed())
}

/// Values from so small a world that many of them are equal without being the same.
pub(crate) fn similar_json() -> impl Strategy<Value = Json> {
    let scalar = prop::sample::select(vec!["null", "1", "1.0", "10e-1", "-0", "0", r#""1""#]).prop_map(json);
    let key = prop::sample::select(vec!["a", "b", "c"]).prop_map(JsonString::from);
    any_value(scalar.boxed(), key.boxed())
}

/// Objects of a few members with the same few keys and values.
pub(crate) fn similar_object() -> impl Strategy<Value = Json> {
    let key = prop::sample::select(vec!["a", "b", "c"]);
    let value = prop::sample::select(vec!["1", "1.0", "2"]).prop_map(json);
    vec((key, value), 0..4).prop_map(|members| Json::Object(members.into_iter().collect()))
}

/// A text with white space wherever it may be and strings spelt in any way, and the same without the white space.
pub(crate) fn any_text() -> impl Strategy<Value = (String, String)> {
    let space = || "[ \t\r\n]{0,2}";
    let string = || r#""([a-z é😀/]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}|u[dD][89a-fA-F][0-9]{2})){0,5}""#;
    let token = prop_oneof![string().boxed(), any_lexeme().boxed(), "(true|false|null)".boxed()];
    let scalar = (space(), token, space()).prop_map(|(before, token, after)| (before + &token + &after, token));
    scalar.prop_recursive(4, 30, 5, move |inner| {
        let key = (space(), string(), space()).prop_map(|(before, key, after)| (before + &key + &after, key));
        let member = (key, inner.clone())
            .prop_map(|((key, key_token), (value, token))| (format!("{key}:{value}"), format!("{key_token}:{token}")));
        let enclosed = |open: char, items: Vec<(String, String)>, close: char, inside: String, around: String| {
            let (texts, tokens): (Vec<_>, Vec<_>) = items.into_iter().unzip();
            let text = if texts.is_empty() { inside } else { texts.join(",") };
            (format!("{around}{open}{text}{close}{around}"), format!("{open}{}{close}", tokens.join(",")))
        };
        prop_oneof![
            (vec(inner, 0..5), space(), space()).prop_map(move |(i, s, a)| enclosed('[', i, ']', s, a)),
            (vec(member, 0..5), space(), space()).prop_map(move |(i, s, a)| enclosed('{', i, '}', s, a)),
        ]
    })
}

/// Texts that are nearly JSON: a good one with a few characters put in, taken out or doubled.
pub(crate) fn nearly_json() -> impl Strategy<Value = String> {
    let noise = "[\\[\\]{}:,\"\\\\0-9.eE+\\-tfnulrsa \n\u{1}\u{feff}é]";
    let edits = vec((any::<prop::sample::Index>(), 0..3_u8, noise), 0..4);
    (any_text(), edits).prop_map(|((text, _), edits)| {
        let mut characters: Vec<char> = text.chars().collect();
        for (at, edit, noise) in edits {
            let at = at.index(characters.len() + 1);
            match edit {
                0 => drop(characters.splice(at..at, noise.chars())),
                1 if at < characters.len() => drop(characters.remove(at)),
                _ => characters.truncate(at),
            }
        }
        characters.into_iter().collect()
    })
}
