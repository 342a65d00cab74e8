//! Reading of schemas by a client: with the validator of an SDK, or with this project's own and one or more deviations.
//!
//! Our own validator supports the published drafts. If a client with a quirk reads a schema in another way, the schema is
//! rewritten into one that means the same to the validator as the original means to that client.

use crate::validators::{Class, Library};
use mcp_compat_schema::validator::{Draft, PatternDialect, is_unknown_dialect};
use serde_json::{Map, Value, json};

use crate::client::quirk::ClientQuirk;
use crate::client::spec::ClientSpec;

/// Settings for reading schemas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Dialect {
    /// The library that it validates with. What follows is for a client without one.
    pub(crate) library: Option<Library>,
    /// Every schema is read as draft-07. Otherwise the declared dialect counts, and 2020-12 if none is declared.
    pub(crate) draft_07_only: bool,
    /// `format` is an assertion.
    pub(crate) asserts_format: bool,
    /// `nullable: true` admits null beside the `type`.
    pub(crate) honors_nullable: bool,
    /// An unknown dialect is treated as if none were declared.
    pub(crate) ignores_unknown: bool,
    /// Validation fails at a cycle of references.
    pub(crate) fails_on_ref_cycles: bool,
    /// There is no bound on the cost of a validation.
    pub(crate) validates_without_bound: bool,
    pub(crate) patterns: PatternDialect,
}

const LIBRARIES: [(ClientQuirk, Library); 3] = [
    (ClientQuirk::ReadsLikeAjv, Library::Ajv(Class::Default)),
    (ClientQuirk::CompilesLikeAjv, Library::Ajv(Class::Declared)),
    (ClientQuirk::ResolvesLate, Library::Jsonschema),
];

impl Dialect {
    /// Returns the settings of a client.
    pub(crate) fn of(spec: &ClientSpec) -> Self {
        let reads_python = spec.does(ClientQuirk::ReadsPythonPatterns);
        Self {
            library: LIBRARIES.iter().find(|(quirk, _)| spec.does(*quirk)).map(|(_, library)| *library),
            draft_07_only: spec.does(ClientQuirk::Draft07Only),
            asserts_format: spec.does(ClientQuirk::AssertsFormat),
            honors_nullable: spec.does(ClientQuirk::HonoursNullable),
            ignores_unknown: spec.does(ClientQuirk::IgnoresUnknownDialects),
            fails_on_ref_cycles: spec.does(ClientQuirk::ChokesOnCircles),
            validates_without_bound: spec.does(ClientQuirk::KnowsNoBound),
            patterns: if reads_python { PatternDialect::Python } else { PatternDialect::Ecma262 },
        }
    }

    /// The draft that every schema is read in. `None` if the schema declares it.
    pub(crate) fn draft(self) -> Option<Draft> {
        self.draft_07_only.then_some(Draft::Draft7)
    }

    /// The schema as this client reads it.
    pub(crate) fn read(self, mut schema: Value) -> Value {
        if self.ignores_unknown {
            forget_unknown_dialect(&mut schema);
        }
        if self.honors_nullable {
            each_schema(&mut schema, &admit_null);
        }
        schema
    }
}

/// Removes the declaration of a dialect that the validator does not know.
fn forget_unknown_dialect(schema: &mut Value) {
    if let Some(object) = schema.as_object_mut()
        && object.get("$schema").is_some_and(is_unknown)
    {
        object.remove("$schema");
    }
}

/// Returns whether the validator does not know a dialect.
fn is_unknown(declared: &Value) -> bool {
    let Some(address) = declared.as_str() else { return true };
    is_unknown_dialect(&json!({"$schema": address}))
}

/// Allows null if `nullable` says so.
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

/// Changes every object that may be a schema. Data and member names stay.
pub(crate) fn each_schema(value: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            for (keyword, member) in members.iter_mut() {
                match (keyword.as_str(), member) {
                    ("const" | "enum" | "default" | "examples", _) => {}
                    (
                        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                        Value::Object(named),
                    ) => named.values_mut().for_each(|schema| each_schema(schema, change)),
                    (_, member) => each_schema(member, change),
                }
            }
            change(members);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_schema(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The formats of JSON Schema, and `url`, which Ajv 6 has too.
const FORMATS: [&str; 16] = [
    "date",
    "date-time",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "json-pointer",
    "json-pointer-uri-fragment",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "url",
    "uuid",
];

/// Returns whether the client checks nothing by this schema.
pub(crate) fn is_passed_over(spec: &ClientSpec, schema: &str) -> bool {
    let (dialects, formats) = (spec.does(ClientQuirk::SkipsOtherDialects), spec.does(ClientQuirk::SkipsOddFormats));
    if !dialects && !formats {
        return false;
    }
    let Ok(mut schema) = serde_json::from_str::<Value>(schema) else { return false };
    dialects && declares_another_dialect(&schema) || formats && has_odd_format(&mut schema)
}

fn declares_another_dialect(schema: &Value) -> bool {
    let declared = schema.get("$schema").and_then(Value::as_str);
    declared.is_some_and(|address| address.trim_end_matches('#') != "http://json-schema.org/draft-07/schema")
}

fn has_odd_format(schema: &mut Value) -> bool {
    let odd = std::cell::Cell::new(false);
    each_schema(schema, &|members| {
        let format = members.get("format").and_then(Value::as_str);
        odd.set(odd.get() || format.is_some_and(|format| !FORMATS.contains(&format)));
    });
    odd.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_honest_client_reads_a_schema_as_it_stands() {
        let schema = json!({"$schema": "https://example.com/mine", "$ref": "#/a", "nullable": true, "type": "string"});
        assert_eq!(Dialect::default().read(schema.clone()), schema);
    }

    #[test]
    fn an_unknown_dialect_is_forgotten_and_a_known_one_is_not() {
        let read =
            |address: &str| Dialect { ignores_unknown: true, ..Dialect::default() }.read(json!({"$schema": address}));
        assert_eq!(read("https://example.com/my-dialect"), json!({}));
        for known in ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"] {
            assert_eq!(read(known), json!({"$schema": known}));
        }
    }

    #[test]
    fn null_is_admitted_beside_a_type_and_in_data_nothing_changes() {
        let schema = json!({
            "type": "string", "nullable": true, "items": {"type": ["integer"], "nullable": true},
            "const": {"type": "string", "nullable": true}, "not": {"nullable": true},
        });
        let read = Dialect { honors_nullable: true, ..Dialect::default() }.read(schema);
        assert_eq!((&read["type"], &read["items"]["type"]), (&json!(["string", "null"]), &json!(["integer", "null"])));
        assert_eq!((&read["const"]["type"], &read["not"]), (&json!("string"), &json!({"nullable": true})));
    }
}
