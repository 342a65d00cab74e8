//! The drafts that `jsonschema` has a class for, and what each class knows.

use serde_json::Value;

use crate::refusal::Refusal;

/// A draft. Draft-03 is read as draft-04: nobody writes it for a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    Four,
    Six,
    Seven,
    D201909,
    D202012,
}

impl Draft {
    pub(super) const LATEST: Self = Self::D202012;

    /// The address of its meta-schema.
    pub(super) const fn meta_schema(self) -> &'static str {
        match self {
            Self::Four => "http://json-schema.org/draft-04/schema",
            Self::Six => "http://json-schema.org/draft-06/schema",
            Self::Seven => "http://json-schema.org/draft-07/schema",
            Self::D201909 => "https://json-schema.org/draft/2019-09/schema",
            Self::D202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    pub(super) fn of_address(address: &str) -> Option<Self> {
        // The addresses are compared without an empty fragment.
        let address = address.strip_suffix('#').unwrap_or(address);
        let all = [Self::Four, Self::Six, Self::Seven, Self::D201909, Self::D202012];
        if address == "http://json-schema.org/draft-03/schema" {
            return Some(Self::Four);
        }
        all.into_iter().find(|draft| draft.meta_schema() == address)
    }

    /// The class for a schema: `validator_for`.
    ///
    /// # Errors
    /// When `$schema` is nothing that can be looked up.
    pub(super) fn of(schema: &Value, default: Self) -> Result<Self, Refusal> {
        match schema.get("$schema") {
            Some(Value::String(address)) => Ok(Self::of_address(address).unwrap_or(default)),
            None | Some(Value::Null | Value::Bool(false)) => Ok(default),
            Some(other) if other.as_f64() == Some(0.0) => Ok(default),
            Some(_) => Refusal::failure("$schema is no string"),
        }
    }

    /// Whether a keyword beside a `$ref` is passed over.
    pub(super) fn ignores_ref_siblings(self) -> bool {
        self <= Self::Seven
    }

    /// Whether the class has a function for a keyword.
    pub(super) fn knows(self, keyword: &str) -> bool {
        match keyword {
            "const" | "contains" | "exclusiveMaximum" | "exclusiveMinimum" | "propertyNames" => self >= Self::Six,
            "if" => self >= Self::Seven,
            "dependentRequired" | "dependentSchemas" | "unevaluatedItems" | "unevaluatedProperties" => {
                self >= Self::D201909
            }
            "$recursiveRef" => self == Self::D201909,
            "$dynamicRef" | "prefixItems" => self == Self::D202012,
            "additionalItems" => self <= Self::D201909,
            "dependencies" => self <= Self::Seven,
            _ => true,
        }
    }

    /// The id of a schema, by which references in it are resolved.
    ///
    /// # Errors
    /// When the schema is nothing that has an id.
    pub(super) fn id_of(self, schema: &Value) -> Result<Option<&str>, Refusal> {
        let members = match schema {
            Value::Bool(_) => return Ok(None),
            Value::Object(members) => members,
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Refusal::failure("what should be a schema has no members");
            }
        };
        let legacy = self <= Self::Seven;
        if legacy && members.contains_key("$ref") {
            return Ok(None);
        }
        let keyword = if self == Self::Four { "id" } else { "$id" };
        match members.get(keyword) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(id)) if legacy && id.starts_with('#') => Ok(None),
            Some(Value::String(id)) => Ok(Some(id.trim_end_matches('#'))),
            Some(_) => Refusal::failure("an id is no string"),
        }
    }

    /// The anchors that a schema declares, each with whether it is dynamic.
    ///
    /// # Errors
    /// When an id is no string.
    pub(super) fn anchors_of(self, schema: &Value) -> Result<Vec<(&str, bool)>, Refusal> {
        let text = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
        if self >= Self::D201909 {
            let dynamic = text("$dynamicAnchor").filter(|_| self == Self::D202012);
            return Ok(text("$anchor")
                .map(|name| (name, false))
                .into_iter()
                .chain(dynamic.map(|name| (name, true)))
                .collect());
        }
        let keyword = if self == Self::Four { "id" } else { "$id" };
        match schema.get(keyword) {
            Some(Value::String(id)) => Ok(id.strip_prefix('#').map(|name| (name, false)).into_iter().collect()),
            None => Ok(Vec::new()),
            Some(_) => Refusal::failure("an id is no string"),
        }
    }

    /// Whether the value of a keyword is a schema.
    pub(super) fn in_value(self, keyword: &str) -> bool {
        match keyword {
            "not" => true,
            "additionalProperties" | "additionalItems" if self == Self::Four => false,
            "additionalProperties" | "contains" | "propertyNames" => self >= Self::Six,
            "additionalItems" => self <= Self::D201909,
            "else" | "if" | "then" => self >= Self::Seven,
            "contentSchema" | "unevaluatedItems" | "unevaluatedProperties" => self >= Self::D201909,
            "items" => self == Self::D202012,
            _ => false,
        }
    }

    /// Whether a JSON Pointer may enter a schema by a keyword.
    pub(super) fn enters(self, keyword: &str) -> bool {
        self.in_value(keyword) || (self == Self::Four && matches!(keyword, "additionalProperties" | "additionalItems"))
    }

    /// Whether the members of a keyword's value are schemas.
    pub(super) fn in_members(self, keyword: &str) -> bool {
        match keyword {
            "definitions" | "patternProperties" | "properties" => true,
            "$defs" | "dependentSchemas" => self >= Self::D201909,
            _ => false,
        }
    }

    /// Whether the items of a keyword's value are schemas.
    pub(super) fn in_items(self, keyword: &str) -> bool {
        matches!(keyword, "allOf" | "anyOf" | "oneOf") || (keyword == "prefixItems" && self == Self::D202012)
    }
}
