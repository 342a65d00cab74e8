//! `audit` of files that list servers, of addresses and words without an option, and its formats.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::audit_over_http::Served;
use crate::workshop::{ONE_CELL, PROGRAM, Workshop, to_its_end};

/// An entry that starts a mock server.
fn mock(scenario: &str) -> String {
    format!(r#"{{"command": "{PROGRAM}", "args": ["mock", "server", "--scenario", "{scenario}"]}}"#)
}

fn configuration(entries: &[(&str, String)]) -> String {
    let entries: Vec<String> = entries.iter().map(|(name, entry)| format!("{name:?}: {entry}")).collect();
    format!("{{\"mcpServers\": {{ // all\n{},\n}}}}", entries.join(",\n"))
}

/// Few clients, so that an audit takes little time.
const FEW: &str = "--against=mock/dual";

#[test]
fn each_server_of_a_configuration_has_its_line_and_the_others_go_on() {
    let workshop = Workshop::new();
    let served = Served::start(workshop.command(["mock", "server", "--scenario", "root-type/object", "--http"]));
    let entries = [
        ("good", mock("root-type/object")),
        ("dead", r#"{"command": "no-such-program-here"}"#.to_owned()),
        ("token", r#"{"url": "http://127.0.0.1:1/", "headers": {"Authorization": "Bearer ${GONE_TOKEN}"}}"#.to_owned()),
        ("far", format!(r#"{{"type": "http", "url": "{}", "headers": {{"X-Key": "${{KEY_OF_MINE}}"}}}}"#, served.says)),
        ("mute", r#"{"command": "sleep", "args": ["1000"]}"#.to_owned()),
        ("off", r#"{"command": "x", "disabled": true}"#.to_owned()),
        ("twice", mock("root-type/object")),
        ("odd", r#"{"type": "pigeon", "command": "x"}"#.to_owned()),
        ("empty", "{}".to_owned()),
        ("twice", mock("root-type/array")),
    ];
    workshop.write(".mcp.json", &configuration(&entries));
    let mut command = workshop.command(["audit", ".mcp.json", "--start-timeout=3s", "--fail-on=loss"]);
    let ran = to_its_end(command.env("KEY_OF_MINE", "not-to-be-told").spawn().unwrap()).ends_with(1);
    let ran = ran.shows(&[
        ".mcp.json: 10 servers",
        "? good   stdio  ",
        "✗ dead   stdio  ",
        "✗ token         the variable GONE_TOKEN is not set",
        "? far    http   ",
        "✗ mute   stdio  no answer within 3 s",
        "- off           disabled",
        "✗ twice         another entry of this name follows",
        "✗ twice  stdio  ",
        "✗ odd           its type \"pigeon\" is unknown",
        "✗ empty         it has neither a `command` nor a `url`",
        "No tool was called, so no result was judged.",
        "    mcp-compat audit .mcp.json --call-read-only",
        "See one: mcp-compat audit .mcp.json --server twice",
        "FAILED  10 servers: 1 fails, 6 not audited, 2 unproven, 1 disabled",
    ]);
    assert!(!ran.stdout.contains("not-to-be-told") && !ran.stderr.contains("not-to-be-told"), "{ran:?}");
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100), "{}", ran.stdout);
}

#[test]
fn a_server_that_never_answers_costs_its_own_time_only() {
    let workshop = Workshop::new();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    let mut entries: Vec<(&str, String)> = names.iter().map(|name| (*name, mock("root-type/object"))).collect();
    entries.insert(0, ("mute", r#"{"command": "sleep", "args": ["1000"]}"#.to_owned()));
    workshop.write("mcp.json", &configuration(&entries));
    let began = Instant::now();
    let ran = workshop.run(["audit", "mcp.json", FEW, "--start-timeout=10s", "--format=json"]).ends_with(1);
    assert!(began.elapsed() < Duration::from_secs(120), "{:?}", began.elapsed());
    let list: Value = serde_json::from_str(&ran.stdout).unwrap();
    let states: Vec<&str> =
        list["servers"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap()).collect();
    assert_eq!(states, [&["not-audited"][..], &["audited"; 9]].concat());
    assert_eq!(list["servers"][1]["audit"]["tools"][0]["name"], "get_weather");
}

#[test]
fn one_server_of_a_file_has_the_full_report() {
    let workshop = Workshop::new();
    workshop.write(
        ".vscode/mcp.json",
        &configuration(&[("books", mock("root-type/array"))]).replace("mcpServers", "servers"),
    );
    let file = ".vscode/mcp.json";
    let ran = workshop.run(["audit", file, "--server", "books", "--call", "list_users", "--format", "markdown"]);
    ran.ends_with(1).shows(&["# Audit of ", "output-schema-object-root"]);
    workshop.run(["audit", file, "--server", "boks"]).ends_with(2).says(&["has no server", "boks", "It has: books"]);
    workshop.run(["audit", "--server", "a", "--", "b"]).ends_with(2).says(&["name its file"]);
    workshop.run(["audit", file, "--env", "A=b"]).ends_with(2).says(&["--header and --env", "into the entry"]);
    workshop.run(["audit", file, "--", "b"]).ends_with(2).says(&["name one server, or one file"]);
    workshop.run(["audit", "gone.json"]).ends_with(2).says(&["cannot read the servers in gone.json"]);
    workshop.write("mcp.json", "{\"mcpServers\": {\n  \"a\": oops}}");
    workshop.run(["audit", "mcp.json"]).ends_with(2).says(&["cannot use mcp.json", "line 2, column 8"]);
    workshop.write("mcp.json", &configuration(&[("a", "{}".to_owned())]));
    let ran = workshop.run(["audit", "mcp.json"]).ends_with(2);
    ran.shows(&["✗ a"]).says(&["no server of mcp.json could be audited"]);
}

#[test]
fn tools_of_a_clients_configuration_are_called_only_if_that_is_asked_for() {
    let workshop = Workshop::new();
    let script = r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": min(asked["params"]["protocolVersion"], "2025-11-25"), "capabilities": {"tools": {}},
                            "serverInfo": {"name": "s", "version": "1"}}
    elif asked["method"] == "tools/list":
        answer["result"] = {"tools": [{"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]}
    elif asked["method"] == "ping": answer["result"] = {}
    elif asked["method"] == "tools/call" and asked["params"]["name"] == "look":
        open("called", "a").write("x")
        answer["result"] = {"content": []}
    else: answer["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(answer), flush=True)
"#;
    workshop.write("server.py", script);
    workshop
        .write(".mcp.json", &configuration(&[("s", r#"{"command": "python3", "args": ["server.py"]}"#.to_owned())]));
    let is_called = || workshop.path().join("called").exists();
    workshop.run(["audit", ".mcp.json", FEW]).ends_with(0).shows(&["look"]);
    workshop.run(["audit", ".mcp.json", FEW, "--server=s"]).ends_with(0).shows(&["look"]);
    assert!(!is_called(), "nobody asked for a call");
    let ran = workshop.run(["audit", ".mcp.json", FEW, "--call=*"]).ends_with(0);
    assert!(is_called(), "{ran:?}");
    fs::remove_file(workshop.path().join("called")).unwrap();
    // The file of a repository is made for mcp-compat.
    workshop.write("mcp-compat.toml", "[servers.s]\ncommand = \"python3\"\nargs = [\"server.py\"]\n");
    workshop.run(["audit", FEW]).ends_with(0).says(&["auditing the servers in mcp-compat.toml"]);
    assert!(is_called());
}

#[test]
fn the_file_that_is_here_or_above_is_audited_without_a_name() {
    let workshop = Workshop::new();
    workshop.write(".mcp.json", &configuration(&[("a", mock("root-type/object"))]));
    workshop.run(["audit", FEW]).ends_with(0).says(&["auditing the servers in .mcp.json"]).shows(&["mcp-compat-mock"]);
    let words = format!("command = {PROGRAM:?}\nargs = [\"mock\", \"server\", \"--scenario\", \"root-type/array\"]\n");
    workshop.write("mcp-compat.toml", &format!("fail-on = \"never\"\n[servers.mine]\n{words}calls = \"calls.json\"\n"));
    workshop.write("calls.json", r#"{"list_users": null}"#);
    workshop.write("inner/x", "");
    workshop.write(".git/HEAD", "");
    let mut command = workshop.command(["audit", FEW]);
    let ran = to_its_end(command.current_dir(workshop.path().join("inner")).spawn().unwrap());
    ran.ends_with(0).says(&["auditing the servers in ../mcp-compat.toml"]).shows(&["list_users"]);
    workshop.run(["audit", FEW, "--fail-on=error"]).ends_with(1);
    workshop.write("mcp-compat.toml", "[servers.mine]\ncomand = \"x\"\n");
    workshop.run(["audit"]).ends_with(2).says(&["cannot use mcp-compat.toml", "comand", "line 2"]);
}

#[test]
fn what_is_typed_without_an_option_is_done_or_answered_with_what_to_type() {
    let workshop = Workshop::new();
    let served = Served::start(workshop.command(["mock", "server", "--scenario", "root-type/object", "--http"]));
    workshop.run(["audit", &served.says, FEW]).ends_with(0).shows(&["mcp-compat-mock"]);
    let told = |words: &[&str], typed: &str| {
        workshop.run([&["audit"], words].concat()).ends_with(2).says(&[typed]);
    };
    told(&["node server.js"], "Type: mcp-compat audit -- node server.js");
    told(&["node", "server.js"], "Type: mcp-compat audit -- node server.js");
    told(&["server.py"], "Type: mcp-compat audit -- python3 server.py");
    told(&["localhost:3000/mcp"], "Type: mcp-compat audit http://localhost:3000/mcp");
}

#[test]
fn a_server_that_cannot_be_audited_fails_as_the_file_says() {
    let workshop = Workshop::new();
    let good = format!(
        "[servers.good]\ncommand = {PROGRAM:?}\nargs = [\"mock\", \"server\", \"--scenario\", \"root-type/object\"]\n"
    );
    let audit = |of_all: &str, of_it: &str, words: &[&str]| {
        let gone = format!("[servers.gone]\ncommand = \"no-such-program\"\n{of_it}\n");
        let odd = format!("[servers.odd]\n{of_it}\n");
        workshop.write("mcp-compat.toml", &format!("{of_all}\n{good}{gone}{odd}"));
        workshop.run([&["audit", FEW], words].concat())
    };
    let never = "fail-on = \"never\"";
    audit(never, "", &[]).ends_with(0).shows(&["! gone", "! odd"]);
    audit("", never, &[]).ends_with(0);
    audit("", "", &["--fail-on=never"]).ends_with(0);
    audit("", "", &[]).ends_with(1);
    audit(never, "fail-on = \"error\"", &[]).ends_with(1);
    audit(never, never, &["--fail-on=loss"]).ends_with(1);
}

#[test]
fn variables_in_headers_are_expanded_and_never_printed() {
    let workshop = Workshop::new();
    let served = Served::start(workshop.command(["mock", "server", "--scenario", "root-type/object", "--http"]));
    let audit = |header: &str| {
        let mut command = workshop.command(["audit", &served.says, FEW, "--header", header]);
        to_its_end(command.env("TOKEN_OF_MINE", "not-to-be-told").env_remove("GONE").spawn().unwrap())
    };
    let ran = audit("Authorization: Bearer $TOKEN_OF_MINE").ends_with(0);
    assert!(!ran.stdout.contains("not-to-be-told") && !ran.stderr.contains("not-to-be-told"), "{ran:?}");
    let ran = audit("Authorization: Bearer ${GONE}").ends_with(2);
    ran.says(&["--header 'Authorization: …': the variable GONE is not set"]);
}

#[test]
fn a_report_has_the_form_and_the_place_that_are_asked_for() {
    let workshop = Workshop::new();
    let server = [PROGRAM, "mock", "server", "--scenario", "root-type/array"];
    let audit = |options: &[&str]| {
        workshop.run([&["audit", "--call=list_users", "--against=mock/2025-11-25"], options, &["--"], &server].concat())
    };
    let read = |name: &str| fs::read_to_string(workshop.path().join(name)).unwrap();
    let ran = audit(&["--format", "github"]).ends_with(1);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(
        lines.iter().all(|line| line.starts_with("::error title=") || line.starts_with("::warning title=")),
        "{lines:?}"
    );
    let causes = lines.iter().filter(|line| line.contains("output-schema-object-root")).count();
    assert_eq!(causes, 1, "one annotation a cause: {lines:?}");

    let ran = audit(&["--format", "junit", "--out", "audit.xml"]).ends_with(1);
    assert_eq!(ran.stdout, "");
    assert!(read("audit.xml").contains("list_users::mock/2025-11-25") && read("audit.xml").contains("<failure"));
    let ran = audit(&["--format=markdown=audit.md", "--format=json=audit.json"]).ends_with(1);
    assert!(ran.stdout.contains("mcp-compat-mock") && read("audit.md").starts_with("# Audit of "));
    let json: Value = serde_json::from_str(&read("audit.json")).unwrap();
    assert_eq!(json["tools"][0]["name"], "list_users");

    let known = "[possible values: terminal, markdown, json, junit, github]";
    audit(&["--format", "xml"]).ends_with(2).says(&["invalid value 'xml'", known]);
    audit(&["--format", "json="]).ends_with(2).says(&["--format has no file after `=`"]);
    audit(&["--json", "--format", "junit"]).ends_with(2).says(&["give one of them a file"]);
    let without_file = "more than one report has no file of its own";
    audit(&["--out=a", "--format=json", "--format=markdown"]).ends_with(2).says(&[without_file]);
    audit(&["--tests", "plain"]).ends_with(2).says(&["give --json, too"]);
    let client = ["audit-client", "--format=junit", "--", "x", "{url}"];
    workshop.run(client).ends_with(2).says(&["invalid value 'junit'", "possible values: terminal, markdown, json"]);
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_the_server_is_started() {
    let workshop = Workshop::new();
    workshop.write("folder/file", "old");
    for (options, why) in [
        (&["--format=json=folder"][..], "cannot write the report folder: it is a folder"),
        (&["--out=folder"], "cannot write the report folder: it is a folder"),
        (&["--format=json=folder/file/below"], "cannot write the report folder/file/below; nothing was run"),
        (&["--format=json=a", "--format=markdown=folder/../a"], "is already read or written by this command"),
        (&["--format=json=./a", "--out=a"], "a is already read or written by this command"),
    ] {
        let ran = workshop.run([&["audit"], options, &["--", "no-such-program"]].concat()).ends_with(2);
        let ran = ran.says(&[why]);
        assert!(!ran.stderr.contains("no-such-program"), "{}", ran.stderr);
    }
    // A new folder is made, and a file that is there stays until the report is.
    let words = ["audit", "--format=json=new/a.json", "--format=junit=folder/file", "--", "no-such-program"];
    workshop.run(words).ends_with(2).says(&["no-such-program"]);
    assert!(workshop.path().join("new").is_dir());
    assert_eq!(fs::read_to_string(workshop.path().join("folder/file")).unwrap(), "old");
}

#[test]
fn no_report_replaces_what_a_command_reads() {
    let workshop = Workshop::new();
    workshop.run(ONE_CELL).ends_with(0);
    workshop.write(".mcp.json", &configuration(&[("gone", r#"{"command": "no-such-program"}"#.to_owned())]));
    let list = "[servers.gone]\ncommand = \"no-such-program\"\ncalls = \"calls.json\"\nbaseline = \"known.toml\"\n";
    workshop.write("listed/mcp-compat.toml", list);
    for file in ["calls.json", "known.toml", "data.json", "listed/calls.json", "listed/known.toml", "mine.toml"] {
        workshop.write(file, "");
    }
    std::os::unix::fs::symlink("calls.json", workshop.path().join("link.json")).unwrap();
    let refused = |words: &str, file: &str| {
        let path = workshop.path().join(file);
        let before = fs::read(&path).unwrap();
        workshop.run(words.split(' ')).ends_with(2).says(&["is already read or written by this command"]);
        assert_eq!(fs::read(path).unwrap(), before, "{words}");
    };
    refused("audit .mcp.json --json --out .mcp.json", ".mcp.json");
    refused("audit --json --out .mcp.json", ".mcp.json");
    refused("audit listed/mcp-compat.toml --json --out listed/calls.json", "listed/calls.json");
    refused("audit listed/mcp-compat.toml --server gone --json --out listed/known.toml", "listed/known.toml");
    refused("audit --calls calls.json --format markdown=calls.json -- no-such-program", "calls.json");
    refused("audit --calls calls.json --format markdown=link.json -- no-such-program", "calls.json");
    refused("audit --calls link.json --format markdown=calls.json -- no-such-program", "calls.json");
    refused("audit --baseline known.toml --format junit=known.toml -- no-such-program", "known.toml");
    refused("run --no-peers --baseline known.toml --markdown known.toml", "known.toml");
    refused("report --format json --out .mcp-compat/run.json", ".mcp-compat/run.json");
    refused("report .mcp-compat/run.json --format json --out .mcp-compat/transcripts.jsonl", ".mcp-compat/run.json");
    refused("diff .mcp-compat .mcp-compat --json --out .mcp-compat/run.json", ".mcp-compat/run.json");
    refused("diff --base mine.toml --head mock/dual --json --out mine.toml", "mine.toml");
    refused("lint mine.toml --format json=mine.toml", "mine.toml");
    refused("lock check --lock data.json --against calls.json --json --out data.json", "data.json");
    refused("support --data data.json --json --out data.json", "data.json");
    // A new file in a folder that is read is no file that is read.
    workshop.run(["report", "--format=json", "--out=.mcp-compat/other.json"]).ends_with(0);
}

#[test]
fn every_command_that_reports_writes_files_beside_what_it_prints() {
    let workshop = Workshop::new();
    let read = |name: &str| fs::read_to_string(workshop.path().join(name)).unwrap();
    workshop
        .run(ONE_CELL.into_iter().chain(["--format=json=run.json", "--format=markdown"]))
        .ends_with(0)
        .shows(&["# "]);
    assert!(read("run.json").starts_with('{'));
    workshop.run(["report", "--format=junit=report.xml"]).ends_with(0).shows(&["nothing breaks"]);
    assert!(read("report.xml").starts_with("<?xml"));
    workshop.run(["support", "--format=json=support.json"]).ends_with(0).shows(&["typescript"]);
    assert!(read("support.json").starts_with('{'));
    let run = ONE_CELL.into_iter().chain(["--format=json=.mcp-compat/run.json"]);
    workshop.run(run).ends_with(2).says(&["run.json is already read or written by this command"]);
}

#[test]
fn several_servers_have_every_form() {
    let workshop = Workshop::new();
    let entries = [("bad", mock("root-type/array")), ("gone", r#"{"command": "no-such-program-here"}"#.to_owned())];
    workshop.write(".mcp.json", &configuration(&entries));
    let audit = |format: &str| {
        workshop.run(["audit", ".mcp.json", "--against=mock/2025-11-25", "--format", format]).ends_with(1)
    };
    audit("github").shows(&["::error title=bad%2C list_users", "::error title=gone%3A not audited::"]);
    audit("junit").shows(&["<testsuite name=\"bad\"", "<testsuite name=\"gone\"", "list_users::mock/2025-11-25"]);
    audit("markdown").shows(&["| ✗ | bad | stdio |", "| ✗ | gone | stdio |"]);
}

#[test]
fn what_is_known_or_expected_needs_no_tests() {
    let workshop = Workshop::new();
    let server = [PROGRAM, "mock", "server", "--scenario", "root-type/array"];
    let audit = |options: &[&str]| {
        workshop.run([&["audit", "--call=list_users", "--against=mock/2025-11-25"], options, &["--"], &server].concat())
    };
    let ran = audit(&["--allow-uncalled=*"]).ends_with(1);
    ran.shows(&["✗ list_users          0 of 1 client", "FAILED  2 errors"]);
    workshop
        .write("known.toml", "[[broken]]\ncells = \"tool/list-users*::mock/2025-11-25::*\"\nreason = \"an array\"\n");
    let ran = audit(&["--baseline=known.toml"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let ran = ran.shows(&[
        "✗ list_users  ",
        "- list_users_control  ",
        " (known)",
        "OK  1 error (the options let it pass); 1 known cause in the baseline",
    ]);
    assert!(!ran.stdout.contains("output-schema-object-root"), "what is known has no block: {}", ran.stdout);
    audit(&["--baseline=known.toml", "--allow-uncalled=nothing"]).ends_with(1).shows(&["was never called"]);
    let ran = audit(&["--baseline=known.toml", "--expect-error=list_users"]).ends_with(1);
    ran.shows(&["✗ ", "expects an error", "1 expectation not met"]);
    audit(&["--baseline=gone.toml"]).ends_with(2).says(&["gone.toml"]);
    workshop.write(
        "known.toml",
        "[[broken]]\ncells = \"tool/list-users*::mock/{2025-11-25,dual+auto}::*\"\nreason = \"it was\"\n",
    );
    audit(&["--baseline=known.toml", "--against=mock/dual+auto"]).ends_with(1).shows(&[
        "✗ list_users: 1 client no longer loses it, but the baseline lists this",
        "narrow the entry: 2 of its checks still break; MCP_COMPAT_BASELINE=update rewrites",
        "FAILED  1 error; 1 expectation not met; 1 known cause in the baseline",
    ]);
}

#[test]
fn tools_that_their_server_refuses_have_an_entry_each_in_the_baseline() {
    let workshop = Workshop::new();
    workshop.write("refusing.py", include_str!("listing_server.py"));
    let tool = |name: &str| {
        let result = r#"{"isError": true, "content": [{"type": "text", "text": "Output validation error: no"}]}"#;
        format!(
            r#"{{"name": "{name}", "inputSchema": {{"type": "object"}}, "outputSchema": {{"type": "object"}},
                "annotations": {{"readOnlyHint": true}}, "result": {result}}}"#
        )
    };
    let tools = format!("[{}, {}]", tool("one"), tool("two"));
    let mut command =
        workshop.command(["audit", "--against=mock/*", "--baseline=known.toml", "--", "python3", "refusing.py"]);
    to_its_end(command.arg(tools).env("MCP_COMPAT_BASELINE", "update").spawn().unwrap()).ends_with(0);
    let known = fs::read_to_string(workshop.path().join("known.toml")).unwrap();
    assert_eq!(known.matches("[[broken]]").count(), 2, "{known}");
    assert!(known.contains("tool/one::") && known.contains("tool/two::") && known.contains("`two`"), "{known}");
}

#[test]
fn a_call_of_a_list_is_for_the_servers_that_have_the_tool() {
    let workshop = Workshop::new();
    let entries = [("weather", mock("root-type/object")), ("nested", mock("root-type/nested"))];
    workshop.write(".mcp.json", &configuration(&entries));
    let ran = workshop.run(["audit", ".mcp.json", FEW, "--call=get_weather"]).ends_with(0);
    ran.shows(&[
        "✓ weather  stdio  2 tools, 1 called; 1 client loses nothing",
        "? nested   stdio  2 tools, none called; 1 client can list them",
        "OK  2 servers: 1 passes, 1 unproven",
    ]);
    let ran = workshop.run(["audit", ".mcp.json", FEW, "--call=get_wether"]).ends_with(2);
    ran.says(&["--call get_wether: no server of .mcp.json has such a tool"]);
}

#[test]
fn a_file_of_calls_is_written_to_be_filled_in_and_one_for_another_server_is_named() {
    let workshop = Workshop::new();
    let server = [PROGRAM, "mock", "server", "--scenario", "root-type/object"];
    let audit = |options: &[&str]| workshop.run([&["audit", FEW], options, &["--"], &server].concat());
    let ran = audit(&["--write-calls", "calls.json"]).ends_with(0);
    ran.says(&["Wrote calls.json"]).shows(&["mcp-compat audit --calls calls.json -- "]);
    let calls: Value = serde_json::from_str(&fs::read_to_string(workshop.path().join("calls.json")).unwrap()).unwrap();
    assert!(calls["get_weather"].is_object(), "{calls}");
    let ran = audit(&["--calls", "calls.json", "--format=json"]);
    let audited: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(audited["tools"][0]["call"]["answered"].is_object(), "{audited}");
    audit(&["--tool=get_weather", "--write-calls=one.json"]).ends_with(0).says(&["Wrote one.json: 1 tool."]);
    audit(&["--write-calls", "calls.json"]).ends_with(2).says(&["calls.json is there already and stays as it is"]);
    workshop.write("calls.json", r#"{"read_file": null}"#);
    let ran = audit(&["--calls", "calls.json"]).ends_with(2);
    ran.says(&["the calls in calls.json may be for another server: no tool matches \"read_file\""]);
    workshop.write(".mcp.json", &configuration(&[("a", mock("root-type/object")), ("b", mock("root-type/array"))]));
    workshop.write("calls.json", r#"{"get_weather": null}"#);
    let ran = workshop.run(["audit", ".mcp.json", FEW, "--calls", "calls.json"]).ends_with(1);
    ran.shows(&["✓ a", "✗ b  stdio  the calls in calls.json may be for another server"]);
    workshop.run(["audit", ".mcp.json", "--write-calls=x.json"]).ends_with(2).says(&["--server NAME"]);
}

#[test]
fn no_error_tells_the_value_of_a_variable() {
    let workshop = Workshop::new();
    let script = "import sys; sys.exit(sys.argv[1])";
    let entries = [
        ("far", r#"{"url": "http://127.0.0.1:1/mcp?key=${MY_PAT}"}"#.to_owned()),
        ("near", format!(r#"{{"command": "python3", "args": ["-c", "{script}", "${{MY_PAT}}"]}}"#)),
    ];
    workshop.write(".mcp.json", &configuration(&entries));
    for only in [&[][..], &["--server=far"], &["--server=near"], &["--server=far", "--write-calls=x"]] {
        let mut command = workshop.command([&["audit", ".mcp.json"], only].concat());
        let ran = to_its_end(command.env("MY_PAT", "not-to-be-told").spawn().unwrap()).ends_with(2);
        assert!(!ran.stdout.contains("not-to-be-told") && !ran.stderr.contains("not-to-be-told"), "{ran:?}");
        assert!(ran.stdout.contains("***") || ran.stderr.contains("***"), "{ran:?}");
    }
}
