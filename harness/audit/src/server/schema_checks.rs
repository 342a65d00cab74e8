//! The checks behind the rules about an outputSchema that is valid and that clients still refuse: its dialect, and
//! references that lead back to themselves.

use mcp_compat_inclusion::{Dialect, dialect, endless_reference};
use mcp_compat_json::Json;
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::excerpt::excerpt;

use super::alike;
use super::audit_rule::{AuditRule, SCHEMA_DIALECT_IS_CURRENT, SCHEMA_TERMINATES};
use super::findings::bounded;
use super::snapshot::ToolSnapshot;

/// What is wrong, in a sentence; `None` if nothing is.
type Check = fn(&Json) -> Option<String>;

/// The findings about the outputSchema of one tool. `snapshots` shows it at each revision, oldest first.
pub(super) fn of_schemas(snapshots: &[ToolSnapshot]) -> Vec<AuditFinding> {
    const CHECKS: [(AuditRule, Check); 2] = [(SCHEMA_DIALECT_IS_CURRENT, older_dialect), (SCHEMA_TERMINATES, endless)];
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
fn endless(schema: &Json) -> Option<String> {
    let reference = endless_reference(schema)?;
    let reference = excerpt(&reference);
    Some(format!("has the reference {reference:?}, which leads back to itself, so that a validator may never finish"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn a_reference_to_itself_is_told() {
        let problem = |schema: &str| endless(&Json::parse(schema).unwrap());
        let words = "has the reference \"#\", which leads back to itself, so that a validator may never finish";
        assert_eq!(problem(r##"{"allOf":[{"$ref":"#"}]}"##).as_deref(), Some(words));
        assert_eq!(problem(r##"{"items":{"$ref":"#"}}"##), None);
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
