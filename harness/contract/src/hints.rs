//! The annotations of a tool, and what hosts can no longer rely on when annotations change.

use mcp_compat_json::Json;

/// The meaning of the annotations of a tool. A missing annotation has the default of the specification.
struct Hints {
    read_only: bool,
    not_destructive: bool,
    idempotent: bool,
    closed_world: bool,
}

impl Hints {
    fn of(annotations: Option<&Json>) -> Self {
        let says = |hint: &str, otherwise: bool| match annotations.and_then(|said| said.get(hint)) {
            Some(Json::Bool(said)) => *said,
            Some(_) | None => otherwise,
        };
        let read_only = says("readOnlyHint", false);
        Self {
            read_only,
            not_destructive: read_only || !says("destructiveHint", true),
            idempotent: read_only || says("idempotentHint", false),
            closed_world: !says("openWorldHint", true),
        }
    }
}

/// What hosts could rely on and no longer can.
pub(crate) fn lost(was: Option<&Json>, is: Option<&Json>) -> Option<&'static str> {
    let (was, is) = (Hints::of(was), Hints::of(is));
    if was.read_only && !is.read_only {
        Some("the tool is no longer marked read-only; hosts that rely on it ask before they call, or do not call")
    } else if was.not_destructive && !is.not_destructive {
        Some("the tool may now be destructive; hosts that rely on the annotation ask before they call, or do not call")
    } else if was.idempotent && !is.idempotent {
        Some("the tool is no longer marked idempotent; hosts that retry after a failure may repeat its effect")
    } else if was.closed_world && !is.closed_world {
        Some(
            "the tool may now reach the open world; hosts that rely on the annotation ask before they call, or do not call",
        )
    } else {
        None
    }
}
