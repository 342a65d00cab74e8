//! Output schemas put under one key, `result`, so that an older revision can carry any value.
//!
//! Local pointers of a schema change when it moves: `#/$defs/user` becomes `#/properties/result/$defs/user`. `$ref` can also
//! be the name of a property, or data in a `const`, so the schema is walked as a schema. Everything except references stays
//! verbatim.

use std::borrow::Cow;

use crate::wire::jsonrpc::quote;
use crate::wire::object::{Object, elements, read_string};
use mcp_compat_schema::validator::{Holds, holds};

/// The place of the wrapped schema in the wrapper.
const MOVED_TO: &str = "/properties/result";

/// The keywords that refer to another schema.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Depth to which schemas are rewritten. Below that they stay verbatim.
const DEPTH: usize = 128;

/// The value under its key.
pub(crate) fn value(value: &str) -> String {
    format!(r#"{{"result":{value}}}"#)
}

/// The schema of the wrapped value.
pub(crate) fn schema(schema: &str) -> String {
    let Some(mut root) = Object::read(schema) else {
        return wrapper(None, schema);
    };
    let dialect = root.get("$schema").map(str::to_owned);
    if has_own_base(&root) {
        // A schema with an `$id` is a resource of its own: its pointers start at itself, wherever it is.
        return wrapper(dialect.as_deref(), schema);
    }
    root.remove("$schema");
    move_references(&mut root, DEPTH);
    wrapper(dialect.as_deref(), &root.write())
}

fn wrapper(dialect: Option<&str>, inner: &str) -> String {
    let dialect = dialect.map(|dialect| format!(r#""$schema":{dialect},"#)).unwrap_or_default();
    format!(r#"{{{dialect}"type":"object","properties":{{"result":{inner}}},"required":["result"]}}"#)
}

/// Returns whether references in a schema are relative to the schema itself. `id` is draft 4's spelling.
fn has_own_base(schema: &Object<'_>) -> bool {
    ["$id", "id"].iter().any(|key| {
        let id = schema.get(key).and_then(read_string);
        id.is_some_and(|id| !id.starts_with('#'))
    })
}

fn move_references(schema: &mut Object<'_>, depth: usize) {
    if depth == 0 {
        return;
    }
    for member in schema.members_mut() {
        let Some(keyword) = member.key() else { continue };
        let moved = match holds(keyword) {
            Holds::Schema | Holds::Schemas => moved_schemas(&member.value, depth),
            Holds::NamedSchemas => moved_named_schemas(&member.value, depth),
            Holds::Nothing if REFERENCES.contains(&keyword) => moved_reference(&member.value),
            Holds::Nothing => None,
        };
        if let Some(moved) = moved {
            member.value = Cow::Owned(moved);
        }
    }
}

/// A moved reference to the root or to a pointer. Names (`#anchor`) and addresses need no change.
fn moved_reference(reference: &str) -> Option<String> {
    let target = read_string(reference)?;
    let pointer = target.strip_prefix('#').filter(|pointer| pointer.is_empty() || pointer.starts_with('/'))?;
    Some(quote(&format!("#{MOVED_TO}{pointer}")))
}

fn moved_schema(text: &str, depth: usize) -> Option<String> {
    let mut schema = Object::read(text)?;
    if has_own_base(&schema) {
        return None;
    }
    move_references(&mut schema, depth - 1);
    Some(schema.write())
}

fn moved_schemas(text: &str, depth: usize) -> Option<String> {
    let Some(schemas) = elements(text) else {
        return moved_schema(text, depth);
    };
    let moved = schemas.into_iter().map(|schema| moved_schema(schema, depth).map_or(Cow::Borrowed(schema), Cow::Owned));
    Some(format!("[{}]", moved.collect::<Vec<_>>().join(",")))
}

fn moved_named_schemas(text: &str, depth: usize) -> Option<String> {
    let mut named = Object::read(text)?;
    for member in named.members_mut() {
        if let Some(moved) = moved_schema(&member.value, depth) {
            member.value = Cow::Owned(moved);
        }
    }
    Some(named.write())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inner(text: &str) -> String {
        let wrapped = schema(text);
        let before = r#"{"type":"object","properties":{"result":"#;
        let inner = wrapped.strip_prefix(before).and_then(|rest| rest.strip_suffix(r#"},"required":["result"]}"#));
        inner.unwrap_or_else(|| panic!("{wrapped}")).to_owned()
    }

    #[test]
    fn a_schema_without_references_stays_verbatim() {
        for text in [r#"{"type":"array","items":{"maximum":1.50e3}}"#, "true", r##"{"const":{"$ref":"#/x"}}"##] {
            assert_eq!(inner(text), text);
        }
    }

    #[test]
    fn pointers_move_along() {
        assert_eq!(
            inner(r##"{"items":{"$ref":"#/$defs/u"},"$defs":{"u":{"anyOf":[{"$ref":"#"},{"$ref":"#name"}]}}}"##),
            r##"{"items":{"$ref":"#/properties/result/$defs/u"},"$defs":{"u":{"anyOf":[{"$ref":"#/properties/result"},{"$ref":"#name"}]}}}"##
        );
    }

    #[test]
    fn a_property_that_is_called_ref_is_no_reference() {
        let text = r##"{"properties":{"$ref":{"type":"string","default":"#/a"}},"enum":[{"$ref":"#/a"}]}"##;
        assert_eq!(inner(text), text);
    }

    #[test]
    fn a_resource_with_its_own_address_keeps_its_pointers() {
        let text = r##"{"allOf":[{"$id":"https://example.com/a","$ref":"#/x"},{"$id":"#draft6","$ref":"#/x"}]}"##;
        assert_eq!(
            inner(text),
            r##"{"allOf":[{"$id":"https://example.com/a","$ref":"#/x"},{"$id":"#draft6","$ref":"#/properties/result/x"}]}"##
        );
        let text = r##"{"$id":"https://example.com/b","items":{"$ref":"#/x"}}"##;
        assert_eq!(inner(text), text);
    }

    #[test]
    fn the_dialect_is_said_at_the_new_root() {
        assert_eq!(
            schema(r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"array"}"#),
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"result":{"type":"array"}},"required":["result"]}"#
        );
    }

    #[test]
    fn a_schema_of_any_depth_is_survived() {
        let text = format!("{}{{}}{}", r#"{"not":"#.repeat(20_000), "}".repeat(20_000));
        assert!(schema(&text).len() > text.len());
    }
}
