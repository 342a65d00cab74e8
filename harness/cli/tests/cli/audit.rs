//! `audit` of servers: what a person reads, how it ends, and what it says where there is nothing to be looked at.

use std::fs;

use serde_json::Value;

use crate::workshop::{PROGRAM, Ran, Workshop};

/// A server that says what a script of Python has it say, a line for each line that it is sent.
fn server(workshop: &Workshop, tools: &str, result: &str) -> [String; 2] {
    let script = format!(
        r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    answer = {{"jsonrpc": "2.0", "id": asked["id"]}}
    version = asked.get("params", {{}}).get("protocolVersion")
    if asked["method"] == "initialize":
        answer["result"] = {{"protocolVersion": min(version, "2025-11-25"), "capabilities": {{"tools": {{}}}},
                             "serverInfo": {{"name": "hand\u001b[31mmade", "version": "1"}}}}
    elif asked["method"] == "tools/list": answer["result"] = {{"tools": json.loads(r'''{tools}''')}}
    elif asked["method"] == "ping": answer["result"] = {{}}
    elif asked["method"] == "tools/call" and not asked["params"]["name"].startswith("mcp_compat_unlisted_"):
        answer["result"] = json.loads(r'''{result}''')
    else: answer["error"] = {{"code": -32601, "message": "Method not found"}}
    print(json.dumps(answer), flush=True)
"#
    );
    workshop.write("server.py", &script);
    ["python3".to_owned(), "server.py".to_owned()]
}

fn audit(workshop: &Workshop, options: &[&str], command: &[String]) -> Ran {
    let command = command.iter().map(String::as_str);
    workshop.run(["audit"].into_iter().chain(options.iter().copied()).chain(["--"]).chain(command))
}

/// A mock server, whose tools are known to be as they are.
fn mock(scenario: &str) -> Vec<String> {
    [PROGRAM, "mock", "server", "--scenario", scenario].map(str::to_owned).to_vec()
}

#[test]
fn a_person_reads_who_was_looked_at_what_is_wrong_who_loses_what_and_what_to_change() {
    let workshop = Workshop::new();
    let ran = audit(&workshop, &["--tool", "list_users", "--call", "list_users"], &mock("root-type/array"));
    insta::assert_snapshot!(ran.ends_with(1).stdout);
}

#[test]
fn a_server_with_which_nothing_is_wrong_ends_with_success() {
    let workshop = Workshop::new();
    let ran = audit(&workshop, &["--call", "get_weather", "--fail-on", "warning"], &mock("root-type/object"));
    ran.ends_with(0).shows(&["no errors, no warnings"]);
}

#[test]
fn severity_decides_how_it_ends() {
    let workshop = Workshop::new();
    let ends = |fail_on: &str, status: i32| {
        let options = ["--call", "list_users", "--fail-on", fail_on];
        audit(&workshop, &options, &mock("root-type/array")).ends_with(status);
    };
    ends("error", 1);
    ends("never", 0);
}

#[test]
fn json_is_read_back_and_has_every_tool() {
    let workshop = Workshop::new();
    let ran = audit(&workshop, &["--json", "--call", "list_users"], &mock("root-type/array")).ends_with(1);
    let audit: Value = serde_json::from_str(&ran.stdout).unwrap();
    let tools: Vec<&str> = audit["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(tools, ["list_users", "list_users_control"]);
    assert_eq!(audit["tools"][0]["losses"][0]["loses"], "server");
}

#[test]
fn what_a_server_calls_itself_cannot_reach_the_terminal_and_its_secrets_are_masked() {
    let workshop = Workshop::new();
    let tools = r#"[{"name": "look\u001b[2J", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
                     "outputSchema": {"type": "object"}}]"#;
    let result = r#"{"content": [{"type": "text", "text": "Bearer abcdefghijklmnopqrstuvwxyz0123456789"}]}"#;
    let command = server(&workshop, tools, result);
    for form in ["--markdown", "--tool=*"] {
        let ran = audit(&workshop, &["--fail-on=never", form], &command);
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{ran:?}");
        assert!(!ran.stdout.contains("abcdefghijklmnopqrstuvwxyz0123456789"), "{}", ran.stdout);
        let ran = ran.ends_with(0);
        ran.shows(&["structured-content-present"]);
    }
}

#[test]
fn a_server_that_needs_configuration_is_told_in_its_own_words_with_the_step_at_which_it_stopped() {
    let workshop = Workshop::new();
    workshop.write("server.py", "import sys\nsys.exit('error: API_KEY is not set')\n");
    let ran = audit(&workshop, &[], &["python3".to_owned(), "server.py".to_owned()]).ends_with(2);
    ran.says(&["the server ended before it answered initialize (exit status 1)", "  error: API_KEY is not set"]);
    workshop.write(
        "server.py",
        "import os, sys\nprint(os.environ['KEY'], file=sys.stderr)\nsys.exit(0 if sys.stdin.readline() else 1)\n",
    );
    let command = ["python3".to_owned(), "server.py".to_owned()];
    audit(&workshop, &["--env", "KEY=given"], &command).ends_with(2).says(&["  given"]);
}

#[test]
fn a_revision_at_which_a_server_dies_is_not_taken_for_one_that_it_refuses() {
    let workshop = Workshop::new();
    let tools = r#"[{"name": "look", "inputSchema": {"type": "object"}}]"#;
    let command = server(&workshop, tools, "{}");
    let script = fs::read_to_string(workshop.path().join("server.py")).unwrap();
    workshop.write(
        "server.py",
        &script.replace("    if \"id\" not in", "    if '2025-06-18' in line: sys.exit(9)\n    if \"id\" not in"),
    );
    let ran = audit(&workshop, &[], &command).ends_with(1);
    ran.shows(&["initialize-is-answered", "the server ended before it answered initialize\n", "(exit status 9)"]);
    let save = ["lock", "save", "--", "python3", "server.py"];
    workshop.run(save).ends_with(2).says(&["it is unknown whether the server speaks 2025-06-18"]);
}

#[test]
fn what_a_server_was_given_in_confidence_is_not_told_though_it_repeats_it() {
    let workshop = Workshop::new();
    let tools = r#"[{"name": "look", "description": "by hunter2hunter2", "inputSchema": {"type": "object"},
                     "annotations": {"readOnlyHint": true}, "outputSchema": {"type": "object"}}]"#;
    let command = server(&workshop, tools, r#"{"content": [{"type": "text", "text": "hunter2hunter2"}]}"#);
    let ran = audit(&workshop, &["--json", "--env", "API_KEY=hunter2hunter2"], &command).ends_with(1);
    assert!(ran.stdout.contains("by ***") && !ran.stdout.contains("hunter2"), "{}", ran.stdout);
}

#[test]
fn input_that_is_wrong_ends_with_2_and_says_what_to_do() {
    let workshop = Workshop::new();
    let ends = |options: &[&str], words: &str| {
        audit(&workshop, options, &mock("root-type/array")).ends_with(2).says(&[words]);
    };
    ends(&["--tool", "list_usres"], "no tool matches \"list_usres\"; did you mean list_users?");
    ends(&["--call", "gone"], "no tool matches \"gone\"");
    ends(&["--call", "list_users=[1]"], "the arguments given for `list_users` cannot be used: expected a JSON object");
    ends(&["--against", "nobody"], "no client matches \"nobody\"");
    ends(&["--env", "KEY"], "--env: expected NAME=VALUE");
    ends(&["--header", "X-Key: 1"], "'--header <NAME: VALUE>' cannot be used with '[COMMAND]...'");
    workshop.run(["audit"]).ends_with(2).says(&["name the server", "mcp-compat audit -- COMMAND", ".mcp.json"]);
    workshop.run(["audit", "--", "no-such-program-here"]).ends_with(2).says(&["check that it is installed"]);
    let dead = ["audit", "--url", "http://127.0.0.1:1/mcp"];
    workshop.run(dead).ends_with(2).says(&["cannot connect to http://127.0.0.1:1/mcp: connection refused", "running"]);
    let unknown = ["audit", "--url", "http://no-such-host.invalid/mcp"];
    workshop.run(unknown).ends_with(2).says(&["cannot connect to http://no-such-host.invalid/mcp: unknown host"]);
    ends(&["--tool", "{a"], "the pattern \"{a\" is broken: a `{` is not closed");
    ends(&["--against", "a}"], "the pattern \"a}\" is broken: a `}` has no `{`");
    workshop.run(["audit", "--url", "http://127.0.0.1:1/", "--header", "secret"]).ends_with(2).says(&["'Name: value'"]);
}

#[test]
fn a_server_that_is_mute_or_floods_is_given_up() {
    let workshop = Workshop::new();
    for command in [["sleep", "100"], ["yes", "{"]] {
        let ran = audit(&workshop, &["--start-timeout", "1s"], &command.map(str::to_owned)).ends_with(2);
        ran.says(&["the server opened no session at any revision"]);
    }
    let flood = audit(&workshop, &["--start-timeout", "100s"], &["yes", "{"].map(str::to_owned)).ends_with(2);
    flood.says(&["it printed 1000 lines that are not JSON-RPC messages to standard output"]);
}

#[test]
fn what_a_server_printed_in_place_of_messages_is_quoted_and_two_tries_are_enough() {
    let workshop = Workshop::new();
    let banner = ["sh", "-c", "echo Listening on port 3000; sleep 100"].map(str::to_owned);
    let ran = audit(&workshop, &["--start-timeout", "1s"], &banner).ends_with(2);
    let ran = ran.says(&["print logs to standard error:\n  Listening on port 3000"]);
    assert_eq!(ran.stderr.matches("\n  20").count(), 2, "one try for each era:\n{}", ran.stderr);
    let garbage = ["sh", "-c", "while read line; do echo '{oops'; done"].map(str::to_owned);
    let ran = audit(&workshop, &["--start-timeout", "1s"], &garbage).ends_with(2);
    assert!(!ran.stderr.contains("legacy"), "garbage shows no era:\n{}", ran.stderr);
}

#[test]
fn a_server_that_ends_at_once_may_lack_its_configuration() {
    let workshop = Workshop::new();
    let demands = ["sh", "-c", "echo 'API_KEY is required' >&2; exit 1"].map(str::to_owned);
    let ran = audit(&workshop, &[], &demands).ends_with(2);
    ran.says(&["API_KEY is required", "needs arguments or variables, such as a token", "with `--env NAME=VALUE`"]);
    let mute = audit(&workshop, &["--start-timeout", "1s"], &["sleep", "100"].map(str::to_owned)).ends_with(2);
    assert!(!mute.stderr.contains("--env"), "{}", mute.stderr);
}

/// A server of two read-only tools: one never answers.
const SLOW: &str = r#"[{"name": "slow", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]"#;

#[test]
fn a_tool_that_hangs_is_lost_to_all() {
    let workshop = Workshop::new();
    let command = server(&workshop, SLOW, "{}");
    let script = fs::read_to_string(workshop.path().join("server.py")).unwrap();
    workshop.write(
        "server.py",
        &script.replace("    print(json", "    if asked[\"method\"] == \"tools/call\": continue\n    print(json"),
    );
    let ran = audit(&workshop, &["--timeout", "1s", "--against", "mock/*"], &command).ends_with(1);
    ran.shows(&["✗ slow  2 of 2 clients lose the call", "lost by    all 2 clients", "FAILED  2 errors"]);
}

#[test]
fn a_tool_that_sends_no_result_is_lost_to_all() {
    let workshop = Workshop::new();
    let command = server(&workshop, SLOW, r#""hello""#);
    let ran = audit(&workshop, &["--against", "mock/*"], &command).ends_with(1);
    let ran = ran.shows(&["✗ slow  2 of 2 clients lose the call", "MUST, mcp-compat explain server-speaks-json-rpc"]);
    assert!(!ran.stdout.contains("no rule forbids"), "{}", ran.stdout);
}

#[test]
fn a_masked_error_is_told_beside_the_list_and_a_loss_fails_if_that_is_asked_for() {
    let workshop = Workshop::new();
    let tools = r#"[{"name": "find", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true},
                     "outputSchema": {"type": "object", "required": ["n"]}}]"#;
    let result = r#"{"isError": true, "content": [{"type": "text", "text": "no"}], "structuredContent": {}}"#;
    let command = server(&workshop, tools, result);
    let options = ["--against", "profile/typescript@1", "--against", "profile/python@1", "--against", "mock/*"];
    let ran = audit(&workshop, &options, &command).ends_with(0);
    let ran = ran.shows(&["! find  1 of 4 clients loses the call", "lost by    TypeScript SDK 1.x", "OK  1 warning"]);
    ran.shows(&["error-value-conforms", "change     omit structuredContent from error results"]);
    let junit = |more: &[&str]| audit(&workshop, &[&options[..], &["--format=junit"], more].concat(), &command);
    let passed = junit(&[]).ends_with(0);
    assert!(!passed.stdout.contains("<failure"), "a test fails where the audit does: {}", passed.stdout);
    passed.shows(&["--fail-on lets it pass: FAIL find"]);
    junit(&["--fail-on=loss"]).ends_with(1).shows(&["<failure message=\"FAIL find: 1 of 4 clients"]);
    let noted = ["--fail-on=note"];
    junit(&noted).ends_with(1).shows(&["failures=\"1\""]);
    let noted = audit(&workshop, &[&options[..], &["--format=github"], &noted].concat(), &command).ends_with(1);
    noted.shows(&["::warning title=", "::error title="]);
    let loss = audit(&workshop, &["--fail-on", "loss"], &command).ends_with(1);
    loss.says(&["the audit failed, as --fail-on loss asks: a client loses something"]);
    let warning = audit(&workshop, &["--fail-on", "note"], &command).ends_with(1);
    warning.says(&["the audit failed, as --fail-on note asks: the worst that it found is a warning"]);
}

/// A server with one tool. `busy` holds a lock that a second process does not get: it ends, or its tool fails. The tool of
/// `waiting` answers when it was called in each of five processes. The tool of `counting` does not claim to change nothing.
/// That of `failing` always fails.
const IN_COMPANY: &str = r#"
import fcntl, json, os, sys, time
kind = sys.argv[1]
lock = open("lock", "w")
alone = True
try: fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError: alone = False
if kind == "exclusive" and not alone: sys.exit("the port is in use")
def called():
    open(f"called-{os.getpid()}", "w").close()
    until = time.monotonic() + 20
    company = lambda: sum(name.startswith("called-") for name in os.listdir("."))
    while kind == "waiting" and company() < 5 and time.monotonic() < until: time.sleep(0.01)
    if kind == "counting":
        with open("visits", "a") as visits: visits.write("in company\n" if not alone else "alone\n")
    if kind == "failing": return {"content": [{"type": "text", "text": "no such place"}], "isError": True}
    if kind == "busy" and not alone or kind == "waiting" and company() < 5:
        return {"content": [{"type": "text", "text": "the database is locked"}], "isError": True}
    value = {"visits": 3}
    return {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}
tool = {"name": "count", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": kind != "counting"}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    version = asked.get("params", {}).get("protocolVersion")
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": min(version, "2025-11-25"), "capabilities": {"tools": {}},
                            "serverInfo": {"name": kind, "version": "1"}}
    elif asked["method"] == "tools/list": answer["result"] = {"tools": [tool]}
    elif asked["method"] == "ping": answer["result"] = {}
    elif asked["method"] == "tools/call" and asked["params"]["name"] == "count": answer["result"] = called()
    else: answer["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(answer), flush=True)
"#;

#[test]
fn programs_are_asked_side_by_side_and_again_alone_where_they_disturb_each_other() {
    for kind in ["waiting", "exclusive", "busy"] {
        let workshop = Workshop::new();
        workshop.write("server.py", IN_COMPANY);
        let ran = audit(&workshop, &["--json"], &["python3", "server.py", kind].map(str::to_owned));
        let audit: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(audit["spoken"].as_array().unwrap().len(), 4, "{kind}: {}", audit["refused"]);
        for said in ["locked", "in use"] {
            assert!(!ran.stdout.contains(said), "{kind}: {}", ran.stdout);
        }
    }
}

#[test]
fn a_tool_that_may_change_something_is_called_at_one_revision_after_the_other_and_not_again() {
    let workshop = Workshop::new();
    workshop.write("server.py", IN_COMPANY);
    let command = ["python3", "server.py", "counting"].map(str::to_owned);
    audit(&workshop, &["--call", "count", "--against", "mock/*"], &command).ends_with(0);
    assert_eq!(fs::read_to_string(workshop.path().join("visits")).unwrap(), "alone\n".repeat(4));
}

#[test]
fn calls_that_were_asked_for_and_all_failed_fail_the_audit() {
    let workshop = Workshop::new();
    workshop.write("server.py", IN_COMPANY);
    let ends = |kind: &str, options: &[&str], status: i32| {
        let options: Vec<&str> = options.iter().copied().chain(["--against", "mock/*"]).collect();
        audit(&workshop, &options, &["python3", "server.py", kind].map(str::to_owned)).ends_with(status)
    };
    let failed = "the audit failed: the call of `count` returned no result";
    ends("failing", &["--call", "count"], 1).says(&[failed]);
    // Nothing was asked for, the call returned a result, or the user wants no failure.
    for (kind, options) in [
        ("failing", &[][..]),
        ("counting", &["--call", "count"]),
        ("failing", &["--call", "count", "--fail-on", "never"]),
    ] {
        let ran = ends(kind, options, 0);
        assert!(!ran.stderr.contains("the audit failed"), "{kind}: {}", ran.stderr);
    }
}

#[test]
fn members_of_wrong_types_are_left_out_to_see_whom_that_frees() {
    let workshop = Workshop::new();
    let tools = r#"[{"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]"#;
    let result = r#"{"_meta": "x", "content": [{"type": "text", "text": "a"}, {"type": "text"}]}"#;
    let command = server(&workshop, tools, result);
    let ran = audit(&workshop, &["--against", "profile/typescript@1"], &command).ends_with(1);
    ran.shows(&["All changes together: 1 of 1 clients lose nothing (replayed)"]);
    let command = server(&workshop, tools, r#"{"_meta": "x", "content": [{"type": "text", "text": "a"}]}"#);
    let ran = audit(&workshop, &["--against", "profile/typescript@1"], &command).ends_with(1);
    ran.shows(&["change     send `isError` as a boolean and `_meta` as an object, or omit them: then 1 of 1\n"]);
}

#[test]
fn a_tool_that_always_fails_is_asked_again_once() {
    let workshop = Workshop::new();
    workshop.write("server.py", IN_COMPANY);
    let ran = audit(&workshop, &["--json"], &["python3", "server.py", "failing"].map(str::to_owned));
    assert!(ran.stdout.contains("no such place"), "{}", ran.stdout);
    let names = fs::read_dir(workshop.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let called = names.filter(|name| name.to_string_lossy().starts_with("called-")).count();
    // At four revisions, twice at the newest; and one of these sessions again.
    assert_eq!(called, 6);
}

#[test]
fn many_tools_that_declare_nothing_are_one_line() {
    let workshop = Workshop::new();
    let tool = |number| format!(r#"{{"name": "tool_{number}", "inputSchema": {{"type": "object"}}}}"#);
    let tools: Vec<String> = (0..25).map(tool).collect();
    let command = server(&workshop, &format!("[{}]", tools.join(",")), "{}");
    let ran = audit(&workshop, &["--against", "mock/*"], &command).ends_with(0);
    let lines = [
        "25 tools not called, each because it is not marked read-only",
        "no tool declares an outputSchema; results of tools",
    ];
    let ran = ran.shows(&lines);
    assert!(!ran.stdout.contains("tool_7"), "{}", ran.stdout);
    let ran = audit(&workshop, &["--against", "mock/*", "--markdown"], &command).ends_with(0);
    assert!(ran.stdout.contains("25 tools not called") && !ran.stdout.contains("tool_7"), "{}", ran.stdout);
}

#[test]
fn calls_come_from_a_file_and_arguments_are_made_up_if_that_is_asked_for() {
    let workshop = Workshop::new();
    let tools = r#"[{"name": "read", "annotations": {"readOnlyHint": true},
                     "inputSchema": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}}},
                    {"name": "write", "inputSchema": {"type": "object"}}]"#;
    let command = server(&workshop, tools, r#"{"content": [{"type": "text", "text": "hello"}]}"#);
    let called = |options: &[&str]| {
        let ran = audit(&workshop, &[&["--json", "--against", "mock/*"], options].concat(), &command).ends_with(0);
        let audit: Value = serde_json::from_str(&ran.stdout).unwrap();
        let arguments = |at: usize| audit["tools"][at]["call"]["answered"]["arguments"].as_str().map(str::to_owned);
        [arguments(0), arguments(1)]
    };
    assert_eq!(called(&[]), [None, None]);
    assert_eq!(called(&["--guess"]), [Some(r#"{"path":"example"}"#.to_owned()), None], "only what reads is called");
    workshop.write("calls.json", r#"{"read": {"path": "/tmp/a"}, "write": null}"#);
    assert_eq!(called(&["--calls", "calls.json"]), [Some(r#"{"path":"/tmp/a"}"#.to_owned()), Some("{}".to_owned())]);
    workshop.write("calls.json", r#"{"read": [1]}"#);
    audit(&workshop, &["--calls", "calls.json"], &command)
        .ends_with(2)
        .says(&["calls.json", "expected an object of tools"]);
    audit(&workshop, &["--calls", "gone.json"], &command).ends_with(2).says(&["cannot read the calls in gone.json"]);
}

#[test]
fn a_server_whose_tools_are_not_marked_is_called_whole_if_the_user_allows_it() {
    let workshop = Workshop::new();
    let tool = |name: &str| {
        format!(
            r#"{{"name": "{name}", "inputSchema": {{"type": "object", "required": ["city"], "properties": {{"city": {{"type": "string"}}}}}},
            "outputSchema": {{"type": "object", "properties": {{"high": {{"type": "integer"}}}}}}}}"#
        )
    };
    let tools = format!("[{}, {}]", tool("forecast"), tool("alerts"));
    let result = r#"{"content": [{"type": "text", "text": "{\"high\": 21}"}], "structuredContent": {"high": 21}}"#;
    let command = server(&workshop, &tools, result);
    let advice = "To call all tools that are not marked destructive (they may change something):";
    let ran = audit(&workshop, &[], &command).ends_with(0);
    ran.shows(&["- forecast  not called: it is not marked", advice, "    mcp-compat audit --call '*' --guess -- "]);
    let called = audit(&workshop, &["--call", "*", "--guess"], &command).ends_with(0);
    let called = called.shows(&["- forecast, alerts: called, fine"]);
    assert!(!called.stdout.contains("--call '*'"), "{}", called.stdout);
}

#[test]
fn a_list_that_is_wrong_costs_more_than_its_tools_and_one_that_is_not_called_shows_no_result() {
    let workshop = Workshop::new();
    workshop.write("listing.py", include_str!("listing_server.py"));
    let audit = |tools: &str| workshop.run(["audit", "--against=mock/*", "--", "python3", "listing.py", tools]);
    let tool = r#"{"name": "look", "inputSchema": {"type": "object"}}"#;
    let right = audit(&format!("[{tool}]")).ends_with(0);
    assert!(!right.stdout.contains("in a list of its own"), "{}", right.stdout);
    right.shows(&["UNPROVEN  no errors, no warnings; no result was judged: no tool returned one"]);
    let nameless = audit(&format!(r#"[{tool}, {{"inputSchema": {{"type": "object"}}}}]"#)).ends_with(1);
    nameless.shows(&["Each tool was played in a list of its own", "FAILED  1 error"]);
}

/// A pattern that is longer than what stands in for the validators of clients reads.
#[test]
fn what_is_not_known_of_some_clients_is_not_told_as_no_loss() {
    let workshop = Workshop::new();
    let audit = |length: usize, options: &[&str]| {
        let pattern = "a".repeat(length);
        let tools = format!(
            r#"[{{"name": "look", "annotations": {{"readOnlyHint": true}}, "inputSchema": {{"type": "object"}},
            "outputSchema": {{"type": "object", "properties": {{"a": {{"pattern": "{pattern}"}}, "b": {{"type": "integer"}}}}}}}}]"#
        );
        let value = format!(r#"{{"a": "{pattern}", "b": 1}}"#);
        let text = value.replace('"', "\\\"");
        let result = format!(r#"{{"content": [{{"type": "text", "text": "{text}"}}], "structuredContent": {value}}}"#);
        let options = [&["--against", "profile/typescript@1"], options].concat();
        audit(&workshop, &options, &server(&workshop, &tools, &result))
    };
    audit(100, &[]).ends_with(0).shows(&["- look: called, fine"]);
    audit(21_000, &[]).ends_with(0).shows(&["look: not known whether every client gets the value"]);
    // A test that nothing was proven by fails.
    audit(100, &["--json", "--tests", "python"]).ends_with(0);
    audit(21_000, &["--json", "--tests", "python"])
        .ends_with(1)
        .shows(&["it is not known whether any client accepts `look`"]);
}
