//! The pages of the book for other languages, run as they are written: their files, then their commands in order, in a
//! folder of their own, with the SDK releases that they name from the registries.
//!
//! They need a language's tools and its registry, and take minutes: `.ci/slow` runs them. If something is missing, the test
//! says what, and is skipped.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so, and why")]

#[path = "cli/pages.rs"]
mod pages;
#[path = "../../compat/tests/integration/skip.rs"]
mod skip;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use pages::blocks;
use skip::skipped;

/// A reader of a page, in a project of their own.
struct Walk {
    folder: TempDir,
}

impl Walk {
    /// In a fresh folder, with the program on the path.
    fn new() -> Self {
        let walk = Self { folder: tempfile::tempdir().unwrap() };
        for folder in [walk.bin(), walk.at("")] {
            fs::create_dir(folder).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_mcp-compat"), walk.bin().join("mcp-compat")).unwrap();
        walk
    }

    fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    /// A place in the reader's own project.
    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("my-sdk").join(path)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
    }

    /// Runs a line as its reader does: how it ended, and what it printed.
    fn run(&self, line: &str) -> (i32, String) {
        let path = format!("{}:{}", self.bin().display(), std::env::var("PATH").unwrap());
        let output = Command::new("timeout")
            .args(["300", "sh", "-c", line])
            .current_dir(self.at(""))
            .env("PATH", path)
            .env("CARGO_TARGET_DIR", self.at("target"))
            // The packages of the checkout come without a program.
            .env("MCP_COMPAT_PROGRAM", env!("CARGO_BIN_EXE_mcp-compat"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let printed = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.code().unwrap_or(-1), printed.concat())
    }

    /// The command with the packages of this checkout in place of those from the registries.
    fn with_own_packages(&self, command: &str) -> String {
        let packaging = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging");
        if command.contains("pip install") && command.contains(" mcp-compat-cli ") {
            let version = env!("CARGO_PKG_VERSION");
            let make = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wheel.py");
            let (status, printed) = self.run(&format!("python3 {make} {packaging}/pypi {version} ."));
            assert_eq!(status, 0, "{printed}");
            return command.replace(" mcp-compat-cli ", &format!(" ./mcp_compat_cli-{version}-py3-none-any.whl "));
        }
        command.replace("--save-dev mcp-compat", &format!("--save-dev {packaging}/npm/mcp-compat"))
    }

    /// How often a JUnit report names a scenario, and how often it fails there.
    fn junit(&self, name: &str) -> (usize, usize) {
        let text = fs::read_to_string(self.at(name)).unwrap();
        (text.matches("<testcase").count(), text.matches("<failure").count())
    }
}

/// Runs the commands of a page, if these commands show that its tools are there.
fn walk(page: &str, needed: &[&str]) {
    let text = pages::page(&format!("docs/src/{page}"));
    let walk = Walk::new();
    for tool in needed {
        let (status, printed) = walk.run(tool);
        if status != 0 {
            return skipped(format!("{page} is not walked: `{tool}` gives {status}: {}", printed.trim()));
        }
    }
    for block in blocks(&text).iter().filter(|block| block.language != "console") {
        walk.write(block.file().unwrap(), block.text);
    }
    for pages::Shown { command, .. } in pages::commands(&text) {
        let (status, printed) = walk.run(&walk.with_own_packages(&command));
        let ours = command.contains("mcp-compat") && !command.contains(" install ");
        // A break is a finding about the SDK, and what a baseline knows is none.
        let fine = status == 0 || (ours && status == 1 && !command.contains("--baseline"));
        assert!(fine, "{page}: `{command}` ends with {status}:\n{printed}");
    }
    let (cells, _) = walk.junit("conformance.xml");
    assert!(cells > 10, "{page}: the client of the conformance suite plays {cells} cells");
    let (cells, failures) = walk.junit("peer.xml");
    assert!(cells > failures, "{page}: {failures} of {cells} cells fail by the adapter");
    let record: Value = serde_json::from_str(&fs::read_to_string(walk.at(".mcp-compat/run.json")).unwrap()).unwrap();
    let cells = record["cells"].as_array().unwrap();
    assert!(cells.len() > 5, "{page}: the adapter plays {} cells", cells.len());
    for cell in cells {
        let outcome = cell["outcome"].as_str().unwrap();
        let answered = ["caught", "uncaught"].contains(&outcome);
        assert!(answered, "{page}: the adapter must tell what became of an invalid result: {cell:#}");
    }
}

#[test]
fn typescript() {
    walk("typescript.md", &["node --version", "npm view @modelcontextprotocol/client@2.4.0 version"]);
}

#[test]
fn python() {
    let registry = "python3 -m pip download --quiet --no-deps --dest pip mcp==2.3.0";
    walk("python.md", &["python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))'", registry]);
}

#[test]
fn go() {
    walk("go.md", &["go version", "go list -m github.com/modelcontextprotocol/go-sdk@v1.8.0"]);
}
