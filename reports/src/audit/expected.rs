//! Results of an audit that were expected: losses that the baseline lists, and expectations that were not met.
//!
//! The tests of an audit take the baseline and the expected errors into account. An audit without tests expects nothing.

use mcp_compat_model::PeerId;
use mcp_compat_model::audit::{Audit, AuditedTool, NamedTest, TestResult};
use mcp_compat_model::verdict::Rating;

use super::cause::Cause;

/// Returns whether the baseline lists the loss of a tool by a client.
fn is_listed(audit: &Audit, tool: Option<&str>, client: &PeerId) -> bool {
    let is_it = |test: &&NamedTest| Some(test.tool.as_str()) == tool && test.client.as_ref() == Some(client);
    audit.tests.iter().find(is_it).is_some_and(|test| test.result == TestResult::Passed)
}

/// Returns whether the baseline lists every loss of a tool, and there is one.
pub(super) fn is_known_loss(tool: &AuditedTool, audit: &Audit) -> bool {
    tool.breaks().next().is_some() && tool.breaks().all(|loss| is_listed(audit, Some(&tool.name), &loss.client))
}

/// The clients that lose something, and that the baseline does not list; `None` if it lists none of them.
pub(crate) fn new_losers<'a>(cause: &Cause<'a>, audit: &Audit) -> Option<Vec<&'a PeerId>> {
    let is_new = |client: &PeerId| {
        let mut losses =
            cause.losses.iter().filter(|(_, loss)| loss.rating == Rating::Breaks && loss.client == *client);
        losses.any(|(tool, _)| !is_listed(audit, *tool, client))
    };
    let lost = cause.lost_by();
    let new: Vec<&PeerId> = lost.iter().copied().filter(|client| is_new(client)).collect();
    (new.len() < lost.len()).then_some(new)
}

/// Returns whether the baseline lists every loss of a cause. A cause without a loss is never known.
pub(crate) fn is_known(cause: &Cause<'_>, audit: &Audit) -> bool {
    new_losers(cause, audit).is_some_and(|new| new.is_empty())
}

/// The messages of failed tests that are about no loss: entries of the baseline that no longer hold, calls that did not
/// fail as expected, tools without a call.
pub(crate) fn not_met(audit: &Audit) -> impl Iterator<Item = &str> {
    let is_lost = |test: &NamedTest| {
        let tool = audit.tools.iter().find(|tool| tool.name == test.tool);
        let mut losses = tool.into_iter().flat_map(AuditedTool::breaks);
        losses.any(|loss| Some(&loss.client) == test.client.as_ref())
    };
    let tests = audit.tests.iter().filter(|test| test.result == TestResult::Failed && test.same_as.is_none());
    tests.filter(move |test| !is_lost(test)).map(|test| test.text.as_str())
}
