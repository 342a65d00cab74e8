//! What a failed test of a server says about its tools: those that break, and those of which nothing was proven.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use mcp_compat_model::audit::{Audit, AuditedTool, CallState};
use mcp_compat_model::count::counted;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::unseen::neutralised;

use super::story::short;

/// How many clients one line names.
const CLIENTS: usize = 3;

/// How many characters of a sentence are shown.
const SENTENCE: usize = 300;

/// What a test expects of the calls of a server.
pub struct ExpectedCalls<'a> {
    /// Whether a tool may stay without a call.
    pub may_be_uncalled: &'a dyn Fn(&str) -> bool,
    /// The tools whose call is to end with an error of the tool.
    pub errors: &'a BTreeSet<String>,
}

/// Every tool that breaks, in one line each. Empty unless there are several: the causes name one tool each.
pub fn broken_tools(record: &Record, audit: &Audit) -> String {
    let new: Vec<&CellRecord> = record.cells.iter().filter(|cell| cell.is_new_break()).collect();
    let clients = |tool: &AuditedTool| -> Vec<&str> {
        new.iter().filter(|cell| cell.scenario == tool.scenario).map(|cell| cell.client.as_str()).collect()
    };
    let broken: Vec<(&AuditedTool, Vec<&str>)> =
        audit.tools.iter().map(|tool| (tool, clients(tool))).filter(|(_, clients)| !clients.is_empty()).collect();
    if broken.len() < 2 {
        return String::new();
    }
    let mut text = format!("{} break:\n", counted(broken.len(), "tool"));
    for (tool, clients) in broken {
        let more = clients.len().saturating_sub(CLIENTS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named = clients.iter().take(CLIENTS).copied().collect::<Vec<_>>().join(", ");
        let name = neutralised(&tool.name);
        let _ = writeln!(text, "  {name}  with {}: {named}{more}", counted(clients.len(), "client"));
    }
    text
}

/// The tools of which the test proves nothing, each with why and what to do.
pub fn unproven_tools(audit: &Audit, expected: &ExpectedCalls<'_>) -> Vec<(String, String)> {
    audit.tools.iter().filter_map(|tool| Some((tool.name.clone(), unproven(tool, expected)?))).collect()
}

fn unproven(tool: &AuditedTool, expected: &ExpectedCalls<'_>) -> Option<String> {
    let name = neutralised(&tool.name);
    let fails = expected.errors.contains(&tool.name);
    match &tool.call {
        CallState::NotCalled { .. } if (expected.may_be_uncalled)(&tool.name) => None,
        CallState::NotCalled { why, .. } => Some(format!(
            "`{name}` was never called: {}. Call it with .call({name:?}, …), or allow it with .allow_uncalled({name:?})",
            short(&neutralised(why), SENTENCE)
        )),
        CallState::Answered { .. } if fails => Some(format!(
            "`{name}` returned a result, and .expect_error({name:?}, …) expects an error. Give arguments that it \
             refuses, or use .call({name:?}, …)"
        )),
        CallState::Answered { .. } => None,
        CallState::Failed { .. } if fails => None,
        // What every client loses is told as a break.
        CallState::Failed { .. } if tool.breaks().next().is_some() => None,
        CallState::Failed { arguments, why, .. } => Some(format!(
            "the call of `{name}` with {} failed, so its result was not seen: {}. Give arguments that it accepts with \
             .call({name:?}, …), or state that it fails with .expect_error({name:?}, …)",
            short(&neutralised(arguments), SENTENCE),
            short(&neutralised(why), SENTENCE)
        )),
    }
}
