//! Structured content that is null because there is none, as serialisers write it.
//!
//! The rules of the specification take null for a value. What the server's author has to do is to leave the member out, or
//! to return what the outputSchema declares.

use mcp_compat_judge::rules::{self, Rule};
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::unseen::neutralised;

use super::snapshot::ToolSnapshot;

/// Puts one finding about null in the place of those about a value.
pub(super) fn explain(findings: &mut Vec<AuditFinding>, snapshots: &[ToolSnapshot]) {
    let nulls: Vec<&ToolSnapshot> = snapshots.iter().filter(|snapshot| snapshot.has_null_for_nothing()).collect();
    let Some(newest) = nulls.last() else { return };
    let is_about_null = |finding: &mut AuditFinding| {
        let is_null_at = |revision| nulls.iter().any(|snapshot| snapshot.revision == revision);
        rules::find(&finding.rule).is_some_and(Rule::is_about_value)
            && finding.at.iter().all(|revision| is_null_at(*revision))
    };
    let about_null: Vec<AuditFinding> = findings.extract_if(.., is_about_null).collect();
    let is_of = |finding: &AuditFinding, rule: &Rule| rules::find(&finding.rule) == Some(rule);
    let violates_schema = findings.iter().any(|finding| is_of(finding, &rules::STRUCTURED_CONTENT_CONFORMS));
    let object = about_null.into_iter().find(|finding| is_of(finding, &rules::STRUCTURED_CONTENT_OBJECT));
    if let (Some(object), false) = (object, violates_schema) {
        let rule = &rules::OPTIONAL_MEMBERS_NOT_NULL;
        findings.push(AuditFinding {
            rule: rule.id.to_owned(),
            detail: format!("`structuredContent` of the result of `{}` is null", neutralised(&newest.tool.name)),
            source: Some(rule.source.to_owned()),
            remedy: rule.remedy.to_owned(),
            ..object
        });
    }
}
