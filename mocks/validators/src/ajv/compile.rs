//! What Ajv refuses when it compiles a schema.
//!
//! It looks at a schema where it writes code for it, so a definition that nothing refers to is not read. It checks the JSON
//! type of a keyword's value, and hardly the value.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::class::Engine;
use super::references::{References, rebased, text};
use super::types::{schema_types, type_of};
use crate::patterns::Patterns;
use crate::refusal::Refusal;

/// How deep schemas may be nested, with what they refer to.
const DEPTH: u16 = 512;

/// A compilation.
pub(super) struct Compiler<'a, 's> {
    pub(super) engine: Engine,
    pub(super) references: &'a References<'s>,
    pub(super) patterns: &'a Patterns,
    /// The schemas that code is written for, by address, with the address for references.
    seen: HashSet<(usize, String)>,
    depth: u16,
}

type Done = Result<(), Refusal>;

impl<'a, 's> Compiler<'a, 's> {
    pub(super) fn new(engine: Engine, references: &'a References<'s>, patterns: &'a Patterns) -> Self {
        Self { engine, references, patterns, seen: HashSet::new(), depth: 0 }
    }

    /// Compiles the whole document.
    ///
    /// # Errors
    /// When Ajv refuses it.
    pub(super) fn root(&mut self) -> Done {
        let root = self.references.root().clone();
        self.schema(root.schema, &root.base, true)
    }

    fn schema(&mut self, schema: &'s Value, base: &str, is_function: bool) -> Done {
        let members = match schema {
            Value::Object(members) if self.engine.has_rules(members) => members,
            Value::Null => return Refusal::schema("Cannot read properties of null"),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => return Ok(()),
        };
        let base = match members.get("$id").filter(|id| !is_function && super::class::is_truthy(id)) {
            Some(id) => rebased(base, id)?,
            None => base.to_owned(),
        };
        if !self.seen.insert((std::ptr::from_ref(schema).addr(), base.clone())) {
            return Ok(());
        }
        self.depth += 1;
        if self.depth > DEPTH {
            return Refusal::schema("Maximum call stack size exceeded");
        }
        schema_types(members)?;
        if self.engine.is_mere_reference(members) {
            self.keyword(members, "$ref", &members["$ref"], &base)?;
        } else {
            let engine = self.engine;
            for (keyword, value) in members.iter().filter(|(keyword, _)| engine.has_rule(keyword)) {
                self.keyword(members, keyword, value, &base)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn keyword(&mut self, schema: &'s Map<String, Value>, keyword: &str, value: &'s Value, base: &str) -> Done {
        let wanted = wanted(self.engine, keyword);
        if !wanted.is_empty() && !wanted.contains(&type_of(value)) {
            return Refusal::schema(format!("{keyword} value must be {}", json!(wanted)));
        }
        match keyword {
            "$ref" => {
                let to = self.references.resolve(base, text(value)?)?;
                self.schema(to.schema, &to.base, true)
            }
            "$dynamicRef" | "$recursiveRef" if !text(value)?.starts_with('#') => {
                Refusal::schema(format!("\"{keyword}\" only supports hash fragment reference"))
            }
            "id" => Refusal::schema("NOT SUPPORTED: keyword \"id\", use \"$id\" for schema ID"),
            "enum" if value.as_array().is_some_and(Vec::is_empty) => Refusal::schema("enum must have non-empty array"),
            "formatMaximum" | "formatMinimum" | "formatExclusiveMaximum" | "formatExclusiveMinimum"
                if !schema.contains_key("format") =>
            {
                Refusal::schema(format!("parent schema must have dependencies of {keyword}: format"))
            }
            "pattern" => self.patterns.require(text(value)?),
            "patternProperties" => self.pattern_properties(schema, value, base),
            "additionalProperties" => self.additional_properties(schema, value, base),
            "properties" | "dependentSchemas" => {
                self.each(value.as_object().into_iter().flat_map(|named| named.values()), base)
            }
            "dependencies" => {
                let named = value.as_object().into_iter().flat_map(|named| named.values());
                self.each(named.filter(|schema| !schema.is_array()), base)
            }
            "dependentRequired" => {
                let listed = |names: &Value| names.is_array() || names.as_str() == Some("");
                let mut named = value.as_object().into_iter().flat_map(|named| named.values());
                if named.all(listed) { Ok(()) } else { Refusal::schema("deps.join is not a function") }
            }
            "allOf" | "oneOf" | "prefixItems" => self.each(value.as_array().into_iter().flatten(), base),
            "anyOf" => self.any_of(value.as_array().map_or(&[][..], Vec::as_slice), base),
            "if" => self.condition(schema, value, base),
            "items" => self.items(value, base),
            "additionalItems" if schema.get("items").is_some_and(Value::is_array) => self.each([value], base),
            "contains" if self.counts_items(schema) => self.each([value], base),
            "unevaluatedItems" if self.evaluates_items(schema)? => Ok(()),
            "unevaluatedProperties" if schema.contains_key("additionalProperties") => Ok(()),
            "not" | "propertyNames" | "unevaluatedItems" | "unevaluatedProperties" => self.each([value], base),
            "uniqueItems" if value == &Value::Bool(true) => match schema.get("items") {
                Some(Value::Object(items)) => schema_types(items).map(drop),
                Some(_) | None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Schemas for which no code is written if every value is valid.
    fn each(&mut self, schemas: impl IntoIterator<Item = &'s Value>, base: &str) -> Done {
        for schema in schemas {
            if !self.engine.always_valid(schema)? {
                self.schema(schema, base, false)?;
            }
        }
        Ok(())
    }

    fn pattern_properties(&mut self, schema: &Map<String, Value>, value: &'s Value, base: &str) -> Done {
        let Some(named) = value.as_object() else { return Ok(()) };
        let mut needed = self.engine.is_modern() && !schema.contains_key("additionalProperties");
        for schema in named.values() {
            needed |= !self.engine.always_valid(schema)?;
        }
        if !needed {
            return Ok(());
        }
        named.keys().try_for_each(|pattern| self.patterns.require(pattern))?;
        self.each(named.values(), base)
    }

    fn additional_properties(&mut self, schema: &Map<String, Value>, value: &'s Value, base: &str) -> Done {
        if self.engine.always_valid(value)? {
            return Ok(());
        }
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        patterns.into_iter().flat_map(Map::keys).try_for_each(|pattern| self.patterns.require(pattern))?;
        self.schema(value, base, false)
    }

    /// The default class looks for the first schema that every value is valid by, and then at no other.
    fn any_of(&mut self, schemas: &'s [Value], base: &str) -> Done {
        for schema in schemas {
            if self.engine.always_valid(schema)? {
                if !self.engine.is_modern() {
                    return Ok(());
                }
                break;
            }
        }
        schemas.iter().try_for_each(|schema| self.schema(schema, base, false))
    }

    fn condition(&mut self, schema: &'s Map<String, Value>, value: &'s Value, base: &str) -> Done {
        let mut branches = Vec::new();
        for keyword in ["then", "else"] {
            if let Some(branch) = schema.get(keyword)
                && !self.engine.always_valid(branch)?
            {
                branches.push(branch);
            }
        }
        if branches.is_empty() {
            return Ok(());
        }
        self.schema(value, base, false)?;
        branches.into_iter().try_for_each(|branch| self.schema(branch, base, false))
    }

    fn items(&mut self, value: &'s Value, base: &str) -> Done {
        match value {
            Value::Array(schemas) => self.each(schemas, base),
            value @ Value::Null
            | value @ Value::Bool(_)
            | value @ Value::Number(_)
            | value @ Value::String(_)
            | value @ Value::Object(_) => self.each([value], base),
        }
    }

    /// Whether no item is left for `unevaluatedItems`, so that no code is written for it.
    fn evaluates_items(&self, schema: &Map<String, Value>) -> Result<bool, Refusal> {
        let of_items = match schema.get("items") {
            Some(Value::Array(_)) => schema.contains_key("additionalItems"),
            items => items.is_some(),
        };
        let contained = schema.get("contains").filter(|_| self.counts_items(schema));
        Ok(of_items || contained.map(|contained| self.engine.always_valid(contained)).transpose()? == Some(false))
    }

    /// Whether `contains` has an effect on its own: without a lower bound it has none.
    fn counts_items(&self, schema: &Map<String, Value>) -> bool {
        let bound = |keyword: &str| schema.get(keyword).filter(|_| self.engine.is_modern());
        let least = bound("minContains").map_or(Some(1.0), Value::as_f64);
        match bound("maxContains").map(Value::as_f64) {
            None => least != Some(0.0),
            Some(most) => !matches!((least, most), (Some(least), Some(most)) if least > most),
        }
    }
}

/// The JSON types that the value of a keyword may have; all, if none is named.
fn wanted(engine: Engine, keyword: &str) -> &'static [&'static str] {
    match keyword {
        "items" if engine < Engine::Ajv2020 => &["object", "array", "boolean"],
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => &["object", "boolean"],
        "allOf" | "anyOf" | "enum" | "oneOf" | "prefixItems" | "required" => &["array"],
        "dependencies" | "dependentRequired" | "dependentSchemas" | "patternProperties" | "properties" => &["object"],
        "$dynamicAnchor"
        | "$dynamicRef"
        | "$recursiveRef"
        | "$ref"
        | "format"
        | "formatExclusiveMaximum"
        | "formatExclusiveMinimum"
        | "formatMaximum"
        | "formatMinimum"
        | "pattern" => &["string"],
        "$recursiveAnchor" | "nullable" | "uniqueItems" => &["boolean"],
        "type" => &["string", "array"],
        "exclusiveMaximum" | "exclusiveMinimum" | "maxContains" | "maxItems" | "maxLength" | "maxProperties"
        | "maximum" | "minContains" | "minItems" | "minLength" | "minProperties" | "minimum" | "multipleOf" => {
            &["number"]
        }
        _ => &[],
    }
}
