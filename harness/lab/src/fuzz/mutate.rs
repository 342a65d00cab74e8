//! Mutates JSON into other JSON. Mutating single bytes would seldom give JSON.

use mcp_compat_json::{Json, JsonString, Object, first_value};

/// Parts of schemas and messages, and values at limits.
const PARTS: [&str; 44] = [
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "2",
    "1.0",
    "0.5",
    "1e400",
    "9007199254740993",
    "18446744073709551616",
    "\"\"",
    "\"a\"",
    "\"x\"",
    "\"\\ud800\"",
    "\"#\"",
    "\"#/$defs/a\"",
    "\"#/properties/a\"",
    "\"\\u202e\\u001b[2J\"",
    "[]",
    "[1]",
    "[\"a\",\"b\"]",
    "{}",
    r#"{"a":1}"#,
    r#"{"type":"object"}"#,
    r#"{"type":"array","items":{}}"#,
    r#"{"type":"string","minLength":1}"#,
    r#"{"type":"integer","minimum":0}"#,
    r#"{"type":["string","null"]}"#,
    r#"{"multipleOf":0.1}"#,
    r#"{"const":1}"#,
    r#"{"enum":["a",1,null]}"#,
    r##"{"$ref":"#"}"##,
    r##"{"$ref":"#/$defs/a"}"##,
    r#"{"not":{}}"#,
    r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#,
    r#"{"properties":{"a":{"type":"integer"}},"required":["a"]}"#,
    r#"{"additionalProperties":false}"#,
    r#"{"unevaluatedProperties":false}"#,
    r#"{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":0}}"#,
    r#"{"contains":{"type":"integer"},"minContains":0}"#,
    r#"{"pattern":"^a"}"#,
    r#"{"propertyNames":{"maxLength":2}}"#,
];

/// Keys with a meaning in a schema or a message.
const KEYS: [&str; 60] = [
    "type",
    "properties",
    "required",
    "items",
    "prefixItems",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "$ref",
    "$defs",
    "$dynamicRef",
    "$dynamicAnchor",
    "$anchor",
    "$id",
    "$schema",
    "default",
    "description",
    "a",
    "b",
    "xa",
    "id",
    "name",
    "value",
    "result",
    "error",
    "method",
    "params",
    "structuredContent",
    "content",
    "_meta",
];

/// Returns the texts of consecutive JSON values, up to the first that is malformed.
pub(crate) fn values(mut text: &str) -> Vec<&str> {
    let mut values = Vec::new();
    while let Ok((value, rest)) = first_value(text) {
        values.push(value);
        text = rest;
    }
    values
}

/// Returns the JSON values with a few changes, one on each line; empty if there are no values.
pub fn mutate(bytes: &[u8], seed: u64) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let documents = values(&text).into_iter().filter_map(|text| Json::parse(text).ok());
    let mut mutation = Mutation { documents: documents.collect(), random: fastrand::Rng::with_seed(seed) };
    if mutation.documents.is_empty() {
        return Vec::new();
    }
    for _ in 0..mutation.random.usize(1..4) {
        mutation.step();
    }
    let lines: Vec<String> = mutation.documents.iter().map(Json::to_compact).collect();
    lines.join("\n").into_bytes()
}

struct Mutation {
    documents: Vec<Json>,
    random: fastrand::Rng,
}

impl Mutation {
    fn step(&mut self) {
        let at = self.random.usize(..self.documents.len());
        match self.random.usize(..20) {
            0 => self.documents.swap(0, at),
            1 => {
                let copy = self.documents[at].clone();
                let other = self.random.usize(..self.documents.len());
                self.documents[other] = copy;
            }
            2 if self.documents.len() < 8 => {
                let part = self.part();
                self.documents.push(part);
            }
            3 if self.documents.len() > 2 => {
                self.documents.pop();
            }
            _ => self.change(at),
        }
    }

    /// Changes one place in a document.
    fn change(&mut self, at: usize) {
        let mut place = self.random.usize(..count(&self.documents[at]));
        let taken = self.part();
        let key: JsonString = KEYS[self.random.usize(..KEYS.len())].into();
        let (kind, chance) = (self.random.usize(..6), self.random.usize(..1 << 16));
        self.documents[at] = replaced(&self.documents[at], &mut place, &|json| match (kind, json) {
            (0 | 1, Json::Object(members)) => with(members, key.clone(), taken.clone()).into(),
            (2, Json::Object(members)) if !members.is_empty() => {
                let gone = chance % members.iter().len();
                let rest = members.iter().enumerate().filter(|(at, _)| *at != gone).map(|(_, member)| member);
                rest.map(|(key, value)| (key.clone(), value.clone())).collect::<Object>().into()
            }
            (3, Json::Object(members)) if !members.is_empty() => {
                let renamed = chance % members.iter().len();
                let name = |at: usize, name: &JsonString| if at == renamed { key.clone() } else { name.clone() };
                let members = members.iter().enumerate().map(|(at, (known, value))| (name(at, known), value.clone()));
                members.collect::<Object>().into()
            }
            (0 | 1, Json::Array(elements)) => {
                let mut elements = elements.clone();
                elements.insert(chance % (elements.len() + 1), taken.clone());
                elements.into()
            }
            (2, Json::Array(elements)) if !elements.is_empty() => {
                let mut elements = elements.clone();
                elements.remove(chance % elements.len());
                elements.into()
            }
            (4, Json::Number(number)) if number.as_i64().is_some() => {
                let step = [1, -1, 10][chance % 3];
                number.as_i64().unwrap_or_default().saturating_add(step).into()
            }
            _ => taken.clone(),
        });
    }

    /// Returns a part of a document, or one of [`PARTS`].
    fn part(&mut self) -> Json {
        if self.random.bool() {
            return Json::parse(PARTS[self.random.usize(..PARTS.len())]).unwrap_or(Json::Null);
        }
        let document = &self.documents[self.random.usize(..self.documents.len())];
        let mut place = self.random.usize(..count(document));
        found(document, &mut place).cloned().unwrap_or(Json::Null)
    }
}

/// Returns the object with a member added or replaced.
fn with(members: &Object, key: JsonString, value: Json) -> Object {
    let rest = members.iter().filter(|(known, _)| **known != key);
    let rest = rest.map(|(key, value)| (key.clone(), value.clone()));
    rest.chain([(key.clone(), value)]).collect()
}

/// Returns the number of values in a value, including itself.
fn count(json: &Json) -> usize {
    1 + match json {
        Json::Object(members) => members.iter().map(|(_, value)| count(value)).sum(),
        Json::Array(elements) => elements.iter().map(count).sum(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 0,
    }
}

/// Returns the value in a place, counted as [`count`] does.
fn found<'j>(json: &'j Json, place: &mut usize) -> Option<&'j Json> {
    if *place == 0 {
        return Some(json);
    }
    *place -= 1;
    match json {
        Json::Object(members) => members.iter().find_map(|(_, value)| found(value, place)),
        Json::Array(elements) => elements.iter().find_map(|element| found(element, place)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    }
}

/// Returns the value with a change in a place.
fn replaced(json: &Json, place: &mut usize, change: &dyn Fn(&Json) -> Json) -> Json {
    if *place == 0 {
        *place = usize::MAX;
        return change(json);
    }
    *place = place.saturating_sub(1);
    match json {
        Json::Object(members) => {
            let members = members.iter().map(|(key, value)| (key.clone(), replaced(value, place, change)));
            members.collect::<Object>().into()
        }
        Json::Array(elements) => {
            elements.iter().map(|element| replaced(element, place, change)).collect::<Vec<_>>().into()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => json.clone(),
    }
}
