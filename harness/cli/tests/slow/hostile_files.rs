//! Files that are made to take time and memory. A watchdog ends a command that takes more than its bounds.
//!
//! The bounds are for a debug build on a machine that does other work as well, so they are loose.

use std::process::Command;
use std::thread;
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
    let command = workshop.command(["lock", "check", "--lock", "old.json", "--against", "new.json"]);
    assert_eq!(ended(command), Some(1));
}

#[test]
fn very_many_mistakes_are_counted_and_the_first_ones_shown() {
    let workshop = Workshop::new();
    let mistakes: String = (0..16_000).map(|at| format!("bad_{at} = {at}\n")).collect();
    workshop.write("own.toml", &format!("{mistakes}{OWN}"));
    assert_eq!(ended(workshop.command(["lint", "own.toml"])), Some(2));
}

/// A scenario file with these tools, and what follows them.
fn scenario(tools: usize, block: &str, rest: &str) -> String {
    let head = &OWN[..OWN.find("[[tool]]").unwrap()];
    let tool = |at: usize| {
        format!(
            "[[tool]]\ndefinition = '{{\"name\": \"t{at}\", \"inputSchema\": {{}}}}'\n\
             returns = '{{\"content\": [{block}]}}'\nmeans.text = \"\"\n"
        )
    };
    format!("{head}{}{rest}", (0..tools).map(tool).collect::<String>())
}

/// What one entry costs must not grow with how many there are.
#[test]
fn very_many_entries_are_read_or_refused() {
    let numbered = |count: usize, entry: fn(usize) -> String| (0..count).map(entry).collect::<String>();
    let blocks = vec!["{\"type\": \"a\"}"; 20_000].join(",");
    let call = "[[step]]\ncall = \"t0\"\n";
    let also = "[[step]]\ncall = \"t0\"\nalso-expect.blocks = '[{\"type\": \"a\"}]'\n";
    let words = numbered(50_000, |at| format!("\"w{at}\","));
    let fed = numbered(900, |at| format!("\"/k{at}\" = \"\"\n"));
    let cases = numbered(1_000, |at| format!("[[case]]\ncase = \"c{at}\"\ntitle = \"Case {at}\"\n"));
    let value = vec![r#"{"id": "u", "n": 1}"#; 2_000].join(",");
    let large = numbered(20, |at| format!("[[case]]\ncase = \"c{at}\"\ntitle = \"Case {at}\"\nRETURNS\n"));
    let large = large.replace("RETURNS", &format!("returns = '{{\"structuredContent\": [{value}], \"content\": []}}'"));
    let files = [
        scenario(1, "", &large).replace("means.text = \"\"\n", ""),
        scenario(5_000, "", ""),
        scenario(5_000, "", &numbered(5_000, |at| format!("[[step]]\ncall = \"t{at}\"\n"))),
        scenario(5_000, "", &numbered(5_000, |at| format!("[[step]]\ncall = \"u{at}\"\n"))),
        scenario(12_000, "", ""),
        scenario(1, &blocks, &also.repeat(5_000)),
        scenario(1, "", &format!("without = [{words}]\n")),
        scenario(1, "", &format!("[[step]]\ncall = \"t0\"\n[[step]]\ncall = \"t0\"\n[step.args-from]\n{fed}")),
        scenario(1, &blocks, &cases),
        scenario(400, "", &cases),
        scenario(1, "{{zeros}}", "[part.zeros]\nrepeat = '0'\nbetween = ','\ntimes = 8_000_000\n"),
        scenario(1, "\"{{long}}\"", &format!("[part.long]\nrepeat = 'x'\ntimes = 12_000_000\n{cases}")),
        scenario(1, "", &format!("arguments = '{{\"a\": \"{}\"}}'\n{}", "x".repeat(1_500_000), call.repeat(5_000))),
        scenario(5_000, "", &format!("{}{cases}", numbered(5_000, |at| format!("[[step]]\ncall = \"u{at}\"\n")))),
        scenario(1, "", &format!("{call}{}{cases}", "[[step]]\nlist = true\n".repeat(4_999))),
        scenario(60, "", "").replace(
            "[[tool]]\ndefinition = '{\"name\": \"t0\"",
            "page-size = 1\n[[tool]]\ndefinition = '{\"name\": \"t0\"",
        ),
        scenario(1, "", &numbered(1_000, |at| format!("[part.p{at}]\nrepeat = '{{{{n}}}}'\ntimes = 2_000_000\n"))),
        scenario(1, "", &call.repeat(5_000)).replace("t0", &"n".repeat(200_000)),
        "title = \"a\"\n".repeat(100_000),
        "a = ;\n".repeat(100_000),
        ";".repeat(600_000),
    ];
    let is_linted = |(at, file): (usize, &String)| {
        let workshop = Workshop::new();
        workshop.write("own.toml", file);
        let status = ended(workshop.command(["lint", "own.toml"]));
        assert!(matches!(status, Some(0 | 2)), "file {at}: {status:?}");
    };
    thread::scope(|scope| {
        for lane in 0..3 {
            let files = files.iter().enumerate().skip(lane).step_by(3);
            scope.spawn(move || files.for_each(is_linted));
        }
    });
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
