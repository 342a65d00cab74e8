//! What Ajv refuses when it compiles a schema, and what it passes over.
//!
//! The TypeScript SDK compiles schemas with `validateSchema: false`: nothing is checked by a meta-schema. Ajv looks at a
//! schema where it writes code for it, so a definition that nothing refers to is not read, and it checks the JSON type of a
//! keyword's value, not the value. What it passes over is removed here, because the validator of the mocks would refuse it.

use std::collections::BTreeSet;

use mcp_compat_validator::{Holds, each_schema, holds};
use serde_json::{Map, Value, json};

/// How many references in a row are followed. Ajv follows them until the stack is full.
const CHAIN: usize = 64;

/// Which class of Ajv compiles a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// The default one, of draft-07, whatever a schema declares.
    Default,
    /// The one of the dialect that the schema declares. There is one of 2020-12, 2019-09 and draft-07.
    Declared,
}

/// Compiles a schema as Ajv would: checks what it checks, and removes what it passes over.
///
/// # Errors
/// When Ajv refuses the schema, with about its message.
pub(crate) fn compile(schema: &mut Value, class: Class) -> Result<(), String> {
    let tuples = match class {
        Class::Default => true,
        Class::Declared => allows_tuples(schema)?,
    };
    let has_resources = schema.as_object().is_some_and(|root| root.values().any(|inner| is_named(inner, &["$id"])));
    let mut walk = Walk { root: schema, reached: BTreeSet::new(), tuples, has_resources };
    walk.schema(schema, String::new())?;
    let reached = walk.reached;
    each_schema(schema, &mut |pointer, members| {
        let below = format!("{pointer}/");
        if reached.contains(pointer) {
            pass_over(members);
        } else if reached.range(below.clone()..).next().is_none_or(|next| !next.starts_with(&below)) {
            members.clear();
        }
        Ok(())
    })
}

/// Whether `items` may be a list in the dialect that a schema declares: it may not in 2020-12.
fn allows_tuples(schema: &Value) -> Result<bool, String> {
    let Some(declared) = schema.get("$schema").and_then(Value::as_str) else { return Ok(false) };
    let path = declared.trim_end_matches('#').split_once("://json-schema.org/").map(|(_, path)| path);
    match path {
        Some("draft/2020-12/schema") => Ok(false),
        Some("draft/2019-09/schema" | "draft-07/schema" | "draft-06/schema") => Ok(true),
        _ => Err(format!("the schema declares an unsupported dialect: {declared}")),
    }
}

struct Walk<'s> {
    root: &'s Value,
    /// The places for which code is written, as JSON Pointers.
    reached: BTreeSet<String>,
    tuples: bool,
    /// Whether there are schemas with an id of their own, by which references in them are resolved.
    has_resources: bool,
}

impl<'s> Walk<'s> {
    fn schema(&mut self, schema: &'s Value, pointer: String) -> Result<(), String> {
        let members = match schema {
            Value::Object(members) => members,
            Value::Null => return Err("Cannot convert undefined or null to object".to_owned()),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => return Ok(()),
        };
        if !self.reached.insert(pointer.clone()) {
            return Ok(());
        }
        types(members)?;
        for (keyword, value) in members {
            self.keyword(keyword, value)?;
            let below = format!("{pointer}/{}", keyword.replace('~', "~0").replace('/', "~1"));
            match (keyword.as_str(), holds(keyword), value) {
                ("$ref", _, Value::String(reference)) => self.reference(reference)?,
                // By its name a definition may be referred to from anywhere.
                ("$defs" | "definitions", _, Value::Object(named)) => {
                    let names = ["$id", "$anchor", "$dynamicAnchor"];
                    for (name, schema) in named.iter().filter(|(_, schema)| is_named(schema, &names)) {
                        let name = name.replace('~', "~0").replace('/', "~1");
                        self.schema(schema, format!("{below}/{name}"))?;
                    }
                }
                ("$defs" | "definitions", ..) => {}
                (_, Holds::Schema | Holds::Schemas, Value::Array(schemas)) => {
                    for (index, schema) in schemas.iter().enumerate() {
                        self.schema(schema, format!("{below}/{index}"))?;
                    }
                }
                // An array among the dependencies names properties.
                (_, Holds::NamedSchemas, Value::Object(named)) => {
                    for (name, schema) in named {
                        let name = name.replace('~', "~0").replace('/', "~1");
                        self.schema(schema, format!("{below}/{name}"))?;
                    }
                }
                (_, Holds::Schema, schema) => self.schema(schema, below)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Follows a reference within the schema. Others are left to the validator.
    fn reference(&mut self, reference: &str) -> Result<(), String> {
        let Some(mut pointer) = local(reference) else { return Ok(()) };
        for _ in 0..CHAIN {
            let Some(target) = self.root.pointer(pointer) else {
                if self.has_resources {
                    return Ok(());
                }
                return Err(format!("can't resolve reference #{pointer} from id #"));
            };
            // If there is nothing but another reference, Ajv resolves that one first.
            let next = target.as_object().filter(|members| is_mere_reference(members)).and_then(|it| it.get("$ref"));
            match next.and_then(Value::as_str).and_then(local) {
                Some(next) => pointer = next,
                None => return self.schema(target, pointer.to_owned()),
            }
            self.reached.insert(pointer.to_owned());
        }
        Err("Maximum call stack size exceeded".to_owned())
    }

    /// Checks the JSON type of a keyword's value.
    fn keyword(&self, keyword: &str, value: &Value) -> Result<(), String> {
        let wanted: &[&str] = match keyword {
            "id" => return Err("NOT SUPPORTED: keyword \"id\", use \"$id\" for schema ID".to_owned()),
            "enum" if value.as_array().is_some_and(Vec::is_empty) => {
                return Err("enum must have non-empty array".to_owned());
            }
            "$anchor" | "$dynamicAnchor" if value.as_str().is_some_and(|anchor| !is_anchor(anchor)) => {
                return Err(format!("invalid anchor {value}"));
            }
            "items" if self.tuples => &["object", "array", "boolean"],
            "enum" | "required" => &["array"],
            "dependentRequired" => &["object"],
            "$ref" | "format" | "pattern" => &["string"],
            "uniqueItems" | "nullable" => &["boolean"],
            "type" => &["string", "array"],
            "maximum" | "minimum" | "exclusiveMaximum" | "exclusiveMinimum" | "multipleOf" | "maxLength"
            | "minLength" | "maxItems" | "minItems" | "maxProperties" | "minProperties" | "maxContains"
            | "minContains" => &["number"],
            "$defs" | "definitions" | "contentSchema" => return Ok(()),
            keyword => match holds(keyword) {
                Holds::Schema => &["object", "boolean"],
                Holds::Schemas => &["array"],
                Holds::NamedSchemas => &["object"],
                Holds::Nothing => return Ok(()),
            },
        };
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        if wanted.contains(&found) { Ok(()) } else { Err(format!("{keyword} value must be {}", json!(wanted))) }
    }
}

/// The pointer of a reference within the schema.
fn local(reference: &str) -> Option<&str> {
    reference.strip_prefix('#').filter(|pointer| pointer.starts_with('/'))
}

/// Whether a schema has a reference and nothing else that Ajv would write code for.
fn is_mere_reference(members: &Map<String, Value>) -> bool {
    let notes = ["title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly"];
    members.keys().all(|keyword| keyword == "$ref" || notes.contains(&keyword.as_str()))
}

/// Whether a schema, or one within it, has one of these names.
fn is_named(schema: &Value, names: &[&str]) -> bool {
    match schema {
        Value::Object(members) => {
            names.iter().any(|name| members.contains_key(*name)) || members.values().any(|inner| is_named(inner, names))
        }
        Value::Array(items) => items.iter().any(|inner| is_named(inner, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn is_anchor(text: &str) -> bool {
    let mut letters = text.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

/// Checks `type` and `nullable`, which Ajv reads before all else.
fn types(members: &Map<String, Value>) -> Result<(), String> {
    let known = ["string", "number", "integer", "boolean", "null", "object", "array"];
    let named = match members.get("type") {
        Some(Value::Array(types)) => types.iter().collect(),
        Some(Value::String(kind)) if kind.is_empty() => Vec::new(),
        Some(kind) if !kind.is_null() => vec![kind],
        Some(_) | None => Vec::new(),
    };
    if !named.iter().all(|kind| kind.as_str().is_some_and(|kind| known.contains(&kind))) {
        return Err(format!("type must be JSONType or JSONType[]: {}", json!(named)));
    }
    if named.is_empty() && members.contains_key("nullable") {
        return Err("\"nullable\" cannot be used without \"type\"".to_owned());
    }
    Ok(())
}

/// Removes what has no effect in the code that Ajv writes, and what has one for the validator only.
fn pass_over(members: &mut Map<String, Value>) {
    let notes = [
        "$comment",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "deprecated",
        "description",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    ];
    members.retain(|keyword, value| {
        let no_schemas = matches!(keyword.as_str(), "$defs" | "definitions") && !value.is_object();
        let counts = matches!(keyword.as_str(), "minItems" | "minLength" | "minProperties");
        let no_limit = counts && value.as_f64().is_some_and(|limit| limit <= 0.0);
        let nothing = matches!(keyword.as_str(), "allOf" | "type") && value.as_array().is_some_and(Vec::is_empty);
        let no_dialect = keyword == "$schema" && !value.is_string();
        !(notes.contains(&keyword.as_str()) || no_schemas || no_limit || nothing || no_dialect)
    });
    for (keyword, value) in members.iter_mut() {
        match (keyword.as_str(), holds(keyword), value) {
            ("required" | "type", _, Value::Array(names)) => {
                let mut seen = BTreeSet::new();
                names.retain(|name| name.as_str().is_some_and(|name| seen.insert(name.to_owned())));
            }
            ("anyOf" | "oneOf", _, Value::Array(schemas)) if schemas.is_empty() => schemas.push(json!(false)),
            // What is neither an object nor a boolean is a schema without keywords.
            (_, Holds::Schemas, Value::Array(schemas)) => schemas.iter_mut().for_each(as_schema),
            ("dependencies", ..) => {}
            (_, Holds::NamedSchemas, Value::Object(named)) => named.values_mut().for_each(as_schema),
            _ => {}
        }
    }
}

fn as_schema(schema: &mut Value) {
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
        *schema = json!(true);
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_validator::Options;
    use rstest::rstest;

    use super::*;

    /// Each was compiled with the Ajv of the TypeScript SDK 1.32.2 and its options, as draft-07 and as 2020-12.
    #[rstest]
    #[case::unused_definition(json!({"definitions": {"x": {"type": "strnig"}}}), None)]
    #[case::used_definition(
        json!({"properties": {"b": {"$ref": "#/definitions/x"}}, "definitions": {"x": {"type": "strnig"}}}),
        Some("type must be JSONType")
    )]
    #[case::required_twice(json!({"required": ["a", "a"]}), None)]
    #[case::negative_length(json!({"properties": {"b": {"type": "string", "minLength": -1}}}), None)]
    #[case::null_note(json!({"properties": {"b": {"description": null}}}), None)]
    #[case::odd_notes(json!({"title": 7, "$comment": 1}), None)]
    #[case::empty_enum(json!({"properties": {"b": {"enum": []}}}), Some("enum must have non-empty array"))]
    #[case::bound_of_draft_04(json!({"properties": {"b": {"exclusiveMinimum": true}}}), Some("exclusiveMinimum value must be"))]
    #[case::id_of_draft_04(json!({"id": "x"}), Some("NOT SUPPORTED: keyword \"id\""))]
    #[case::required_of_draft_03(json!({"properties": {"b": {"required": true}}}), Some("required value must be"))]
    #[case::endless(
        json!({"properties": {"b": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"$ref": "#/$defs/x"}}}),
        Some("Maximum call stack size exceeded")
    )]
    #[case::circle_with_more(
        json!({"properties": {"b": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"allOf": [{"$ref": "#/$defs/x"}]}}}),
        None
    )]
    #[case::dangling(json!({"properties": {"b": {"$ref": "#/$defs/none"}}}), Some("can't resolve reference"))]
    #[case::dangling_in_unused_definition(json!({"$defs": {"x": {"$ref": "#/$defs/none"}}}), None)]
    #[case::nullable_alone(json!({"properties": {"b": {"nullable": true}}}), Some("\"nullable\" cannot be used"))]
    #[case::tuple(json!({"properties": {"b": {"items": [{}]}}}), Some("items value must be"))]
    #[case::tuple_of_draft_07(
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"b": {"items": [{}]}}}),
        None
    )]
    #[case::null_for_a_schema(json!({"patternProperties": {"^x": null}}), Some("Cannot convert undefined or null"))]
    #[case::no_types(json!({"properties": {"b": {"type": []}}}), None)]
    #[case::type_twice(json!({"properties": {"b": {"type": ["integer", "integer"]}}}), None)]
    #[case::no_alternatives(json!({"properties": {"b": {"anyOf": []}}}), None)]
    #[case::bad_anchor(json!({"properties": {"b": {"$anchor": "1x"}}}), Some("invalid anchor"))]
    #[case::anchor(
        json!({"properties": {"b": {"$ref": "#x"}}, "$defs": {"x": {"$anchor": "x", "properties": {"c": {"minimum": 1}}}}}),
        None
    )]
    #[case::resource(
        json!({"properties": {"b": {"$ref": "urn:x"}}, "$defs": {"x": {"$id": "urn:x", "$ref": "#/$defs/y", "$defs": {"y": {}}}}}),
        None
    )]
    #[case::format_of_no_text(json!({"properties": {"b": {"format": 7}}}), Some("format value must be"))]
    #[case::dialect_of_no_text(json!({"$schema": 7}), None)]
    #[case::draft_04(json!({"$schema": "http://json-schema.org/draft-04/schema#"}), Some("an unsupported dialect"))]
    fn a_schema_is_compiled_and_not_checked(#[case] mut schema: Value, #[case] refused: Option<&str>) {
        schema["type"] = json!("object");
        schema["properties"]["a"] = json!({"type": "integer"});
        match (compile(&mut schema, Class::Declared), refused) {
            (Err(error), Some(refused)) => assert!(error.contains(refused), "{error}"),
            (found, None) => {
                assert_eq!(found, Ok(()));
                let validator = Options::default().compile(&schema).unwrap();
                assert!(
                    validator.validate(&json!({"a": 1})).is_ok() && validator.validate(&json!({"a": "x"})).is_err()
                );
            }
            (Ok(()), Some(refused)) => panic!("taken, in place of: {refused}"),
        }
    }

    #[test]
    fn the_default_class_has_tuples_and_asks_for_no_dialect() {
        let mut schema = json!({"$schema": "http://json-schema.org/draft-04/schema#", "items": [{"type": "string"}]});
        assert_eq!(compile(&mut schema, Class::Default), Ok(()));
        assert!(compile(&mut json!({"items": [{}]}), Class::Declared).is_err());
    }
}
