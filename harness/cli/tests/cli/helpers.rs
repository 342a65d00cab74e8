//! The helpers of the Python and the npm package: a server as tests of pytest, node:test and vitest, both ways.
//!
//! They are run from the sources in `packaging`, with the program of this build. A runner that is not installed is skipped
//! with the reason, and fails in CI.

#![expect(clippy::print_stderr, reason = "a test that is skipped says so, and why")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

use crate::workshop::{PROGRAM, Workshop};

const STRICT: &str = "MCP_COMPAT_TEST_STRICT";

/// What a maintainer writes first: everything that is to be known about the server is left out.
const PYTHON: &str = r#"
import sys
import mcp_compat

test_weather = mcp_compat.audit_server([sys.executable, "weather.py"], against="profile/python@1")
"#;

/// The same server, fixed, with what is to be known about it.
const PYTHON_FIXED: &str = r#"
import sys
import mcp_compat

test_weather = mcp_compat.audit_server(
    [sys.executable, "weather.py", "fixed"],
    calls={"temperature": {"city": "Oslo"}},
    expect_error=["forecast"],
    allow_uncalled=["res*"],
)


def test_the_cases_can_be_had_without_the_plugin():
    for case in test_weather:
        case.check()
    assert {case.tool for case in test_weather} == {"list_cities", "temperature", "forecast", "reset"}
    assert test_weather.report["server"]["name"] == "weather"
"#;

const NODE: &str = r#"
import test from "node:test";
import { auditServer } from "mcp-compat";

const audit = await auditServer(["python3", "weather.py"], { against: ["profile/typescript@1"] });
audit.register(test);
"#;

const NODE_FIXED: &str = r#"
import assert from "node:assert/strict";
import test from "node:test";
import { auditServer } from "mcp-compat";

const audit = await auditServer(["python3", "weather.py", "fixed"], {
  calls: { temperature: { city: "Oslo" } },
  expectError: ["forecast"],
  allowUncalled: ["res*"],
});
audit.register(test);
test("the report is the whole audit", () => assert.equal(audit.report.server.name, "weather"));
"#;

fn packaging(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../packaging", path].iter().collect::<PathBuf>().canonicalize().unwrap()
}

fn workshop() -> Workshop {
    let workshop = Workshop::new();
    workshop.write("weather.py", include_str!("weather_server.py"));
    workshop
}

/// Runs a command in a workshop, with both packages at hand.
fn run(workshop: &Workshop, words: &[&str]) -> (Output, String) {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(workshop.path()).env("MCP_COMPAT_PROGRAM", PROGRAM);
    command.env("PYTHONPATH", packaging("pypi/python")).env("STARTS", workshop.path().join("starts.txt"));
    let output = command.output().unwrap();
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    (output, text)
}

/// Whether a tool is there. Says if it is not.
fn has(words: &[&str]) -> bool {
    let found = Command::new(words[0]).args(&words[1..]).output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: `{}` does not run here", words.join(" "));
        assert!(std::env::var(STRICT).as_deref() != Ok("1"), "{STRICT}=1, and `{}` does not run", words.join(" "));
    }
    found
}

const PYTEST: [&str; 7] = ["python3", "-m", "pytest", "-p", "mcp_compat.pytest_plugin", "-v", "--no-header"];

fn pytest<'a>(more: &[&'a str]) -> Vec<&'a str> {
    PYTEST.into_iter().chain(["-p", "no:cacheprovider"]).chain(more.iter().copied()).collect()
}

#[test]
fn pytest_lists_a_test_for_each_tool_and_client_and_says_what_to_do() {
    if !has(&["python3", "-m", "pytest", "--version"]) {
        return;
    }
    let workshop = workshop();
    workshop.write("test_weather.py", PYTHON);
    let (output, text) = run(&workshop, &pytest(&[]));
    assert_eq!(output.status.code(), Some(1), "{text}");
    for words in [
        "test_weather.py::test_weather[list_cities-profile/python@1] FAILED",
        "test_weather.py::test_weather[reset-called] FAILED",
        "FAIL list_cities: 1 of 1 client loses the call",
        "structuredContent that is not an object, up to 2025-11-25",
        "change    put the value under one key of an object",
        "Call it with calls={\"reset\": {…}}, or allow it with allow_uncalled=[\"reset\"]",
        "or state that it fails with expect_error=[\"forecast\"]",
        "`temperature` was never called: its inputSchema offers no value for",
        "again     mcp-compat audit --tool list_cities -- ",
        "1 cause, 1 failure, 0 passed, 3 uncalled",
    ] {
        assert!(text.contains(words), "{words:?} is not in:\n{text}");
    }
    assert!(!text.contains("Traceback") && !text.contains("pytest_plugin.py"), "{text}");
    let one = run(&workshop, &pytest(&["test_weather.py::test_weather[list_cities-profile/python@1]"])).1;
    assert!(one.contains("1 failed"), "a test is selected by its name:\n{one}");
}

#[test]
fn pytest_passes_once_the_server_is_fixed_and_its_tools_are_known() {
    if !has(&["python3", "-m", "pytest", "--version"]) {
        return;
    }
    let workshop = workshop();
    workshop.write("test_weather.py", PYTHON_FIXED);
    let (output, text) = run(&workshop, &pytest(&[]));
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("test_weather[temperature-profile/python@1] PASSED"), "{text}");
    assert!(text.contains("test_weather[reset-profile/python@1] SKIPPED"), "its result was not seen:\n{text}");
    let known = PYTHON
        .replace("against=", "baseline=\"known.toml\", allow_uncalled=\"*\", expect_error=[\"forecast\"], against=");
    workshop.write("test_weather.py", &known);
    workshop.write(
        "known.toml",
        "[[broken]]\ncells = \"tool/list-cities::profile/python@1::*\"\nreason = \"it sends an array\"\n",
    );
    let (output, text) = run(&workshop, &pytest(&[]));
    assert_eq!(output.status.code(), Some(0), "what is known passes:\n{text}");
}

#[test]
fn pytest_says_why_a_server_cannot_be_audited() {
    if !has(&["python3", "-m", "pytest", "--version"]) {
        return;
    }
    let workshop = workshop();
    workshop.write("test_weather.py", &PYTHON.replace("weather.py", "no_such.py"));
    let (output, text) = run(&workshop, &pytest(&[]));
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("test_weather: error: the server opened no session at any revision"), "{text}");
    assert!(text.contains("no_such.py") && !text.contains("Traceback"), "{text}");
}

#[test]
fn workers_of_one_run_of_pytest_ask_the_server_once() {
    if !has(&["python3", "-m", "pytest", "--version"]) {
        return;
    }
    let workshop = workshop();
    workshop.write("test_weather.py", PYTHON_FIXED);
    let starts = || fs::read_to_string(workshop.path().join("starts.txt")).unwrap_or_default().lines().count();
    run(&workshop, &pytest(&["-q"]));
    let once = starts();
    // Workers of pytest-xdist have the name of the run in their environment.
    let worker = |id: usize| {
        let words = pytest(&[]);
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(workshop.path()).env("MCP_COMPAT_PROGRAM", PROGRAM);
        command.env("PYTHONPATH", packaging("pypi/python")).env("STARTS", workshop.path().join("starts.txt"));
        command.env("TMPDIR", workshop.path()).env("PYTEST_XDIST_TESTRUNUID", "run").env("WORKER", id.to_string());
        command.output().unwrap().status.code()
    };
    let statuses: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|id| scope.spawn(move || worker(id))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(statuses, [Some(0); 4]);
    assert_eq!(starts(), 2 * once, "one run without workers, and one with four");
}

/// The npm package where a project has it.
fn install_npm(workshop: &Workshop) {
    fs::create_dir(workshop.path().join("node_modules")).unwrap();
    std::os::unix::fs::symlink(packaging("npm/mcp-compat"), workshop.path().join("node_modules/mcp-compat")).unwrap();
    workshop.write("package.json", r#"{"type": "module"}"#);
}

#[test]
fn node_test_has_a_test_for_each_tool_and_client_and_says_what_to_do() {
    if !has(&["node", "--version"]) {
        return;
    }
    let workshop = workshop();
    install_npm(&workshop);
    workshop.write("weather.test.mjs", NODE);
    let (output, text) = run(&workshop, &["node", "--test", "--test-reporter=tap"]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for words in [
        "list_cities::profile/typescript@1",
        "FAIL list_cities: 1 of 1 client loses",
        "change    put the value under one key of an object",
        "Call it with calls: { \"reset\": {…} }, or allow it with allowUncalled: [\"reset\"]",
        "or state that it fails with expectError: [\"forecast\"]",
    ] {
        assert!(text.contains(words), "{words:?} is not in:\n{text}");
    }
    workshop.write("weather.test.mjs", NODE_FIXED);
    let (output, text) = run(&workshop, &["node", "--test", "--test-reporter=tap"]);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("# fail 0") && text.contains("temperature::profile/typescript@1"), "{text}");
    assert!(text.contains("reset::profile/typescript@1 # SKIP"), "{text}");
    workshop.write("weather.test.mjs", &NODE.replace("weather.py", "no_such.py"));
    let (output, text) = run(&workshop, &["node", "--test", "--test-reporter=tap"]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("AuditError: error: the server opened no session at any revision"), "{text}");
}

#[test]
fn the_json_has_tests_only_if_they_are_asked_for() {
    let workshop = workshop();
    let audit = |more: &[&str]| -> Value {
        let words = ["audit", "--json", "--fail-on=never", "--against=mock/*"].iter().chain(more);
        let words: Vec<&str> = words.copied().chain(["--", "python3", "weather.py"]).collect();
        serde_json::from_str(&workshop.run(&words).ends_with(0).stdout).unwrap()
    };
    assert!(audit(&[]).get("tests").is_none());
    let audited = audit(&["--tests=plain", "--expect-error=list_cities"]);
    let tests = audited["tests"].as_array().unwrap();
    let called = |tool: &str| tests.iter().find(|test| test["name"] == format!("{tool}::called")).unwrap();
    assert!(called("list_cities")["text"].as_str().unwrap().contains("--expect-error list_cities expects an error"));
    let audited = audit(&["--tests=plain", "--against=profile/typescript@*"]);
    let tests = audited["tests"].as_array().unwrap().iter();
    let texts: Vec<&str> = tests
        .filter(|test| test["tool"] == "list_cities" && test["result"] == "failed")
        .map(|test| test["text"].as_str().unwrap())
        .collect();
    let [first, others @ ..] = &texts[..] else { panic!("{audited}") };
    assert!(first.starts_with("FAIL list_cities: ") && !others.is_empty(), "{texts:?}");
    let is_short = |text: &&str| text.starts_with("same cause as list_cities::") && text.lines().count() == 1;
    assert!(others.iter().all(is_short), "{texts:?}");
    assert_eq!((&called("reset")["result"], called("reset").get("client")), (&Value::from("failed"), None));
    workshop.run(["audit", "--tests=plain", "--", "python3", "weather.py"]).ends_with(2).says(&["--json"]);
    let known = "[[broken]]\ncells = \"tool/no-such::*\"\nreason = \"none\"\n";
    workshop.write("known.toml", known);
    let words = ["audit", "--json", "--tests=plain", "--baseline=known.toml", "--", "python3", "weather.py"];
    workshop.run(words).ends_with(2).says(&["no-such"]);
}
