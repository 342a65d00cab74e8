//! Files that are made to take time and memory. A watchdog ends a command that takes more than its bounds.
//!
//! The bounds are for a debug build on a machine that does other work as well, so they are loose.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::watchdog::watched;
use crate::workshop::{OWN, Workshop};

/// How long a command may take.
const TIME: Duration = Duration::from_secs(120);

/// Runs a command to its end, or fails when it takes too much. Returns the exit status.
#[track_caller]
fn ended(command: Command) -> Option<i32> {
    watched(command, TIME).status
}

fn lock(schema: &Value) -> String {
    let definition = json!({"name": "t", "inputSchema": schema});
    let tool = json!({"revisions": ["2025-11-25"], "definition": definition});
    let server = json!({"name": "s", "version": "1"});
    json!({"lock_version": 1, "server": server, "revisions": ["2025-11-25"], "tools": [tool]}).to_string()
}

fn properties(count: usize, kind: &str) -> Value {
    let all: serde_json::Map<_, _> = (0..count).map(|at| (format!("p{at}"), json!({"type": kind}))).collect();
    json!({"type": "object", "properties": all})
}

fn values(first: usize) -> Value {
    let all: Vec<Value> = (first..10_000).map(|at| json!([at])).collect();
    json!({"type": "object", "properties": {"v": {"enum": all}}})
}

fn alternatives(kind: &str) -> Value {
    let one = |at: usize| json!({"properties": {"k": {"const": at}, "a": {"type": kind}}, "required": ["k"]});
    json!({"type": "object", "properties": {"v": {"oneOf": (0..60).map(one).collect::<Vec<_>>()}}})
}

#[test]
fn a_contract_is_checked_within_bounds() {
    is_checked(&properties(2_000, "number"), &properties(2_000, "integer"));
    is_checked(&values(0), &values(1));
    is_checked(&alternatives("integer"), &alternatives("number"));
}

fn is_checked(old: &Value, new: &Value) {
    let workshop = Workshop::new();
    workshop.write("old.json", &lock(old));
    workshop.write("new.json", &lock(new));
    let command = workshop.command(["contract", "check", "--lock", "old.json", "--against", "new.json"]);
    assert_eq!(ended(command), Some(1));
}

#[test]
fn very_many_mistakes_are_counted_and_the_first_ones_shown() {
    let workshop = Workshop::new();
    let mistakes: String = (0..16_000).map(|at| format!("bad_{at} = {at}\n")).collect();
    workshop.write("own.toml", &format!("{mistakes}{OWN}"));
    assert_eq!(ended(workshop.command(["lint", "own.toml"])), Some(2));
}

#[test]
fn a_long_log_becomes_a_scenario() {
    let workshop = Workshop::new();
    let message = |at: usize| {
        let call =
            json!({"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": {"name": "t", "arguments": {}}});
        let result = json!({"content": [{"type": "text", "text": "x".repeat(200)}], "structuredContent": {"id": at}});
        format!("{call}\n{}\n", json!({"jsonrpc": "2.0", "id": at, "result": result}))
    };
    workshop.write("log.txt", &(0..4_000).map(message).collect::<String>());
    assert_eq!(ended(workshop.command(["new", "made.toml", "--from", "log.txt"])), Some(0));
}
