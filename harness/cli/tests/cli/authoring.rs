//! `new` and `record`: a scenario file from what was pasted, and from what passes between a client and a server.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::workshop::{PROGRAM, Ran, Workshop, to_its_end};

const REPORT: &str = r#"{"tool": {"name": "list_users", "inputSchema": {"type": "object"},
  "outputSchema": {"type": "array", "items": {"type": "object", "required": ["id"]}}},
 "result": {"structuredContent": [{"id": "u1"}], "content": [{"type": "text", "text": "[{\"id\": \"u1\"}]"}]}}"#;

const SERVER: [&str; 4] = ["mock", "server", "--scenario", "root-type/array"];

#[test]
fn a_template_can_be_played_as_it_is() {
    let workshop = Workshop::new();
    workshop.run(["new", "mine/my-bug.toml"]).ends_with(0).says(&["mcp-compat lint mine/my-bug.toml"]);
    workshop.run(["lint", "mine/my-bug.toml"]).ends_with(0).shows(&["no mistakes"]);
}

#[test]
fn a_report_becomes_a_scenario_that_lints_and_breaks_where_it_should() {
    let workshop = Workshop::new();
    workshop.write("report.json", REPORT);
    let source = ["--source", "https://example.org/issues/7"];
    let ran = workshop.run(["new", "my-bug.toml", "--from", "report.json"].into_iter().chain(source)).ends_with(0);
    ran.says(&["the tool `list_users`", "the source https://example.org/issues/7", "`why`"]);
    workshop.run(["lint", "my-bug.toml"]).ends_with(0).shows(&["no mistakes"]);
    let peers = ["--client=mock/2025-11-25", "--server=mock/dual", "--transport=memory", "--coverage=full"];
    let args = ["run", "--no-peers", "--scenarios=my-bug.toml", "--scenario=my-bug"];
    workshop.run(args.into_iter().chain(peers)).ends_with(1).shows(&["output-schema-object-root", "lost: all tools"]);
}

#[test]
fn a_report_may_come_from_standard_input() {
    let workshop = Workshop::new();
    let mut command = workshop.command(["new", "my-bug.toml", "--from", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(REPORT.as_bytes()).unwrap();
    to_its_end(child).ends_with(0);
    workshop.run(["lint", "my-bug.toml"]).ends_with(0);
}

#[test]
fn new_writes_nothing_where_it_cannot_write_the_whole() {
    let workshop = Workshop::new();
    workshop.write("broken.json", "{\"name\": \"a\",\n \"inputSchema\": }");
    workshop.write("other.json", "{\"a\": 1}");
    workshop.write("empty.json", "It does not work.");
    workshop.write("taken.toml", "mine");
    for (args, words) in [
        (["x.toml", "--from", "broken.json"], "broken.json: line 2, column 17: expected a value, found '}'"),
        (["x.toml", "--from", "other.json"], "its JSON, which begins on line 1, is neither a tool's definition"),
        (["x.toml", "--from", "empty.json"], "empty.json: there is no JSON in it"),
        (["x.toml", "--from", "absent.json"], "cannot read the report absent.json"),
        (["x.toml", "--source", "no address"], "an address that begins with https://"),
        (["taken.toml", "--source", "https://example.org"], "taken.toml exists already"),
        (["My Bug.toml", "--source", "https://example.org"], "lower-case letters, digits and hyphens"),
    ] {
        workshop.run(["new"].into_iter().chain(args)).ends_with(2).says(&[words]);
    }
    assert_eq!(fs::read_to_string(workshop.path().join("taken.toml")).unwrap(), "mine");
    assert_eq!(fs::read_dir(workshop.path()).unwrap().count(), 4, "nothing else");
}

/// A mock client with the recorder as its server, and the mock server behind it.
fn recorded(workshop: &Workshop, client: &[&str], record: &[&str], server: &[&str]) -> Ran {
    let recorder = [PROGRAM, "record", "-o", "my-bug.toml"];
    let client = ["mock", "client"].iter().chain(client);
    let behind = ["--", PROGRAM].iter().chain(server);
    workshop.run(client.chain(&["--"]).chain(&recorder).chain(record).chain(behind))
}

/// How a cell of one scenario ends, and why.
fn verdict(workshop: &Workshop, scenario: &[&str], peers: &[&str]) -> [Value; 3] {
    workshop.run(["run", "--no-peers", "--coverage=full"].iter().chain(scenario).chain(peers));
    let record = workshop.record();
    let [cell] = &record["cells"].as_array().unwrap()[..] else { panic!("one cell: {record}") };
    ["outcome", "rating", "fault"].map(|key| cell[key].clone())
}

#[test]
fn what_is_recorded_over_standard_streams_breaks_in_the_same_way() {
    for (id, scenario) in [
        ("mock/dual/skip+auto", "invalid-result/extra-property"),
        ("mock/dual/content+auto", "fallback/empty-content"),
        ("mock/2025-03-26", "fallback/empty-content"),
    ] {
        let workshop = Workshop::new();
        let server = ["mock", "server", "--scenario", scenario];
        let listed = workshop.run(["mock", "client", "--", PROGRAM].iter().chain(&server)).stdout;
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let tool = listed["steps"][0]["tools"][0]["name"].as_str().unwrap();
        let ran = recorded(&workshop, &["--id", id, "--call", tool], &[], &server);
        assert!(ran.stderr.contains("was made of 1 call"), "{}", ran.stderr);
        workshop.run(["lint", "my-bug.toml"]).ends_with(0).shows(&["no mistakes"]);
        let client = format!("--client={id}");
        let peers = [client.as_str(), "--server=mock/dual", "--transport=memory"];
        let original = verdict(&workshop, &[&format!("--scenario={scenario}")], &peers);
        let replayed = verdict(&workshop, &["--scenarios=my-bug.toml", "--scenario=my-bug"], &peers);
        assert_eq!(replayed, original, "{id} {scenario}");
        assert_eq!(replayed[1], "breaks", "{id} {scenario}");
    }
}

#[test]
fn bytes_pass_as_they_are_and_the_logs_of_the_server_too() {
    let workshop = Workshop::new();
    let server = r#"echo started >&2; read -r line; printf 'no \377 message\n%s' "$line""#;
    let mut command = workshop.command(["record", "-o", "my-bug.toml", "--", "sh", "-c", server]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"{ \"id\" :1}\r\nrest").unwrap();
    let mut out = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut out).unwrap();
    assert_eq!(out, b"no \xff message\n{ \"id\" :1}\r");
    to_its_end(child).ends_with(2).says(&["started\n", "the recording saw no call of a tool"]);
}

#[test]
fn a_recording_without_a_call_leaves_no_file_unless_uncalled_tools_are_wanted() {
    let workshop = Workshop::new();
    let ran = recorded(&workshop, &["--id", "mock/2025-11-25"], &[], &SERVER);
    let sentence = "the recording saw no call of a tool that was answered; it listed `list_users` and 1 more: nothing";
    assert!(ran.stderr.contains(sentence), "{}", ran.stderr);
    assert_eq!(fs::read_dir(workshop.path()).unwrap().count(), 0);
    recorded(&workshop, &["--id", "mock/2025-11-25"], &["--uncalled"], &SERVER);
    workshop.run(["lint", "my-bug.toml"]).ends_with(0);
}

#[test]
fn secrets_do_not_get_into_the_file() {
    let workshop = Workshop::new();
    let call = r#"list_users={"apiKey": "very-secret-1", "page": 1.0}"#;
    let ran = recorded(&workshop, &["--call", call], &[], &SERVER);
    assert!(ran.stderr.contains("the arguments of `list_users` at /apiKey"), "{}", ran.stderr);
    let text = fs::read_to_string(workshop.path().join("my-bug.toml")).unwrap();
    assert!(text.contains(r#"{"apiKey": "***", "page": 1.0}"#), "{text}");
}

#[test]
fn what_cannot_be_recorded_is_refused_before_anything_starts() {
    let workshop = Workshop::new();
    workshop.write("taken.toml", "mine");
    let touch = ["--", "touch", "started"];
    for (args, words) in [
        (&["record", "-o", "taken.toml"][..], "taken.toml exists already"),
        (&["record", "-o", "Bad_Name.toml"], "lower-case letters, digits and hyphens"),
        (&["record", "-o", "no-folder.toml/x.toml"], "cannot make the folder"),
    ] {
        if args.contains(&"no-folder.toml/x.toml") {
            workshop.write("no-folder.toml", "");
        }
        workshop.run(args.iter().chain(&touch)).ends_with(2).says(&[words]);
        assert!(!workshop.path().join("started").exists());
    }
    workshop.run(["record", "-o", "x.toml"]).ends_with(2).says(&["-- COMMAND, or --url URL"]);
    workshop.run(["record", "-o", "x.toml", "--", "./no-such"]).ends_with(2).says(&["cannot start \"./no-such\""]);
    workshop
        .run(["record", "-o", "x.toml", "--url", "ftp://a.example"])
        .ends_with(2)
        .says(&["its scheme is neither http nor https"]);
    let header = ["--header", "not a header", "--url", "http://127.0.0.1:1"];
    workshop.run(["record", "-o", "x.toml"].iter().chain(&header)).ends_with(2).says(&["expected a name and a value"]);
    assert!(!workshop.path().join("x.toml").exists());
}

/// A recorder in front of a mock server, with a session of one call behind it that is still open.
struct Open {
    child: Child,
    /// Held open: its end would end the session.
    stdin: std::process::ChildStdin,
}

fn open_session(workshop: &Workshop) -> Open {
    open_session_into(workshop, "my-bug.toml", &[])
}

/// As [`open_session`], with words before the command of the server.
fn open_session_into(workshop: &Workshop, output: &str, before: &[&str]) -> Open {
    let args = ["record", "-o", output, "--"].into_iter().chain(before.iter().copied()).chain([PROGRAM]).chain(SERVER);
    let mut child = workshop.command(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let initialize = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}"#;
    for (id, method, params) in [
        (1, "initialize", initialize),
        (2, "tools/list", "{}"),
        (3, "tools/call", r#"{"name":"list_users","arguments":{}}"#),
    ] {
        writeln!(stdin, r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.contains(&format!("\"id\":{id}")), "{line}");
    }
    Open { child, stdin }
}

/// Waits for something that nobody tells.
fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(30), "in vain: {what}");
        thread::yield_now();
    }
}

#[test]
fn a_session_that_is_ended_by_a_signal_is_recorded_and_its_server_ends() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let workshop = Workshop::new();
        let open = open_session(&workshop);
        kill(Pid::from_raw(i32::try_from(open.child.id()).unwrap()), signal).unwrap();
        // The signal is passed on, and so is the end of the server by it.
        to_its_end(open.child).ends_with(128 + signal as i32).says(&["was made of 1 call"]);
        workshop.run(["lint", "my-bug.toml"]).ends_with(0);
    }
}

#[test]
fn a_recording_that_cannot_be_written_does_not_end_the_session() {
    let workshop = Workshop::new();
    fs::create_dir(workshop.path().join("gone")).unwrap();
    let before = ["sh", "-c", "rm -rf gone; touch gone; exec \"$0\" \"$@\""];
    let open = open_session_into(&workshop, "gone/my-bug.toml", &before);
    drop(open.stdin);
    to_its_end(open.child)
        .ends_with(3)
        .says(&["the session went on, but the recording is incomplete", "cannot make the folder gone"]);
}

#[test]
fn a_recorder_that_is_killed_has_written_every_call_that_was_answered() {
    let workshop = Workshop::new();
    let mut open = open_session(&workshop);
    let file = workshop.path().join("my-bug.toml");
    until("the file is there", || file.exists());
    open.child.kill().unwrap();
    open.child.wait().unwrap();
    workshop.run(["lint", "my-bug.toml"]).ends_with(0).shows(&["no mistakes"]);
    let files: Vec<_> = fs::read_dir(workshop.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["my-bug.toml"], "nothing half-written beside it");
}

#[test]
fn http_is_recorded_through_the_address_that_is_printed_first() {
    for id in ["mock/2025-11-25/lenient", "mock/dual+auto"] {
        let workshop = Workshop::new();
        let printed = |args: &[&str]| {
            let mut child = workshop.command(args).spawn().unwrap();
            let mut url = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
            assert!(url.starts_with("http://127.0.0.1:"), "{url}");
            (child, url.trim().to_owned())
        };
        let server: Vec<&str> = SERVER.into_iter().chain(["--http"]).collect();
        let (server, behind) = printed(&server);
        let header = "Authorization: Bearer very-secret-1";
        let (recorder, url) = printed(&["record", "-o", "my-bug.toml", "--url", &behind, "--header", header]);
        workshop.run(["mock", "client", "--id", id, "--call", "list_users", "--url", &url]).ends_with(0);
        for (child, status) in [(recorder, 0), (server, 0)] {
            kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
            to_its_end(child).ends_with(status);
        }
        workshop.run(["lint", "my-bug.toml"]).ends_with(0).shows(&["no mistakes"]);
        let text = fs::read_to_string(workshop.path().join("my-bug.toml")).unwrap();
        assert!(!text.contains("secret") && text.contains("[{\"id\": \"u1\"}, {\"id\": \"u2\"}]"), "{text}");
    }
}
