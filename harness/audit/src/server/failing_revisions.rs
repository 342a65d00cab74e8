//! Calls that return a result at some revisions and fail at others. A call that fails everywhere may be meant to; of one
//! that returns a result elsewhere, the users of clients at these revisions do not get it.

use mcp_compat_capture::CapturedCall;
use mcp_compat_model::Revision;
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_scenario::write::Answer;

use super::audit_rule::{CALL_WORKS_AT_EVERY_REVISION, REVISIONS_AGREE};
use super::findings::bounded;
use super::snapshot::ToolSnapshot;

/// A call that failed at one revision, and returned a result at another.
pub(super) struct FailedCall<'s> {
    pub(super) snapshot: &'s ToolSnapshot,
    /// What the server answered, in words.
    pub(super) why: String,
    /// Whether the revision is the reason: the tool claims that a second call changes nothing, and a second call at this
    /// revision, if there was one, failed too.
    pub(super) by_revision: bool,
}

/// The call of a tool that was made again, and at which revision.
pub(super) type Again<'c> = Option<(&'c CapturedCall, Revision)>;

/// The calls of a tool that failed, if it returned a result at another revision. What comes to nothing at the server is
/// not among them. `repeats` says whether the tool claims that a second call changes nothing.
pub(super) fn failed_calls<'s>(snapshots: &'s [ToolSnapshot], again: Again<'_>, repeats: bool) -> Vec<FailedCall<'s>> {
    if snapshots.windows(2).all(|pair| pair[0].is_alike(&pair[1])) || !snapshots.iter().any(succeeded) {
        return Vec::new();
    }
    let was_lucky = |snapshot: &ToolSnapshot| {
        let (call, _) = again.filter(|(_, revision)| *revision == snapshot.revision)?;
        Some(succeeded(&ToolSnapshot { call: Some(call.clone()), ..snapshot.clone() }))
    };
    let is_answered = |snapshot: &&ToolSnapshot| {
        let answer = snapshot.call.as_ref().map(|call| &call.answer);
        matches!(answer, Some(Answer::Returns(_) | Answer::Error(_))) && snapshot.own_validation_error().is_none()
    };
    let failed = |snapshot: &'s ToolSnapshot| {
        let by_revision = repeats && was_lucky(snapshot) != Some(true);
        Some(FailedCall { snapshot, why: excerpt(&snapshot.failure()?), by_revision })
    };
    snapshots.iter().filter(is_answered).filter_map(failed).collect()
}

/// Whether the tool was called and returned a result.
pub(super) fn succeeded(snapshot: &ToolSnapshot) -> bool {
    snapshot.call.is_some() && snapshot.failure().is_none()
}

/// What is wrong with a tool whose call fails at some revisions.
pub(super) fn finding(snapshots: &[ToolSnapshot], failed: &[FailedCall<'_>]) -> Option<AuditFinding> {
    let by_revision = failed.iter().any(|call| call.by_revision);
    let told: Vec<&FailedCall<'_>> = failed.iter().filter(|call| call.by_revision == by_revision).collect();
    let (first, newest) = (told.first()?, snapshots.iter().rfind(|snapshot| succeeded(snapshot))?);
    let at: Vec<Revision> = told.iter().map(|call| call.snapshot.revision).collect();
    let dates = at.iter().map(|revision| revision.as_str()).collect::<Vec<_>>().join(", ");
    let detail = format!(
        "the call of `{}` returned a result at {}, and failed at {dates}: {}",
        first.snapshot.tool.name, newest.revision, first.why
    );
    let wire = match &first.snapshot.call.as_ref()?.answer {
        Answer::Returns(text) | Answer::Error(text) => Some(bounded(text)),
        Answer::Raw(_) | Answer::Hang | Answer::Exit => None,
    };
    let found = match by_revision {
        true => CALL_WORKS_AT_EVERY_REVISION.violated(detail, at),
        false => REVISIONS_AGREE.violated(format!("{detail}. An earlier call may be the reason"), at),
    };
    Some(AuditFinding { wire, ..found })
}

#[cfg(test)]
mod tests {
    use mcp_compat_capture::CapturedTool;
    use mcp_compat_model::audit::Severity;

    use super::*;

    const RESULT: &str = r#"{"content":[{"type":"text","text":"ok"}]}"#;
    const TOOL_ERROR: &str = r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#;

    fn call(answer: Answer) -> CapturedCall {
        CapturedCall { stage: 0, tool: "t".to_owned(), arguments: None, answer }
    }

    fn returned(text: &str) -> CapturedCall {
        call(Answer::Returns(text.to_owned()))
    }

    fn snapshots(calls: [CapturedCall; 2]) -> Vec<ToolSnapshot> {
        let tool = CapturedTool { name: "t".to_owned(), definition: r#"{"name":"t"}"#.to_owned() };
        let revisions = [Revision::V2025_11_25, Revision::NEWEST];
        let snapshot = |(revision, call)| ToolSnapshot { revision, tool: tool.clone(), call: Some(call) };
        revisions.into_iter().zip(calls).map(snapshot).collect()
    }

    #[test]
    fn a_call_that_fails_at_one_revision_alone_is_an_error_of_the_server() {
        for (error, words) in [
            (returned(TOOL_ERROR), "the tool failed: no"),
            (call(Answer::Error(r#"{"code":-32603,"message":"no"}"#.to_owned())), "JSON-RPC error -32603: no"),
        ] {
            let snapshots = snapshots([error, returned(RESULT)]);
            let failed = failed_calls(&snapshots, None, true);
            let found = finding(&snapshots, &failed).unwrap();
            assert_eq!((found.severity, found.at.as_slice()), (Severity::Error, &[Revision::V2025_11_25][..]));
            assert!(found.detail.contains(words), "{}", found.detail);
        }
    }

    #[test]
    fn of_a_tool_that_may_change_something_an_earlier_call_may_be_the_reason() {
        let snapshots = snapshots([returned(RESULT), returned(TOOL_ERROR)]);
        let failed = failed_calls(&snapshots, None, false);
        assert_eq!(failed.iter().map(|call| call.by_revision).collect::<Vec<_>>(), [false]);
        assert_eq!(finding(&snapshots, &failed).unwrap().severity, Severity::Note);
    }

    #[test]
    fn a_second_call_at_the_revision_decides_whether_it_is_the_reason() {
        let snapshots = snapshots([returned(RESULT), returned(TOOL_ERROR)]);
        for (answer, by_revision) in [(RESULT, false), (TOOL_ERROR, true)] {
            let second = returned(answer);
            let [failed] = &failed_calls(&snapshots, Some((&second, Revision::NEWEST)), true)[..] else {
                panic!("one call failed");
            };
            assert_eq!(failed.by_revision, by_revision);
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
            assert!(failed_calls(&snapshots(calls), None, true).is_empty());
        }
    }
}
