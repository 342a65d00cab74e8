//! How a client reads schemas: the dialect that it takes them to be in, and what it holds keywords for.
//!
//! The validator knows the specification's drafts. Where a real client reads a schema in another way, the schema is made
//! into one that says in the validator's words what the client takes it to say.

use jsonschema::Draft;
use serde_json::{Map, Value, json};

use super::quirk::ClientQuirk;
use super::spec::ClientSpec;

/// How a client reads schemas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Dialect {
    /// Every schema is one of draft-07, whatever it declares. Otherwise what it declares counts, and 2020-12 where it
    /// declares nothing.
    pub(super) is_draft_07: bool,
    /// `format` is an assertion.
    pub(super) asserts_format: bool,
    /// `nullable: true` admits null beside the `type`.
    pub(super) honours_nullable: bool,
    /// Keywords beside a `$ref` count in draft-07, too.
    pub(super) honours_ref_siblings: bool,
    /// A dialect that is not known counts as none declared.
    pub(super) ignores_unknown: bool,
    /// A schema that refers to itself without going deeper into the value cannot be followed.
    pub(super) chokes_on_circles: bool,
}

impl Dialect {
    /// How this client reads them.
    pub(super) fn of(spec: &ClientSpec) -> Self {
        Self {
            is_draft_07: spec.does(ClientQuirk::Draft07Only),
            asserts_format: spec.does(ClientQuirk::AssertsFormat),
            honours_nullable: spec.does(ClientQuirk::HonoursNullable),
            honours_ref_siblings: spec.does(ClientQuirk::HonoursRefSiblings),
            ignores_unknown: spec.does(ClientQuirk::IgnoresUnknownDialects),
            chokes_on_circles: spec.does(ClientQuirk::ChokesOnCircles),
        }
    }

    /// The schema as this client reads it.
    pub(super) fn read(self, mut schema: Value) -> Value {
        if self.ignores_unknown {
            forget_unknown(&mut schema);
        }
        let is_draft_07 = self.is_draft_07 || schema.get("$schema").is_some_and(is_before_2019);
        let siblings = self.honours_ref_siblings && is_draft_07;
        if siblings || self.honours_nullable {
            each_schema(&mut schema, &|object| {
                if siblings {
                    free_reference(object);
                }
                if self.honours_nullable {
                    admit_null(object);
                }
            });
        }
        schema
    }
}

/// Takes the declaration of an unknown dialect out.
fn forget_unknown(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    let unknown = object.get("$schema").is_some_and(|declared| {
        declared
            .as_str()
            .is_none_or(|address| matches!(Draft::default().detect(&json!({"$schema": address})), Draft::Unknown))
    });
    if unknown {
        object.remove("$schema");
    }
}

/// Whether a schema that declares this is of a draft in which a `$ref` stands alone.
fn is_before_2019(declared: &Value) -> bool {
    declared.as_str().is_some_and(|address| address.starts_with("http://json-schema.org/draft-0"))
}

/// Puts a `$ref` where keywords can stand beside it.
fn free_reference(schema: &mut Map<String, Value>) {
    if schema.len() < 2 || !schema.get("$ref").is_some_and(Value::is_string) {
        return;
    }
    let Some(reference) = schema.remove("$ref") else { return };
    let all = schema.entry("allOf").or_insert_with(|| json!([]));
    if let Some(all) = all.as_array_mut() {
        all.push(json!({"$ref": reference}));
    }
}

/// Admits null where `nullable` says so.
fn admit_null(schema: &mut Map<String, Value>) {
    if schema.get("nullable") != Some(&Value::Bool(true)) {
        return;
    }
    match schema.get_mut("type") {
        Some(Value::Array(types)) => types.push(json!("null")),
        Some(kind) => *kind = json!([kind.clone(), "null"]),
        None => {}
    }
}

/// Changes every object that may be a schema. What is data stays.
fn each_schema(value: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            for (keyword, member) in members.iter_mut() {
                if !matches!(keyword.as_str(), "const" | "enum" | "default" | "examples") {
                    each_schema(member, change);
                }
            }
            change(members);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_schema(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Dialect = Dialect {
        is_draft_07: false,
        asserts_format: false,
        honours_nullable: false,
        honours_ref_siblings: false,
        ignores_unknown: false,
        chokes_on_circles: false,
    };

    #[test]
    fn an_honest_client_reads_a_schema_as_it_stands() {
        let schema = json!({"$schema": "https://example.com/mine", "$ref": "#/a", "nullable": true, "type": "string"});
        assert_eq!(NONE.read(schema.clone()), schema);
    }

    #[test]
    fn an_unknown_dialect_is_forgotten_and_a_known_one_is_not() {
        let read = |address: &str| Dialect { ignores_unknown: true, ..NONE }.read(json!({"$schema": address}));
        assert_eq!(read("https://example.com/my-dialect"), json!({}));
        for known in ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"] {
            assert_eq!(read(known), json!({"$schema": known}));
        }
    }

    #[test]
    fn keywords_beside_a_reference_are_freed_in_old_drafts_alone() {
        let schema = |declared: &str| json!({"$schema": declared, "properties": {"a": {"$ref": "#/x", "minimum": 1}}});
        let freed =
            |declared| Dialect { honours_ref_siblings: true, ..NONE }.read(schema(declared))["properties"]["a"].clone();
        let old = freed("http://json-schema.org/draft-07/schema#");
        assert_eq!(old, json!({"minimum": 1, "allOf": [{"$ref": "#/x"}]}));
        assert_eq!(freed("https://json-schema.org/draft/2020-12/schema"), json!({"$ref": "#/x", "minimum": 1}));
    }

    #[test]
    fn null_is_admitted_beside_a_type_and_in_data_nothing_changes() {
        let schema = json!({
            "type": "string", "nullable": true, "items": {"type": ["integer"], "nullable": true},
            "const": {"type": "string", "nullable": true}, "not": {"nullable": true},
        });
        let read = Dialect { honours_nullable: true, ..NONE }.read(schema);
        assert_eq!((&read["type"], &read["items"]["type"]), (&json!(["string", "null"]), &json!(["integer", "null"])));
        assert_eq!((&read["const"]["type"], &read["not"]), (&json!("string"), &json!({"nullable": true})));
    }
}
