//! Walk over the schemas within a schema.

use serde_json::{Map, Value};

/// Content of the value of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A schema, or in old drafts an array of them.
    Schema,
    Schemas,
    /// An object whose members are schemas.
    NamedSchemas,
    /// No schema: data, a number, or something that no draft knows.
    Nothing,
}

/// Returns what the value of a keyword holds, by all drafts.
pub fn holds(keyword: &str) -> Holds {
    match keyword {
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::Schemas,
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties" | "properties" => {
            Holds::NamedSchemas
        }
        _ => Holds::Nothing,
    }
}

/// Visits every object that is a schema, inner ones first, with its JSON Pointer.
///
/// # Errors
/// The first error of `visit`.
pub fn each_schema<E>(
    schema: &mut Value,
    visit: &mut impl FnMut(&str, &mut Map<String, Value>) -> Result<(), E>,
) -> Result<(), E> {
    walk(schema, &mut String::new(), visit)
}

fn walk<E>(
    schema: &mut Value,
    pointer: &mut String,
    visit: &mut impl FnMut(&str, &mut Map<String, Value>) -> Result<(), E>,
) -> Result<(), E> {
    let Value::Object(members) = schema else { return Ok(()) };
    for (keyword, value) in members.iter_mut() {
        let held = holds(keyword);
        if held == Holds::Nothing {
            continue;
        }
        let end = pointer.len();
        push(pointer, keyword);
        match value {
            Value::Array(schemas) if held != Holds::NamedSchemas => {
                for (index, schema) in schemas.iter_mut().enumerate() {
                    at(pointer, &index.to_string(), |pointer| walk(schema, pointer, visit))?;
                }
            }
            Value::Object(named) if held == Holds::NamedSchemas => {
                for (name, schema) in named.iter_mut() {
                    at(pointer, name, |pointer| walk(schema, pointer, visit))?;
                }
            }
            schema if held == Holds::Schema => walk(schema, pointer, visit)?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            }
        }
        pointer.truncate(end);
    }
    visit(pointer, members)
}

fn at<E>(pointer: &mut String, token: &str, inside: impl FnOnce(&mut String) -> Result<(), E>) -> Result<(), E> {
    let end = pointer.len();
    push(pointer, token);
    inside(pointer)?;
    pointer.truncate(end);
    Ok(())
}

fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
}
