//! The workflow for a server or a client.

use crate::shell::line;
use crate::{Found, Language, Role};

/// Where the workflow is.
pub const WORKFLOW: &str = ".github/workflows/mcp-compat.yml";

/// Releases of the actions that set tools up, by their commits: a tag can move.
const CHECKOUT: &str = "actions/checkout@11d5960a326750d5838078e36cf38b85af677262 # v4.4.0";
const SETUP_NODE: &str = "actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0";
const SETUP_PYTHON: &str = "actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0";
const SETUP_GO: &str = "actions/setup-go@40f1582b2485089dde7abd97c1529aa768e1baff # v5.6.0";

/// The command that audits what was found, with this program.
pub(crate) fn audit(program: &str, found: &Found) -> String {
    let start = line(&found.start);
    match found.role {
        Role::Server => format!("{program} audit -- {start}"),
        Role::Client => format!("{program} audit --client -- {start} {{url}}"),
    }
}

/// The text of the workflow. It runs the test, or else an audit with the program of this version from npm.
pub(crate) fn workflow(found: &Found, test: Option<&[String]>, version: &str) -> String {
    let (breaks, whom) = match found.role {
        Role::Server => ("which clients this server breaks", "server"),
        Role::Client => ("which answers of servers this client loses", "client"),
    };
    let hint = match test {
        Some(_) => String::new(),
        None => format!(
            " If a tool of the {whom} has to be called with arguments,\n\
             # `mcp-compat audit --help` shows how to give them."
        ),
    };
    let mut text = format!(
        "# Made by `mcp-compat init`. Finds {breaks}.{hint}\n\
         name: mcp-compat\n\
         on: [push, pull_request]\n\
         permissions:\n  contents: read\n\
         jobs:\n  audit:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: {CHECKOUT}\n"
    );
    match found.language {
        Language::Node => text += &format!("      - uses: {SETUP_NODE}\n        with:\n          node-version: 22\n"),
        Language::Python => {
            text += &format!("      - uses: {SETUP_PYTHON}\n        with:\n          python-version: '3.13'\n");
        }
        Language::Go => {
            text += &format!("      - uses: {SETUP_GO}\n        with:\n          go-version-file: go.mod\n");
        }
        // The runner has Rust, a JDK and Node.
        Language::Rust | Language::Jvm | Language::Unknown => {}
    }
    let last = match test {
        Some(lines) => lines.to_vec(),
        None => vec![audit(&format!("npx --yes mcp-compat@{version}"), found)],
    };
    for line in found.install.iter().chain(&found.build).chain(&last) {
        text += &format!("      - run: {}\n", quoted(line));
    }
    text
}

/// A shell line as a YAML scalar.
fn quoted(line: &str) -> String {
    let is_plain = !line.contains(": ") && !line.contains(" #") && !line.contains(['{', '}', '"', '\'']);
    if line.contains(char::is_control) {
        // Every text of JSON is one of YAML.
        serde_json::Value::from(line).to_string()
    } else if is_plain {
        line.to_owned()
    } else {
        format!("'{}'", line.replace('\'', "''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_scalar() {
        assert_eq!(quoted("npm ci"), "npm ci");
        assert_eq!(quoted("node 'my server.js' {url}"), "'node ''my server.js'' {url}'");
        assert_eq!(quoted("node 'a\n      - run: b'"), r#""node 'a\n      - run: b'""#);
    }
}
