//! `init`: what it writes works. Servers of real SDKs are audited where those are installed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use saphyr::{LoadableYamlNode as _, Yaml};

use crate::pages::root;
use crate::workshop::{PROGRAM, Ran, Workshop, to_its_end};

const WORKFLOW: &str = ".github/workflows/mcp-compat.yml";

const NODE: &str = r#"import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
const server = new McpServer({ name: "hello", version: "1.0.0" });
server.registerTool("hello", { annotations: { readOnlyHint: true } }, async () => ({
  content: [{ type: "text", text: "hello" }],
}));
await server.connect(new StdioServerTransport());
"#;

const PYTHON: &str = "from mcp.server.fastmcp import FastMCP
from mcp.types import ToolAnnotations

server = FastMCP('hello')


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def hello() -> str:
    return 'hello'


server.run()
";

/// The shell lines of the workflow that was written.
fn steps(workshop: &Workshop) -> Vec<String> {
    let text = fs::read_to_string(workshop.path().join(WORKFLOW)).unwrap();
    let documents = Yaml::load_from_str(&text).unwrap();
    let steps = documents[0]["jobs"]["audit"]["steps"].as_vec().unwrap();
    steps.iter().filter_map(|step| step.as_mapping_get("run")?.as_str().map(str::to_owned)).collect()
}

/// Runs the last step of the workflow as a runner does, with the program and the helpers of this checkout.
fn last_step(workshop: &Workshop, path: &str) -> Ran {
    shell(workshop, path, &steps(workshop).pop().unwrap(), &[])
}

fn shell(workshop: &Workshop, path: &str, line: &str, variables: &[(&str, &str)]) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(workshop.path()).env("PATH", path).env("MCP_COMPAT_PROGRAM", PROGRAM);
    command.env("PYTHONPATH", root().join("packaging/pypi/python")).envs(variables.iter().copied());
    to_its_end(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
}

/// The folder of an installed release, if it is installed.
fn installed(home: &str) -> Option<PathBuf> {
    let found = root().join("target/mcp-compat-peers/homes").join(home);
    let there = found.exists();
    if !there && std::env::var_os("MCP_COMPAT_TEST_STRICT").is_none() {
        return None;
    }
    assert!(there, "{} is not installed", found.display());
    found.canonicalize().ok()
}

fn path() -> String {
    std::env::var("PATH").unwrap()
}

/// A folder `node_modules` with the packages of a release, and with ours.
fn node_modules(workshop: &Workshop, modules: &Path) {
    let folder = workshop.path().join("node_modules");
    fs::create_dir(&folder).unwrap();
    for entry in fs::read_dir(modules).unwrap() {
        let entry = entry.unwrap();
        symlink(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    symlink(root().join("packaging/npm/mcp-compat"), folder.join("mcp-compat")).unwrap();
}

#[test]
fn a_node_server_is_tested_by_what_was_written() {
    let Some(modules) = installed("typescript/1.32.2/sdk-1/node_modules") else { return };
    let workshop = Workshop::new();
    workshop.write("package.json", r#"{"type": "module", "dependencies": {"@modelcontextprotocol/sdk": "1.32.2"}}"#);
    workshop.write("server.js", NODE);
    node_modules(&workshop, &modules);
    let ran = workshop.run(["init"]).ends_with(0);
    let now = "mcp-compat audit -- node server.js\n";
    ran.shows(&[now, "npm install --save-dev mcp-compat@", " && node --test test/mcp-compat.mjs"]).says(&[
        "Found package.json: a project in JavaScript or TypeScript.",
        "Wrote test/known-breaks.toml.",
        "Wrote test/mcp-compat.mjs.",
        "Wrote .github/workflows/mcp-compat.yml.",
    ]);
    let steps = steps(&workshop);
    assert_eq!(steps, ["npm install", "npm run build --if-present", "node --test test/mcp-compat.mjs"]);
    last_step(&workshop, &path()).ends_with(0).shows(&["hello::profile/typescript@1"]);
    // What the server did not know is found.
    workshop.write("server.js", &NODE.replace("readOnlyHint: true", "title: 'Hello'"));
    last_step(&workshop, &path()).ends_with(1).shows(&["`hello` was never called"]);
}

#[test]
fn a_python_server_is_tested_by_what_was_written() {
    let Some(programs) = installed("python/1.30.0/mcp-1/venv/bin") else { return };
    let workshop = Workshop::new();
    workshop.write("requirements.txt", "mcp==1.30.0\n");
    workshop.write("server.py", PYTHON);
    workshop
        .run(["init"])
        .ends_with(0)
        .shows(&["pip install mcp-compat-cli==", " && python3 -m pytest test_mcp_compat.py"]);
    // The release has no pytest: the cases are checked as pytest does.
    let line =
        "python3 -c 'import test_mcp_compat as test\nfor case in test.test_server: case.check(); print(case.id)'";
    let path = format!("{}:{}", programs.display(), path());
    shell(&workshop, &path, line, &[]).ends_with(0).shows(&["hello-profile/python@1"]);
    workshop.write("server.py", &PYTHON.replace("readOnlyHint=True", "title='Hello'"));
    shell(&workshop, &path, line, &[]).ends_with(1).says(&["`hello` was never called"]);
}

/// Takes the minutes that cargo takes to build rmcp.
#[test]
fn a_rust_server_is_tested_by_what_was_written() {
    if std::env::var_os("MCP_COMPAT_TEST_STRICT").is_none() {
        return;
    }
    let workshop = Workshop::new();
    let example = root().join("harness/examples/inventory-server").canonicalize().unwrap();
    let manifest = fs::read_to_string(example.join("Cargo.toml")).unwrap();
    let (before, after) = manifest.split_once("[dev-dependencies]").unwrap();
    let (_, lints) = after.split_once("[lints.rust]").unwrap();
    let helper = root().join("harness/compat").canonicalize().unwrap();
    let helper = format!("[dev-dependencies]\nmcp-compat = {{ path = {helper:?}, default-features = false }}\n");
    workshop.write("Cargo.toml", &format!("{before}{helper}[lints.rust]{lints}"));
    workshop.write("Cargo.lock", &fs::read_to_string(example.join("Cargo.lock")).unwrap());
    for file in ["src/lib.rs", "src/main.rs"] {
        workshop.write(file, &fs::read_to_string(example.join(file)).unwrap());
    }
    let ran = workshop.run(["init"]).ends_with(0);
    ran.shows(&["cargo add --dev mcp-compat@", " --no-default-features && cargo test --test mcp_compat"]);
    let build = &steps(&workshop)[0];
    shell(&workshop, &path(), build, &[]).ends_with(0);
    last_step(&workshop, &path()).ends_with(101).shows(&["list_items", "`find_item` was never called"]);
    let test = fs::read_to_string(workshop.path().join("tests/mcp_compat.rs")).unwrap();
    let called = test.replace("\"))?);", "\"))?).call(\"find_item\", r#\"{\"sku\": \"A-1\"}\"#);");
    workshop.write("tests/mcp_compat.rs", &called);
    let known = fs::read_to_string(workshop.path().join("tests/known-breaks.toml")).unwrap();
    let update = known.lines().find_map(|line| line.strip_prefix("# MCP_COMPAT_BASELINE=update ")).unwrap();
    shell(&workshop, &path(), update, &[("MCP_COMPAT_BASELINE", "update")]).ends_with(0);
    last_step(&workshop, &path()).ends_with(0);
    let known = fs::read_to_string(workshop.path().join("tests/known-breaks.toml")).unwrap();
    assert!(known.contains("# What is known to break") && known.contains("[[broken]]"), "{known}");
}

#[test]
fn nothing_that_is_there_is_changed() {
    let workshop = Workshop::new();
    workshop.write("package.json", "{}");
    workshop.write("index.js", "");
    let dry = workshop.run(["init", "--dry-run"]).ends_with(0).shows(&["name: mcp-compat", "audit -- node index.js"]);
    dry.says(&["test/known-breaks.toml would be:", "test/mcp-compat.mjs would be:", ".yml would be:"]);
    assert!(!workshop.path().join(".github").exists() && !workshop.path().join("test").exists());
    for file in [WORKFLOW, "test/known-breaks.toml", "test/mcp-compat.mjs"] {
        workshop.write(file, "mine\n");
        let ran = workshop.run(["init"]).ends_with(0);
        ran.says(&[&format!(
            "{file} is there and stays as it is. `mcp-compat init --dry-run` prints what it would be."
        )]);
        assert_eq!(fs::read_to_string(workshop.path().join(file)).unwrap(), "mine\n");
    }
    workshop.run(["init", "--dry-run"]).ends_with(0).shows(&["name: mcp-compat"]);
    fs::remove_file(workshop.path().join(WORKFLOW)).unwrap();
    workshop.run(["init"]).ends_with(0).says(&["Wrote"]);
    workshop.run(["init"]).ends_with(0).says(&["is there already."]);
    let other = workshop.run(["init", "--dry-run", "--", "node", "other.js"]).ends_with(0);
    other.shows(&["mcp-compat audit -- node other.js", "auditServer([\"node\", \"other.js\"], {"]);
}

#[test]
fn a_folder_without_a_server_says_what_to_do() {
    let workshop = Workshop::new();
    workshop.run(["init"]).ends_with(2).says(&["there is no Cargo.toml, package.json", "mcp-compat init -- COMMAND"]);
    workshop.write("package.json", "{}");
    workshop.run(["init"]).ends_with(2).says(&["package.json does not say how the server is started"]);
    workshop.write(".github", "");
    workshop.run(["init", "--", "node", "it.js"]).ends_with(2).says(&["cannot write .github/workflows/mcp-compat.yml"]);
}
