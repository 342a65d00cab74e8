//! The root of a schema, as the types of a client's SDK hold it.

use crate::wire::object::Object;
use mcp_compat_model::{Era, Revision};

use crate::client::policy::Roots;

/// Tells whether the JSON text of a member has the right type.
type Check = fn(&str) -> bool;

/// Requires the root of a schema to be what the types say.
///
/// # Errors
/// The first member that is not.
pub(crate) fn require(roots: Roots, revision: Revision, schema: &str) -> Result<(), String> {
    let Some(schema) = Object::read(schema) else { return Ok(()) };
    let legacy = revision.era() == Era::Legacy;
    let members: &[(&str, Check)] = match (roots, legacy) {
        (Roots::Open, _) => &[],
        (Roots::Zod, true) => &[("properties", is_object), ("required", is_names)],
        (Roots::Zod, false) => &[("$schema", is_text)],
        (Roots::Pydantic, true) => &[("$schema", is_text), ("properties", is_schemas), ("required", is_names)],
        (Roots::Pydantic, false) => &[("$schema", is_text)],
    };
    let fits = |value: &str, is: Check| is(value) || (roots == Roots::Pydantic && value == "null");
    match members.iter().find(|(name, is)| schema.get(name).is_some_and(|value| !fits(value, *is))) {
        None => Ok(()),
        Some((name, _)) => Err(format!("{name} has the wrong type")),
    }
}

fn is_text(value: &str) -> bool {
    value.starts_with('"')
}

fn is_object(value: &str) -> bool {
    value.starts_with('{')
}

fn is_names(value: &str) -> bool {
    serde_json::from_str::<Vec<String>>(value).is_ok()
}

/// An object of objects and booleans.
fn is_schemas(value: &str) -> bool {
    let is_schema = |value: &str| matches!(value, "true" | "false") || is_object(value);
    Object::read(value).is_some_and(|mut named| named.members_mut().all(|member| is_schema(&member.value)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// As the types in the sources have it.
    #[rstest]
    #[case::sound(r#"{"type":"object","$schema":"x","properties":{"a":{}},"required":["a"]}"#, [true; 4])]
    #[case::dialect(r#"{"$schema":7}"#, [true, false, false, false])]
    #[case::null_dialect(r#"{"$schema":null}"#, [true, false, true, true])]
    #[case::list(r#"{"properties":[]}"#, [false, true, false, true])]
    #[case::odd_property(r#"{"properties":{"a":1}}"#, [true, true, false, true])]
    #[case::boolean(r#"{"properties":{"a":true}}"#, [true; 4])]
    #[case::no_names(r#"{"required":[1]}"#, [false, true, false, true])]
    #[case::null_names(r#"{"required":null}"#, [false, true, true, true])]
    fn a_root_fits_the_types_of_the_era(#[case] schema: &str, #[case] fits: [bool; 4]) {
        let clients = [(Roots::Zod, true), (Roots::Zod, false), (Roots::Pydantic, true), (Roots::Pydantic, false)];
        let revision = |legacy| if legacy { Revision::V2025_11_25 } else { Revision::V2026_07_28 };
        let found = clients.map(|(roots, legacy)| require(roots, revision(legacy), schema).is_ok());
        assert_eq!(found, fits);
        assert_eq!(require(Roots::Open, Revision::V2025_11_25, schema), Ok(()));
    }
}
