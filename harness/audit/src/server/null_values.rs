//! Structured content that is null because there is none, as serialisers write it.
//!
//! The rules of the specification take null for a value. What the server's author has to do is to leave the member out, or
//! to return what the outputSchema declares.

use mcp_compat_judge::rules;
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::unseen::neutralised;

use super::snapshot::ToolSnapshot;

/// The rules whose advice fits a value, and not null in the place of one.
const ABOUT_A_VALUE: [&str; 3] = ["structured-content-object", "text-fallback", "text-fallback-for-non-objects"];

/// Puts one finding about null in the place of those about a value.
pub(super) fn explain(findings: &mut Vec<AuditFinding>, snapshots: &[ToolSnapshot]) {
    let nulls: Vec<&ToolSnapshot> = snapshots.iter().filter(|snapshot| snapshot.has_null_for_nothing()).collect();
    let Some(newest) = nulls.last() else { return };
    let is_about_null = |finding: &mut AuditFinding| {
        let is_null_at = |revision| nulls.iter().any(|snapshot| snapshot.revision == revision);
        ABOUT_A_VALUE.contains(&finding.rule.as_str()) && finding.at.iter().all(|revision| is_null_at(*revision))
    };
    let about_null: Vec<AuditFinding> = findings.extract_if(.., is_about_null).collect();
    let violates_schema = findings.iter().any(|finding| finding.rule == "structured-content-conforms");
    let object = about_null.into_iter().find(|finding| finding.rule == "structured-content-object");
    let rule = rules::find("optional-members-not-null");
    if let (Some(object), Some(rule), false) = (object, rule, violates_schema) {
        findings.push(AuditFinding {
            rule: rule.id.to_owned(),
            detail: format!("`structuredContent` of the result of `{}` is null", neutralised(&newest.tool.name)),
            source: Some(rule.source.to_owned()),
            remedy: rule.remedy.to_owned(),
            ..object
        });
    }
}
