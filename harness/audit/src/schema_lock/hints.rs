//! What a server says of how a tool behaves, and what hosts stop taking for granted where it says so no longer.

use mcp_compat_json::Json;

/// What the annotations of a tool come to: where they say nothing, MCP says what is assumed.
struct Hints {
    changes_nothing: bool,
    destroys_nothing: bool,
    may_be_repeated: bool,
    stays_at_home: bool,
}

impl Hints {
    fn of(annotations: Option<&Json>) -> Self {
        let says = |hint: &str, otherwise: bool| match annotations.and_then(|said| said.get(hint)) {
            Some(Json::Bool(said)) => *said,
            Some(_) | None => otherwise,
        };
        let changes_nothing = says("readOnlyHint", false);
        Self {
            changes_nothing,
            destroys_nothing: changes_nothing || !says("destructiveHint", true),
            may_be_repeated: changes_nothing || says("idempotentHint", false),
            stays_at_home: !says("openWorldHint", true),
        }
    }
}

/// What hosts could go by and no longer can.
pub(super) fn lost(was: Option<&Json>, is: Option<&Json>) -> Option<&'static str> {
    let (was, is) = (Hints::of(was), Hints::of(is));
    if was.changes_nothing && !is.changes_nothing {
        Some("it is no longer said to change nothing: hosts that go by that ask before they call, or do not call")
    } else if was.destroys_nothing && !is.destroys_nothing {
        Some("it may destroy from now on: hosts that go by that ask before they call, or do not call")
    } else if was.may_be_repeated && !is.may_be_repeated {
        Some("it may no longer be repeated: hosts that call again after a failure do what they should not")
    } else if was.stays_at_home && !is.stays_at_home {
        Some("it may reach out to anything from now on: hosts that go by that ask before they call, or do not call")
    } else {
        None
    }
}
