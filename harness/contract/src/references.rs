//! Schemas with their local references resolved: a part that moved under `$defs` is no change of its meaning.

use mcp_compat_json::{Json, Object};

/// How many subschemas a resolved schema may have: references may multiply.
const SIZE: usize = 5_000;

/// How deeply references are followed: one that leads back to itself is never resolved.
const DEPTH: usize = 64;

/// Whether two schemas differ only in their references: resolved, they are the same. Never if a reference cannot be
/// resolved (it leads out of the schema, back to itself, or stands beside other keywords), or stands at the root: clients
/// read the type of the root in so many words.
pub(crate) fn are_rearranged(old: &Json, new: &Json) -> bool {
    let at_root = |schema: &Json| schema.get("$ref").is_some();
    if at_root(old) || at_root(new) || references(old) == references(new) {
        return false;
    }
    let (old, new) = (Resolver::of(old), Resolver::of(new));
    old.is_some() && old == new
}

/// Every reference in a schema, in order.
fn references(schema: &Json) -> Vec<&str> {
    match schema {
        Json::Object(members) => {
            let own = schema.get("$ref").and_then(Json::as_str);
            own.into_iter().chain(members.iter().flat_map(|(_, member)| references(member))).collect()
        }
        Json::Array(items) => items.iter().flat_map(references).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Vec::new(),
    }
}

struct Resolver<'s> {
    root: &'s Json,
    left: usize,
}

impl<'s> Resolver<'s> {
    fn of(schema: &'s Json) -> Option<Json> {
        let mut resolver = Self { root: schema, left: SIZE };
        resolver.resolve(schema, DEPTH)
    }

    fn resolve(&mut self, schema: &Json, depth: usize) -> Option<Json> {
        self.left = self.left.checked_sub(1)?;
        let deeper = depth.checked_sub(1)?;
        match schema {
            Json::Object(members) => {
                // The definitions are read where they are referred to.
                if let Some(reference) = schema.get("$ref") {
                    let mut beside = members.iter().filter_map(|(key, _)| key.as_str());
                    let is_alone = beside.all(|key| ["$ref", "$defs", "definitions", "$schema"].contains(&key));
                    let target = self.root.pointer(reference.as_str()?.strip_prefix('#').filter(|_| is_alone)?)?;
                    return self.resolve(target, deeper);
                }
                let mut object = Object::new();
                for (key, member) in members.iter().filter(|(key, _)| !is_definitions(key.as_str())) {
                    let resolved = match key.as_str() {
                        Some("const" | "enum" | "default" | "examples") => member.clone(),
                        // A property may have such a name.
                        Some("properties") if has_definitions(member) => return None,
                        Some(_) | None => self.resolve(member, deeper)?,
                    };
                    object.push(key.clone(), resolved);
                }
                Some(Json::Object(object))
            }
            Json::Array(items) => {
                items.iter().map(|item| self.resolve(item, deeper)).collect::<Option<Vec<_>>>().map(Json::Array)
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Some(schema.clone()),
        }
    }
}

fn has_definitions(properties: &Json) -> bool {
    properties.as_object().into_iter().flat_map(Object::iter).any(|(key, _)| is_definitions(key.as_str()))
}

fn is_definitions(key: Option<&str>) -> bool {
    matches!(key, Some("$defs" | "definitions"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn of(old: &str, new: &str) -> bool {
        are_rearranged(&Json::parse(old).unwrap(), &Json::parse(new).unwrap())
    }

    #[test]
    fn a_part_that_moved_means_the_same() {
        let inline = r#"{"type":"object","properties":{"n":{"type":"string"}}}"#;
        let moved = r##"{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"string"}}}"##;
        assert!(of(inline, moved) && of(moved, inline));
        assert!(!of(inline, inline), "nothing is rearranged");
        assert!(!of(inline, &moved.replace("\"string\"", "\"number\"")), "the part means something else");
    }

    #[rstest]
    #[case::back_to_itself(r##"{"$ref":"#"}"##)]
    #[case::out_of_the_schema(r#"{"$ref":"https://example.org/n"}"#)]
    #[case::to_nowhere(r##"{"properties":{"n":{"$ref":"#/$defs/n"}}}"##)]
    #[case::beside_a_property_called_definitions(
        r##"{"properties":{"definitions":{"type":"string"},"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{}}}"##
    )]
    #[case::beside_a_keyword(r##"{"properties":{"n":{"$ref":"#/$defs/n","minLength":1}},"$defs":{"n":{}}}"##)]
    fn what_cannot_be_resolved_is_compared_as_it_stands(#[case] schema: &str) {
        assert!(!of("{}", schema) && Resolver::of(&Json::parse(schema).unwrap()).is_none());
    }
}
