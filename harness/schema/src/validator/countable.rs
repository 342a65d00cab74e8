//! A schema in a form in which all work on it is counted.
//!
//! Work is counted where the validator looks at a value. There are schemas that are evaluated without a look: one that has
//! only `allOf`, for instance. So every schema without `type` gets one that allows all types, which changes no answer: the
//! validator looks at the type before anything else.

use std::collections::HashSet;
use std::convert::Infallible;

use serde_json::{Map, Value, json};

use crate::validator::references::percent_decoded;
use crate::validator::subschemas::{Holds, each_schema, holds};

/// A keyword of no dialect. The validator hands it to a function of ours while it compiles.
pub(crate) const STEP: &str = "x-mcp-compat-step";

/// Error about a schema on which work cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Uncountable {
    /// The reference, as a JSON Pointer.
    pub(crate) pointer: String,
    pub(crate) why: &'static str,
}

/// Shape of a schema whose work can be counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Number of schemas that are evaluated for one look at most: lists of `true`, and references that lead to references.
    pub(crate) unseen: u64,
}

/// Number of references in a row that may have nothing beside them.
const CHAIN: usize = 256;

/// Rewrites a schema. `counts_steps`: its compilation is counted, too.
///
/// # Errors
/// Fails if a reference leads to a place where no schema stands, or through too many others.
pub(crate) fn rewrite(schema: &mut Value, counts_steps: bool) -> Result<Shape, Uncountable> {
    let mut walk = Walk { counts_steps, ..Walk::default() };
    walk.schemas("", schema);
    while let Some((pointer, reference)) = walk.references.pop() {
        let target = target_of(&reference);
        if !walk.visited.contains(&target) {
            if is_data(&target) {
                return Err(Uncountable { pointer, why: "it refers to a value that is no schema" });
            }
            if let Some(schema) = schema.pointer_mut(&target) {
                walk.schemas(&target, schema);
            }
        }
    }
    let links = longest_chain(schema, &walk.bare)?;
    Ok(Shape { unseen: walk.trues + links })
}

#[derive(Default)]
struct Walk {
    counts_steps: bool,
    visited: HashSet<String>,
    /// The references within the schema, with their places.
    references: Vec<(String, String)>,
    /// The places of references with nothing beside them.
    bare: Vec<String>,
    /// The longest list of `true` and `false`.
    trues: u64,
}

impl Walk {
    fn schemas(&mut self, base: &str, schema: &mut Value) {
        let Ok(()) = each_schema(schema, &mut |pointer, members| -> Result<(), Infallible> {
            let place = format!("{base}{pointer}");
            if self.visited.insert(place.clone()) {
                self.schema(place, members);
            }
            Ok(())
        });
    }

    fn schema(&mut self, place: String, members: &mut Map<String, Value>) {
        for (keyword, value) in members.iter() {
            if let (Holds::Schemas, Value::Array(schemas)) = (holds(keyword), value) {
                let trues = schemas.iter().filter(|schema| schema.is_boolean()).count() as u64;
                self.trues = self.trues.max(trues);
            }
        }
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            if reference.contains("#/") {
                self.references.push((format!("{place}/$ref"), reference.to_owned()));
            }
            self.bare.push(place);
        }
        if !members.contains_key("type") {
            members.insert("type".to_owned(), json!(["array", "boolean", "null", "number", "object", "string"]));
        }
        if self.counts_steps {
            members.insert(STEP.to_owned(), Value::Null);
        }
    }
}

/// The longest way over references alone. In the dialects before 2019-09 nothing beside a reference counts.
fn longest_chain(schema: &Value, bare: &[String]) -> Result<u64, Uncountable> {
    let next = |place: &str| {
        let reference = schema.pointer(place)?.get("$ref")?.as_str()?;
        reference.starts_with("#/").then(|| target_of(reference))
    };
    let bare: HashSet<&str> = bare.iter().map(String::as_str).collect();
    let mut lengths: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    let mut starts: Vec<&str> = bare.iter().copied().collect();
    starts.sort_unstable();
    for start in starts {
        let mut way = vec![start.to_owned()];
        let known = loop {
            let Some(target) = way.last().and_then(|place| next(place)).filter(|place| bare.contains(place.as_str()))
            else {
                break 0;
            };
            if let Some(length) = lengths.get(&target) {
                break *length;
            }
            if way.contains(&target) {
                break 0;
            }
            if way.len() > CHAIN {
                let why = "it leads to a reference, and so on, too many times";
                return Err(Uncountable { pointer: format!("{start}/$ref"), why });
            }
            way.push(target);
        };
        for (behind, place) in way.into_iter().rev().enumerate() {
            lengths.insert(place, known + behind + 1);
        }
        if lengths.get(start).is_some_and(|length| *length > CHAIN) {
            let why = "it leads to a reference, and so on, too many times";
            return Err(Uncountable { pointer: format!("{start}/$ref"), why });
        }
    }
    Ok(lengths.into_values().max().unwrap_or(0) as u64)
}

/// The JSON Pointer of a reference.
fn target_of(reference: &str) -> String {
    percent_decoded(reference.split_once('#').map_or("", |(_, fragment)| fragment))
}

/// Returns true if a place that is no schema by its keywords is part of a value.
fn is_data(pointer: &str) -> bool {
    pointer.split('/').any(|token| token == "const" || token == "enum")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_has_a_type_and_data_is_left_alone() {
        let mut schema = json!({
            "allOf": [{"properties": {"type": {"minimum": 1}}}, {"type": "object"}, true],
            "const": {"allOf": [{}]},
            "components": {"a": {"items": {}}},
            "$ref": "#/components/a",
        });
        rewrite(&mut schema, false).unwrap();
        let all = json!(["array", "boolean", "null", "number", "object", "string"]);
        assert_eq!(schema["type"], all);
        assert_eq!(schema["allOf"][0]["properties"]["type"], json!({"minimum": 1, "type": all}));
        assert_eq!(schema["allOf"][1], json!({"type": "object"}));
        assert_eq!(schema["const"], json!({"allOf": [{}]}));
        assert_eq!(schema["components"]["a"]["items"]["type"], all);
    }

    #[test]
    fn a_reference_into_data_cannot_be_counted() {
        let mut schema = json!({"enum": [{"allOf": []}], "properties": {"a": {"$ref": "#/enum/0"}}});
        assert_eq!(rewrite(&mut schema, false).unwrap_err().pointer, "/properties/a/$ref");
        let mut named = json!({"properties": {"enum": {}, "a": {"$ref": "#/properties/enum"}}});
        assert!(rewrite(&mut named, false).is_ok());
    }

    #[test]
    fn references_in_a_row_have_an_end() {
        let chain = |links: usize| {
            let link = |at: usize| (format!("d{at}"), json!({"$ref": format!("#/$defs/d{}", at + 1)}));
            let mut all: Map<String, Value> = (0..links).map(link).collect();
            all.insert(format!("d{links}"), json!({"type": "integer"}));
            json!({"$defs": all, "$ref": "#/$defs/d0"})
        };
        assert_eq!(rewrite(&mut chain(50), false).unwrap().unseen, 51);
        assert!(rewrite(&mut chain(1_000), false).is_err());
        assert!(rewrite(&mut json!({"$ref": "#"}), false).is_ok());
        assert!(rewrite(&mut json!({"$defs": {"a": {"$ref": "#/$defs/a"}}}), false).is_ok());
    }
}
