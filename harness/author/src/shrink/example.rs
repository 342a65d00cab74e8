//! Scenarios for the tests of this module.

use mcp_compat_scenario::{Scenario, load};

/// What every file has at its top.
pub(super) const HEAD: &str = "title = \"t\"\nwhy = \"w\"\nsources = [\"https://example.org/\"]\n";

/// Two tools, the first one with a control, and everything else that a file may have.
pub(super) const TWO_TOOLS: &str = r#"
page-size = 1
list = '{"ttlMs": 1, "cacheScope": "private"}'
[[tool]]
definition = '''
{"name": "a", "description": "d", "inputSchema": {"type": "object"},
 "outputSchema": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "string"}}, "required": ["x"]}}'''
arguments = '{"q": 1}'
returns = '{"structuredContent": {"x": 10, "y": "abc"}, "content": [{"type": "text", "text": "{\"x\": 10, \"y\": \"abc\"}"}]}'
control = '{"structuredContent": {"x": "ten"}, "content": []}'
[[tool]]
definition = '{"name": "b", "inputSchema": {"type": "object"}}'
returns = '{"content": [{"type": "text", "text": "hello"}]}'
"#;

/// The one scenario of a file that has this below its head.
pub(super) fn only(rest: &str) -> Scenario {
    let mut scenarios = load("a/b.toml", &format!("{HEAD}{rest}"), &|_| None).unwrap();
    assert_eq!(scenarios.len(), 1);
    scenarios.remove(0)
}
