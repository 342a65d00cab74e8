//! Plans for the folders of servers.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use mcp_compat_cli::init::{InitError, Plan, WORKFLOW, plan};
use tempfile::TempDir;

fn folder(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    folder
}

fn planned(files: &[&str]) -> Plan {
    plan(folder(files).path(), &[], "1.2.3").unwrap()
}

fn planned_for(files: &[&str], command: &[&str]) -> Plan {
    let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
    plan(folder(files).path(), &command, "1.2.3").unwrap()
}

fn text<'p>(plan: &'p Plan, path: &str) -> &'p str {
    &plan.files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("{path}: {plan:?}")).text
}

#[test]
fn the_manifest_and_a_file_with_a_usual_name_show_the_start() {
    for (files, audit) in [
        (["Cargo.toml", "src/main.rs"], "cargo run --quiet"),
        (["package.json", "server.mjs"], "node server.mjs"),
        (["package.json", "src/index.ts"], "npx --yes tsx src/index.ts"),
        (["pyproject.toml", "main.py"], "python3 main.py"),
        (["requirements.txt", "server.py"], "python3 server.py"),
    ] {
        let plan = planned(&files);
        assert!(plan.audit.ends_with(&format!("mcp-compat audit -- {audit}")), "{}", plan.audit);
        assert!(plan.found.starts_with(&format!("Found {}: a project in ", files[0])), "{}", plan.found);
    }
    let go = planned(&["go.mod", "main.go"]);
    assert_eq!((go.found.as_str(), go.audit.as_str()), ("Found go.mod: a project in Go.", "mcp-compat audit"));
    assert!(text(&go, "mcp-compat.toml").contains("command = \"go\"\nargs = [\"run\", \".\"]\n"));
    let both = planned(&["package.json", "requirements.txt", "server.py"]);
    assert_eq!(both.found, "Found requirements.txt: a project in Python.", "it shows the start");
}

#[test]
fn what_cannot_be_guessed_says_what_to_do() {
    let refused = |files: &[&str]| plan(folder(files).path(), &[], "1.2.3").unwrap_err();
    assert_eq!(refused(&["server.js"]), InitError::NoManifest);
    assert_eq!(refused(&["pom.xml"]), InitError::NoStart { manifest: "pom.xml" });
    assert!(refused(&["package.json", "go.mod"]).to_string().starts_with("package.json does not say how"));
}

#[test]
fn a_server_gets_a_test_for_the_runner_of_its_language() {
    let rust = planned(&["Cargo.toml", "src/main.rs"]);
    assert_eq!(rust.command, "cargo add --dev mcp-compat@1.2.3 --no-default-features && cargo test --test mcp_compat");
    let test = text(&rust, "tests/mcp_compat.rs");
    assert!(test.contains("ServerUnderTest::command(mcp_compat::cargo_bin(env!(\"CARGO_PKG_NAME\"))?);"), "{test}");
    assert!(test.contains("server.baseline(\"tests/known-breaks.toml\")"), "{test}");
    let known = text(&rust, "tests/known-breaks.toml");
    assert!(known.contains("# MCP_COMPAT_BASELINE=update cargo test --test mcp_compat\n"), "{known}");

    let node = planned(&["package.json", "index.js"]);
    let command =
        "npm install --save-dev mcp-compat@1.2.3 && npm run build --if-present && node --test test/mcp-compat.mjs";
    assert_eq!((node.command.as_str(), node.takes_package), (command, true));
    let test = text(&node, "test/mcp-compat.mjs");
    assert!(test.contains(r#"await auditServer(["node", "index.js"], {"#), "{test}");

    let python = planned(&["requirements.txt", "server.py"]);
    let command = "python3 -m pip install mcp-compat-cli==1.2.3 pytest && python3 -m pytest test_mcp_compat.py";
    assert_eq!(python.command, command);
    let test = text(&python, "test_mcp_compat.py");
    assert!(test.contains("\n    [PYTHON, \"server.py\"],\n    cwd=HERE,\n"), "{test}");
}

#[test]
fn a_command_that_is_given_is_taken() {
    let node = planned_for(&["package.json", "index.js"], &["node", "my server.js"]);
    assert!(text(&node, "test/mcp-compat.mjs").contains(r#"auditServer(["node", "my server.js"], {"#));
    let rust = planned_for(&["Cargo.toml"], &["target/debug/it", "--stdio"]);
    let test = text(&rust, "tests/mcp_compat.rs");
    assert!(test.contains(r#"(mcp_compat::Launch::new("target/debug/it").args(["--stdio"]));"#), "{test}");
    let jvm = planned_for(&["build.gradle"], &["build/install/it/bin/it"]);
    assert_eq!(jvm.command, "mcp-compat audit");
    assert!(text(&jvm, "mcp-compat.toml").contains("command = \"build/install/it/bin/it\"\nargs = []\n"));
    assert!(
        text(&jvm, WORKFLOW).contains("      - run: gradle --quiet installDist\n      - run: npx --yes mcp-compat@")
    );
    let nowhere = plan(Path::new("/nowhere"), &["it".to_owned()], "1.2.3").unwrap();
    assert_eq!((nowhere.command.as_str(), nowhere.files.len()), ("mcp-compat audit", 2));
}

#[test]
fn the_workflow_runs_the_test_or_an_audit() {
    let ends = |files: &[&str], steps: &str| {
        let plan = planned(files);
        assert!(text(&plan, WORKFLOW).ends_with(steps), "{}", text(&plan, WORKFLOW));
    };
    let node = "      - run: npm install\n      - run: npm run build --if-present\n      - run: node --test test/mcp-compat.mjs\n";
    ends(&["package.json", "server.js"], node);
    let python = "      - run: python3 -m pip install mcp-compat-cli==1.2.3 pytest\n      - run: python3 -m pytest test_mcp_compat.py\n";
    ends(&["requirements.txt", "server.py"], python);
    let go = "      - run: go build ./...\n      - run: npx --yes mcp-compat@1.2.3 audit\n";
    ends(&["go.mod", "main.go"], go);
}

#[test]
fn a_word_of_the_command_stays_one_word() {
    let word = "x; touch y\n      - run: z \"'*/";
    let rust = planned_for(&["Cargo.toml"], &[word]);
    let test = text(&rust, "tests/mcp_compat.rs");
    assert!(test.contains(r#"Launch::new("x; touch y\n      - run: z \"'*/"))"#), "{test}");
    let node = planned_for(&["package.json"], &["node", word]);
    let test = text(&node, "test/mcp-compat.mjs");
    assert!(test.contains(r#"auditServer(["node", "x; touch y\n      - run: z \"'*/"], {"#), "{test}");
    assert!(test.lines().take(2).all(|line| line.starts_with("//")), "{test}");
    let go = planned_for(&["go.mod"], &[word, word]);
    let read: toml::Table = text(&go, "mcp-compat.toml").parse().unwrap();
    let server = &read["servers"]["server"];
    assert_eq!((server["command"].as_str(), server["args"][0].as_str()), (Some(word), Some(word)));
}

const CONFIGURED: &str =
    r#"{"mcpServers": {"mine": {"command": "go", "args": ["run", ".", "${MODE}"], "env": {"A-B": "\""}}}}"#;

#[test]
fn without_a_usual_file_the_command_is_that_of_the_clients_configuration() {
    let here = folder(&["go.mod"]);
    fs::write(here.path().join(".mcp.json"), CONFIGURED).unwrap();
    let go = plan(here.path(), &[], "1.2.3").unwrap();
    let read: toml::Table = text(&go, "mcp-compat.toml").parse().unwrap();
    let server = &read["servers"]["server"];
    assert_eq!((server["command"].as_str(), server["args"][2].as_str()), (Some("go"), Some("${MODE}")));
    assert_eq!(server["env"]["A-B"].as_str(), Some("${A-B}"), "a value that may be a secret is not copied");

    let several = CONFIGURED.replace("{\"mine\"", "{\"other\": {\"command\": \"x\"}, \"mine\"");
    fs::write(here.path().join(".mcp.json"), several).unwrap();
    let error = plan(here.path(), &[], "1.2.3").unwrap_err().to_string();
    assert!(error.starts_with(".mcp.json starts several servers: other, mine."), "{error}");

    fs::remove_file(here.path().join("go.mod")).unwrap();
    let list = plan(here.path(), &[], "1.2.3").unwrap();
    assert_eq!((list.command.as_str(), list.files.len()), ("mcp-compat audit .mcp.json", 1));
    assert!(text(&list, WORKFLOW).ends_with("- run: npx --yes mcp-compat@1.2.3 audit .mcp.json\n"));
}
