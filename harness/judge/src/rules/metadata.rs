//! `_meta`: how its keys are formed.

use mcp_compat_json::Json;
use mcp_compat_model::Role;
use mcp_compat_model::verdict::Party;

use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use mcp_compat_model::excerpt::quoted;

pub(super) static SERVER_META_KEYS: Rule = Rule {
    id: "server-meta-keys",
    level: Levels::MUST,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta",
    title: "Each key of a server's `_meta` is a name with an optional prefix of dotted labels and a slash.",
    violation: "a server's `_meta` with an invalid key",
    explanation: "Clients distinguish the owners of `_meta` keys by prefix. A malformed key may be confused with \
                  another owner's key, and a strict client rejects the result that has it.",
    remedy: "build the keys of `_meta` from an optional `label.label/` prefix and a name of letters, digits, `-`, `_` and `.`",
    fix: None,
    check: Check::Wire(|facts| malformed(facts, Role::Server)),
};

pub(super) static CLIENT_META_KEYS: Rule = Rule {
    id: "client-meta-keys",
    party: Party::Client,
    scope: Scope::Protocol,
    title: "Each key of a client's `_meta` is a name with an optional prefix of dotted labels and a slash.",
    violation: "a client's `_meta` with an invalid key",
    explanation: "From 2026-07-28 on, a server reads the revision and the capabilities of each request from `_meta`. \
                  It may reject the whole request because of a malformed key.",
    check: Check::Wire(|facts| malformed(facts, Role::Client)),
    ..SERVER_META_KEYS
};

/// Limit of the levels below a message that are searched: a block of a result has its own, and so has a resource in a
/// block.
const LEVELS: u8 = 6;

fn malformed(facts: &Facts<'_>, from: Role) -> Vec<Violation> {
    let mut violations = Vec::new();
    for message in facts.messages.iter().filter(|message| message.from == from) {
        if let Some(key) = malformed_in(&message.json, LEVELS) {
            violations.push(
                Violation::new(format!("`_meta` has the malformed key {}", quoted(&key)), [message.seq]).at("/_meta"),
            );
        }
    }
    violations
}

fn malformed_in(value: &Json, levels: u8) -> Option<String> {
    let levels = levels.checked_sub(1)?;
    match value {
        Json::Object(object) => object.iter().find_map(|(key, member)| match key.as_str() {
            Some("_meta") => {
                let keys = member.as_object()?.iter().map(|(key, _)| key);
                keys.map(|key| key.as_str().unwrap_or("\u{fffd}")).find(|key| !is_key(key)).map(str::to_owned)
            }
            // What a tool returns, takes and declares is its own, whatever its members are called.
            Some("structuredContent" | "arguments" | "inputSchema" | "outputSchema") => None,
            Some(_) | None => malformed_in(member, levels),
        }),
        Json::Array(elements) => elements.iter().find_map(|element| malformed_in(element, levels)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    }
}

fn is_key(key: &str) -> bool {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    prefix.is_none_or(|prefix| prefix.split('.').all(is_label)) && is_name(name)
}

fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn is_name(name: &str) -> bool {
    let edge = |c: char| c.is_ascii_alphanumeric();
    name.is_empty()
        || name.starts_with(edge)
            && name.ends_with(edge)
            && name.chars().all(|c| edge(c) || matches!(c, '-' | '_' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_a_name_and_may_have_a_prefix() {
        for key in ["a", "progressToken", "com.example/", "com.example/trace-id", "x-1.y/a.b_c", ""] {
            assert!(is_key(key), "{key}");
        }
        for key in ["-a", "a b", "ä", "/a", "com..example/a", "1com/a", "com.example-/a", "com/a/b", "_a", "a."] {
            assert!(!is_key(key), "{key}");
        }
    }
}
