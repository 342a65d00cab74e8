//! Kinds of projects: the manifest that shows each, and the templates for its test and its workflow.

pub(crate) struct Project {
    /// File that shows it.
    pub(crate) manifest: &'static str,
    pub(crate) language: &'static str,
    /// Steps of a workflow that set up the tools that the runner lacks.
    pub(crate) tools: &'static str,
    /// Shell line that installs the project in a new checkout.
    pub(crate) install: &'static str,
    /// Shell line that builds the server, if its start does not.
    pub(crate) build: Option<&'static str>,
    /// Files with usual names, each with the command that starts the server if the file is there.
    pub(crate) starts: &'static [(&'static str, &'static str)],
    /// Test for the runner of the language, if mcp-compat has a package for it.
    pub(crate) test: Option<Test>,
}

/// Test of a server. It needs the package of mcp-compat for its runner.
pub(crate) struct Test {
    /// Path of the test.
    pub(crate) file: &'static str,
    pub(crate) baseline: &'static str,
    /// Content of the test, with AUDIT, BASELINE and SERVER to be replaced.
    pub(crate) text: &'static str,
    /// Returns the words of a command as an expression of the test.
    pub(crate) server: fn(&[String]) -> String,
    /// The same for the command of `starts`, if it is another expression.
    pub(crate) usual_server: Option<&'static str>,
    /// Place in the test that names the calls of tools.
    pub(crate) calls: &'static str,
    /// Shell line that adds the package to the project, with VERSION to be replaced.
    pub(crate) add: &'static str,
    /// Shell line that runs the test.
    pub(crate) run: &'static str,
    /// Shell line that installs what the test needs in a workflow, if the installation of the project does not.
    pub(crate) install_in_workflow: Option<&'static str>,
}

const SETUP_NODE: &str = "      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with:
          node-version: 22
";
const SETUP_PYTHON: &str = "      - uses: actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0
        with:
          python-version: '3.13'
";
const SETUP_GO: &str = "      - uses: actions/setup-go@40f1582b2485089dde7abd97c1529aa768e1baff # v5.6.0
        with:
          go-version-file: go.mod
";

/// All kinds. If a folder has several, the first with a start counts.
pub(crate) static PROJECTS: [Project; 8] = [
    Project {
        manifest: "Cargo.toml",
        language: "Rust",
        tools: "",
        install: "cargo build --quiet",
        build: None,
        starts: &[("src/main.rs", "cargo run --quiet")],
        test: Some(Test {
            file: "tests/mcp_compat.rs",
            baseline: "tests/known-breaks.toml",
            text: CARGO_TEST,
            server: launch,
            usual_server: Some("mcp_compat::cargo_bin(env!(\"CARGO_PKG_NAME\"))?"),
            calls: "`.call(…)` or `.allow_uncalled(…)`",
            add: "cargo add --dev mcp-compat@VERSION --no-default-features",
            run: "cargo test --test mcp_compat",
            install_in_workflow: Some("npm install --global mcp-compat@VERSION"),
        }),
    },
    Project {
        manifest: "package.json",
        language: "JavaScript or TypeScript",
        tools: SETUP_NODE,
        install: "npm install",
        build: Some("npm run build --if-present"),
        starts: &[
            ("server.js", "node server.js"),
            ("server.mjs", "node server.mjs"),
            ("index.js", "node index.js"),
            ("index.mjs", "node index.mjs"),
            ("src/server.js", "node src/server.js"),
            ("src/index.js", "node src/index.js"),
            ("src/server.ts", "npx --yes tsx src/server.ts"),
            ("src/index.ts", "npx --yes tsx src/index.ts"),
            ("server.ts", "npx --yes tsx server.ts"),
            ("index.ts", "npx --yes tsx index.ts"),
        ],
        test: Some(Test {
            file: "test/mcp-compat.mjs",
            baseline: "test/known-breaks.toml",
            text: NODE_TEST,
            server: list,
            usual_server: None,
            calls: "`calls` or `allowUncalled`",
            add: "npm install --save-dev mcp-compat@VERSION",
            run: "node --test test/mcp-compat.mjs",
            install_in_workflow: None,
        }),
    },
    Project { manifest: "pyproject.toml", install: "pip install .", ..PYTHON },
    Project { manifest: "requirements.txt", install: "pip install --requirement requirements.txt", ..PYTHON },
    Project {
        manifest: "go.mod",
        language: "Go",
        tools: SETUP_GO,
        install: "go build ./...",
        build: None,
        starts: &[("main.go", "go run .")],
        test: None,
    },
    Project { manifest: "pom.xml", install: "mvn --batch-mode --quiet package", ..JVM },
    Project { manifest: "build.gradle.kts", install: "gradle --quiet installDist", ..JVM },
    Project { manifest: "build.gradle", install: "gradle --quiet installDist", ..JVM },
];

const PYTHON: Project = Project {
    manifest: "",
    language: "Python",
    tools: SETUP_PYTHON,
    install: "",
    build: None,
    starts: &[
        ("server.py", "python3 server.py"),
        ("main.py", "python3 main.py"),
        ("app.py", "python3 app.py"),
        ("src/server.py", "python3 src/server.py"),
        ("src/main.py", "python3 src/main.py"),
    ],
    test: Some(Test {
        file: "test_mcp_compat.py",
        baseline: "known-breaks.toml",
        text: PYTEST,
        server: python_list,
        usual_server: None,
        calls: "`calls` or `allow_uncalled`",
        add: "python3 -m pip install mcp-compat-cli==VERSION pytest",
        run: "python3 -m pytest test_mcp_compat.py",
        install_in_workflow: Some("python3 -m pip install mcp-compat-cli==VERSION pytest"),
    }),
};

const JVM: Project =
    Project { manifest: "", language: "Java or Kotlin", tools: "", install: "", build: None, starts: &[], test: None };

const CARGO_TEST: &str = r##"//! Reports which clients this server breaks. The page docs/src/rust.md of mcp-compat explains the test;
//! `AUDIT` prints a report.

use mcp_compat::{ServerUnderTest, SuiteError};

#[test]
fn no_client_loses_more_than_is_known() -> Result<(), SuiteError> {
    // Tools that are marked read-only are called. Another one needs `.call("find", r#"{"id": 1}"#)`, or
    // `.allow_uncalled("delete_*")`. A call that is to fail is `.expect_error("find", r#"{"id": 0}"#)`.
    let server = ServerUnderTest::command(SERVER);
    server.baseline("BASELINE").run()?.assert_no_breaks();
    Ok(())
}
"##;

const NODE_TEST: &str = r#"// Reports which clients this server breaks: a test for each tool with each client. The page
// docs/src/typescript.md of mcp-compat explains it; `AUDIT` prints a report.
import test from "node:test";
import { auditServer } from "mcp-compat";

// Tools that are marked read-only are called. Another one needs `calls: { find: { id: 1 } }`, or
// `allowUncalled: ["delete_*"]`. A call that is to fail is `expectError: { find: { id: 0 } }`.
const audit = await auditServer(SERVER, {
  baseline: "BASELINE",
});
audit.register(test);
"#;

const PYTEST: &str = r#"# Reports which clients this server breaks: a test for each tool with each client. The page
# docs/src/python.md of mcp-compat explains it; `AUDIT` prints a report.
import sys
from pathlib import Path

import mcp_compat

HERE = Path(__file__).resolve().parent
PYTHON = sys.executable

# Tools that are marked read-only are called. Another one needs calls={"find": {"id": 1}}, or
# allow_uncalled=["delete_*"]. A call that is to fail is expect_error={"find": {"id": 0}}.
test_server = mcp_compat.audit_server(
    SERVER,
    cwd=HERE,
    baseline=HERE / "BASELINE",
)
"#;

/// Returns a command as an expression of Rust.
fn launch(words: &[String]) -> String {
    match words {
        [program, rest @ ..] if !rest.is_empty() => format!("mcp_compat::Launch::new({program:?}).args({rest:?})"),
        [program, ..] => format!("mcp_compat::Launch::new({program:?})"),
        [] => "mcp_compat::Launch::new(\"\")".to_owned(),
    }
}

/// Returns words as a list of JavaScript or Python.
fn list(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| serde_json::Value::from(word.as_str()).to_string()).collect();
    format!("[{}]", words.join(", "))
}

/// The same for Python, with the interpreter that runs the test in place of `python3`.
fn python_list(words: &[String]) -> String {
    list(words).replacen("[\"python3\"", "[PYTHON", 1)
}
