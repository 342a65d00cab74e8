//! Shallow view of a JSON object as text: members can be removed, added and replaced, and the rest stays verbatim.

use std::borrow::Cow;
use std::fmt;

use mcp_compat_json::lexemes;
use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object, in order, duplicates included.
pub struct Object<'a> {
    members: Vec<Member<'a>>,
}

/// Member: the key as it is written and as it reads, and the value as text.
pub struct Member<'a> {
    lexeme: Cow<'a, str>,
    /// The key, decoded. `None` if it contains a lone surrogate, so that it equals no key that is looked up.
    key: Option<Cow<'a, str>>,
    pub value: Cow<'a, str>,
}

impl<'a> Object<'a> {
    /// Reads the members of an object. `None` if the text is not an object.
    pub fn read(text: &'a str) -> Option<Self> {
        if !begins_with(text, '{') {
            return None;
        }
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let members = deserializer.deserialize_map(Members).ok()?;
        deserializer.end().ok()?;
        Some(Self { members })
    }

    /// The value of a member. If a key occurs twice, the last one, like most readers.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.members.iter().rev().find(|member| member.is(key)).map(|member| &*member.value)
    }

    /// Removes a member, in all its occurrences.
    pub fn remove(&mut self, key: &str) {
        self.members.retain(|member| !member.is(key));
    }

    /// Replaces the value of a member in its place.
    pub fn replace(&mut self, key: &str, value: impl Into<Cow<'a, str>>) {
        let value = value.into();
        for member in self.members.iter_mut().filter(|member| member.is(key)) {
            member.value = value.clone();
        }
    }

    /// Sets the value of a member: in its place, or as a new member at the end.
    pub fn set(&mut self, key: &str, value: String) {
        if self.get(key).is_some() {
            return self.replace(key, value);
        }
        let lexeme = Cow::Owned(crate::wire::jsonrpc::quote(key));
        self.members.push(Member { lexeme, key: Some(Cow::Owned(key.to_owned())), value: Cow::Owned(value) });
    }

    /// Keeps only the last of members with the same key.
    pub fn keep_last(&mut self) {
        let mut seen = std::collections::BTreeSet::new();
        let stays: Vec<bool> =
            self.members.iter().rev().map(|m| m.key.is_none() || seen.insert(m.key.clone())).collect();
        let mut stays = stays.into_iter().rev();
        self.members.retain(|_| stays.next().unwrap_or(true));
    }

    /// Adds a member at the front, unless the key exists. Nothing in the key may need an escape.
    pub fn lead_with(&mut self, key: &'static str, value: impl Into<Cow<'a, str>>) {
        if self.get(key).is_none() {
            self.members.insert(0, Member::new(key, value.into()));
        }
    }

    /// Adds a member at the end, unless the key exists. Nothing in the key may need an escape.
    pub fn add(&mut self, key: &'static str, value: impl Into<Cow<'a, str>>) {
        if self.get(key).is_none() {
            self.members.push(Member::new(key, value.into()));
        }
    }

    /// Adds all members of another object at the end, unless their keys exist.
    pub fn extend(&mut self, other: Object<'a>) {
        let known = self.members.len();
        for member in other.members {
            let there = self.members[..known].iter().any(|own| own.key.is_some() && own.key == member.key);
            if !there {
                self.members.push(member);
            }
        }
    }

    /// The members, for a change of their values.
    pub fn members_mut(&mut self) -> impl Iterator<Item = &mut Member<'a>> {
        self.members.iter_mut()
    }

    /// Keeps the members that a predicate admits.
    pub fn retain(&mut self, mut admits: impl FnMut(&Member<'a>) -> bool) {
        self.members.retain(|member| admits(member));
    }

    /// The object as text.
    pub fn write(&self) -> String {
        let length: usize = self.members.iter().map(|member| member.lexeme.len() + member.value.len() + 2).sum();
        let mut text = String::with_capacity(length + 2);
        text.push('{');
        for (index, member) in self.members.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(&member.lexeme);
            text.push(':');
            text.push_str(&member.value);
        }
        text.push('}');
        text
    }
}

impl<'a> Member<'a> {
    fn new(key: &'static str, value: Cow<'a, str>) -> Self {
        Self { lexeme: Cow::Owned(format!("\"{key}\"")), key: Some(Cow::Borrowed(key)), value }
    }

    /// The key, decoded, unless it cannot be.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    fn is(&self, key: &str) -> bool {
        self.key.as_deref() == Some(key)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<Member<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(lexeme) = map.next_key::<&'de RawValue>()? {
            let value: &'de RawValue = map.next_value()?;
            members.push(Member {
                lexeme: Cow::Borrowed(lexeme.get()),
                key: read_string(lexeme.get()),
                value: Cow::Borrowed(value.get()),
            });
        }
        Ok(members)
    }
}

/// The elements of an array as text. `None` if the text is not an array.
pub fn elements(text: &str) -> Option<Vec<&str>> {
    if !begins_with(text, '[') {
        return None;
    }
    let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    Some(elements.into_iter().map(RawValue::get).collect())
}

/// Tells whether the value begins so. Most are not, and an error costs more than to look.
fn begins_with(text: &str, bracket: char) -> bool {
    text.trim_start().starts_with(bracket)
}

/// A string, decoded. `None` if the text is not a string, or contains a lone surrogate.
pub fn read_string(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') { serde_json::from_str(text).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inner)) }
}

/// The same JSON without line ends: on byte streams and in event streams a line end would end the message.
///
/// A JSON string cannot hold a raw line end, so any line end stands between tokens; with the first of them all white
/// space between tokens goes.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\r']) {
        return Cow::Borrowed(text);
    }
    let white_space = |lexeme: &&[u8]| matches!(*lexeme, b" " | b"\t" | b"\n" | b"\r");
    let kept: Vec<&[u8]> = lexemes(text.as_bytes()).filter(|lexeme| !white_space(lexeme)).collect();
    // Without some of its ASCII characters a text is still a text.
    String::from_utf8(kept.concat()).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_goes_and_every_other_byte_stays() {
        let mut object =
            Object::read(r#"{"n":1e400,"gone":{"a":[1, 2]},"d":1,"d":2.0,"g\u006fne":3,"s":"\ud800"}"#).unwrap();
        object.remove("gone");
        assert_eq!(object.write(), r#"{"n":1e400,"d":1,"d":2.0,"s":"\ud800"}"#);
        assert_eq!(object.get("d"), Some("2.0"));
    }

    #[test]
    fn a_member_is_added_only_where_there_is_none() {
        let mut object = Object::read(r#"{"a":1}"#).unwrap();
        object.add("a", "2");
        object.add("b", "3");
        object.lead_with("c", "4");
        object.extend(Object::read(r#"{"b":9,"d":5}"#).unwrap());
        assert_eq!(object.write(), r#"{"c":4,"a":1,"b":3,"d":5}"#);
    }

    #[test]
    fn a_member_is_set_where_it_stands_or_at_the_end() {
        let mut object = Object::read(r#"{"a":1,"b":2}"#).unwrap();
        object.set("a", "3".to_owned());
        object.set("c\"", "4".to_owned());
        assert_eq!(object.write(), r#"{"a":3,"b":2,"c\"":4}"#);
    }

    #[test]
    fn of_equal_keys_the_last_can_be_kept_alone() {
        let mut object = Object::read(r#"{"a":1,"\ud800":0,"b":2,"\u0061":3.0,"\ud800":1}"#).unwrap();
        object.keep_last();
        assert_eq!(object.write(), r#"{"\ud800":0,"b":2,"\u0061":3.0,"\ud800":1}"#);
    }

    #[test]
    fn only_an_object_reads_as_one() {
        for text in ["[]", "1", "{", "{} {}", ""] {
            assert!(Object::read(text).is_none(), "{text:?}");
        }
        assert_eq!(Object::read(" { } ").unwrap().write(), "{}");
    }

    #[test]
    fn line_ends_go_without_touching_strings() {
        assert_eq!(one_line("{\n \"a b\\\" \": [1,\r\n 2]}"), r#"{"a b\" ":[1,2]}"#);
        assert_eq!(one_line("{ }"), "{ }");
    }
}
