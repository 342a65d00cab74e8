//! How a client reads schemas: the dialect it assumes, and how it interprets keywords.
//!
//! The validator supports the published drafts. If a real client reads a schema in another way, the schema is rewritten into
//! one that means the same to the validator as the original means to that client.

use mcp_compat_validator::{Draft, PatternDialect, is_unknown_dialect};
use serde_json::{Map, Value, json};

use crate::quirk::ClientQuirk;
use crate::spec::ClientSpec;

/// How a client reads schemas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Dialect {
    /// The dialect that it assumes.
    pub(crate) read_as: ReadAs,
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
    /// Schemas are compiled like Ajv does.
    pub(crate) compiles_like_ajv: bool,
    /// A reference to nothing is an error only where a validation comes to it.
    pub(crate) resolves_late: bool,
    /// How patterns are read.
    pub(crate) patterns: PatternDialect,
}

/// The dialect that a client assumes for a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum ReadAs {
    /// The declared one, and 2020-12 if none is declared.
    #[default]
    Declared,
    /// Draft-07.
    Draft07,
    /// What the default class of Ajv supports, whatever is declared: draft-07, and the references of later drafts.
    Ajv,
}

/// The keywords of later drafts that the default class of Ajv does not know.
const UNKNOWN_TO_AJV: [&str; 11] = [
    "prefixItems",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
    "minContains",
    "maxContains",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
    "$recursiveAnchor",
];

impl Dialect {
    /// How this client reads schemas.
    pub(crate) fn of(spec: &ClientSpec) -> Self {
        let read_as = if spec.does(ClientQuirk::ReadsLikeAjv) {
            ReadAs::Ajv
        } else if spec.does(ClientQuirk::Draft07Only) {
            ReadAs::Draft07
        } else {
            ReadAs::Declared
        };
        Self {
            read_as,
            asserts_format: spec.does(ClientQuirk::AssertsFormat),
            honors_nullable: spec.does(ClientQuirk::HonoursNullable),
            ignores_unknown: spec.does(ClientQuirk::IgnoresUnknownDialects),
            fails_on_ref_cycles: spec.does(ClientQuirk::ChokesOnCircles),
            validates_without_bound: spec.does(ClientQuirk::KnowsNoBound),
            compiles_like_ajv: spec.does(ClientQuirk::CompilesLikeAjv),
            resolves_late: spec.does(ClientQuirk::ResolvesLate),
            patterns: if spec.does(ClientQuirk::ReadsPythonPatterns) {
                PatternDialect::Python
            } else {
                PatternDialect::Ecma262
            },
        }
    }

    /// The draft that every schema is read in. `None` if the schema declares it.
    pub(crate) fn draft(self) -> Option<Draft> {
        match self.read_as {
            ReadAs::Declared => None,
            ReadAs::Draft07 => Some(Draft::Draft7),
            // This draft has the keywords of draft-07 and the references of later drafts.
            ReadAs::Ajv => Some(Draft::Draft201909),
        }
    }

    /// The schema as this client reads it.
    pub(crate) fn read(self, mut schema: Value) -> Value {
        if self.ignores_unknown {
            forget_dialect(&mut schema, is_unknown);
        }
        if self.read_as == ReadAs::Ajv {
            forget_dialect(&mut schema, |_| true);
            each_schema(&mut schema, &|object| object.retain(|keyword, _| !UNKNOWN_TO_AJV.contains(&keyword.as_str())));
        }
        if self.honors_nullable {
            each_schema(&mut schema, &admit_null);
        }
        schema
    }
}

/// Removes the declaration of a dialect.
fn forget_dialect(schema: &mut Value, which: impl Fn(&Value) -> bool) {
    if let Some(object) = schema.as_object_mut()
        && object.get("$schema").is_some_and(which)
    {
        object.remove("$schema");
    }
}

/// Whether the validator does not know a dialect.
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
fn each_schema(value: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
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
    fn what_ajv_does_not_know_is_passed_over_but_for_names_and_data() {
        let ajv = Dialect { read_as: ReadAs::Ajv, ..Dialect::default() };
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [true], "items": false,
            "properties": {"prefixItems": {"minContains": 1, "$ref": "#/$defs/a", "minimum": 1}},
            "enum": [{"prefixItems": 1}], "$defs": {"a": {"$anchor": "a"}},
        });
        let read = json!({
            "items": false, "properties": {"prefixItems": {"$ref": "#/$defs/a", "minimum": 1}},
            "enum": [{"prefixItems": 1}], "$defs": {"a": {"$anchor": "a"}},
        });
        assert_eq!((ajv.read(schema), ajv.draft()), (read, Some(Draft::Draft201909)));
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
