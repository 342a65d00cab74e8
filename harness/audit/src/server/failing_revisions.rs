//! Calls that return a result at some revisions and fail at others. A call that fails everywhere may be meant to; of
//! one that returns a result elsewhere, the users of clients at these revisions do not get it.
//!
//! ```text
//! snapshots, calls that were confirmed ─> FailedCall ─> findings, lost calls
//! ```
//!
//! The revision is the reason if the call was confirmed: made again, it failed there and returned a result elsewhere.

use std::collections::BTreeSet;

use mcp_compat_model::Revision;
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_scenario::write::Answer;

use super::audit_rule::{CALL_WORKS_AT_EVERY_REVISION, REVISIONS_AGREE};
use super::findings::answer_of;
use super::snapshot::ToolSnapshot;

/// A call that failed at one revision, and returned a result at another.
pub(super) struct FailedCall<'s> {
    pub(super) snapshot: &'s ToolSnapshot,
    /// The newest revision at which it returned a result.
    pub(super) elsewhere: Revision,
    /// Answer of the server, in words.
    pub(super) why: String,
    /// True if the revision is the reason.
    pub(super) by_revision: bool,
}

/// The calls that failed once more at their revision, and returned a result once more at another one.
pub(super) type Confirmed = BTreeSet<(String, Revision)>;

/// The calls of a tool that failed, if it returned a result at another revision. What comes to nothing at the server is
/// not among them.
pub(super) fn failed_calls<'s>(snapshots: &'s [ToolSnapshot], confirmed: &Confirmed) -> Vec<FailedCall<'s>> {
    if snapshots.windows(2).all(|pair| pair[0].is_alike(&pair[1])) {
        return Vec::new();
    }
    let Some(elsewhere) = snapshots.iter().rfind(|snapshot| succeeded(snapshot)).map(|snapshot| snapshot.revision)
    else {
        return Vec::new();
    };
    let is_answered = |snapshot: &&ToolSnapshot| {
        let answer = snapshot.call.as_ref().map(|call| &call.answer);
        matches!(answer, Some(Answer::Returns(_) | Answer::Error(_))) && snapshot.own_validation_error().is_none()
    };
    let failed = |snapshot: &'s ToolSnapshot| {
        let by_revision = confirmed.contains(&(snapshot.tool.name.clone(), snapshot.revision));
        Some(FailedCall { snapshot, elsewhere, why: excerpt(&snapshot.failure()?), by_revision })
    };
    snapshots.iter().filter(is_answered).filter_map(failed).collect()
}

/// Returns whether the tool was called and returned a result.
pub(super) fn succeeded(snapshot: &ToolSnapshot) -> bool {
    snapshot.call.is_some() && snapshot.failure().is_none()
}

/// Findings about a tool whose call fails at some revisions: by the revision, and for another reason.
pub(super) fn findings(failed: &[FailedCall<'_>]) -> impl Iterator<Item = AuditFinding> {
    [true, false].into_iter().filter_map(|by_revision| {
        let told: Vec<&FailedCall<'_>> = failed.iter().filter(|call| call.by_revision == by_revision).collect();
        let first = told.first()?;
        let at: Vec<Revision> = told.iter().map(|call| call.snapshot.revision).collect();
        let dates = at.iter().map(|revision| revision.as_str()).collect::<Vec<_>>().join(", ");
        let detail = format!(
            "the call of `{}` returned a result at {}, and failed at {dates}: {}",
            first.snapshot.tool.name, first.elsewhere, first.why
        );
        let found = if by_revision {
            CALL_WORKS_AT_EVERY_REVISION.violated(detail, at)
        } else {
            let detail = format!("{detail}. The revision need not be the reason: an earlier call or chance may be");
            let way = Some(format!("fails at {dates}, not at {}: {}", first.elsewhere, first.why));
            AuditFinding { way, ..REVISIONS_AGREE.violated(detail, at) }
        };
        Some(AuditFinding { wire: answer_of(first.snapshot), ..found })
    })
}

#[cfg(test)]
mod tests {
    use mcp_compat_author::capture::{CapturedCall, CapturedTool};
    use mcp_compat_model::audit::Severity;

    use super::*;
    use crate::server::handshake::Handshake;

    const RESULT: &str = r#"{"content":[{"type":"text","text":"ok"}]}"#;
    const TOOL_ERROR: &str = r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#;

    fn call(answer: Answer) -> CapturedCall {
        CapturedCall { stage: 0, tool: "t".to_owned(), arguments: None, answer, without: Vec::new() }
    }

    fn returned(text: &str) -> CapturedCall {
        call(Answer::Returns(text.to_owned()))
    }

    fn snapshots(calls: [CapturedCall; 2]) -> Vec<ToolSnapshot> {
        let tool = CapturedTool { name: "t".to_owned(), definition: r#"{"name":"t"}"#.to_owned() };
        let revisions = [Revision::V2025_11_25, Revision::NEWEST];
        let snapshot = |(revision, call)| ToolSnapshot {
            revision,
            tool: tool.clone(),
            call: Some(call),
            list: None,
            handshake: Handshake::default(),
        };
        revisions.into_iter().zip(calls).map(snapshot).collect()
    }

    fn at(revision: Revision) -> Confirmed {
        [("t".to_owned(), revision)].into_iter().collect()
    }

    #[test]
    fn a_call_that_fails_again_at_one_revision_alone_is_an_error_of_the_server() {
        for (error, words) in [
            (returned(TOOL_ERROR), "the tool failed: no"),
            (call(Answer::Error(r#"{"code":-32603,"message":"no"}"#.to_owned())), "JSON-RPC error -32603: no"),
        ] {
            let snapshots = snapshots([error, returned(RESULT)]);
            let found: Vec<_> = findings(&failed_calls(&snapshots, &at(Revision::V2025_11_25))).collect();
            let [found] = &found[..] else { panic!("{found:#?}") };
            assert_eq!((found.severity, found.at.as_slice()), (Severity::Error, &[Revision::V2025_11_25][..]));
            assert!(found.detail.contains(words), "{}", found.detail);
        }
    }

    #[test]
    fn where_the_call_was_not_made_again_or_returned_a_result_then_the_revision_may_not_be_the_reason() {
        let snapshots = snapshots([returned(TOOL_ERROR), returned(RESULT)]);
        for confirmed in [Confirmed::new(), at(Revision::NEWEST)] {
            let failed = failed_calls(&snapshots, &confirmed);
            assert_eq!(failed.iter().map(|call| call.by_revision).collect::<Vec<_>>(), [false]);
            assert_eq!(findings(&failed).map(|found| found.severity).collect::<Vec<_>>(), [Severity::Note]);
        }
    }

    #[test]
    fn what_fails_everywhere_or_nowhere_or_comes_to_nothing_is_no_difference() {
        let refused = r#"{"content":[{"type":"text","text":"Output validation error: no"}],"isError":true}"#;
        for calls in [
            [returned(TOOL_ERROR), returned(r#"{"content":[],"isError":true}"#)],
            [returned(RESULT), returned(r#"{"content":[]}"#)],
            [call(Answer::Hang), returned(RESULT)],
            [returned(refused), returned(RESULT)],
        ] {
            assert!(failed_calls(&snapshots(calls), &Confirmed::new()).is_empty());
        }
    }
}
