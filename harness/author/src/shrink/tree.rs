//! A scenario file as one tree: TOML on top, and the JSON of its texts below.

use std::ops::Range;

use mcp_compat_json::{Json, JsonString, Number, Object, pointer_token};

/// The way down from the root as indices of children. Keys would not do: JSON may have one twice.
pub(super) type Path = [usize];

/// A part of a scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// A text, a number, a boolean or null.
    Leaf(Json),
    List(Vec<Node>),
    Map(Vec<(JsonString, Node)>),
    /// A text that is a JSON object or array, which is its only child. The text as it was written is kept until the child
    /// changes.
    Text(Option<JsonString>, Box<Node>),
}

/// Keys of the file that say what it is about, or hold raw bytes. They are left alone.
const FIXED: [&str; 10] = ["title", "why", "since", "sources", "spec", "expect", "means", "raw", "call", "to"];

impl Node {
    pub(super) fn of_toml(value: toml::Value) -> Self {
        match value {
            toml::Value::String(text) => Self::of_text(text.into()),
            toml::Value::Integer(number) => Self::Leaf(number.into()),
            toml::Value::Boolean(value) => Self::Leaf(value.into()),
            toml::Value::Array(elements) => Self::List(elements.into_iter().map(Self::of_toml).collect()),
            toml::Value::Table(members) => {
                Self::Map(members.into_iter().map(|(key, value)| (key.into(), Self::of_toml(value))).collect())
            }
            // The format has none of these.
            toml::Value::Float(_) | toml::Value::Datetime(_) => Self::Leaf(Json::Null),
        }
    }

    /// Returns nothing where TOML cannot say it.
    pub(super) fn to_toml(&self) -> Option<toml::Value> {
        Some(match self {
            Self::Leaf(Json::String(text)) => toml::Value::String(text.as_str()?.to_owned()),
            Self::Leaf(Json::Number(number)) => toml::Value::Integer(number.as_i64()?),
            Self::Leaf(leaf) => toml::Value::Boolean(leaf.as_bool()?),
            Self::List(elements) => toml::Value::Array(elements.iter().map(Self::to_toml).collect::<Option<_>>()?),
            Self::Map(members) => {
                let member = |(key, value): &(JsonString, Self)| Some((key.as_str()?.to_owned(), value.to_toml()?));
                toml::Value::Table(members.iter().map(member).collect::<Option<_>>()?)
            }
            Self::Text(..) => toml::Value::String(self.to_json().as_str()?.to_owned()),
        })
    }

    fn of_text(text: JsonString) -> Self {
        match text.as_str().and_then(|text| Json::parse(text).ok()) {
            Some(json @ (Json::Array(_) | Json::Object(_))) => Self::Text(Some(text), Box::new(Self::of_json(json))),
            Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) | None => Self::Leaf(text.into()),
        }
    }

    fn of_json(json: Json) -> Self {
        match json {
            Json::String(text) => Self::of_text(text),
            Json::Array(elements) => Self::List(elements.into_iter().map(Self::of_json).collect()),
            Json::Object(object) => {
                Self::Map(object.into_iter().map(|(key, value)| (key, Self::of_json(value))).collect())
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => Self::Leaf(json),
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Leaf(leaf) => leaf.clone(),
            Self::List(elements) => Json::Array(elements.iter().map(Self::to_json).collect()),
            Self::Map(members) => {
                Json::Object(members.iter().map(|(key, value)| (key.clone(), value.to_json())).collect::<Object>())
            }
            Self::Text(Some(text), _) => text.clone().into(),
            Self::Text(None, json) => json.to_json().to_compact().into(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Leaf(_) => 0,
            Self::List(elements) => elements.len(),
            Self::Map(members) => members.len(),
            Self::Text(..) => 1,
        }
    }

    fn child(&self, index: usize) -> Option<&Self> {
        match self {
            Self::Leaf(_) => None,
            Self::List(elements) => elements.get(index),
            Self::Map(members) => members.get(index).map(|(_, value)| value),
            Self::Text(_, json) => (index == 0).then_some(json),
        }
    }

    pub(super) fn key(&self, index: usize) -> Option<&JsonString> {
        if let Self::Map(members) = self { members.get(index).map(|(key, _)| key) } else { None }
    }

    fn member(&self, name: &str) -> Option<&Self> {
        if let Self::Map(members) = self {
            members.iter().find(|(key, _)| key == name).map(|(_, node)| node)
        } else {
            None
        }
    }

    pub(super) fn at(&self, path: &Path) -> Option<&Self> {
        path.iter().try_fold(self, |node, index| node.child(*index))
    }

    /// Returns the same node without some children.
    pub(super) fn without(&self, gone: &Range<usize>) -> Self {
        match self {
            Self::List(elements) => Self::List(outside(elements, gone)),
            Self::Map(members) => Self::Map(outside(members, gone)),
            Self::Leaf(_) | Self::Text(..) => self.clone(),
        }
    }

    /// Puts another node in a place.
    pub(super) fn replace(&mut self, path: &Path, new: Self) {
        let Some((index, rest)) = path.split_first() else {
            *self = new;
            return;
        };
        let child = match self {
            Self::Leaf(_) => None,
            Self::List(elements) => elements.get_mut(*index),
            Self::Map(members) => members.get_mut(*index).map(|(_, value)| value),
            Self::Text(text, json) => {
                *text = None;
                Some(&mut **json)
            }
        };
        if let Some(child) = child {
            child.replace(rest, new);
        }
    }

    /// Puts another node in the place of every part that equals `old`. Returns true if there was one.
    fn exchange(&mut self, old: &Self, new: &Self) -> bool {
        if self == old {
            *self = new.clone();
            return true;
        }
        match self {
            Self::Leaf(_) => false,
            Self::List(elements) => elements.iter_mut().fold(false, |done, element| element.exchange(old, new) | done),
            Self::Map(members) => members.iter_mut().fold(false, |done, (_, value)| value.exchange(old, new) | done),
            Self::Text(text, json) => {
                let done = json.exchange(old, new);
                if done {
                    *text = None;
                }
                done
            }
        }
    }

    /// Puts another node in a place and, if that is in the answer or the arguments of a tool, in every other place of the
    /// tool that says the same: a text block that repeats a value goes on to repeat it.
    pub(super) fn replace_together(&mut self, path: &Path, new: &Self) {
        let old = self.at(path).cloned();
        self.replace(path, new.clone());
        let Some((tool, key)) = self.tool_of(path) else { return };
        if key == "definition" {
            return;
        }
        if let (Some(old), Some(Self::Map(members))) = (old, self.at(&path[..tool]).cloned()) {
            let mut members = members;
            for (key, value) in &mut members {
                if key.as_str() != Some("definition") {
                    value.exchange(&old, new);
                }
            }
            self.replace(&path[..tool], Self::Map(members));
        }
    }

    /// Returns where on a path the table of a tool is, and the key of the tool below which the path goes on.
    fn tool_of(&self, path: &Path) -> Option<(usize, String)> {
        let depth = (0..path.len()).rev().find(|depth| {
            let table = self.at(&path[..*depth]);
            !self.is_json(&path[..*depth]) && table.is_some_and(|table| table.member("definition").is_some())
        })?;
        let key = self.at(&path[..depth])?.key(path[depth])?;
        Some((depth, key.as_str()?.to_owned()))
    }

    /// Returns true if a place is in the JSON of a text.
    pub(super) fn is_json(&self, path: &Path) -> bool {
        (0..path.len()).any(|depth| matches!(self.at(&path[..depth]), Some(Self::Text(..))))
    }

    /// Returns true if a child is to be left alone.
    pub(super) fn is_fixed(&self, path: &Path, child: usize) -> bool {
        let key = self.at(path).and_then(|node| node.key(child)?.as_str());
        !self.is_json(&[path, &[child]].concat()) && key.is_some_and(|key| FIXED.contains(&key))
    }

    /// Returns true if a text may get shorter: a value or prose, not a word of JSON Schema or of MCP.
    pub(super) fn is_prose(&self, path: &Path) -> bool {
        let keys: Vec<&str> =
            (0..path.len()).filter_map(|depth| self.at(&path[..depth])?.key(path[depth])?.as_str()).collect();
        let last = keys.last().copied().unwrap_or_default();
        let within = |names: &[&str]| keys.iter().any(|key| names.contains(key));
        match self.tool_of(path) {
            Some((_, key)) if key == "definition" => {
                matches!(last, "title" | "description" | "$comment")
                    || within(&["enum", "const", "default", "examples", "_meta"])
            }
            Some((_, key)) if key == "arguments" => true,
            Some(_) | None => {
                within(&["structuredContent", "_meta", "list"]) || matches!(last, "text" | "data" | "message")
            }
        }
    }

    /// Returns a path as a JSON Pointer, in which a text that is JSON has the pointers of that JSON.
    pub(super) fn pointer(&self, path: &Path) -> String {
        let token = |depth: usize| match self.at(&path[..depth])? {
            Self::Text(..) => None,
            node @ (Self::Leaf(_) | Self::List(_) | Self::Map(_)) => Some(match node.key(path[depth]) {
                Some(key) => format!("/{}", pointer_token(&key.to_string_lossy())),
                None => format!("/{}", path[depth]),
            }),
        };
        (0..path.len()).filter_map(token).collect()
    }

    /// Names a place for people: `/outputSchema/title in the definition of list_users`.
    pub(super) fn name_of(&self, path: &Path) -> String {
        let Some((tool, key)) = self.tool_of(path) else { return self.pointer(path) };
        let table = self.at(&path[..tool]);
        let name = table.and_then(|table| match table.member("definition")?.child(0)?.member("name")? {
            Self::Leaf(name) => name.as_str().map(str::to_owned),
            Self::List(_) | Self::Map(_) | Self::Text(..) => None,
        });
        let part = if matches!(key.as_str(), "returns" | "error") { "answer" } else { key.as_str() };
        let rest = self.at(&path[..=tool]).map(|node| node.pointer(&path[tool + 1..])).unwrap_or_default();
        let name = name.unwrap_or_default();
        if rest.is_empty() { format!("{part} of {name}") } else { format!("{rest} in the {part} of {name}") }
    }

    /// Returns the parts of a JSON value that could stand in its place: children, then children of those.
    pub(super) fn parts(&self) -> impl Iterator<Item = (Vec<usize>, &Self)> {
        let children = (0..self.len()).filter_map(move |index| Some((vec![index], self.child(index)?)));
        let below = children.clone().flat_map(|(path, child)| {
            (0..child.len()).filter_map(move |index| Some(([&path[..], &[index]].concat(), child.child(index)?)))
        });
        children.chain(below)
    }
}

/// The items whose places are not in a range.
fn outside<T: Clone>(items: &[T], gone: &Range<usize>) -> Vec<T> {
    let numbered = items.iter().enumerate();
    numbered.filter(|(place, _)| !gone.contains(place)).map(|(_, item)| item.clone()).collect()
}

/// Returns the characters of a text, or the digits of a number.
pub(super) fn units(leaf: &Json) -> Vec<Vec<u16>> {
    match leaf {
        // By characters as long as there are any: half a surrogate pair would be another kind of text.
        Json::String(text) => match text.as_str() {
            Some(text) => text.chars().map(|c| c.encode_utf16(&mut [0; 2]).to_vec()).collect(),
            None => text.utf16().map(|unit| vec![unit]).collect(),
        },
        Json::Number(number) => number.lexeme().encode_utf16().map(|unit| vec![unit]).collect(),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => Vec::new(),
    }
}

/// Returns a leaf of the same kind with these units, if there is one.
pub(super) fn of_units(leaf: &Json, units: &[Vec<u16>]) -> Option<Json> {
    let text = JsonString::from_utf16(&units.concat());
    match leaf {
        Json::String(_) => Some(text.into()),
        Json::Number(_) => Number::parse(text.as_str()?).map(Json::Number),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}
