//! Check of one value by a part of a schema.
//!
//! The validator takes whole schemas only. A part without references is a whole schema; any other part is taken apart until
//! its parts are. The answer is `None` for keywords that are not understood.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_compat_json::{Json, JsonString, Object};

use crate::inclusion::budget::{CHECKED, compiling, parts};
use crate::inclusion::document::{Dialect, Node};
use crate::inclusion::prove::Prover;
use crate::inclusion::validator::{Compiled, Schemas};

/// Depth up to which a schema is followed for one value.
const DEPTH: usize = 40;

/// Steps to match a name with a pattern.
const MATCH: u64 = 8;

/// The keywords that say nothing of a value but what stands in them.
const PLAIN: [&str; 20] = [
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "required",
    "dependentRequired",
    "contentEncoding",
    "contentMediaType",
];

/// The keywords, beside references, that pass a value on to other schemas, and that are followed here.
const FOLLOWED: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "not", "if"];

/// Keywords that are not followed. A schema with one of them can only be known to refuse a value.
const NOT_FOLLOWED: [&str; 9] = [
    "$dynamicRef",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
    "propertyNames",
    "dependentSchemas",
    "dependencies",
    "additionalItems",
    "$recursiveRef",
];

/// Keywords of a part of a schema that the validator checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    Whole,
    /// The keywords that say nothing of a value but what stands in them.
    Plain,
}

/// Parts by their address. None of them is dropped while proofs are made. `None` if a part has nothing to ask about.
pub(crate) type Parts = HashMap<(usize, Asked), Option<Part>>;

/// A part of a schema.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    compiled: Arc<Compiled>,
    steps: u64,
}

impl Part {
    pub(crate) fn of(schema: &Json, schemas: &Schemas) -> Self {
        schemas.budget.take(compiling(schema));
        Self { compiled: schemas.compiled(schema), steps: 1 + parts(schema) / CHECKED }
    }

    /// Steps of a check of a value.
    pub(crate) const fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns true if a value conforms. `None` if that is undecided.
    pub(crate) fn takes(&self, value: &Json) -> Option<bool> {
        self.compiled.takes(value)
    }
}

impl<'d> Prover<'d> {
    /// Returns true if a value conforms to a part. `None` if that is not certain.
    pub(crate) fn takes(&mut self, node: &Node<'d>, value: &Json) -> Option<bool> {
        self.takes_within(node, value, DEPTH)
    }

    fn takes_within(&mut self, node: &Node<'d>, value: &Json, depth: usize) -> Option<bool> {
        if let Some(truth) = node.truth() {
            return Some(truth);
        }
        let depth = depth.checked_sub(1)?;
        if !self.may_go_on() {
            return None;
        }
        if node.is_closed() {
            return self.asked(node, Asked::Whole, value);
        }
        let keywords = node.keywords();
        let mut all = vec![self.asked(node, Asked::Plain, value)];
        if keywords.iter().any(|(key, _)| NOT_FOLLOWED.contains(key)) && node.dialect() != Dialect::Draft4 {
            all.push(None);
        }
        for (key, _) in keywords.iter().filter(|(key, _)| FOLLOWED.contains(key)) {
            all.push(self.followed(node, key, value, depth));
        }
        match value {
            Json::Object(members) => all.push(self.takes_members(node, members, depth)),
            Json::Array(elements) => {
                let (first, rest) = node.elements();
                for (at, element) in elements.iter().enumerate() {
                    if let Some(part) = first.get(at).or(rest.as_ref()) {
                        all.push(self.takes_within(part, element, depth));
                    }
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
        all_of(all)
    }

    fn followed(&mut self, node: &Node<'d>, keyword: &str, value: &Json, depth: usize) -> Option<bool> {
        let mut each = |list: Vec<Node<'d>>| -> Vec<Option<bool>> {
            list.iter().map(|part| self.takes_within(part, value, depth)).collect()
        };
        match keyword {
            "$ref" => self.takes_within(&node.target()?, value, depth),
            "allOf" => all_of(each(node.list("allOf"))),
            "anyOf" => any_of(&each(node.list("anyOf"))),
            "oneOf" => {
                let answers = each(node.list("oneOf"));
                let sure = |wanted| answers.iter().filter(|answer| **answer == Some(wanted)).count();
                match (sure(true), sure(false)) {
                    (2.., _) => Some(false),
                    (one, none) if one + none == answers.len() => Some(one == 1),
                    _ => None,
                }
            }
            "not" => self.takes_within(&node.part("not")?, value, depth).map(|taken| !taken),
            "if" => {
                let branch = if self.takes_within(&node.part("if")?, value, depth)? { "then" } else { "else" };
                node.part(branch).map_or(Some(true), |branch| self.takes_within(&branch, value, depth))
            }
            _ => None,
        }
    }

    fn takes_members(&mut self, node: &Node<'d>, members: &Object, depth: usize) -> Option<bool> {
        let mut all = Vec::new();
        for (key, member) in members.iter() {
            let (parts, certain) = self.member_parts(node, key.as_str()?);
            if !certain {
                all.push(None);
            }
            for part in parts {
                all.push(self.takes_within(&part, member, depth));
            }
        }
        all_of(all)
    }

    /// Returns the schemas of the member with this name, and true if these are all.
    pub(crate) fn member_parts(&mut self, node: &Node<'d>, name: &str) -> (Vec<Node<'d>>, bool) {
        let mut parts: Vec<_> = node.under("properties", name).into_iter().collect();
        let mut certain = true;
        for (pattern, part) in node.named("patternProperties") {
            match self.matches(node.dialect(), pattern, name) {
                Some(true) => parts.push(part),
                Some(false) => {}
                None => certain = false,
            }
        }
        if parts.is_empty() && certain {
            parts.extend(node.further_members());
        }
        (parts, certain)
    }

    /// Returns true if a pattern matches a text. `None` if that is undecided.
    pub(crate) fn matches(&mut self, dialect: Dialect, pattern: &str, text: &str) -> Option<bool> {
        if !self.schemas.budget.take(MATCH) {
            return None;
        }
        let schema = whole([("pattern", &pattern.into())], dialect)?;
        self.schemas.compiled(&schema).takes(&text.into())
    }

    /// Checks a value by some keywords of a part of a schema.
    fn asked(&mut self, node: &Node<'d>, asked: Asked, value: &Json) -> Option<bool> {
        let part = self.parts.entry((node.address(), asked)).or_insert_with(|| {
            let keywords = node.keywords().into_iter().filter(|(key, _)| match asked {
                Asked::Whole => *key != "$schema",
                Asked::Plain => PLAIN.contains(key),
            });
            Some(Part::of(&whole(keywords, node.dialect())?, self.schemas))
        });
        let Some(part) = part else { return Some(true) };
        if !self.schemas.budget.take(part.steps()) {
            return None;
        }
        part.takes(value)
    }

    /// Returns true if two schemas have the same text and mean the same.
    pub(crate) fn is_same(one: &Node<'d>, other: &Node<'d>) -> bool {
        one.dialect() == other.dialect() && one.is_whole() && one.json() == other.json()
    }
}

/// Conjunction of answers: one `false` decides.
fn all_of(answers: Vec<Option<bool>>) -> Option<bool> {
    if answers.contains(&Some(false)) {
        return Some(false);
    }
    if answers.contains(&None) { None } else { Some(true) }
}

/// Disjunction of answers: one `true` decides.
fn any_of(answers: &[Option<bool>]) -> Option<bool> {
    if answers.contains(&Some(true)) {
        return Some(true);
    }
    if answers.contains(&None) { None } else { Some(false) }
}

/// The schema with these keywords, if there are any.
fn whole<'k>(keywords: impl IntoIterator<Item = (&'k str, &'k Json)>, dialect: Dialect) -> Option<Json> {
    let mut schema: Object = keywords.into_iter().map(|(key, value)| (key, value.clone())).collect();
    if schema.is_empty() {
        return None;
    }
    schema.push("$schema", uri(dialect));
    Some(schema.into())
}

fn uri(dialect: Dialect) -> JsonString {
    match dialect {
        Dialect::Draft4 => "http://json-schema.org/draft-04/schema#",
        Dialect::Draft6 => "http://json-schema.org/draft-06/schema#",
        Dialect::Draft7 => "http://json-schema.org/draft-07/schema#",
        Dialect::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
        Dialect::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
    }
    .into()
}
