//! The walks of the README, taken as they are written: its files, its commands, and what it says they print.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Command, Stdio};

use crate::workshop::{PROGRAM, Ran, Workshop, to_its_end};

const README: &str = include_str!("../../../../README.md");

/// The text below a heading, up to the next one.
fn section(heading: &str) -> &'static str {
    let (_, rest) = README.split_once(&format!("\n### {heading}\n")).expect("the README has this heading");
    rest.split("\n##").next().unwrap()
}

/// What stands between the fences of that language.
fn blocks<'t>(section: &'t str, language: &str) -> Vec<&'t str> {
    let opening = format!("\n```{language}\n");
    section.split(&opening).skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect()
}

/// A command, and lines of what it prints.
struct Shown {
    command: String,
    printed: Vec<&'static str>,
}

/// The commands of a section's console, each with what is shown below it.
fn commands(section: &'static str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    for line in blocks(section, "console").into_iter().flat_map(str::lines) {
        match (line.strip_prefix("$ "), shown.last_mut()) {
            (Some(command), _) => shown.push(Shown { command: command.to_owned(), printed: Vec::new() }),
            (None, Some(last)) if last.command.ends_with('\\') => last.command.push_str(&format!("\n{line}")),
            (None, Some(last)) if line != "…" => last.printed.push(line),
            (None, _) => {}
        }
    }
    shown
}

/// Runs a line of the README as its reader does, with this program for `mcp-compat`.
fn run(workshop: &Workshop, line: &str) -> Ran {
    let programs = workshop.path().join("bin");
    if !programs.exists() {
        std::fs::create_dir(&programs).unwrap();
        symlink(PROGRAM, programs.join("mcp-compat")).unwrap();
    }
    let servers = workshop.path().join("servers");
    let path = format!("{}:{}:{}", programs.display(), servers.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(workshop.path()).env("PATH", path).env_remove("CI");
    to_its_end(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// Takes a walk: every line that is shown is printed, and no command finds its input wrong.
fn walk(workshop: &Workshop, heading: &str, statuses: &[i32]) {
    let commands = commands(section(heading));
    assert_eq!(commands.len(), statuses.len(), "the commands of {heading:?}");
    for (Shown { command, printed }, status) in commands.iter().zip(statuses) {
        let ran = run(workshop, command).ends_with(*status);
        let output = format!("{}{}", ran.stdout, ran.stderr);
        for line in printed {
            assert!(
                output.lines().any(|found| found == *line),
                "{command}\nshould print {line:?}, but prints\n{output}"
            );
        }
    }
}

#[test]
fn the_walk_from_a_bug_report_is_as_it_is_written() {
    let workshop = Workshop::new();
    let [report] = blocks(section("From a bug report's JSON"), "json")[..] else { panic!("one report") };
    workshop.write("report.json", report);
    walk(&workshop, "From a bug report's JSON", &[0, 0, 1]);
}

#[test]
fn the_walk_from_live_traffic_is_as_it_is_written() {
    walk(&Workshop::new(), "From live traffic", &[0, 0, 1]);
}

/// A server as somebody else wrote it: a shell script that speaks one revision, and lists what `definition` says.
fn server(version: &str, orders: &str, limit: u32) -> String {
    let tools = format!(
        r#"[{{"name":"list_orders","inputSchema":{{"type":"object","properties":{{"limit":{{"type":"integer","maximum":{limit}}}}}}},"outputSchema":{{"type":"object","required":["orders"],"properties":{{"orders":{{"type":"array","items":{{"type":"object","required":["id","total"],"properties":{{"id":{{"type":"string"}},{orders}}}}}}}}}}}}},{{"name":"ping","inputSchema":{{"type":"object"}}}}]"#
    );
    format!(
        r#"#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  revision=$(printf '%s' "$line" | sed -n 's/.*"protocolVersion":"\([^"]*\)".*/\1/p')
  case "$line" in
    *'"initialize"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"protocolVersion":"%s","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"my-server","version":"{version}"}}}}}}\n' "$id" "$revision";;
    *'"tools/list"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"tools":%s}}}}\n' "$id" '{tools}';;
    *'"id"'*) printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32601,"message":"Method not found"}}}}\n' "$id";;
  esac
done
"#
    )
}

#[test]
fn a_promise_is_kept_and_broken_as_it_is_written() {
    let workshop = Workshop::new();
    let now = r#""total":{"type":"number"},"at":{"type":"string","format":"date-time"}"#;
    let next = r#""total":{"type":["number","null"]},"at":{"type":"string"}"#;
    for (name, script) in [("my-server", server("1.4.0", now, 50)), ("my-server-next", server("1.5.0", next, 100))] {
        let path = workshop.write(&format!("servers/{name}"), &script);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    walk(&workshop, "Keep a promise", &[0, 1]);
}
