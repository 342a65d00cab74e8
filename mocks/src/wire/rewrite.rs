//! JSON text as a program would write it again after it has read it into the types of its language.
//!
//! Everything that such a program keeps stays verbatim. Members and keys stay below a fixed depth, too.

use std::borrow::Cow;

use mcp_compat_json::{Json, minify, tokens};

use crate::wire::object::{Object, elements};
use crate::wire::serde_float;

/// Depth to which members and keys are rewritten.
const DEPTH: usize = 512;

/// Number types of readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// As doubles, like JavaScript.
    Doubles,
    /// As 64-bit integers, signed or not, and all others as doubles, like `serde_json` by default: a double may be the
    /// neighbour of the nearest one.
    Words,
    /// As integers of any size, and all others as doubles, like Python.
    Integers,
}

impl Numbers {
    /// A number as it is written after it was read. An infinite one, which JSON cannot write, becomes a number that no double
    /// can hold.
    fn held(self, lexeme: &str) -> Cow<'_, str> {
        let integer = !lexeme.contains(['.', 'e', 'E']);
        let exact = match self {
            Self::Doubles => false,
            Self::Words => integer && (lexeme.parse::<i64>().is_ok() || lexeme.parse::<u64>().is_ok()),
            Self::Integers => integer,
        };
        if exact {
            return Cow::Borrowed(lexeme);
        }
        let double = if self == Self::Words { serde_float::read(lexeme) } else { lexeme.parse().ok() };
        match double {
            Some(double) if double.is_finite() => Cow::Owned(double.to_string()),
            Some(double) => Cow::Borrowed(if double < 0.0 { "-1e999" } else { "1e999" }),
            None => Cow::Borrowed(lexeme),
        }
    }
}

/// A value with its numbers as a reader stores them. One that is larger than is read stays.
pub fn rounded(value: &str, numbers: Numbers) -> String {
    let Ok(tokens) = tokens(value) else { return value.to_owned() };
    let is_number = |token: &str| token.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    let held = |token| if is_number(token) { numbers.held(token) } else { Cow::Borrowed(token) };
    tokens.into_iter().map(held).collect()
}

/// A value without object members that are `null`, at any depth.
pub fn without_nulls(value: &str) -> String {
    rewritten(value, DEPTH, |object| object.retain(|member| member.value != "null"))
}

/// A value with only the last of equal keys, in every object.
pub fn with_last_keys(value: &str) -> String {
    match Json::parse(value) {
        // To cut a value into its members at every depth costs more than to look.
        Ok(json) if !repeats_a_key(&json) => minify(value).unwrap_or_else(|_| value.to_owned()),
        Ok(_) | Err(_) => rewritten(value, DEPTH, |object| object.keep_last()),
    }
}

fn repeats_a_key(json: &Json) -> bool {
    match json {
        Json::Array(items) => items.iter().any(repeats_a_key),
        Json::Object(object) => object.has_duplicates() || object.iter().any(|(_, member)| repeats_a_key(member)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

/// A value with its objects changed, at every depth.
fn rewritten(value: &str, depth: usize, change: fn(&mut Object<'_>)) -> String {
    if depth == 0 {
        return value.to_owned();
    }
    if let Some(mut object) = Object::read(value) {
        change(&mut object);
        for member in object.members_mut() {
            member.value = Cow::Owned(rewritten(&member.value, depth - 1, change));
        }
        return object.write();
    }
    match elements(value) {
        Some(elements) => {
            let elements = elements.into_iter().map(|element| rewritten(element, depth - 1, change));
            format!("[{}]", elements.collect::<Vec<_>>().join(","))
        }
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::doubles(Numbers::Doubles, ["9007199254740992", "18446744073709552000", "18446744073709552000"])]
    #[case::words(Numbers::Words, ["9007199254740993", "18446744073709551615", "18446744073709552000"])]
    #[case::integers(Numbers::Integers, ["9007199254740993", "18446744073709551615", "18446744073709551617"])]
    fn integers_become_what_the_reader_keeps(#[case] numbers: Numbers, #[case] kept: [&str; 3]) {
        let integers = "[9007199254740993,18446744073709551615,18446744073709551617]";
        assert_eq!(rounded(integers, numbers), format!("[{}]", kept.join(",")));
        assert_eq!(rounded(r#"[1.0,0.1,1e400,"1e400",-7]"#, numbers), r#"[1,0.1,1e999,"1e400",-7]"#);
    }

    #[test]
    fn a_number_that_stays_stays_verbatim_and_so_does_what_is_no_number() {
        assert_eq!(
            rounded(r#"{"a":[10,{"b":"\u0031"}],"c":true}"#, Numbers::Words),
            r#"{"a":[10,{"b":"\u0031"}],"c":true}"#
        );
        assert_eq!(rounded("0.10000000000000000555", Numbers::Integers), "0.1");
    }

    #[test]
    fn null_members_go_and_null_elements_stay() {
        assert_eq!(without_nulls(r#"{"a":null,"b":[null,{"c":null}],"d":1.0}"#), r#"{"b":[null,{}],"d":1.0}"#);
        assert_eq!(without_nulls("null"), "null");
    }

    #[test]
    fn the_last_of_equal_keys_stays_at_every_level() {
        assert_eq!(with_last_keys(r#"{"a":1,"b":[{"c":1.0,"c":2.0}],"a":3}"#), r#"{"b":[{"c":2.0}],"a":3}"#);
        assert_eq!(with_last_keys(r#"{"a": 1.0, "b": ["\u0061", {"a": 2}]}"#), r#"{"a":1.0,"b":["\u0061",{"a":2}]}"#);
    }

    #[test]
    fn numbers_are_stored_at_every_depth_and_everything_else_is_kept_where_it_is_too_deep() {
        let nested = |inner: &str| format!("{}{inner}{}", "[".repeat(600), "]".repeat(600));
        assert_eq!(rounded(&nested("1.0"), Numbers::Doubles), nested("1"));
        let null = r#"{"a":null}"#;
        assert_eq!(without_nulls(&nested(null)), nested(null));
        let twice = r#"{"a":1,"a":2}"#;
        assert_eq!(with_last_keys(&nested(twice)), nested(twice));
    }
}
