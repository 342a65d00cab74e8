//! The names of tools.

use std::collections::BTreeMap;

use mcp_compat_model::Revision;
use mcp_compat_model::verdict::Party;

use super::pages::cursor_advances;
use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use super::tools_list::passes;
use crate::facts::Facts;
use mcp_compat_model::excerpt::quoted;

/// The revisions that say what a name may be.
const NAMED: RevisionRange = RevisionRange { from: Revision::V2025_11_25, to: Revision::NEWEST };

/// Limit of the length of a name.
const LONGEST: usize = 128;

/// Rule about two tools of one name.
pub static TOOL_NAMES_UNIQUE: Rule = Rule {
    id: "tool-names-unique",
    level: Levels::SHOULD,
    revisions: NAMED,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::ToolName,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names",
    title: "No two tools of a server have the same name.",
    violation: "two tools with the same name",
    explanation: "A call identifies its tool only by name. If two definitions have the same name, a client validates \
                  the result against one of them, which may be the wrong one.",
    remedy: "give every tool a unique name",
    fix: None,
    check: Check::Wire(unique),
};

/// Rule about the characters of names.
pub static TOOL_NAMES_PLAIN: Rule = Rule {
    id: "tool-names-plain",
    level: Levels::SHOULD,
    revisions: NAMED,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::ToolName,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names",
    title: "A tool's name has 1 to 128 characters: ASCII letters, digits, `_`, `-` and `.`.",
    violation: "a tool name with other characters, or too long",
    explanation: "Names are used in HTTP headers, in the function names of model providers and in generated code. A \
                  name with other characters is changed or rejected there, and the tool cannot be called.",
    remedy: "name tools with ASCII letters, digits, `_` and `-` only; `.` is allowed, and some hosts refuse it",
    fix: None,
    check: Check::Wire(plain),
};

fn unique(facts: &Facts<'_>) -> Vec<Violation> {
    // A list that leads back to its own pages has their tools again and again.
    if !cursor_advances(facts).is_empty() {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for pass in passes(facts) {
        let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
        for listing in pass {
            let Some(name) = facts.listed_name(listing) else { continue };
            let seq = facts.messages[listing.message].seq;
            if let Some(first) = seen.insert(name, seq) {
                let messages = if first == seq { vec![seq] } else { vec![first, seq] };
                let detail = format!("two tools have the name {}", quoted(name));
                violations.push(Violation::new(detail, messages).of_tool(name));
            }
        }
    }
    violations
}

fn plain(facts: &Facts<'_>) -> Vec<Violation> {
    let is_plain = |name: &str| {
        let usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        (1..=LONGEST).contains(&name.len()) && name.chars().all(usual)
    };
    let mut violations = Vec::new();
    for listing in &facts.listings {
        if let Some(name) = facts.listed_name(*listing).filter(|name| !is_plain(name)) {
            let detail = format!("a tool has the name {}", quoted(name));
            let pointer = format!("/tools/{}/name", listing.index);
            let seq = facts.messages[listing.message].seq;
            violations.push(Violation::new(detail, [seq]).of_tool(name).at(pointer));
        }
    }
    violations
}
