//! Responses that belong to no open request, and clients that take one for their own.

use mcp_compat_model::observation::Seen;
use mcp_compat_model::tool_result::ToolResult;
use mcp_compat_model::verdict::Outcome;

use crate::decision::Decision;
use crate::facts::Facts;

/// Whether the user got the value of a response that belongs to no open request, in place of the value of the call.
pub(crate) fn took_stray(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> bool {
    let Some(Seen::Called(seen)) = decision.call().and_then(|call| call.seen) else { return false };
    let mut strays = facts.exchanges.strays.iter().filter_map(|place| facts.messages[*place].result());
    let is_taken = |value| seen.structured.as_ref() == Some(value);
    decision.outcome == Outcome::Altered
        && strays.any(|stray| ToolResult::new(stray).structured_content().is_some_and(is_taken))
}
