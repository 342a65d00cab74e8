//! Values that a schema is likely to take, made without the help of what is under test.

use mcp_compat_json::{Json, Object};
use proptest::prelude::Rng as _;
use proptest::test_runner::RngAlgorithm;
use proptest::test_runner::TestRng;

use crate::json;

/// Depth of the values.
const DEPTH: usize = 5;

/// Draws values by a schema.
pub(crate) struct Draw<'s> {
    root: &'s Json,
    rng: TestRng,
}

impl<'s> Draw<'s> {
    pub(crate) fn new(root: &'s Json, seed: [u8; 32]) -> Self {
        Self { root, rng: TestRng::from_seed(RngAlgorithm::ChaCha, &seed) }
    }

    pub(crate) fn value(&mut self) -> Json {
        let root = self.root;
        self.of(root, DEPTH)
    }

    fn below(&mut self, count: usize) -> usize {
        self.rng.next_u32() as usize % count
    }

    fn pick<'v>(&mut self, values: &'v [Json]) -> Option<&'v Json> {
        if values.is_empty() { None } else { Some(&values[self.below(values.len())]) }
    }

    fn of(&mut self, schema: &Json, depth: usize) -> Json {
        // Now and then something else, since a schema says less than one thinks.
        if depth == 0 || schema.as_object().is_none() || self.below(12) == 0 {
            return self.anything();
        }
        if let Some(reference) = schema.get("$ref").and_then(Json::as_str) {
            let root = self.root;
            return root.pointer(&reference[1..]).map_or(Json::Null, |target| self.of(target, depth - 1));
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(value) = schema.get("enum").and_then(Json::as_array).and_then(|values| self.pick(values)) {
            return value.clone();
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            if let Some(branch) = schema.get(keyword).and_then(Json::as_array).and_then(|branches| self.pick(branches))
            {
                return self.of(&branch.clone(), depth - 1);
            }
        }
        let kind = match schema.get("type") {
            Some(Json::Array(kinds)) => self.pick(kinds).and_then(Json::as_str),
            kind => kind.and_then(Json::as_str),
        };
        match kind {
            Some("object") => self.object(schema, depth),
            Some("array") => self.array(schema, depth),
            Some("integer") => i64::from(self.rng.next_u32() % 9).saturating_sub(4).into(),
            Some("number") => json(["-1.5", "0", "0.5", "1", "2.0", "7"][self.below(6)]),
            Some("string") => ["", "a", "ab", "abc", "abcd", "b", "x"][self.below(7)].into(),
            Some("boolean") => (self.below(2) == 0).into(),
            Some("null") => Json::Null,
            Some(_) | None if schema.get("properties").is_some() => self.object(schema, depth),
            Some(_) | None => self.anything(),
        }
    }

    fn object(&mut self, schema: &Json, depth: usize) -> Json {
        let mut members = Object::new();
        for (name, part) in schema.get("properties").and_then(Json::as_object).into_iter().flat_map(Object::iter) {
            let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
            let required = required.iter().any(|wanted| wanted.as_str() == name.as_str());
            if (required && self.below(15) > 0) || self.below(2) == 0 {
                members.push(name.clone(), self.of(part, depth - 1));
            }
        }
        for name in ["extra", "xb", "a", "b"] {
            if self.below(5) == 0 && !members.contains_key(name) {
                let part = schema.get("additionalProperties").cloned().unwrap_or(Json::Bool(true));
                members.push(name, self.of(&part, depth - 1));
            }
        }
        members.into()
    }

    fn array(&mut self, schema: &Json, depth: usize) -> Json {
        let first = schema.get("prefixItems").and_then(Json::as_array).unwrap_or_default();
        let rest = schema.get("items").or(schema.get("contains")).cloned().unwrap_or(Json::Bool(true));
        (0..self.below(4))
            .map(|at| self.of(&first.get(at).cloned().unwrap_or_else(|| rest.clone()), depth - 1))
            .collect::<Vec<_>>()
            .into()
    }

    fn anything(&mut self) -> Json {
        let all = [
            "null",
            "true",
            "0",
            "1",
            "2",
            "-3",
            "0.5",
            "\"\"",
            "\"a\"",
            "\"abc\"",
            "[]",
            "[1]",
            "[null]",
            "{}",
            r#"{"a":1}"#,
            r#"{"b":"a","xa":null}"#,
        ];
        json(all[self.below(all.len())])
    }
}
