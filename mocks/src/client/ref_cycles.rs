//! Cycles of `$ref`: a schema that refers to itself without descending into the value. A validator that follows it never
//! returns.

use serde_json::{Map, Value};

/// Depth to which values are walked.
const DEPTH: usize = 256;

/// Number of schemas that are applied to values.
const STEPS: u32 = 200_000;

/// Result of following the references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    Nothing,
    Cycle,
    /// So many references that it was not followed to the end.
    TooMuch,
}

/// Returns whether validating a value enters a cycle. Only references within the schema are followed.
pub(crate) fn enters_ref_cycle(schema: &Value, value: &Value) -> Entered {
    let mut walk = Walk { root: schema, entered: Vec::new(), left: STEPS };
    let found = walk.finds_cycle(schema, value, DEPTH);
    if walk.left == 0 {
        Entered::TooMuch
    } else if found {
        Entered::Cycle
    } else {
        Entered::Nothing
    }
}

struct Walk<'s> {
    root: &'s Value,
    /// The schemas that are being applied to the current value.
    entered: Vec<*const Value>,
    left: u32,
}

impl<'s> Walk<'s> {
    /// Ends with `true` if it finds one, or takes too many steps.
    fn finds_cycle(&mut self, schema: &'s Value, value: &Value, depth: usize) -> bool {
        let Value::Object(members) = schema else { return false };
        self.left = self.left.saturating_sub(1);
        let place = std::ptr::from_ref(schema);
        if self.left == 0 || self.entered.contains(&place) {
            return true;
        }
        if depth == 0 {
            return false;
        }
        self.entered.push(place);
        let round = self.in_place(members, value, depth);
        self.entered.pop();
        round || self.deeper(members, value, depth)
    }

    /// The schemas that apply to the same value.
    fn in_place(&mut self, members: &'s Map<String, Value>, value: &Value, depth: usize) -> bool {
        members.iter().any(|(keyword, member)| match (keyword.as_str(), member) {
            ("$ref", Value::String(reference)) => {
                let pointer = reference.strip_prefix('#');
                let target = pointer.and_then(|pointer| self.root.pointer(pointer));
                target.is_some_and(|target| self.finds_cycle(target, value, depth))
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                schemas.iter().any(|schema| self.finds_cycle(schema, value, depth))
            }
            ("not" | "if" | "then" | "else", schema) => self.finds_cycle(schema, value, depth),
            _ => false,
        })
    }

    /// The schemas that apply to the elements and members of the value.
    fn deeper(&mut self, members: &'s Map<String, Value>, value: &Value, depth: usize) -> bool {
        let entered = std::mem::take(&mut self.entered);
        let round = members.iter().any(|(keyword, member)| match (keyword.as_str(), member, value) {
            ("properties", Value::Object(schemas), Value::Object(object)) => schemas
                .iter()
                .any(|(name, schema)| object.get(name).is_some_and(|value| self.finds_cycle(schema, value, depth - 1))),
            ("items", schema, Value::Array(items)) => {
                items.iter().any(|item| self.finds_cycle(schema, item, depth - 1))
            }
            ("additionalProperties", schema, Value::Object(object)) => {
                object.values().any(|value| self.finds_cycle(schema, value, depth - 1))
            }
            _ => false,
        });
        self.entered = entered;
        round
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cycle_is_entered_only_by_a_value_that_has_the_place() {
        let schema = json!({
            "properties": {"style": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"allOf": [{"$ref": "#/$defs/B"}]}, "B": {"allOf": [{"$ref": "#/$defs/A"}]}},
        });
        assert_eq!(enters_ref_cycle(&schema, &json!({"style": "bold"})), Entered::Cycle);
        assert_eq!(enters_ref_cycle(&schema, &json!({"id": "w1"})), Entered::Nothing);
        assert_eq!(enters_ref_cycle(&json!({"items": {"$ref": "#/items"}}), &json!([1])), Entered::Cycle);
    }

    #[test]
    fn a_recursive_tree_is_not_a_cycle() {
        let tree = json!({"properties": {"children": {"items": {"$ref": "#"}}, "next": {"$ref": "#"}}});
        let value = json!({"children": [{"children": [{}]}], "next": {"next": {}}});
        assert_eq!(enters_ref_cycle(&tree, &value), Entered::Nothing);
        let twice = json!({"$defs": {"a": {}}, "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]});
        assert_eq!(enters_ref_cycle(&twice, &json!(1)), Entered::Nothing);
    }

    #[test]
    fn references_that_multiply_are_not_followed_to_the_end() {
        let next = |at: usize| json!({"$ref": format!("#/$defs/d{}", at + 1)});
        let mut all: Map<String, Value> =
            (0..40).map(|at| (format!("d{at}"), json!({"allOf": [next(at), next(at)]}))).collect();
        all.insert("d40".to_owned(), json!({}));
        let schema = json!({"$defs": all, "$ref": "#/$defs/d0"});
        assert_eq!(enters_ref_cycle(&schema, &json!(1)), Entered::TooMuch);
    }
}
