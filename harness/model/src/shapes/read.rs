//! Holding a value against a shape, as a reader has it.

use std::fmt::{self, Display, Write as _};

use crate::excerpt::excerpt;
use mcp_compat_json::{Json, pointer_token};

use crate::shapes::member::{Kind, Member, Shape};
use crate::shapes::official::is_loose_base64;

/// Limit of the mismatches that are looked for in one value.
const MOST: usize = 100;

/// Whoever decodes a value.
pub trait Reader {
    /// Returns true if it looks at a member at all.
    fn knows(&self, member: &Member) -> bool;

    /// Returns true if it misses a member that is not there.
    fn requires(&self, member: &Member) -> bool;

    /// Returns true if it misses members of which at least one has to be there.
    fn requires_one_of(&self) -> bool {
        true
    }

    /// Returns true if it reads null as a member that is not there.
    fn drops_null(&self, _member: &Member) -> bool {
        false
    }

    /// Returns true if it takes a value. Of objects and arrays this says nothing about what they hold.
    fn takes(&self, kind: Kind, value: &Json) -> bool;
}

/// Mismatch that a reader cannot take.
#[derive(Clone, Debug)]
pub struct Mismatch<'j> {
    /// Place, as a JSON Pointer into the value.
    pub pointer: String,
    /// The mistake there.
    pub problem: Problem<'j>,
}

impl Mismatch<'_> {
    /// Returns true if it is a null that might have been left out.
    #[must_use]
    pub fn is_dispensable_null(&self) -> bool {
        matches!(self.problem, Problem::Holds { found: Json::Null, optional: true, .. })
    }

    /// Returns true if it is a text in the place of bytes: no base64 of any alphabet, padding or layout.
    #[must_use]
    pub fn is_text_for_bytes(&self) -> bool {
        match &self.problem {
            Problem::Holds { kind: Kind::Base64, found, .. } => {
                found.as_str().is_some_and(|text| !is_loose_base64(text))
            }
            Problem::Holds { .. } | Problem::Missing | Problem::NoneOf(_) => false,
        }
    }

    /// Returns true if it is an address without a scheme.
    #[must_use]
    pub fn is_relative_uri(&self) -> bool {
        match &self.problem {
            Problem::Holds { kind: Kind::Uri | Kind::ImageUri, found, .. } => {
                found.as_str().is_some_and(|text| !has_scheme(text))
            }
            Problem::Holds { .. } | Problem::Missing | Problem::NoneOf(_) => false,
        }
    }

    /// Returns true if it is an empty array in the place of an object.
    #[must_use]
    pub fn is_empty_array_for_object(&self) -> bool {
        match &self.problem {
            Problem::Holds { kind, found: Json::Array(items), .. } => {
                items.is_empty() && expected(*kind) == "an object"
            }
            Problem::Holds { .. } | Problem::Missing | Problem::NoneOf(_) => false,
        }
    }

    /// Returns true if it is a schema in a tool's definition that JSON Schema does not allow either, or that is no object. A
    /// null in its place is a member that might have been left out.
    #[must_use]
    pub fn is_bad_schema(&self) -> bool {
        match self.pointer.strip_prefix("/outputSchema") {
            Some("") => !self.is_dispensable_null(),
            Some(_) => self.boolean_schema().is_none(),
            None => self.pointer == "/inputSchema",
        }
    }

    /// The schema `true` or `false` of a property, which JSON Schema allows.
    #[must_use]
    pub fn boolean_schema(&self) -> Option<bool> {
        let tokens: Vec<&str> = self.pointer.split('/').collect();
        match (&tokens[..], &self.problem) {
            (["", "inputSchema" | "outputSchema", "properties", _], Problem::Holds { found, .. }) => found.as_bool(),
            _ => None,
        }
    }

    /// The names of the members that lead to the place, outermost first.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
    }

    /// The place as people write it, such as `icons[0].src`.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for name in self.names() {
            let is_index = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
            let separator = if path.is_empty() || is_index { "" } else { "." };
            path.push_str(&if is_index { format!("[{name}]") } else { format!("{separator}{}", excerpt(&name)) });
        }
        path
    }
}

/// Mistake in a member.
#[derive(Clone, Copy, Debug)]
pub enum Problem<'j> {
    /// It is not there.
    Missing,
    /// None of these is there.
    NoneOf(&'static [&'static str]),
    /// It holds something else.
    Holds {
        /// The kind that it should hold.
        kind: Kind,
        /// Kind of its value.
        found: &'j Json,
        /// True if it might have been left out.
        optional: bool,
    },
}

/// Mismatches of a value with this shape that a reader cannot take, in the order of the shape. At most a hundred.
#[must_use]
pub fn mismatches<'j>(reader: &dyn Reader, shape: &'static Shape, value: &'j Json) -> Vec<Mismatch<'j>> {
    let mut read = Read { reader, pointer: String::new(), found: Vec::new() };
    read.members(shape, value);
    read.found
}

struct Read<'r, 'j> {
    reader: &'r dyn Reader,
    /// The place that it reads.
    pointer: String,
    found: Vec<Mismatch<'j>>,
}

impl<'j> Read<'_, 'j> {
    fn add(&mut self, problem: Problem<'j>) {
        if self.found.len() < MOST {
            self.found.push(Mismatch { pointer: self.pointer.clone(), problem });
        }
    }

    /// Reads a part of what it reads.
    fn within(&mut self, token: impl Display, read: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        // A string takes everything that is written to it.
        let _ = write!(self.pointer, "/{token}");
        read(self);
        self.pointer.truncate(length);
    }

    fn members(&mut self, shape: &'static Shape, object: &'j Json) {
        let mut sound = false;
        let mut of_choice = Vec::new();
        for member in shape.members.iter().filter(|member| self.reader.knows(member)) {
            let begun = self.found.len();
            match object.get(member.name) {
                None if self.reader.requires(member) => {
                    self.within(pointer_token(member.name), |read| read.add(Problem::Missing));
                }
                None => continue,
                Some(Json::Null) if self.reader.drops_null(member) => continue,
                Some(value) => {
                    self.within(pointer_token(member.name), |read| read.value(member.kind, value, !member.required));
                }
            }
            if shape.one_of.contains(&member.name) {
                sound |= self.found.len() == begun;
                of_choice.extend(self.found.drain(begun..));
            }
        }
        if shape.one_of.is_empty() || sound {
            return;
        }
        if of_choice.is_empty() && self.reader.requires_one_of() {
            self.add(Problem::NoneOf(shape.one_of));
        }
        self.found.append(&mut of_choice);
    }

    fn value(&mut self, kind: Kind, value: &'j Json, optional: bool) {
        if !self.reader.takes(kind, value) {
            self.add(Problem::Holds { kind, found: value, optional });
            return;
        }
        match (kind, value) {
            (Kind::Object(shape), Json::Object(_)) => self.members(shape, value),
            (Kind::List(kind), Json::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.within(index, |read| read.value(*kind, item, false));
                }
            }
            (Kind::MapOf(kind), Json::Object(object)) => {
                for (name, member) in object.iter() {
                    let name = pointer_token(name.as_str().unwrap_or("?"));
                    self.within(name, |read| read.value(*kind, member, false));
                }
            }
            _ => {}
        }
    }
}

impl Display for Problem<'_> {
    /// In the words that follow the name of the member, such as `is a JSON number instead of a string`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("is missing"),
            Self::NoneOf(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                write!(f, "has neither {}", names.join(" nor "))
            }
            Self::Holds { kind, found, .. } => {
                let shown = || excerpt(&found.to_compact());
                match (kind, found) {
                    (_, Json::Null) => f.write_str("is null"),
                    (Kind::Uri | Kind::ImageUri, Json::String(_)) => {
                        write!(f, "is {}, which is not an absolute URI", shown())
                    }
                    (Kind::Base64, Json::String(_)) => write!(f, "is {}, which is not base64", shown()),
                    (Kind::Time, Json::String(_)) => write!(f, "is {}, which is not a time", shown()),
                    (Kind::OneOf(words), Json::String(_)) => {
                        write!(f, "is {} instead of {}", shown(), alternatives(words))
                    }
                    (Kind::Integer, Json::Number(_)) => write!(f, "is {} instead of an integer", shown()),
                    (Kind::Count, Json::Number(_)) => write!(f, "is {} instead of an integer of 0 or more", shown()),
                    (Kind::Share, Json::Number(_)) => write!(f, "is {} instead of a number from 0 to 1", shown()),
                    _ => write!(f, "is a JSON {} instead of {}", found.kind(), expected(*kind)),
                }
            }
        }
    }
}

/// Words in quotes, with "or" before the last.
fn alternatives(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match quoted.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        Some(_) | None => quoted.concat(),
    }
}

fn expected(kind: Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Uri | Kind::ImageUri | Kind::Base64 | Kind::Time | Kind::OneOf(_) => "a string",
        Kind::Flag => "a boolean",
        Kind::Integer | Kind::Count => "an integer",
        Kind::Share => "a number",
        Kind::Map | Kind::Presence | Kind::Settings | Kind::MapOf(_) | Kind::Object(_) => "an object",
        Kind::List(_) => "an array",
    }
}

/// Returns true if a text begins with a scheme of RFC 3986, such as `file:`.
fn has_scheme(text: &str) -> bool {
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    text.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_of_scheme)
    })
}
