//! What is found in the folders of servers and clients.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use mcp_compat_init::{Found, Language, LookError, Plan, Role, WORKFLOW, look, of_command, plan};
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn found(files: &[(&str, &str)]) -> Found {
    look(folder(files).path()).unwrap()
}

#[track_caller]
fn is(files: &[(&str, &str)], role: Role, language: Language, start: &str) {
    let found = found(files);
    assert_eq!((found.role, found.language, found.start.join(" ").as_str()), (role, language, start));
}

const NODE: &str = r#"{"dependencies": {"@modelcontextprotocol/sdk": "^1.0.0"}}"#;

#[test]
fn a_rust_program_is_the_first_binary() {
    let manifest = "[package]\nname = \"stock\"\n[dependencies]\nrmcp = { version = \"3\", features = [\"server\"] }\n";
    is(&[("Cargo.toml", manifest), ("src/main.rs", "")], Role::Server, Language::Rust, "cargo run --quiet --bin stock");
    let bin = format!("{manifest}[[bin]]\nname = \"serve\"\n");
    is(&[("Cargo.toml", &bin)], Role::Server, Language::Rust, "cargo run --quiet --bin serve");
    let client = [("Cargo.toml", manifest), ("src/main.rs", "impl ClientHandler for Me {}")];
    is(&client, Role::Client, Language::Rust, "cargo run --quiet --bin stock");
    let error = look(folder(&[("Cargo.toml", manifest)]).path()).unwrap_err();
    assert_eq!(error, LookError::NoStart { because: "Cargo.toml depends on rmcp".to_owned() });
}

#[test]
fn a_node_program_is_what_a_key_names_or_a_usual_file() {
    is(&[("package.json", NODE), ("server.mjs", "")], Role::Server, Language::Node, "node server.mjs");
    is(&[("package.json", NODE), ("src/index.ts", "")], Role::Server, Language::Node, "npx --yes tsx src/index.ts");
    let client = [("package.json", NODE), ("index.js", "import '@modelcontextprotocol/sdk/client/index.js'")];
    is(&client, Role::Client, Language::Node, "node index.js");
    let bin = r#"{"bin": {"it": "./dist/it.js"}, "scripts": {"build": "tsc"}, "dependencies": {"fastmcp": "1"}}"#;
    let built = found(&[("package.json", bin), ("package-lock.json", "")]);
    assert_eq!(
        (built.start.join(" ").as_str(), built.install.join("; ").as_str(), built.build.join("; ").as_str()),
        ("node dist/it.js", "npm ci", "npm run build")
    );
    let modern = r#"{"dependencies": {"@modelcontextprotocol/client": "2"}, "main": "it.js"}"#;
    is(&[("package.json", modern), ("it.js", "")], Role::Client, Language::Node, "node it.js");
    // What others wrote says nothing about the program.
    let others = ("node_modules/x/index.js", "@modelcontextprotocol/sdk/client");
    is(&[("package.json", NODE), ("index.js", ""), others], Role::Server, Language::Node, "node index.js");
}

#[test]
fn a_python_program_is_a_script_or_a_usual_file() {
    is(
        &[("requirements.txt", "mcp[cli]>=1\n"), ("server.py", "")],
        Role::Server,
        Language::Python,
        "python3 server.py",
    );
    let project =
        "[project]\nname = \"it\"\ndependencies = [\"fastmcp>=2\"]\n[project.scripts]\nserve-it = \"it:main\"\n";
    is(&[("pyproject.toml", project)], Role::Server, Language::Python, "serve-it");
    is(&[("pyproject.toml", project), ("uv.lock", "")], Role::Server, Language::Python, "uv run --quiet serve-it");
    let client = [("requirements.txt", "mcp\n"), ("main.py", "from mcp import ClientSession")];
    is(&client, Role::Client, Language::Python, "python3 main.py");
    let poetry = "[tool.poetry.dependencies]\npython = \"^3.11\"\nmcp = \"^1.0\"\n";
    let module = [("pyproject.toml", poetry), ("src/stock/__main__.py", ""), ("src/other/__init__.py", "")];
    is(&module, Role::Server, Language::Python, "python3 -m stock");
    let script = format!("{poetry}[tool.poetry.scripts]\nserve-it = \"it:main\"\n");
    is(&[("pyproject.toml", &script)], Role::Server, Language::Python, "serve-it");
    let other = look(folder(&[("requirements.txt", "mcpx\nmcp-other\n")]).path()).unwrap_err();
    assert_eq!(other, LookError::NoSdk { files: "requirements.txt".to_owned() });
}

#[test]
fn go_and_the_jvm_are_found() {
    let module = "module it\n\nrequire (\n\tgithub.com/modelcontextprotocol/go-sdk v1.8.0\n)\n";
    is(&[("go.mod", module), ("main.go", "")], Role::Server, Language::Go, "go run .");
    let client = [("go.mod", module), ("cmd/ask/main.go", "mcp.NewClient()")];
    is(&client, Role::Client, Language::Go, "go run ./cmd/ask");
    let gradle = "plugins { application }\nimplementation(\"io.modelcontextprotocol:kotlin-sdk:0.16.0\")\n";
    let project = [("build.gradle.kts", gradle), ("settings.gradle.kts", "rootProject.name = \"it\"\n")];
    is(&project, Role::Server, Language::Jvm, "build/install/it/bin/it");
    let error = look(folder(&[("pom.xml", "io.modelcontextprotocol.sdk")]).path()).unwrap_err();
    assert!(error.to_string().contains("nothing here shows how it is started. Give its command"), "{error}");
}

#[test]
fn what_cannot_be_used_says_what_to_do() {
    let said = |files: &[(&str, &str)]| look(folder(files).path()).unwrap_err().to_string();
    assert!(said(&[]).contains("there is no Cargo.toml, package.json"));
    assert!(said(&[("package.json", "{}"), ("go.mod", "")]).contains("package.json or go.mod names no MCP SDK"));
    assert!(said(&[("package.json", "{")]).starts_with("cannot read package.json: EOF while parsing"));
    assert!(said(&[("Cargo.toml", "[")]).starts_with("cannot read Cargo.toml: "));
    fs::write(folder(&[]).path().join("x"), "").unwrap();
    // A manifest without an SDK does not hide another with one.
    let both = [("package.json", "{}"), ("requirements.txt", "mcp\n"), ("server.py", "")];
    is(&both, Role::Server, Language::Python, "python3 server.py");
}

/// The plan with the files by their names.
fn planned(found: &Found) -> (Plan, impl Fn(&str) -> String + use<>) {
    let plan = plan(found, "1.2.3");
    let files = plan.files.clone();
    let text = move |path: &str| files.iter().find(|file| file.path == path).unwrap().text.clone();
    (plan, text)
}

#[test]
fn a_command_that_is_given_is_taken() {
    let start: Vec<String> = ["node", "my server.js"].map(str::to_owned).to_vec();
    // What the folder shows counts, also if it does not show the start.
    let here = folder(&[("package.json", NODE), ("package-lock.json", "")]);
    let given = of_command(here.path(), &start);
    assert_eq!((given.language, given.install.as_slice()), (Language::Node, &["npm ci".to_owned()][..]));
    let (plan, text) = planned(&given);
    assert!(text("test/mcp-compat.test.mjs").contains(r#"await auditServer(["node", "my server.js"], {"#));
    assert_eq!(plan.command, "npm install --save-dev mcp-compat@1.2.3 && node --test test/mcp-compat.test.mjs");
    let nowhere = of_command(Path::new("/nowhere"), &start);
    assert_eq!(
        (nowhere.language, planned(&nowhere).0.command.as_str()),
        (Language::Unknown, "mcp-compat audit -- node 'my server.js'")
    );
}

#[test]
fn a_server_gets_a_test_for_the_runner_of_its_project() {
    let manifest = "[package]\nname = \"stock\"\n[dependencies]\nrmcp = \"3\"\n";
    let rust = found(&[("Cargo.toml", manifest), ("src/main.rs", "")]);
    let (plan, text) = planned(&rust);
    assert_eq!(plan.command, "cargo add --dev mcp-compat@1.2.3 --no-default-features && cargo test --test mcp_compat");
    let test = text("tests/mcp_compat.rs");
    assert!(test.contains("ServerUnderTest::command(cargo_bin(\"stock\")?);"), "{test}");
    assert!(test.contains("use mcp_compat::{ServerUnderTest, SuiteError, cargo_bin};"), "{test}");
    assert!(text("tests/known-breaks.toml").contains("# MCP_COMPAT_BASELINE=update cargo test --test mcp_compat\n"));

    let vitest =
        r#"{"dependencies": {"fastmcp": "1"}, "devDependencies": {"vitest": "4"}, "scripts": {"build": "tsc"}}"#;
    let node = found(&[("package.json", vitest), ("index.js", ""), ("pnpm-lock.yaml", ""), ("tests/a.test.js", "")]);
    let (plan, text) = planned(&node);
    let command =
        "pnpm add --save-dev mcp-compat@1.2.3 && pnpm run build && pnpm exec vitest run tests/mcp-compat.test.mjs";
    assert_eq!(plan.command, command);
    assert!(text("tests/mcp-compat.test.mjs").contains("import { test } from \"vitest\";"));

    let python = found(&[("requirements.txt", "mcp\n"), ("server.py", ""), ("tests/test_it.py", "")]);
    let (plan, text) = planned(&python);
    let command = "python3 -m pip install mcp-compat-cli==1.2.3 pytest && python3 -m pytest tests/test_mcp_compat.py";
    assert_eq!(plan.command, command);
    let test = text("tests/test_mcp_compat.py");
    assert!(test.contains("[sys.executable, \"server.py\"],\n    cwd=HERE.parent,"), "{test}");
    let uv = found(&[("pyproject.toml", "[project]\ndependencies = [\"mcp\"]\n"), ("uv.lock", ""), ("main.py", "")]);
    let (plan, text) = planned(&uv);
    assert_eq!(plan.command, "uv add --dev mcp-compat-cli==1.2.3 pytest && uv run pytest test_mcp_compat.py");
    let test = text("test_mcp_compat.py");
    assert!(test.contains("[\"uv\", \"run\", \"--quiet\", \"main.py\"],\n    cwd=HERE,"), "{test}");
    assert!(!test.contains("import sys"), "{test}");
}

#[test]
fn what_has_no_helper_gets_a_workflow_alone() {
    let client = found(&[("requirements.txt", "mcp\n"), ("main.py", "from mcp import ClientSession")]);
    let go = found(&[("go.mod", "module it\nrequire github.com/mark3labs/mcp-go v1\n"), ("main.go", "")]);
    let gradle =
        [("build.gradle", "application io.modelcontextprotocol"), ("settings.gradle", "rootProject.name = 'it'\n")];
    for (project, command) in [
        (client, "mcp-compat audit --client -- python3 main.py {url}"),
        (go, "mcp-compat audit -- go run ."),
        (found(&gradle), "gradle --quiet installDist && mcp-compat audit -- build/install/it/bin/it"),
    ] {
        let plan = plan(&project, "1.2.3");
        assert_eq!(plan.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), [WORKFLOW]);
        assert_eq!((plan.command.as_str(), plan.takes_package), (command, false));
    }
}

#[test]
fn the_workflow_runs_the_test_or_the_same_command() {
    let server = planned(&found(&[("package.json", NODE), ("server.js", "")])).1(WORKFLOW);
    assert!(
        server.ends_with("      - run: npm install\n      - run: node --test test/mcp-compat.test.mjs\n"),
        "{server}"
    );
    let python = planned(&found(&[("requirements.txt", "mcp\n"), ("server.py", "")])).1(WORKFLOW);
    let steps = "      - run: python3 -m pip install mcp-compat-cli==1.2.3 pytest\n      - run: python3 -m pytest test_mcp_compat.py\n";
    assert!(python.ends_with(steps), "{python}");
    let client = found(&[("requirements.txt", "mcp\n"), ("main.py", "from mcp import ClientSession")]);
    let run = "      - run: 'npx --yes mcp-compat@1.2.3 audit --client -- python3 main.py {url}'\n";
    let client = planned(&client).1(WORKFLOW);
    assert!(client.ends_with(run), "{client}");
}

#[test]
fn a_name_in_a_manifest_stays_one_word() {
    let name = "x; touch y\n      - run: z \"'*/";
    let manifest = format!("[package]\nname = \"a\"\n[[bin]]\nname = {name:?}\n[dependencies]\nrmcp = \"3\"\n");
    let (_, rust) = planned(&found(&[("Cargo.toml", &manifest)]));
    assert!(
        rust(WORKFLOW).lines().all(|line| !line.contains("run: z") || line.contains("x; touch y\\n")),
        "{}",
        rust(WORKFLOW)
    );
    assert!(
        rust("tests/mcp_compat.rs").contains(r#"cargo_bin("x; touch y\n      - run: z \"'*/")?"#),
        "{}",
        rust("tests/mcp_compat.rs")
    );
    let manifest =
        serde_json::json!({ "dependencies": { "fastmcp": "1" }, "main": name, "scripts": { "build": "tsc" } });
    let (_, node) = planned(&found(&[("package.json", &manifest.to_string())]));
    let test = node("test/mcp-compat.test.mjs");
    assert!(test.contains(r#"auditServer(["node", "x; touch y\n      - run: z \"'*/"], {"#), "{test}");
    assert!(test.lines().take(2).all(|line| line.starts_with("//")), "{test}");
}
