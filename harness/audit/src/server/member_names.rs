//! The names of members by their order, so that schemas and values that differ only in them are the same.

use std::collections::{HashMap, HashSet};

use mcp_compat_json::{Json, JsonString, Object};

use super::plain::{is_plain_number, is_plain_pattern, is_plain_text};

/// Stands before the number of a name.
const MARK: char = '#';

/// Names that a client may treat in its own way: what Python servers wrap values in, and what every object of JavaScript
/// has already.
const SPECIAL: [&str; 8] = [
    "result",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// The names that a schema has, by their order in it.
#[derive(Debug, Default)]
pub(super) struct MemberNames {
    numbers: HashMap<String, usize>,
    /// Whether the schema has limits: then what is left out of a value may decide whether it conforms.
    pub(super) has_limits: bool,
}

impl MemberNames {
    /// The schema with numbers for its names and without its words, if it says of values only of which type they are and
    /// within which limits and simple patterns. Of a limit, too, only what is unusual is kept.
    pub(super) fn of_schema(schema: &Json) -> Option<(Self, Json)> {
        let mut names = Self::default();
        let renamed = names.renamed(schema)?;
        Some((names, renamed))
    }

    /// A name of a value as the schema has it: its number, or itself if the schema does not know it. What looks like a
    /// number by itself gets a second mark.
    pub(super) fn of_value(&self, name: &JsonString) -> JsonString {
        match name.as_str() {
            Some(text) if text.starts_with(MARK) => JsonString::from(format!("{MARK}{text}")),
            Some(text) => match self.numbers.get(text) {
                Some(number) => JsonString::from(format!("{MARK}{number}")),
                None => name.clone(),
            },
            None => name.clone(),
        }
    }

    fn renamed(&mut self, schema: &Json) -> Option<Json> {
        let schema = schema.as_object().filter(|schema| !schema.has_duplicates())?;
        let mut kept = Object::new();
        for (key, value) in schema.iter() {
            let said = match key.as_str()? {
                "title" | "description" if value.as_str().is_some() => continue,
                // Some validators know more keywords than this dialect has.
                "$schema" if value.as_str().is_some_and(|dialect| dialect.contains("draft-04")) => return None,
                "$schema" | "type" | "title" | "description" => value.clone(),
                "required" => {
                    let mut required = Vec::new();
                    for name in value.as_array()? {
                        let Json::String(name) = name else { return None };
                        required.push(Json::String(self.number(name)?));
                    }
                    Json::Array(required)
                }
                "properties" => {
                    let properties = value.as_object().filter(|properties| !properties.has_duplicates())?;
                    let mut renamed = Object::new();
                    for (name, property) in properties.iter() {
                        renamed.push(self.number(name)?, self.renamed(property)?);
                    }
                    Json::Object(renamed)
                }
                "additionalProperties" if value.as_bool().is_some() => value.clone(),
                "items" | "additionalProperties" => self.renamed(value)?,
                "default" => kind(value)?,
                // Decimal fractions and doubles have different multiples.
                "uniqueItems" | "multipleOf" => {
                    self.has_limits = true;
                    value.clone()
                }
                "const" | "maximum" | "maxItems" | "maxLength" | "maxProperties" | "minimum" | "minItems"
                | "minLength" | "minProperties" | "exclusiveMaximum" | "exclusiveMinimum" => {
                    self.has_limits = true;
                    kind(value)?
                }
                "pattern" if value.as_str().is_some_and(is_plain_pattern) => {
                    self.has_limits = true;
                    let pattern = value.as_str().unwrap_or_default();
                    let anchors = [(pattern.starts_with('^'), "^"), (pattern.ends_with('$'), "$")];
                    let anchors: String = anchors.into_iter().filter(|(is, _)| *is).map(|(_, anchor)| anchor).collect();
                    format!("plain{anchors}").into()
                }
                "enum" => {
                    self.has_limits = true;
                    let values = value.as_array()?;
                    // Some validators refuse a schema that names a value twice, however it is spelt.
                    let is_number = |value: &&Json| matches!(value, Json::Number(_));
                    if values.iter().filter(is_number).any(|number| !is_plain_number(&number.to_compact())) {
                        return None;
                    }
                    let known: HashSet<String> = values.iter().map(Json::to_compact).collect();
                    let kinds = values.iter().map(kind).collect::<Option<_>>()?;
                    (known.len() == values.len()).then_some(Json::Array(kinds))?
                }
                _ => return None,
            };
            kept.push(key.clone(), said);
        }
        Some(Json::Object(kept))
    }

    /// The number of a name, or the name itself if that may mean something.
    fn number(&mut self, name: &JsonString) -> Option<JsonString> {
        let text = name.as_str()?;
        if text.starts_with(MARK) {
            return None;
        }
        let is_plain = text.len() <= 64
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !SPECIAL.contains(&text);
        if is_plain {
            let next = self.numbers.len();
            self.numbers.entry(text.to_owned()).or_insert(next);
        }
        Some(self.of_value(name))
    }
}

/// What a value that a schema names is, without its words and digits if they are nothing unusual. `None` for what has parts.
fn kind(value: &Json) -> Option<Json> {
    match value {
        Json::Number(_) if is_plain_number(&value.to_compact()) => Some("number".into()),
        Json::String(_) if value.as_str().is_some_and(is_plain_text) => Some("word".into()),
        Json::Object(_) | Json::Array(_) => None,
        Json::Number(_) | Json::String(_) | Json::Bool(_) | Json::Null => Some(value.clone()),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn named(schema: &str) -> Option<String> {
        MemberNames::of_schema(&Json::parse(schema).unwrap()).map(|(_, renamed)| renamed.to_compact())
    }

    #[test]
    fn names_are_numbered_and_words_left_out() {
        let schema = r#"{"type":"object","title":"A","required":["b"],"properties":{"a":{"type":"string","description":"x","default":"y"},"b":{"items":{"type":"null"}},"result":{}}}"#;
        let expected = r##"{"type":"object","required":["#0"],"properties":{"#1":{"type":"string","default":"word"},"#0":{"items":{"type":"null"}},"result":{}}}"##;
        assert_eq!(named(schema).unwrap(), expected);
        let (names, _) = MemberNames::of_schema(&Json::parse(schema).unwrap()).unwrap();
        let of_value = |name: &str| names.of_value(&JsonString::from(name)).as_str().map(str::to_owned);
        let expected = ["#0", "c", "##0", "result"].map(|name| Some(name.to_owned()));
        assert_eq!(["b", "c", "#0", "result"].map(of_value), expected);
    }

    #[test]
    fn of_limits_what_is_unusual_is_kept() {
        let schema = r#"{"enum":["a","b",""],"maximum":17,"minimum":0,"multipleOf":0.5,"pattern":"^a[0-9]+$"}"#;
        let expected =
            r#"{"enum":["word","word",""],"maximum":"number","minimum":0,"multipleOf":0.5,"pattern":"plain^$"}"#;
        assert_eq!(named(schema).unwrap(), expected);
        let has_limits = |schema: &str| MemberNames::of_schema(&Json::parse(schema).unwrap()).unwrap().0.has_limits;
        let limited = [schema, r#"{"uniqueItems":true}"#, r#"{"pattern":"a"}"#, "{}"].map(has_limits);
        assert_eq!(limited, [true, true, true, false]);
    }

    #[rstest]
    #[case::more_than_limits(r#"{"pattern":"a|b"}"#)]
    #[case::within(r#"{"properties":{"a":{"format":"date"}}}"#)]
    #[case::a_value_named_twice(r#"{"enum":[1,2,1]}"#)]
    #[case::a_value_spelt_twice(r#"{"enum":[1,1.0]}"#)]
    #[case::a_value_with_parts(r#"{"const":[1]}"#)]
    #[case::a_dialect_without_const(r#"{"$schema":"http://json-schema.org/draft-04/schema#","const":"a"}"#)]
    #[case::repeated(r#"{"properties":{"a":{},"a":{}}}"#)]
    #[case::like_a_number(r##"{"properties":{"#0":{}}}"##)]
    #[case::no_object("true")]
    fn a_schema_that_says_more_is_not_renamed(#[case] schema: &str) {
        assert_eq!(named(schema), None);
    }
}
