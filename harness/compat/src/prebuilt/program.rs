//! Finds the installed program `mcp-compat`, and audits a server with it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::SuiteError;
use super::named::Named;
use crate::test_run::state_of_file;

/// Variable that names the program.
const VARIABLE: &str = "MCP_COMPAT_PROGRAM";

/// Version that the program must have.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Installed program.
#[derive(Debug)]
pub(super) struct Program {
    path: PathBuf,
    /// The state of its file, with the path.
    state: String,
}

/// Fields that are read from the JSON of an audit.
#[derive(Deserialize)]
struct Audit {
    tool_version: String,
    tests: Vec<Named>,
}

impl Program {
    /// Finds the program that the environment names, or the one in `PATH`.
    pub(super) fn find() -> Result<Self, SuiteError> {
        Self::among(std::env::var_os(VARIABLE), std::env::var_os("PATH"))
    }

    fn among(named: Option<OsString>, path: Option<OsString>) -> Result<Self, SuiteError> {
        let at = |path: PathBuf| state_of_file(&path).map(|state| Self { path, state });
        if let Some(named) = named {
            let missing = || SuiteError::new(format!("{VARIABLE} names no program: {}", Path::new(&named).display()));
            return at(named.clone().into()).ok_or_else(missing);
        }
        let folders = path.as_deref().map(std::env::split_paths).into_iter().flatten();
        folders.map(|folder| folder.join("mcp-compat")).find_map(at).ok_or_else(|| {
            SuiteError::new(format!(
                "the program `mcp-compat` is not installed: there is none in PATH, and {VARIABLE} is not set. {}; or turn \
                 on the feature `engine` of the crate `mcp-compat`, which needs no program",
                install()
            ))
        })
    }

    /// Returns a text that identifies this installation of the program.
    pub(super) fn identity(&self) -> &str {
        &self.state
    }

    /// Audits a server, and returns the tests.
    pub(super) fn audit(&self, words: Vec<OsString>) -> Result<Vec<Named>, SuiteError> {
        let mut command = Command::new(&self.path);
        command.args(["audit", "--json", "--tests", "rust", "--fail-on", "never"]).args(words);
        let failed = |error| SuiteError::new(format!("cannot start {}: {error}", self.path.display()));
        let audited = command.stdin(Stdio::null()).output().map_err(failed)?;
        if !audited.status.success() {
            let stderr = String::from_utf8_lossy(&audited.stderr);
            let stderr = stderr.trim_end();
            let hint = self.other_version().map(|version| format!("\n{}", self.mismatch(&version))).unwrap_or_default();
            return Err(SuiteError::new(format!(
                "{} ended with {}:\n{stderr}{hint}",
                self.path.display(),
                audited.status
            )));
        }
        let unread = |error| SuiteError::new(format!("{} printed no audit: {error}", self.path.display()));
        let Audit { tool_version, tests } = serde_json::from_slice(&audited.stdout).map_err(unread)?;
        if tool_version != VERSION {
            return Err(SuiteError::new(self.mismatch(&tool_version)));
        }
        Ok(tests)
    }

    /// Returns the version of the program if it differs from that of this crate.
    fn other_version(&self) -> Option<String> {
        let output = Command::new(&self.path).arg("--version").stdin(Stdio::null()).output().ok()?;
        let version = String::from_utf8(output.stdout).ok()?.split_whitespace().last()?.to_owned();
        (version != VERSION).then_some(version)
    }

    fn mismatch(&self, version: &str) -> String {
        let path = self.path.display();
        format!("{path} has version {version}, but the crate `mcp-compat` has version {VERSION}. {}", install())
    }
}

fn install() -> String {
    format!(
        "Install it with `cargo install --locked mcp-compat-cli@{VERSION}`, or from another package of this version"
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn script(folder: &Path, lines: &str) -> Program {
        let path = folder.join("mcp-compat");
        fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Program::among(Some(path.into()), None).unwrap()
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error_with_what_to_do() {
        let error = Program::among(None, Some("/no/such/folder".into())).unwrap_err().to_string();
        assert!(error.contains("not installed") && error.contains("the feature `engine`"), "{error}");
        let error = Program::among(Some("/no/such".into()), None).unwrap_err().to_string();
        assert!(error.contains("MCP_COMPAT_PROGRAM names no program: /no/such"), "{error}");
    }

    #[test]
    fn a_program_of_another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let old = script(folder.path(), r#"echo '{"tool_version": "0.0.1", "tests": []}'"#);
        let error = old.audit(Vec::new()).unwrap_err().to_string();
        assert!(error.contains("has version 0.0.1, but"), "{error}");
        let older =
            script(folder.path(), "[ $1 = --version ] && echo mcp-compat 0.0.1 && exit; echo no --tests >&2; exit 2");
        let error = older.audit(Vec::new()).unwrap_err().to_string();
        assert!(error.contains("no --tests\n") && error.contains("has version 0.0.1, but"), "{error}");
        let broken = script(folder.path(), "echo hello");
        let error = broken.audit(Vec::new()).unwrap_err().to_string();
        assert!(error.contains("printed no audit"), "{error}");
    }
}
