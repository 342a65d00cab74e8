//! Keywords of one schema that came and went together: `"type": "string"` that became `anyOf`, with the same type in a
//! branch, is one change.

use std::collections::HashSet;

use mcp_compat_json::{Json, Object};
use mcp_compat_model::comparison::ChangeKind;

use crate::schema_lock::keywords::{WORDS, holds_schemas, shown};

/// The keywords that say which values there are. One of them can take the place of another.
const SHAPES: [&str; 7] = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"];

/// The keywords that say nothing of values, or mean something else where they stand in a branch.
const OWN: [&str; 7] = ["default", "$defs", "definitions", "$schema", "$id", "$anchor", "$dynamicAnchor"];

/// Largest number of keywords that are shown with their values.
const SHOWN: usize = 2;

/// A keyword in the old and in the new schema.
pub(crate) type Keyword<'s> = (&'s str, Option<&'s Json>, Option<&'s Json>);

/// The keywords that went and the keywords that came in their place.
#[derive(Debug, Default)]
pub(crate) struct Moved<'s> {
    pub(crate) gone: Vec<(&'s str, &'s Json)>,
    pub(crate) come: Vec<(&'s str, &'s Json)>,
}

impl<'s> Moved<'s> {
    /// Finds them among the keywords of a schema. The roots are those of the old and the new schema.
    pub(crate) fn among(keywords: &[Keyword<'s>], [old, new]: [&'s Json; 2]) -> Self {
        let gone = keywords.iter().filter_map(|(key, was, is)| was.filter(|_| is.is_none()).map(|was| (*key, was)));
        let come = keywords.iter().filter_map(|(key, was, is)| is.filter(|_| was.is_none()).map(|is| (*key, is)));
        let (gone, come): (Vec<_>, Vec<_>) = (gone.collect(), come.collect());
        if gone.is_empty() || come.is_empty() {
            return Self::default();
        }
        let moved = Self {
            gone: Branches::of(&come, new).that_moved(&gone).collect(),
            come: Branches::of(&gone, old).that_moved(&come).collect(),
        };
        if moved.gone.is_empty() || moved.come.is_empty() { Self::default() } else { moved }
    }

    /// Returns true if a keyword is one of them.
    pub(crate) fn has(&self, keyword: &str) -> bool {
        self.gone.iter().chain(&self.come).any(|(key, _)| *key == keyword)
    }

    pub(crate) fn kind(&self, is_root: bool) -> ChangeKind {
        match (self.has("type"), is_root) {
            (true, true) => ChangeKind::RootType,
            (true, false) => ChangeKind::Type,
            (false, _) if self.has("$ref") => ChangeKind::Reference,
            (false, _) => ChangeKind::Keyword,
        }
    }

    pub(crate) fn what(&self) -> String {
        format!("{} became {}", listed(&self.gone), listed(&self.come))
    }
}

/// The schemas that keywords lead to: branches of a choice, and what references refer to.
struct Branches<'s> {
    schemas: Vec<&'s Object>,
    keys: HashSet<&'s str>,
}

impl<'s> Branches<'s> {
    fn of(keywords: &[(&'s str, &'s Json)], root: &'s Json) -> Self {
        let target = |reference: &'s Json| root.pointer(reference.as_str()?.strip_prefix('#')?)?.as_object();
        let mut schemas: Vec<&Object> = Vec::new();
        for (key, value) in keywords {
            match *key {
                "anyOf" | "oneOf" | "allOf" => {
                    let branches = value.as_array().unwrap_or_default().iter().filter_map(Json::as_object);
                    schemas.extend(
                        branches.flat_map(|branch| [Some(branch), branch.get("$ref").and_then(target)]).flatten(),
                    );
                }
                "$ref" => schemas.extend(target(value)),
                _ => {}
            }
        }
        let keys = schemas.iter().flat_map(|schema| schema.iter()).filter_map(|(key, _)| key.as_str()).collect();
        Self { schemas, keys }
    }

    /// Returns those of the keywords that moved here, or that say the same in another way.
    fn that_moved<'a>(&'a self, keywords: &'a [(&'s str, &'s Json)]) -> impl Iterator<Item = (&'s str, &'s Json)> + 'a {
        keywords.iter().copied().filter(|(key, value)| match *key {
            // A reference to another document is a change of its own: clients must not fetch it.
            "$ref" => value.as_str().is_some_and(|reference| reference.starts_with('#')),
            key if SHAPES.contains(&key) => true,
            key if WORDS.contains(&key) || OWN.contains(&key) => false,
            // Only a part that moved as it was says what it said: a default in it, or the name of a parameter.
            key if holds_schemas(key) => self.schemas.iter().any(|schema| schema.get(key) == Some(value)),
            key => self.keys.contains(key),
        })
    }
}

/// Keywords, with their values if they are few.
fn listed(keywords: &[(&str, &Json)]) -> String {
    let with_values = keywords.len() <= SHOWN;
    let names: Vec<String> = keywords
        .iter()
        .map(|(key, value)| if with_values { format!("`{key}` {}", shown(value)) } else { format!("`{key}`") })
        .collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Describes the keywords that moved between two schemas.
    fn what(old: &str, new: &str) -> Option<String> {
        let [old, new] = [old, new].map(|schema| Json::parse(schema).unwrap());
        let (was, is) = (old.as_object().unwrap(), new.as_object().unwrap());
        let mut keys: Vec<&str> = was.iter().chain(is.iter()).filter_map(|(key, _)| key.as_str()).collect();
        keys.dedup();
        let keywords: Vec<Keyword<'_>> = keys.into_iter().map(|key| (key, was.get(key), is.get(key))).collect();
        let moved = Moved::among(&keywords, [&old, &new]);
        (!moved.gone.is_empty()).then(|| moved.what())
    }

    #[rstest]
    #[case::shapes(r#"{"type":"null"}"#, r#"{"const":null}"#, Some("`type` \"null\" became `const` null"))]
    #[case::by_reference(
        r#"{"minimum":1}"#,
        r##"{"$ref":"#/$defs/A","$defs":{"A":{"minimum":2}}}"##,
        Some(r##"`minimum` 1 became `$ref` "#/$defs/A""##)
    )]
    #[case::elsewhere(r#"{"type":"null"}"#, r#"{"$ref":"https://example.com/a"}"#, None)]
    #[case::by_no_branch(r#"{"minimum":1}"#, r#"{"anyOf":[{"maximum":1}]}"#, None)]
    #[case::words(r#"{"title":"A"}"#, r#"{"anyOf":[{"title":"A"}]}"#, None)]
    #[case::default(r#"{"default":1}"#, r#"{"anyOf":[{"default":1}]}"#, None)]
    #[case::part_as_it_was(
        r#"{"properties":{"a":{}}}"#,
        r#"{"anyOf":[{"properties":{"a":{}}}]}"#,
        Some(r#"`properties` {"a":{}} became `anyOf` [{"properties":{"a":{}}}]"#)
    )]
    #[case::part_that_changed(r#"{"properties":{"a":{}}}"#, r#"{"anyOf":[{"properties":{"b":{}}}]}"#, None)]
    #[case::nothing_came(r#"{"type":"null","anyOf":[{"type":"null"}]}"#, r#"{"title":"A"}"#, None)]
    fn what_moved(#[case] old: &str, #[case] new: &str, #[case] expected: Option<&str>) {
        assert_eq!(what(old, new).as_deref(), expected);
    }
}
