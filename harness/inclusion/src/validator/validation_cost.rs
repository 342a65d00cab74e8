//! How much work a validation could be, computed before it is started.
//!
//! A schema of a hundred lines can take longer than anyone will wait: references that each lead to two more, or that come
//! back to themselves at every level of the value. The validator follows all of them, so their product is computed first.

use std::collections::HashMap;

use mcp_compat_json::Json;
use serde_json::Value;

/// How deep a schema or value may be nested: the validator follows it on the stack.
pub(super) const DEPTH: usize = 128;

/// How many subschemas may be visited for one place in a value, and how many places may multiply to.
const WORK: u64 = 1_000_000;

/// How references come back to themselves, and so grow with the depth of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Growth {
    /// How many references lead back to a schema that is being followed already.
    back: u64,
}

impl Growth {
    pub(super) fn is_too_much_for(self, value: &Json) -> bool {
        self.back > 1 && {
            let depth = u32::try_from(depth(value, DEPTH)).unwrap_or(u32::MAX);
            self.back.checked_pow(depth).is_none_or(|work| work > WORK)
        }
    }
}

/// Whether a value is nested deeper than [`DEPTH`].
pub(super) fn too_deep(value: &Json) -> bool {
    depth(value, DEPTH + 1) > DEPTH
}

/// The depth of nesting, but not beyond `limit`.
fn depth(value: &Json, limit: usize) -> usize {
    if limit == 0 {
        return 0;
    }
    match value {
        Json::Array(elements) => 1 + elements.iter().map(|element| depth(element, limit - 1)).max().unwrap_or(0),
        Json::Object(object) => 1 + object.iter().map(|(_, member)| depth(member, limit - 1)).max().unwrap_or(0),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 0,
    }
}

/// What the references of a schema multiply to.
pub(super) fn growth(schema: &Value) -> Result<Growth, &'static str> {
    let mut reckoner = Reckoner { root: schema, known: HashMap::new(), path: Vec::new(), back: 0 };
    if reckoner.cost(schema, 0) > WORK {
        return Err("its references multiply to more work than can be waited for");
    }
    Ok(Growth { back: reckoner.back })
}

struct Reckoner<'s> {
    root: &'s Value,
    /// The cost of what a reference leads to, by the reference.
    known: HashMap<&'s str, u64>,
    /// The references being followed.
    path: Vec<&'s str>,
    back: u64,
}

impl<'s> Reckoner<'s> {
    fn cost(&mut self, schema: &'s Value, depth: usize) -> u64 {
        // Beyond that many references in a row the stack would be next.
        if depth > 4 * DEPTH {
            return WORK + 1;
        }
        match schema {
            Value::Object(members) => members.iter().fold(1, |sum: u64, (key, member)| {
                let part = match (key.as_str(), member) {
                    ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                        self.follow(reference, depth)
                    }
                    // Definitions cost where they are referred to; data is no schema.
                    ("$defs" | "definitions" | "const" | "enum" | "default" | "examples", _) => 0,
                    (_, member) => self.cost(member, depth + 1),
                };
                sum.saturating_add(part)
            }),
            Value::Array(elements) => {
                elements.iter().fold(0, |sum: u64, element| sum.saturating_add(self.cost(element, depth + 1)))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        }
    }

    fn follow(&mut self, reference: &'s str, depth: usize) -> u64 {
        if let Some(cost) = self.known.get(reference) {
            return *cost;
        }
        if self.path.contains(&reference) {
            self.back += 1;
            return 1;
        }
        let target = match reference.strip_prefix('#') {
            // A whole document, or an anchor: taken to be the root, which holds them all.
            Some(pointer) => self.root.pointer(pointer).unwrap_or(self.root),
            None => self.root,
        };
        self.path.push(reference);
        let cost = self.cost(target, depth + 1);
        self.path.pop();
        self.known.insert(reference, cost);
        cost
    }
}
