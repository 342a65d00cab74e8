//! The classes of Ajv, and the keywords that each knows.

use serde_json::{Map, Value};

use crate::refusal::Refusal;

/// Which class of Ajv an SDK compiles schemas with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The default one, of draft-07, whatever a schema declares.
    Default,
    /// The one of the dialect that the schema declares: 2020-12, 2019-09, or draft-07 for draft-06 too.
    Declared,
}

/// A class of Ajv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Engine {
    /// `Ajv`.
    Draft07,
    /// `Ajv2019`.
    Ajv2019,
    /// `Ajv2020`.
    Ajv2020,
}

impl Engine {
    /// The class for a schema.
    ///
    /// # Errors
    /// When the SDK has none for the declared dialect.
    pub(super) fn of(class: Class, schema: &Value) -> Result<Self, Refusal> {
        let declared = match (class, schema.get("$schema")) {
            (Class::Default, _) => return Ok(Self::Draft07),
            (Class::Declared, Some(Value::String(declared))) => declared,
            (Class::Declared, _) => return Ok(Self::Ajv2020),
        };
        let address = declared.strip_suffix('#').unwrap_or(declared);
        let path = ["https://json-schema.org/", "http://json-schema.org/"]
            .into_iter()
            .find_map(|start| address.strip_prefix(start));
        match path {
            Some("draft/2020-12/schema") => Ok(Self::Ajv2020),
            Some("draft/2019-09/schema") => Ok(Self::Ajv2019),
            Some("draft-07/schema" | "draft-06/schema") => Ok(Self::Draft07),
            _ => Refusal::schema(format!("it declares an unsupported dialect: {declared}")),
        }
    }

    /// Whether the class tracks what is evaluated: `unevaluated` and `next` in its options.
    pub(super) fn is_modern(self) -> bool {
        self > Self::Draft07
    }

    /// Whether the class has a rule for a keyword. Notes such as `title` have none.
    pub(super) fn has_rule(self, keyword: &str) -> bool {
        match keyword {
            "$comment"
            | "$ref"
            | "additionalProperties"
            | "allOf"
            | "anyOf"
            | "const"
            | "contains"
            | "dependencies"
            | "else"
            | "enum"
            | "exclusiveMaximum"
            | "exclusiveMinimum"
            | "format"
            | "formatExclusiveMaximum"
            | "formatExclusiveMinimum"
            | "formatMaximum"
            | "formatMinimum"
            | "id"
            | "if"
            | "items"
            | "maxItems"
            | "maxLength"
            | "maxProperties"
            | "maximum"
            | "minItems"
            | "minLength"
            | "minProperties"
            | "minimum"
            | "multipleOf"
            | "not"
            | "nullable"
            | "oneOf"
            | "pattern"
            | "patternProperties"
            | "properties"
            | "propertyNames"
            | "required"
            | "then"
            | "type"
            | "uniqueItems" => true,
            "$dynamicAnchor"
            | "$dynamicRef"
            | "$recursiveAnchor"
            | "$recursiveRef"
            | "dependentRequired"
            | "dependentSchemas"
            | "maxContains"
            | "minContains"
            | "unevaluatedItems"
            | "unevaluatedProperties" => self.is_modern(),
            "additionalItems" => self < Self::Ajv2020,
            "prefixItems" => self == Self::Ajv2020,
            _ => false,
        }
    }

    /// Whether a schema has any rule.
    pub(super) fn has_rules(self, schema: &Map<String, Value>) -> bool {
        schema.keys().any(|keyword| self.has_rule(keyword))
    }

    /// Whether a schema has a reference and no other rule: then Ajv looks at the reference only.
    pub(super) fn is_mere_reference(self, schema: &Map<String, Value>) -> bool {
        schema.get("$ref").is_some_and(is_truthy)
            && !schema.keys().any(|keyword| keyword != "$ref" && self.has_rule(keyword))
    }

    /// Whether Ajv writes no code for a schema, as every value is valid.
    ///
    /// # Errors
    /// When the schema is null, which has no keys.
    pub(super) fn always_valid(self, schema: &Value) -> Result<bool, Refusal> {
        match schema {
            Value::Bool(all) => Ok(*all),
            Value::Object(members) => Ok(!self.has_rules(members)),
            Value::Null => Refusal::schema("Cannot convert undefined or null to object"),
            Value::Number(_) | Value::String(_) | Value::Array(_) => Ok(true),
        }
    }
}

/// What JavaScript takes for true.
pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}
