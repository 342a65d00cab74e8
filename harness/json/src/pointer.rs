//! JSON Pointer (RFC 6901): resolving and writing one.

use super::{Json, JsonString, Object};
use std::borrow::Cow;

impl Json {
    /// Returns the value at a JSON Pointer: `""` is the whole value, `/a/0` the first element of member `a`. Of
    /// duplicate keys the last is followed, as with [`Json::get`].
    pub fn pointer(&self, pointer: &str) -> Option<&Json> {
        self.pointer_by(pointer, Object::get)
    }

    /// Returns the value at a JSON Pointer, with a custom lookup of members. [`Object::get`] looks at one member after
    /// the other.
    pub fn pointer_by<'j>(
        &'j self,
        pointer: &str,
        member: impl Fn(&'j Object, &str) -> Option<&'j Json>,
    ) -> Option<&'j Json> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, token| match value {
            Self::Object(object) => member(object, &unescape(token)?),
            Self::Array(elements) => elements.get(index(token)?),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => None,
        })
    }
}

/// Returns a key as it is written in a JSON Pointer.
pub fn pointer_token(key: &str) -> String {
    if !key.contains(['~', '/']) {
        return key.to_owned();
    }
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns the key that a token stands for; `None` for an invalid token.
pub(super) fn unescape(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(token.into());
    }
    let mut parts = token.split('~');
    let mut key = parts.next()?.to_owned();
    for part in parts {
        let (character, rest) = match part.as_bytes().first()? {
            b'0' => ('~', &part[1..]),
            b'1' => ('/', &part[1..]),
            _ => return None,
        };
        key.push(character);
        key.push_str(rest);
    }
    Some(key.into())
}

fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with(['0', '+']);
    if canonical { token.parse().ok() } else { None }
}

/// Step down into a value.
#[derive(Clone, Copy)]
pub(super) enum Step<'v> {
    Key(&'v JsonString),
    Index(usize),
}

/// Returns the JSON Pointer of a path from the root; a lone surrogate in a key becomes U+FFFD.
pub(super) fn to_pointer(path: &[Step<'_>]) -> String {
    let mut pointer = String::new();
    for step in path {
        pointer.push('/');
        match step {
            Step::Key(key) => pointer.push_str(&pointer_token(&key.to_string_lossy())),
            Step::Index(index) => pointer.push_str(&index.to_string()),
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rfc_resolve() {
        let document = r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#;
        let document = Json::parse(document).unwrap();
        assert_eq!(document.pointer(""), Some(&document));
        assert_eq!(document.pointer("/foo/0"), Some(&"bar".into()));
        let numbered = ["/", "/a~1b", "/c%d", "/e^f", "/g|h", "/i\\j", "/k\"l", "/ ", "/m~0n"];
        for (number, pointer) in (0_i64..).zip(numbered) {
            assert_eq!(document.pointer(pointer), Some(&number.into()), "{pointer}");
        }
    }

    #[test]
    fn a_pointer_that_leads_nowhere_gives_nothing() {
        let document = Json::parse(r#"{"a":[1,2],"~2":3}"#).unwrap();
        for pointer in
            ["a", "/b", "/a/2", "/a/-", "/a/01", "/a/+1", "/a/", "/a/0/0", "/~2", "/~", "/a/9999999999999999999999"]
        {
            assert_eq!(document.pointer(pointer), None, "{pointer}");
        }
    }

    #[test]
    fn tildes_are_unescaped_once() {
        let document = Json::parse(r#"{"~1":1,"/":2}"#).unwrap();
        assert_eq!(document.pointer("/~01"), Some(&1_i64.into()));
        assert_eq!(document.pointer("/~1"), Some(&2_i64.into()));
    }
}
