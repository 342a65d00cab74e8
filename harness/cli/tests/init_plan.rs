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
    assert_eq!(server["env"]["A-B"].as_str(), Some("${A_B}"), "a value that may be a secret is not copied");

    let several = CONFIGURED.replace("{\"mine\"", "{\"other\": {\"command\": \"x\"}, \"mine\"");
    fs::write(here.path().join(".mcp.json"), several).unwrap();
    let error = plan(here.path(), &[], "1.2.3").unwrap_err().to_string();
    assert!(error.starts_with(".mcp.json starts several servers: other, mine."), "{error}");

    fs::remove_file(here.path().join("go.mod")).unwrap();
    let list = plan(here.path(), &[], "1.2.3").unwrap();
    assert_eq!((list.command.as_str(), list.files.len()), ("mcp-compat audit .mcp.json", 1));
    assert!(text(&list, WORKFLOW).ends_with("- run: npx --yes mcp-compat@1.2.3 audit .mcp.json\n"));
}

/// A folder with a manifest and a configuration of a client.
fn configured(manifest: &str, configuration: &str) -> TempDir {
    let here = folder(&[manifest]);
    fs::write(here.path().join(".mcp.json"), configuration).unwrap();
    here
}

#[test]
fn no_secret_of_a_configuration_gets_into_a_file() {
    let here = configured(
        "package.json",
        r#"{"mcpServers": {"mine": {"command": "node", "cwd": "packages/a", "env": {"REGION": "eu-1"},
            "args": ["x.js", "--api-key", "s3kr1t", "-H", "Authorization: Bearer s3kr2t", "--mode=fast"]},
            "off": {"command": "x", "disabled": true, "args": ["y"]}, "far": {"url": "http://b"}}}"#,
    );
    let plan = plan_in(&here);
    assert!(plan.files.iter().all(|file| !file.text.contains("s3kr") && !file.text.contains("eu-1")), "{plan:?}");
    let read: toml::Table = text(&plan, "mcp-compat.toml").parse().unwrap();
    let server = &read["servers"]["server"];
    let args = ["x.js", "--api-key", "${API_KEY}", "-H", "Authorization: Bearer ${TOKEN}", "--mode=fast"];
    assert_eq!(server["args"].as_array().unwrap().iter().filter_map(|arg| arg.as_str()).collect::<Vec<_>>(), args);
    assert_eq!((server["cwd"].as_str(), server["env"]["REGION"].as_str()), (Some("packages/a"), Some("${REGION}")));
    assert!(plan.to_fill_in.as_ref().unwrap().contains("REGION, API_KEY, TOKEN"), "{plan:?}");
    let workflow = text(&plan, WORKFLOW);
    assert!(workflow.ends_with("audit\n        env:\n          REGION: ${{ secrets.REGION }}\n          API_KEY: ${{ secrets.API_KEY }}\n          TOKEN: ${{ secrets.TOKEN }}\n"), "{workflow}");

    let typed = planned_for(&["package.json"], &["node", "x.js", "--token=s3kr3t"]);
    assert!(text(&typed, "mcp-compat.toml").contains(r#"args = ["x.js", "--token=${TOKEN}"]"#), "{typed:?}");
    let plain = configured("package.json", r#"{"mcpServers": {"mine": {"command": "node", "args": ["x.js", "-v"]}}}"#);
    let plain = plan_in(&plain);
    assert!(text(&plain, "test/mcp-compat.mjs").contains(r#"auditServer(["node", "x.js", "-v"], {"#), "{plain:?}");
    assert!(!text(&plain, WORKFLOW).contains("env:"), "{plain:?}");
}

#[test]
fn a_value_with_a_variable_in_it_is_no_variable() {
    let here = configured(
        "go.mod",
        r#"{"mcpServers": {"mine": {"command": "me",
            "args": ["postgres://${DBUSER}:hunter2@db", "--token", "${TOKEN}", "-H", "Authorization: Bearer hunter2"],
            "env": {"DATABASE_URL": "postgres://me:hunter2@${DBHOST}/db", "MINE": "${MINE}", "AUTH": "Bearer ${OURS:-}",
                "GITHUB_TOKEN": "hunter2", "PATH": "/hunter2", "": "hunter2"}}}}"#,
    );
    let plan = plan_in(&here);
    assert!(plan.files.iter().all(|file| !file.text.contains("hunter2")), "{plan:?}");
    let file = text(&plan, "mcp-compat.toml");
    let server = &file.parse::<toml::Table>().unwrap()["servers"]["server"];
    let args: toml::Value =
        vec!["postgres://${TOKEN_2}@db", "--token", "${TOKEN}", "-H", "Authorization: Bearer ${TOKEN_3}"].into();
    assert_eq!(server["args"], args);
    let env = "\"DATABASE_URL\" = \"${DATABASE_URL}\"\n\"MINE\" = \"${MINE}\"\n\"AUTH\" = \"Bearer ${OURS:-}\"\n\
               \"GITHUB_TOKEN\" = \"${GITHUB_TOKEN}\"\n\"PATH\" = \"${PATH_2}\"\n";
    assert!(file.ends_with(env), "{file}");
    let workflow = text(&plan, WORKFLOW);
    let (_, set) = workflow.split_once("        env:\n").unwrap();
    let secrets = [
        ("DATABASE_URL", "DATABASE_URL"),
        ("MINE", "MINE"),
        ("OURS", "OURS"),
        ("GITHUB_TOKEN", "MCP_GITHUB_TOKEN"),
        ("PATH_2", "PATH_2"),
        ("TOKEN_2", "TOKEN_2"),
        ("TOKEN", "TOKEN"),
        ("TOKEN_3", "TOKEN_3"),
    ];
    let lines = secrets.map(|(name, secret)| format!("          {name}: ${{{{ secrets.{secret} }}}}\n"));
    assert_eq!(set, lines.concat());
    let advice = plan.to_fill_in.unwrap();
    assert!(advice.ends_with("begin with GITHUB_: use MCP_GITHUB_TOKEN for GITHUB_TOKEN there."), "{advice}");
}

fn plan_in(here: &TempDir) -> Plan {
    plan(here.path(), &[], "1.2.3").unwrap()
}

#[test]
fn a_malformed_configuration_is_named_if_it_is_needed() {
    for (configuration, why) in [
        ("{\"mcpServers\": {", "cannot use .mcp.json: it is not JSON (line 1, column 17)"),
        ("{}", "cannot use .mcp.json: it has none of `mcpServers`"),
        (r#"{"mcpServers": {"a": {"command": "x", "args": "y"}}}"#, "cannot use .mcp.json, server \"a\": its `args`"),
    ] {
        for manifest in ["package.json", "README.md"] {
            let here = configured(manifest, configuration);
            let error = plan(here.path(), &[], "1.2.3").unwrap_err().to_string();
            assert!(error.starts_with(why) && error.ends_with("mcp-compat init -- COMMAND"), "{manifest}: {error}");
        }
        let here = configured("package.json", configuration);
        fs::write(here.path().join("server.js"), "").unwrap();
        assert_eq!(
            plan(here.path(), &[], "1.2.3").unwrap().audit,
            "npm run build --if-present && mcp-compat audit -- node server.js"
        );
    }
}

#[test]
fn a_manifest_that_names_the_start_is_followed() {
    let audit = |manifest: &str, text: &str, files: &[&str]| {
        let here = folder(files);
        fs::write(here.path().join(manifest), text).unwrap();
        plan(here.path(), &[], "1.2.3").unwrap()
    };
    let npm = |start: &str| {
        let manifest = serde_json::json!({"scripts": {"start": start}}).to_string();
        let plan = audit("package.json", &manifest, &["index.js"]);
        plan.audit.rsplit(" -- ").next().unwrap().to_owned()
    };
    assert_eq!(npm("node dist/index.js --stdio"), "node dist/index.js --stdio");
    assert_eq!(npm("tsx src/main.ts"), "npx --yes tsx src/main.ts");
    for other in ["tsc && node dist/index.js", "NODE_ENV=x node a.js", "node", "next start", "node $X", "node 'a"] {
        assert_eq!(npm(other), "node index.js", "{other}");
    }
    let scripts = "[project]\nname = \"a\"\n[project.scripts]\nserve-it = \"a:main\"\n";
    let python = audit("pyproject.toml", scripts, &["main.py"]);
    assert_eq!(python.audit, "mcp-compat audit -- serve-it");
    let test = text(&python, "test_mcp_compat.py");
    assert!(test.contains("    [Path(PYTHON).with_name(\"serve-it\")],\n"), "{test}");
    let two = audit("pyproject.toml", &format!("{scripts}other = \"a:b\"\n"), &["main.py"]);
    assert_eq!(two.audit, "mcp-compat audit -- python3 main.py");
}

#[test]
fn the_commands_for_here_are_those_of_the_virtual_environment() {
    let environment = [".venv/bin/python", ".venv/bin/pip", "requirements.txt", "server.py"];
    let python = planned(&environment);
    assert_eq!(python.audit, "mcp-compat audit -- .venv/bin/python server.py");
    let command = ".venv/bin/python -m pip install mcp-compat-cli==1.2.3 pytest && \
                   .venv/bin/python -m pytest test_mcp_compat.py";
    assert_eq!(python.command, command);
    assert!(
        text(&python, WORKFLOW).ends_with("- run: python3 -m pytest test_mcp_compat.py\n"),
        "a runner has no such folder"
    );
    let of_uv = planned(&[environment[0], environment[2], environment[3]]);
    assert!(of_uv.command.starts_with("uv pip install mcp-compat-cli==1.2.3 pytest && .venv/"), "{}", of_uv.command);
}

#[test]
fn a_test_says_what_has_to_be_filled_in() {
    let to_fill_in = |files: &[&str]| planned(files).to_fill_in;
    let node =
        "The test fails for every tool that it cannot call: fill in `calls` or `allowUncalled` in test/mcp-compat.mjs.";
    assert_eq!(to_fill_in(&["package.json", "index.js"]).as_deref(), Some(node));
    assert_eq!(to_fill_in(&["go.mod", "main.go"]), None, "an audit calls what is marked read-only");
}
