//! Plan of a scripted model: the calls that it makes, and the choice of the next one.

use std::collections::BTreeSet;

use super::arguments::completed;
use super::code_mode::{program, runner};
use super::conversation::{Conversation, MadeCall, OfferedTool};
use super::deferred::{bridge, bridged, found, query, search, through_bridge};
use super::names::{offered_as, plain};

/// Calls that a scripted model makes, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub calls: Vec<PlannedCall>,
}

/// A call of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCall {
    /// Name of the tool as the server lists it.
    pub tool: String,
    /// JSON text of an object.
    pub arguments: String,
}

/// What a model says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Say {
    Text(&'static str),
    Call { id: String, namespace: Option<String>, name: String, arguments: String },
}

/// Text of an answer to a request that offers no tools: hosts ask for titles and summaries.
const ASIDE: &str = "A test";

/// Text that ends a turn.
const DONE: &str = "Done.";

/// Start of the ids of planned calls. Some hosts accept no other characters than these, and no more than 40 of them.
const PLANNED: &str = "call_planned_";

/// Start of the ids of searches for tools.
const SEARCH: &str = "call_search_";

impl Plan {
    /// Chooses what to say: the next call of the plan that the history does not have yet, or the end.
    ///
    /// A tool that is not offered is searched for once, if the host offers a search for tools. If it is not found, the
    /// plan goes on without it.
    pub fn next(&self, conversation: &Conversation) -> Say {
        if conversation.offered.is_empty() {
            return Say::Text(ASIDE);
        }
        let made = self.made(conversation);
        let last = made.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let searched: BTreeSet<&str> =
            conversation.calls.iter().filter_map(|call| call.id.as_deref()?.strip_prefix(SEARCH)).collect();
        let found = found(conversation);
        let said = (last..self.calls.len()).find_map(|at| {
            let PlannedCall { tool, arguments } = &self.calls[at];
            let id = format!("{PLANNED}{at}");
            if let Some(offered) = offered_as(tool, &conversation.offered) {
                return Some(said(id, offered, completed(arguments, offered)));
            }
            if let Some(found) = offered_as(tool, &found) {
                let arguments = completed(arguments, found);
                if let Some(runner) = runner(&conversation.offered) {
                    return Some(said(id, runner, program(found, &arguments)));
                }
                if let Some(bridge) = bridge(&conversation.offered) {
                    return Some(said(id, bridge, bridged(bridge, &found.name, &arguments)));
                }
            }
            let search = search(&conversation.offered).filter(|_| !searched.contains(at.to_string().as_str()))?;
            Some(said(format!("{SEARCH}{at}"), search, query(search, &plain(tool))))
        });
        said.unwrap_or(Say::Text(DONE))
    }

    /// The calls of the plan in the history; `None` for one that is not there.
    ///
    /// A host may drop ids or write its own. Then the name and the arguments tell.
    pub(super) fn made<'c>(&self, conversation: &'c Conversation) -> Vec<Option<&'c MadeCall>> {
        let mut made = vec![None; self.calls.len()];
        for call in &conversation.calls {
            let by_id = call.id.as_deref().and_then(|id| id.strip_prefix(PLANNED)?.parse().ok());
            let at = by_id.or_else(|| {
                let name = through_bridge(call);
                let is_it = |planned: &PlannedCall| match &name {
                    Some(name) => offered_as(&planned.tool, &[named(name)]).is_some(),
                    None => {
                        same_json(&planned.arguments, &call.arguments)
                            && offered_as(&planned.tool, &[named(&call.name)]).is_some()
                    }
                };
                (0..made.len()).find(|at| made[*at].is_none() && is_it(&self.calls[*at]))
            });
            if let Some(place) = at.and_then(|at: usize| made.get_mut(at)) {
                *place = Some(call);
            }
        }
        made
    }
}

fn said(id: String, tool: &OfferedTool, arguments: String) -> Say {
    Say::Call { id, namespace: tool.namespace.clone(), name: tool.name.clone(), arguments }
}

fn named(name: &str) -> OfferedTool {
    OfferedTool { namespace: None, name: name.to_owned(), description: None, schema: None }
}

fn same_json(one: &str, other: &str) -> bool {
    let parsed = |text: &str| mcp_compat_json::Json::parse(text).ok();
    one == other || parsed(one).is_some_and(|one| Some(one) == parsed(other))
}
