//! Finds the command that starts the server of a folder.

use std::fs;
use std::path::Path;

use mcp_compat_model::invisible_chars::neutralised;

use super::InitError;
use super::projects::Project;
use super::secrets::SecretVariables;
use crate::inputs::server_lists::{ConfiguredCommand, configured_commands, variables_in};

/// The command of a server.
#[derive(Default)]
pub(super) struct Start {
    pub(super) words: Vec<String>,
    /// Variables for its environment, as a configuration has them.
    pub(super) env: Vec<(String, String)>,
    /// The folder in which it is started, if it is not that of the project.
    pub(super) cwd: Option<String>,
    /// The command as an expression of the test, if it is not a list of `words`.
    pub(super) in_test: Option<String>,
}

impl From<Vec<String>> for Start {
    fn from(words: Vec<String>) -> Self {
        Self { words, ..Self::default() }
    }
}

impl Start {
    /// Returns whether only `mcp-compat.toml` can express the command: it has variables or a folder.
    pub(super) fn needs_file(&self) -> bool {
        !self.env.is_empty() || self.cwd.is_some() || self.words.iter().any(|word| word.contains("${"))
    }

    /// Returns the start in which variables replace the values that may be secrets.
    pub(super) fn without_secrets(self) -> Self {
        let mut variables = SecretVariables::besides(self.variables());
        // Any value of the environment may be a secret. A variable without a name cannot be set.
        let env = self.env.into_iter().filter(|(name, _)| !name.is_empty());
        let env = env.map(|(name, value)| {
            let value = variables.value(&name, value);
            (name, value)
        });
        let env = env.collect();
        let words = variables.in_words(self.words);
        Self { words, env, ..self }
    }

    /// Returns the variables that have to be set for it, each once.
    pub(super) fn variables(&self) -> Vec<String> {
        let texts = self.env.iter().map(|(_, value)| value).chain(&self.words).chain(&self.cwd);
        let mut names = Vec::new();
        for name in texts.flat_map(|text| variables_in(text)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// Returns the start that the project itself shows: its manifest names it, or it has a file with a usual name.
pub(super) fn of_project(folder: &Path, project: &Project) -> Option<Start> {
    let manifest = || fs::read_to_string(folder.join(project.manifest)).ok();
    let usual = || {
        let start = project.starts.iter().find(|(file, _)| folder.join(file).is_file())?.1;
        let words: Vec<String> = start.split(' ').map(str::to_owned).collect();
        let in_test = project.test.as_ref().and_then(|test| test.usual_server).map(str::to_owned);
        Some(Start { words, in_test, ..Start::default() })
    };
    let named = match project.manifest {
        "package.json" => manifest().and_then(|text| of_npm_script(&text)),
        "pyproject.toml" => manifest().and_then(|text| of_python_script(&text)),
        _ => None,
    };
    named.or_else(usual)
}

/// Reads `scripts.start` of a `package.json`, if it is one plain command of `node` or `tsx`.
fn of_npm_script(manifest: &str) -> Option<Start> {
    let manifest: serde_json::Value = serde_json::from_str(manifest).ok()?;
    let line = manifest.get("scripts")?.get("start")?.as_str()?;
    if line.contains(|c: char| "|&;<>()$`\\*?#~\n".contains(c)) {
        return None;
    }
    let words = shlex::split(line)?;
    match words.first()?.as_str() {
        _ if words.len() < 2 => None,
        "node" => Some(words.into()),
        "tsx" => Some(["npx", "--yes"].map(str::to_owned).into_iter().chain(words).collect::<Vec<_>>().into()),
        _ => None,
    }
}

/// Reads the only entry of `[project.scripts]` of a `pyproject.toml`. Its program is beside the interpreter.
fn of_python_script(manifest: &str) -> Option<Start> {
    let manifest: toml::Table = manifest.parse().ok()?;
    let scripts = manifest.get("project")?.get("scripts")?.as_table()?;
    let mut names = scripts.keys();
    let (Some(name), None) = (names.next(), names.next()) else { return None };
    let in_test = format!("[Path(PYTHON).with_name({})]", serde_json::Value::from(name.as_str()));
    Some(Start { words: vec![name.clone()], in_test: Some(in_test), ..Start::default() })
}

/// Returns the file with the configuration of a client, and the only command in it, if there is one.
///
/// # Errors
/// If the file is malformed, or has several commands.
pub(super) fn of_configuration(folder: &Path) -> Result<Option<Start>, InitError> {
    let configured = configured_commands(folder).map_err(|error| InitError::Configuration(format!("{error:#}")))?;
    let Some((file, commands)) = configured else { return Ok(None) };
    match <[ConfiguredCommand; 1]>::try_from(commands) {
        Ok([ConfiguredCommand { words, env, cwd, .. }]) => Ok(Some(Start { words, env, cwd, in_test: None })),
        Err(commands) if commands.is_empty() => Ok(None),
        Err(commands) => {
            let names: Vec<String> = commands.into_iter().map(|command| command.name).collect();
            Err(InitError::SeveralServers { file, names: neutralised(&names.join(", ")) })
        }
    }
}

/// Folder of the programs of a virtual environment of Python.
const ENVIRONMENT: &str = ".venv/bin";

/// Returns the program of the virtual environment in the folder, if it has it.
pub(super) fn program_here(folder: &Path, program: &str) -> String {
    let path = format!("{ENVIRONMENT}/{}", if program == "python3" { "python" } else { program });
    if !program.contains('/') && folder.join(&path).is_file() { path } else { program.to_owned() }
}

/// Returns a shell line with the program of the virtual environment. One that uv made has no pip.
pub(super) fn line_here(folder: &Path, line: &str) -> String {
    let (program, rest) = line.split_once(' ').unwrap_or((line, ""));
    let here = program_here(folder, program);
    match rest.strip_prefix("-m pip ") {
        Some(rest) if here != program && !folder.join(ENVIRONMENT).join("pip").is_file() => format!("uv pip {rest}"),
        _ => format!("{here} {rest}"),
    }
}
