//! Results that look like a failure in words: nothing but a text where a value is declared, though the arguments were made
//! up or the text begins like an error, or a block of the type `error`. Clients that do not check the result take it for a
//! success.

use mcp_compat_json::Json;
use mcp_compat_judge::rules;
use mcp_compat_model::audit::AuditFinding;

use super::evidence::shown_text;
use super::members::with_member;
use super::results::{is_error, text_blocks};
use super::snapshot::ToolSnapshot;

/// Remedy where nobody but the server knows what the text is.
const EITHER: &str = "set `isError: true` on the result if its text tells of a failure (the audit made up the arguments); \
                      if not, return structuredContent beside it";

/// Returns whether the call may have failed, and its result does not say so.
pub(super) fn is_likely(snapshot: &ToolSnapshot, was_guessed: bool) -> bool {
    let has_block = || snapshot.result().is_some_and(|result| !is_error(&result) && marked(&result).is_some());
    let tells = || {
        let result = snapshot.result().filter(|_| words(snapshot).is_some());
        result.is_some_and(|result| rules::tells_of_failure(&result, snapshot.output_schema().as_ref()).is_some())
    };
    (was_guessed && words(snapshot).is_some()) || tells() || has_block()
}

/// Shows the text that came in place of a declared value, and says what it asks for.
pub(super) fn explain(findings: &mut [AuditFinding], snapshots: &[ToolSnapshot], was_guessed: bool) {
    let rule = &rules::STRUCTURED_CONTENT_PRESENT;
    let is_missing = |finding: &&mut AuditFinding| rules::find(&finding.rule) == Some(rule);
    let Some(finding) = findings.iter_mut().find(is_missing) else { return };
    let seen = snapshots.iter().rev().filter(|snapshot| finding.at.contains(&snapshot.revision));
    let Some(text) = seen.into_iter().find_map(words) else { return };
    finding.returned = Some(format!("text {}", shown_text(&text)));
    // The judge knows some failures by their words.
    if was_guessed && finding.remedy == rule.remedy {
        EITHER.clone_into(&mut finding.remedy);
        // Such tools are told apart from those whose arguments the user gave.
        finding.way = Some("a text alone".to_owned());
    }
}

/// The text of a result without the value that its tool declares, if that is no JSON.
fn words(snapshot: &ToolSnapshot) -> Option<String> {
    snapshot.output_schema()?;
    let result = snapshot.result().filter(|result| !is_error(result) && result.get("structuredContent").is_none())?;
    let text = text_blocks(&result).next()?.trim().to_owned();
    (!text.is_empty() && Json::parse(&text).is_err()).then_some(text)
}

/// A result whose blocks of the type `error` are texts, marked as a failure. `None` if it has no such block.
pub(super) fn marked(result: &Json) -> Option<Json> {
    let is_failure = |block: &Json| block.get("type").and_then(Json::as_str) == Some("error");
    let blocks = result.get("content").and_then(Json::as_array).filter(|blocks| blocks.iter().any(is_failure))?;
    let as_text = |block: &Json| {
        if is_failure(block) { with_member(block, "type", Json::from("text")) } else { block.clone() }
    };
    let result = with_member(result, "content", Json::Array(blocks.iter().map(as_text).collect()));
    Some(with_member(&result, "isError", Json::Bool(true)))
}

#[cfg(test)]
mod tests {
    use mcp_compat_author::capture::{CapturedCall, CapturedTool};
    use mcp_compat_model::Revision;
    use mcp_compat_scenario::write::Answer;
    use rstest::rstest;

    use super::*;
    use crate::server::handshake::Handshake;

    fn snapshot(result: &str) -> ToolSnapshot {
        let definition = r#"{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}"#.to_owned();
        let answer = Answer::Returns(result.to_owned());
        let call = CapturedCall { stage: 0, tool: "t".to_owned(), arguments: None, answer, without: Vec::new() };
        ToolSnapshot {
            revision: Revision::V2025_11_25,
            tool: CapturedTool { name: "t".to_owned(), definition },
            call: Some(call),
            list: None,
            handshake: Handshake::default(),
        }
    }

    #[rstest]
    #[case::words(r#"{"content":[{"type":"text","text":"no integer"}]}"#, true, true)]
    #[case::words_that_were_asked_for(r#"{"content":[{"type":"text","text":"no integer"}]}"#, false, false)]
    #[case::words_of_an_error(r#"{"content":[{"type":"text","text":"Error: no integer"}]}"#, false, true)]
    #[case::a_value(r#"{"content":[{"type":"text","text":"{\"n\":1}"}]}"#, true, false)]
    #[case::marked(r#"{"isError":true,"content":[{"type":"text","text":"no integer"}]}"#, true, false)]
    #[case::with_a_value(r#"{"structuredContent":{},"content":[{"type":"text","text":"done"}]}"#, true, false)]
    #[case::a_block_of_its_own(r#"{"content":[{"type":"error","text":"no integer"}]}"#, false, true)]
    fn a_text_in_place_of_a_value_may_be_a_failure(
        #[case] result: &str,
        #[case] was_guessed: bool,
        #[case] expected: bool,
    ) {
        assert_eq!(is_likely(&snapshot(result), was_guessed), expected);
    }

    #[test]
    fn a_failure_in_a_block_of_its_own_becomes_a_text_that_is_marked() {
        let result = Json::parse(r#"{"content":[{"type":"error","text":"no"}]}"#).unwrap();
        let expected = Json::parse(r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#).unwrap();
        assert_eq!(marked(&result), Some(expected));
        assert_eq!(marked(&Json::parse(r#"{"content":[{"type":"text","text":"no"}]}"#).unwrap()), None);
    }
}
