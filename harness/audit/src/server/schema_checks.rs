//! The checks behind the rules about an outputSchema that is valid and that clients still refuse: its dialect, and
//! references that lead back to themselves.

use std::collections::BTreeSet;

use mcp_compat_inclusion::{Dialect, dialect};
use mcp_compat_json::{Json, Object};
use mcp_compat_model::audit::AuditFinding;

use super::alike;
use super::audit_rule::{AuditRule, SCHEMA_DIALECT_IS_CURRENT, SCHEMA_TERMINATES};
use super::findings::bounded;
use super::snapshot::ToolSnapshot;

/// What is wrong, in a sentence; `None` if nothing is.
type Check = fn(&Json) -> Option<String>;

/// The findings about the outputSchema of one tool. `snapshots` shows it at each revision, oldest first.
pub(super) fn of_schemas(snapshots: &[ToolSnapshot]) -> Vec<AuditFinding> {
    const CHECKS: [(AuditRule, Check); 2] =
        [(SCHEMA_DIALECT_IS_CURRENT, older_dialect), (SCHEMA_TERMINATES, endless_reference)];
    let found = CHECKS.into_iter().filter_map(|(rule, problem)| {
        let of = |snapshot: &ToolSnapshot| problem(&snapshot.output_schema()?);
        let (first, problem, at) = alike::first_problem(snapshots, of)?;
        let detail = format!("the outputSchema of `{}` {problem}", first.tool.name);
        Some(AuditFinding { wire: Some(bounded(&first.tool.definition)), ..rule.violated(detail, at) })
    });
    found.collect()
}

/// The dialects that released clients know: 2020-12, which the specification requires, and draft-07, which the validators
/// of older SDKs take for the default.
fn older_dialect(schema: &Json) -> Option<String> {
    let named = schema.get("$schema").and_then(Json::as_str)?;
    let known = dialect(schema)?;
    let is_current = matches!(known, Dialect::Draft202012 | Dialect::Draft7);
    (!is_current).then(|| {
        format!("is written in {named:?}. The specification requires clients to know only JSON Schema 2020-12")
    })
}

/// A reference that a validator follows to itself without descending into the value.
fn endless_reference(schema: &Json) -> Option<String> {
    let mut walk = Walk { root: schema, entered: Vec::new(), descended: BTreeSet::new(), left: STEPS };
    let reference = walk.cycle(schema)?;
    Some(format!("has the reference {reference:?}, which leads back to itself, so that validation never ends"))
}

/// How many subschemas are visited: a schema may be hostile.
const STEPS: usize = 2_000;

struct Walk<'s> {
    root: &'s Json,
    /// The references that are being followed.
    entered: Vec<&'s str>,
    /// The subschemas whose members and elements were visited.
    descended: BTreeSet<*const Json>,
    left: usize,
}

impl<'s> Walk<'s> {
    /// The first reference that is followed to itself at one place of the value.
    fn cycle(&mut self, schema: &'s Json) -> Option<&'s str> {
        self.left = self.left.checked_sub(1)?;
        let members = schema.as_object()?;
        let in_place = members.iter().find_map(|(keyword, member)| match (keyword.as_str()?, member) {
            ("$ref", Json::String(reference)) => self.follow(reference.as_str()?),
            ("allOf" | "anyOf" | "oneOf", Json::Array(schemas)) => schemas.iter().find_map(|schema| self.cycle(schema)),
            ("not" | "if" | "then" | "else", schema) => self.cycle(schema),
            _ => None,
        });
        // What applies to a member or an element begins anew: the value ends.
        in_place.or_else(|| {
            self.descended.insert(std::ptr::from_ref(schema)).then_some(())?;
            let entered = std::mem::take(&mut self.entered);
            let found = members.iter().find_map(|(keyword, member)| match (keyword.as_str()?, member) {
                ("properties" | "patternProperties", Json::Object(schemas)) => self.any(schemas),
                ("items" | "additionalProperties" | "contains", schema) => self.cycle(schema),
                _ => None,
            });
            self.entered = entered;
            found
        })
    }

    fn any(&mut self, schemas: &'s Object) -> Option<&'s str> {
        schemas.iter().find_map(|(_, schema)| self.cycle(schema))
    }

    fn follow(&mut self, reference: &'s str) -> Option<&'s str> {
        if self.entered.contains(&reference) {
            return Some(reference);
        }
        let target = self.root.pointer(reference.strip_prefix('#')?)?;
        self.entered.push(reference);
        let found = self.cycle(target);
        self.entered.pop();
        found
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::at_once(r##"{"allOf":[{"$ref":"#"}]}"##, true)]
    #[case::by_two(r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##, true)]
    #[case::in_a_member(
        r##"{"properties":{"n":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}"##,
        true
    )]
    #[case::a_tree(r##"{"properties":{"children":{"items":{"$ref":"#"}}}}"##, false)]
    #[case::twice_the_same(r##"{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{}}}"##, false)]
    #[case::to_nowhere(r##"{"$ref":"#/$defs/a"}"##, false)]
    fn a_reference_is_endless_only_if_it_does_not_descend(#[case] schema: &str, #[case] endless: bool) {
        assert_eq!(endless_reference(&Json::parse(schema).unwrap()).is_some(), endless);
    }

    #[rstest]
    #[case::draft_04("http://json-schema.org/draft-04/schema#", true)]
    #[case::draft_07("http://json-schema.org/draft-07/schema#", false)]
    #[case::current("https://json-schema.org/draft/2020-12/schema", false)]
    fn a_dialect_that_clients_need_not_know_is_found(#[case] named: &str, #[case] older: bool) {
        let schema = Json::parse(&format!(r#"{{"$schema":"{named}"}}"#)).unwrap();
        assert_eq!(older_dialect(&schema).is_some(), older);
    }
}
