//! Tools whose definition differs between two starts of a server at one revision.

use std::collections::BTreeMap;

use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::invisible_chars::neutralised;

use super::audit_rule::LIST_HOLDS;
use crate::probe::ProbeSession;

/// Tools that differ from start to start, each with the first place at which they do.
pub(super) type UnstableTools = BTreeMap<String, (Revision, String)>;

/// Compares the tools of sessions at the same revision. A tool that only one of them lists may depend on what the client
/// declares, and is left out.
pub(super) fn unstable_tools<'s>(
    listed: &[ProbeSession],
    later: impl Iterator<Item = &'s ProbeSession>,
) -> UnstableTools {
    let mut unstable = UnstableTools::new();
    for session in later.filter(|session| session.listed) {
        let Some(before) = listed.iter().find(|before| before.revision == session.revision) else { continue };
        let known: BTreeMap<&str, &str> =
            before.tools.iter().map(|tool| (tool.name.as_str(), tool.definition.as_str())).collect();
        for tool in &session.tools {
            let Some(was) = known.get(tool.name.as_str()).filter(|was| **was != tool.definition) else { continue };
            let (Ok(was), Ok(is)) = (Json::parse(was), Json::parse(&tool.definition)) else { continue };
            if let Some(difference) = was.first_difference(&is) {
                unstable.entry(tool.name.clone()).or_insert((session.revision, difference.pointer));
            }
        }
    }
    unstable
}

/// A finding about the first of them.
pub(super) fn finding(unstable: &UnstableTools) -> Option<AuditFinding> {
    let (name, (revision, pointer)) = unstable.first_key_value()?;
    let place = if pointer.is_empty() { "its root" } else { pointer.as_str() };
    let detail = format!(
        "the list of tools changes from start to start: `{}` differs at {}",
        neutralised(name),
        neutralised(place)
    );
    Some(LIST_HOLDS.violated(detail, vec![*revision]))
}
