//! What the text of a result has of its structured content, if no text block parses to it.
//!
//! The rule `text-fallback` says only that there is no such block. What its author has to do depends on what is there.

use mcp_compat_json::{Difference, DifferenceKind, Json};
use mcp_compat_model::audit::{AuditFinding, Severity};
use mcp_compat_model::unseen::neutralised;

use super::audit_rule::{TEXT_REPEATS_VALUE, TEXT_REPEATS_WRAPPER};
use super::results::{says, states, text_blocks};
use super::snapshot::ToolSnapshot;

/// The rules of the specification whose findings are made more exact here.
const FALLBACKS: [&str; 2] = ["text-fallback", "text-fallback-for-non-objects"];

/// What the text of a successful result has of its structured content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextOfValue {
    /// There is no text block.
    NoText,
    /// The value under the only key of the structured content, as SDKs write it that wrap a plain value.
    OnlyMember { key: String },
    /// JSON of the same kind as the structured content, and not equal to it.
    OtherJson { text: Json, difference: Difference },
    /// Words.
    Prose,
}

impl TextOfValue {
    /// `None` if a text block parses to the structured content, or there is no structured content.
    pub(super) fn of(result: &Json) -> Option<Self> {
        let value = result.get("structuredContent")?;
        let blocks: Vec<&str> = text_blocks(result).collect();
        if states(&blocks, value) {
            return None;
        }
        if blocks.is_empty() {
            return Some(Self::NoText);
        }
        if let Some((key, member)) = only_member(value)
            && says(&blocks, member)
        {
            return Some(Self::OnlyMember { key });
        }
        let parsed = blocks.iter().filter_map(|text| Json::parse(text).ok());
        let other = parsed.filter(|text| is_compound(text) && text.kind() == value.kind());
        let other = other.filter_map(|text| Some((value.first_difference(&text)?, text))).next();
        Some(other.map_or(Self::Prose, |(difference, text)| Self::OtherJson { text, difference }))
    }
}

/// Makes the findings of a tool about text more exact, by what the tool answered.
pub(super) fn explain(findings: &mut [AuditFinding], snapshots: &[ToolSnapshot]) {
    for finding in findings.iter_mut().filter(|finding| FALLBACKS.contains(&finding.rule.as_str())) {
        let newest = snapshots.iter().rev().filter(|snapshot| finding.at.contains(&snapshot.revision));
        let Some((tool, text)) = newest.filter_map(|snapshot| Some((snapshot, snapshot.text_of_value()?))).next()
        else {
            continue;
        };
        let name = neutralised(&tool.tool.name);
        match text {
            TextOfValue::NoText => {
                finding.detail = format!("the result of `{name}` has structuredContent and no text block")
            }
            TextOfValue::Prose => {
                finding.detail =
                    format!("the text of `{name}` is not JSON, so who reads only the text does not get the value");
            }
            TextOfValue::OnlyMember { key } => {
                let key = neutralised(&key);
                let detail = format!(
                    "the text of `{name}` is the value under \"{key}\" alone, and not the whole structuredContent. Clients \
                     that read only the text get the same information"
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

fn only_member(value: &Json) -> Option<(String, &Json)> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.iter().next().map(|(key, member)| (key.to_string_lossy().into_owned(), member))
}

const fn is_compound(value: &Json) -> bool {
    matches!(value, Json::Object(_) | Json::Array(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: &str, texts: &[&str]) -> Option<TextOfValue> {
        let block = |text: &&str| format!(r#"{{"type":"text","text":{}}}"#, Json::from(*text).to_compact());
        let content = texts.iter().map(block).collect::<Vec<_>>().join(",");
        TextOfValue::of(&Json::parse(&format!(r#"{{"structuredContent":{value},"content":[{content}]}}"#)).unwrap())
    }

    #[test]
    fn text_that_states_the_value_is_told_from_none_part_other_json_and_prose() {
        assert_eq!(of(r#"{"n":1}"#, &["hello", r#"{"n": 1}"#]), None);
        assert_eq!(of("[1,2]", &["1", "2"]), None, "a block for each element");
        assert_eq!(of(r#"{"n":1}"#, &[]), Some(TextOfValue::NoText));
        let wrapped = Some(TextOfValue::OnlyMember { key: "result".to_owned() });
        assert_eq!(of(r#"{"result":"14"}"#, &["14"]), wrapped, "a string is its own text");
        assert_eq!(of(r#"{"result":[{"n":1}]}"#, &[r#"{"n": 1}"#]), wrapped);
        assert_eq!(of(r#"{"result":"14","more":1}"#, &["14"]), Some(TextOfValue::Prose));
        assert_eq!(of(r#"{"n":1}"#, &["one"]), Some(TextOfValue::Prose));
        let Some(TextOfValue::OtherJson { difference, .. }) = of(r#"{"n":1}"#, &[r#"{"n":1,"created":null}"#]) else {
            panic!("the text has a member more");
        };
        assert_eq!(words(&difference), "only the text has /created");
    }
}
