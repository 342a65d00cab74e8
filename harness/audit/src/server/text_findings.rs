//! Exact findings about text.
//!
//! The rule `text-fallback` says only that no text block parses to the structured content. The remedy depends on the text
//! that is there.

use mcp_compat_json::{Difference, DifferenceKind};
use mcp_compat_judge::rules::{self, Affects};
use mcp_compat_model::audit::{AuditFinding, Severity};
use mcp_compat_model::unseen::neutralised;

use super::audit_rule::{TEXT_REPEATS_VALUE, TEXT_REPEATS_WRAPPER};
use super::snapshot::ToolSnapshot;
use super::text_of_value::TextOfValue;

/// Whether a finding says that no text block has the value.
fn is_about_text(finding: &AuditFinding) -> bool {
    rules::find(&finding.rule).is_some_and(|rule| rule.affects == Affects::TextFallback)
}

/// Makes the findings of a tool about text more exact, by the answer of the tool. A violation of two rules in the same way
/// is reported once, by the stricter one.
pub(super) fn explain(findings: &mut Vec<AuditFinding>, snapshots: &[ToolSnapshot]) {
    for finding in findings.iter_mut().filter(|finding| is_about_text(finding)) {
        let newest = || snapshots.iter().rev().filter(|snapshot| finding.at.contains(&snapshot.revision));
        let Some((tool, text)) = newest().find_map(|snapshot| Some((snapshot, snapshot.text_of_value()?))) else {
            let value = newest().find_map(|snapshot| Some(snapshot.result()?.get("structuredContent")?.kind()));
            finding.way = value.map(|kind| format!("no text of a JSON {kind}"));
            continue;
        };
        let name = neutralised(&tool.tool.name);
        match text {
            TextOfValue::NoText => {
                finding.detail = format!("the result of `{name}` has structuredContent and no text block");
                finding.way = Some("no text block".to_owned());
            }
            TextOfValue::Prose => {
                finding.detail = format!(
                    "the text of `{name}` is not JSON, so clients that read only the text do not get the value"
                );
                finding.way = Some("prose".to_owned());
            }
            TextOfValue::AnotherKind { text, value } => {
                finding.detail = format!(
                    "the text of `{name}` is JSON of another type ({text}) than its structuredContent ({value}), so \
                     clients that read only the text do not get the value"
                );
                finding.way = Some(format!("{text}, not {value}"));
            }
            TextOfValue::Empty => {
                finding.detail =
                    format!("the text of `{name}` is empty, so clients that read only the text do not get the value");
                finding.way = Some("empty text".to_owned());
            }
            TextOfValue::OnlyMember { key } => {
                let key = neutralised(&key);
                let detail = format!(
                    "the text of `{name}` is the value under \"{key}\" alone, and not the whole structuredContent. Clients \
                     that read only the text get the same information"
                );
                *finding = exact(finding, Severity::Note, TEXT_REPEATS_WRAPPER.violated(detail, Vec::new()));
            }
            TextOfValue::ItemsOfOnlyMember { key } => {
                let detail = format!(
                    "`{name}` has a text block for each item under \"{}\", and none with the whole structuredContent. \
                     Clients that read only the text get the items, and cannot tell one item from a list of one",
                    neutralised(&key)
                );
                *finding = exact(finding, Severity::Note, TEXT_REPEATS_WRAPPER.violated(detail, Vec::new()));
            }
            TextOfValue::OtherJson { difference, .. } => {
                let detail = format!(
                    "the text block of `{name}` is JSON that differs from its structuredContent: {}",
                    neutralised(&words(&difference))
                );
                *finding = exact(finding, finding.severity, TEXT_REPEATS_VALUE.violated(detail, Vec::new()));
            }
        }
    }
    merge(findings);
}

/// Merges the findings of two rules about text, if both are violated in the same way.
fn merge(findings: &mut Vec<AuditFinding>) {
    let places: Vec<usize> = (0..findings.len()).filter(|at| is_about_text(&findings[*at])).collect();
    if let [one, other] = places[..]
        && findings[one].way == findings[other].way
    {
        let (kept, gone) = if findings[one].severity < findings[other].severity { (other, one) } else { (one, other) };
        let at = findings[gone].at.clone();
        findings[kept].at.extend(at);
        findings[kept].at.sort();
        findings[kept].at.dedup();
        findings.remove(gone);
    }
}

/// The finding of a rule of the audit, where that of a rule of the specification was seen.
fn exact(seen: &AuditFinding, severity: Severity, exact: AuditFinding) -> AuditFinding {
    AuditFinding { severity, at: seen.at.clone(), source: seen.source.clone(), wire: seen.wire.clone(), ..exact }
}

/// Where the text differs from the value.
fn words(difference: &Difference) -> String {
    let place = if difference.pointer.is_empty() { "the root" } else { &difference.pointer };
    match &difference.kind {
        DifferenceKind::Missing => format!("the text lacks {place}"),
        DifferenceKind::Unexpected => format!("only the text has {place}"),
        DifferenceKind::Kind { expected, found } => format!("at {place} the text has {found}, and not {expected}"),
        DifferenceKind::Value { expected, found } => format!("at {place} the text has {found}, and not {expected}"),
        DifferenceKind::Length { expected, found } => {
            format!("at {place} the text has {found} elements, and not {expected}")
        }
        DifferenceKind::Repeats { expected, found } => {
            format!("the text has {place} {found} times, and not {expected} times")
        }
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_json::Json;
    use mcp_compat_model::Revision;

    use super::*;

    #[test]
    fn a_violation_of_two_rules_in_the_same_way_is_reported_once() {
        let finding = |rule: &str, way: &str, at: Revision| AuditFinding {
            severity: Severity::Warning,
            rule: rule.to_owned(),
            detail: String::new(),
            way: Some(way.to_owned()),
            at: vec![at],
            source: None,
            remedy: String::new(),
            wire: None,
        };
        let (legacy, modern) = (Revision::V2025_11_25, Revision::V2026_07_28);
        let explained = |other: &str| {
            let rules = ["text-fallback", "text-fallback-for-non-objects"];
            let mut findings = vec![finding(rules[0], "no text", legacy), finding(rules[1], other, modern)];
            merge(&mut findings);
            findings.into_iter().map(|finding| finding.at).collect::<Vec<_>>()
        };
        assert_eq!(explained("no text"), [vec![legacy, modern]]);
        assert_eq!(explained("another text"), [vec![legacy], vec![modern]]);
    }

    #[test]
    fn a_difference_is_said_from_the_side_of_the_text() {
        let difference = |value: &str, text: &str| {
            words(&Json::parse(value).unwrap().first_difference(&Json::parse(text).unwrap()).unwrap())
        };
        assert_eq!(difference(r#"{"n":1}"#, r#"{"n":1,"created":null}"#), "only the text has /created");
        assert_eq!(difference(r#"{"n":1}"#, "{}"), "the text lacks /n");
        assert_eq!(difference("[1]", "[1,2]"), "at the root the text has 2 elements, and not 1");
    }
}
