//! Arguments that a user takes from the value of an earlier call: parts of that value, digit for digit.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::wire::object::{Object, elements};
use serde_json::value::RawValue;

/// Arguments with the parts that they take from a value. Each pair maps a pointer in the arguments to a pointer in the value.
///
/// A pair is skipped if the value has no such part, or the arguments no object to put it into.
pub(crate) fn with_args_from<'a>(
    arguments: &'a RawValue,
    args_from: &BTreeMap<String, String>,
    value: Option<&RawValue>,
) -> Cow<'a, RawValue> {
    let mut filled = Cow::Borrowed(arguments);
    for (into, from) in args_from {
        let Some(piece) = value.and_then(|value| get(value.get(), &tokens(from)?)) else { continue };
        let changed = tokens(into).and_then(|into| put(filled.get(), &into, &piece));
        if let Some(changed) = changed.and_then(|changed| RawValue::from_string(changed).ok()) {
            filled = Cow::Owned(changed);
        }
    }
    filled
}

/// The reference tokens of a JSON Pointer; `None` if the text is not one.
fn tokens(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let tokens = pointer.strip_prefix('/')?.split('/');
    Some(tokens.map(|token| token.replace("~1", "/").replace("~0", "~")).collect())
}

fn get(value: &str, path: &[String]) -> Option<String> {
    let Some((first, rest)) = path.split_first() else { return Some(value.to_owned()) };
    match Object::read(value) {
        Some(object) => get(object.get(first)?, rest),
        None => get(elements(value)?.get(index(first)?)?, rest),
    }
}

fn put(value: &str, path: &[String], piece: &str) -> Option<String> {
    let (first, rest) = path.split_first()?;
    if let Some(mut object) = Object::read(value) {
        let member = match rest {
            [] => piece.to_owned(),
            [_, ..] => put(object.get(first)?, rest, piece)?,
        };
        object.set(first, member);
        return Some(object.write());
    }
    let items = elements(value)?;
    let index = index(first).filter(|index| *index < items.len() && !rest.is_empty())?;
    let mut items: Vec<_> = items.into_iter().map(str::to_owned).collect();
    items[index] = put(&items[index], rest, piece)?;
    Some(format!("[{}]", items.join(",")))
}

/// The array index in a token: digits without a leading zero.
fn index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
    if plain { token.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const VALUE: &str = r#"{"id":123456789012345678901234567890,"a/b":[{"s":"ü\u00e9"},[1.0]],"n":null}"#;

    fn of(arguments: &str, into: &str, from: &str) -> String {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let args_from = BTreeMap::from([(into.to_owned(), from.to_owned())]);
        with_args_from(&raw(arguments), &args_from, Some(&raw(VALUE))).get().to_owned()
    }

    #[rstest]
    #[case::digits("{}", "/id", "/id", r#"{"id":123456789012345678901234567890}"#)]
    #[case::escapes("{}", "/s", "/a~1b/0/s", r#"{"s":"ü\u00e9"}"#)]
    #[case::whole_pieces(r#"{"x":1}"#, "/y", "/a~1b/1", r#"{"x":1,"y":[1.0]}"#)]
    #[case::in_place(r#"{"x":1,"y":2}"#, "/x", "/n", r#"{"x":null,"y":2}"#)]
    #[case::deeper(r#"{"in":[{"a":1e2}]}"#, "/in/0/b", "/n", r#"{"in":[{"a":1e2,"b":null}]}"#)]
    #[case::odd_names("{}", "/a\"b", "/n", r#"{"a\"b":null}"#)]
    fn a_piece_goes_in_as_it_stands(#[case] with: &str, #[case] into: &str, #[case] from: &str, #[case] filled: &str) {
        assert_eq!(of(with, into, from), filled);
    }

    #[rstest]
    #[case::no_member("/id", "/none")]
    #[case::no_element("/id", "/a~1b/7")]
    #[case::no_index("/id", "/a~1b/00")]
    #[case::below_a_number("/id", "/id/x")]
    #[case::no_parent("/none/id", "/id")]
    #[case::no_pointer("id", "/id")]
    #[case::no_pointer_from("/id", "id")]
    fn what_is_not_there_is_left_out(#[case] into: &str, #[case] from: &str) {
        assert_eq!(of(r#"{"x":1}"#, into, from), r#"{"x":1}"#);
    }

    #[test]
    fn without_a_value_the_arguments_stay() {
        let arguments = RawValue::from_string("{ }".to_owned()).unwrap();
        let args_from = BTreeMap::from([("/a".to_owned(), String::new())]);
        assert_eq!(with_args_from(&arguments, &args_from, None).get(), "{ }");
    }
}
