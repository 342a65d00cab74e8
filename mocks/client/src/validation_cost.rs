//! A bound on the cost of a validation: references can make a small schema visit one value millions of times.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// How often one place of a value may be visited.
const VISITS: u64 = 100_000;

/// A validation that would not end in reasonable time.
#[derive(Debug, thiserror::Error)]
#[error("the output schema would visit one place of the value more than {VISITS} times")]
pub(crate) struct TooCostly;

/// Whether a schema has references. Without them, its own size bounds the cost.
pub(crate) fn has_references(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.contains_key("$ref")
                || members.contains_key("$dynamicRef")
                || members.contains_key("$recursiveRef")
                || members.values().any(has_references)
        }
        Value::Array(items) => items.iter().any(has_references),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Refuses a validation that would visit one place too often.
///
/// # Errors
/// When it would.
pub(crate) fn bounded(schema: &Value, value: &Value) -> Result<(), TooCostly> {
    let mut anchors = HashMap::new();
    collect_anchors(schema, &mut anchors);
    let mut count = Count { root: schema, anchors, known: HashMap::new() };
    if count.visits(schema, depth(value)) > VISITS { Err(TooCostly) } else { Ok(()) }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn collect_anchors<'a>(schema: &'a Value, anchors: &mut HashMap<&'a str, &'a Value>) {
    match schema {
        Value::Object(members) => {
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(name) = members.get(keyword).and_then(Value::as_str) {
                    anchors.insert(name, schema);
                }
            }
            members.values().for_each(|schema| collect_anchors(schema, anchors));
        }
        Value::Array(items) => items.iter().for_each(|schema| collect_anchors(schema, anchors)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

struct Count<'a> {
    root: &'a Value,
    anchors: HashMap<&'a str, &'a Value>,
    /// Visits by schema and the depth of the value; `None` while they are being counted.
    known: HashMap<(*const Value, usize), Option<u64>>,
}

impl<'a> Count<'a> {
    /// How often a schema visits the most visited place of a value of this depth, at most.
    fn visits(&mut self, schema: &'a Value, depth: usize) -> u64 {
        let Value::Object(members) = schema else { return 1 };
        let key = (std::ptr::from_ref(schema), depth);
        match self.known.get(&key) {
            Some(Some(visits)) => return *visits,
            // A cycle in place: the validator follows it once.
            Some(None) => return 1,
            None => {}
        }
        self.known.insert(key, None);
        let visits = self.members(members, depth);
        self.known.insert(key, Some(visits));
        visits
    }

    fn members(&mut self, members: &'a Map<String, Value>, depth: usize) -> u64 {
        let mut visits = 1_u64;
        for (keyword, value) in members {
            let more = match (keyword.as_str(), value) {
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                    self.target(reference).map_or(1, |target| self.visits(target, depth))
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => self.sum(schemas, depth),
                ("not" | "if" | "then" | "else", schema) => self.visits(schema, depth),
                ("dependentSchemas" | "dependencies", Value::Object(schemas)) => self.sum(schemas.values(), depth),
                // Each name is another place, so only the most expensive one counts.
                ("properties", Value::Object(schemas)) if depth > 0 => self.most(schemas.values(), depth - 1),
                ("prefixItems" | "items", Value::Array(schemas)) if depth > 0 => self.most(schemas, depth - 1),
                ("patternProperties", Value::Object(schemas)) if depth > 0 => self.sum(schemas.values(), depth - 1),
                (
                    "additionalProperties"
                    | "additionalItems"
                    | "contains"
                    | "items"
                    | "unevaluatedItems"
                    | "unevaluatedProperties",
                    schema,
                ) if depth > 0 => self.visits(schema, depth - 1),
                _ => 0,
            };
            visits = visits.saturating_add(more);
        }
        visits
    }

    fn sum(&mut self, schemas: impl IntoIterator<Item = &'a Value>, depth: usize) -> u64 {
        schemas.into_iter().fold(0, |sum, schema| sum.saturating_add(self.visits(schema, depth)))
    }

    fn most(&mut self, schemas: impl IntoIterator<Item = &'a Value>, depth: usize) -> u64 {
        schemas.into_iter().fold(0, |most, schema| most.max(self.visits(schema, depth)))
    }

    fn target(&self, reference: &str) -> Option<&'a Value> {
        let (_, fragment) = reference.split_once('#')?;
        if fragment.is_empty() || fragment.starts_with('/') {
            self.root.pointer(fragment)
        } else {
            self.anchors.get(fragment).copied()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A chain of definitions, each of which refers to the next one twice.
    fn doubling(links: usize) -> Value {
        let link = |index: usize| {
            let next = json!({"$ref": format!("#/$defs/d{}", index + 1)});
            (format!("d{index}"), json!({"allOf": [next, next]}))
        };
        let mut definitions: Map<String, Value> = (0..links).map(link).collect();
        definitions.insert(format!("d{links}"), json!({"type": "integer"}));
        json!({"$defs": definitions, "$ref": "#/$defs/d0"})
    }

    #[test]
    fn a_chain_that_doubles_at_each_link_is_refused_before_it_is_followed() {
        assert!(bounded(&doubling(5), &json!(1)).is_ok());
        assert!(bounded(&doubling(60), &json!(1)).is_err());
    }

    #[test]
    fn a_schema_that_doubles_at_each_level_is_refused_for_deep_values_only() {
        let schema = json!({"allOf": [{"items": {"$ref": "#"}}, {"items": {"$anchor": "a", "$ref": "#"}}]});
        let nested = |depth| (0..depth).fold(json!(1), |value, _| json!([value]));
        assert!(bounded(&schema, &nested(5)).is_ok());
        assert!(bounded(&schema, &nested(60)).is_err());
    }

    #[test]
    fn an_ordinary_tree_is_cheap_and_a_cycle_is_followed_once() {
        let tree = json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}});
        let value = (0..50).fold(json!({}), |child, _| json!({"children": [child, {}]}));
        assert!(has_references(&tree) && bounded(&tree, &value).is_ok());
        assert!(bounded(&json!({"$ref": "#"}), &json!(1)).is_ok());
        assert!(!has_references(&json!({"properties": {"a": {"type": "string"}}})));
    }
}
