//! The work of compiling `unevaluatedProperties` and `unevaluatedItems`.
//!
//! For these keywords the validator follows, from the schema that has one, every schema that applies to the same value. It
//! follows references each time that it comes to them, so the work can double with each of them. Here the same way is
//! gone, without doing anything on it, up to a limit.

use serde_json::Value;

use crate::validator::costly_place;
use crate::validator::references::{Places, REFERENCES};
use crate::validator::subschemas::{Holds, each_schema, holds};

/// Number of values in all schemas on the way, at most. Much of each schema is compiled again.
const STEPS: u64 = 50_000;

/// The keywords.
const UNEVALUATED: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

/// The place of the first such keyword that takes too much work to compile, as a JSON Pointer.
pub(crate) fn too_costly(schema: &mut Value) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    let Ok(()) = each_schema(schema, &mut |pointer, members| -> Result<(), std::convert::Infallible> {
        for keyword in UNEVALUATED.iter().filter(|keyword| members.contains_key(**keyword)) {
            found.push(format!("{pointer}/{keyword}"));
        }
        Ok(())
    });
    if found.is_empty() {
        return None;
    }
    let places = Places::of(schema);
    let mut walk = Walk { places: &places, on_the_way: Vec::new(), left: STEPS };
    found.into_iter().find(|pointer| {
        let parent = pointer.rsplit_once('/').and_then(|(parent, _)| schema.pointer(parent));
        parent.is_some_and(|parent| walk.follow(parent).is_none())
    })
}

struct Walk<'p, 's> {
    places: &'p Places<'s>,
    /// The schemas that lead to where the walk is. The validator does not follow a reference back to one of them.
    on_the_way: Vec<*const Value>,
    left: u64,
}

impl<'s> Walk<'_, 's> {
    /// Follows every schema that applies to the same value, or ends.
    fn follow(&mut self, schema: &'s Value) -> Option<()> {
        // The way is searched at each reference.
        let values = costly_place::size(schema) as u64;
        self.left = self.left.checked_sub(values + self.on_the_way.len() as u64 / 16)?;
        let Value::Object(members) = schema else { return Some(()) };
        self.on_the_way.push(std::ptr::from_ref(schema));
        for (keyword, value) in members {
            match (keyword.as_str(), value) {
                (keyword, Value::String(reference)) if REFERENCES.contains(&keyword) => {
                    for target in self.places.targets(reference) {
                        if !self.on_the_way.contains(&std::ptr::from_ref(target)) {
                            self.follow(target)?;
                        }
                    }
                }
                ("if" | "then" | "else", schema) => self.follow(schema)?,
                ("dependentSchemas", Value::Object(named)) => {
                    named.values().try_for_each(|schema| self.follow(schema))?;
                }
                ("prefixItems", _) => {}
                (keyword, Value::Array(schemas)) if holds(keyword) == Holds::Schemas => {
                    schemas.iter().try_for_each(|schema| self.follow(schema))?;
                }
                _ => {}
            }
        }
        self.on_the_way.pop();
        Some(())
    }
}
