//! Plans the files that test the MCP server in a folder: a test with its baseline, or `mcp-compat.toml`, and a workflow.
//!
//! ```text
//! the manifest in the folder ── projects::PROJECTS ──> Project: how it is installed and tested
//! the manifest, a file with a usual name, .mcp.json ── starts ──> Start, without secrets (secrets)
//!                                                         └─ plan ──> Plan: the files, and the command
//! ```
//!
//! Nothing is started, and no file is changed.

mod projects;
mod secrets;
mod starts;

use std::path::Path;

use projects::{PROJECTS, Project, Test};
use starts::{Start, line_here, program_here};

use crate::inputs::server_lists::{REPOSITORY_FILE, configured_commands};

pub const WORKFLOW: &str = ".github/workflows/mcp-compat.yml";

/// Commit of the release of the action that checks out the repository: a tag can move.
const CHECKOUT: &str = "actions/checkout@11d5960a326750d5838078e36cf38b85af677262 # v4.4.0";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// Its path in the folder of the project.
    pub path: String,
    pub text: String,
}

/// Files to write, and the command to run then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Sentence about the project.
    pub found: String,
    /// The files, in the order in which they are written.
    pub files: Vec<NewFile>,
    /// The command to run, as a shell line.
    pub command: String,
    /// Shell line that audits the server once, without a test; it needs nothing but mcp-compat.
    pub audit: String,
    /// True if `command` takes a package of mcp-compat from a registry.
    pub takes_package: bool,
    /// Sentence about what has to be filled in, if anything has to be.
    pub to_fill_in: Option<String>,
}

/// Reason why nothing can be made for a folder.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum InitError {
    #[error(
        "there is no Cargo.toml, package.json, pyproject.toml, requirements.txt, go.mod, pom.xml or build.gradle here. \
         Go to the folder of your server, or give its command: mcp-compat init -- COMMAND"
    )]
    NoManifest,
    #[error("{manifest} does not say how the server is started. Give its command: mcp-compat init -- COMMAND")]
    NoStart { manifest: &'static str },
    #[error("{file} starts several servers: {names}. Give the command of yours: mcp-compat init -- COMMAND")]
    SeveralServers { file: &'static str, names: String },
    #[error("{0}. Correct the file, or give the command of your server: mcp-compat init -- COMMAND")]
    Configuration(String),
}

/// Makes the plan for the server in a folder. `command` is its command; if it is empty, the command is the one that the
/// folder shows. `version` is that of the packages of mcp-compat.
///
/// # Errors
/// When the command is not given and the folder does not show it.
pub fn plan(folder: &Path, command: &[String], version: &str) -> Result<Plan, InitError> {
    let mut here = PROJECTS.iter().filter(|project| folder.join(project.manifest).is_file());
    let made = |project, start| Ok(plan_of(folder, project, start, version));
    if !command.is_empty() {
        return made(here.next(), command.to_vec().into());
    }
    let Some(first) = here.clone().next() else {
        let configured = configured_commands(folder).map_err(|error| InitError::Configuration(format!("{error:#}")))?;
        return Ok(plan_of_list(configured.ok_or(InitError::NoManifest)?.0, version));
    };
    if let Some((project, start)) = here.find_map(|project| Some((project, starts::of_project(folder, project)?))) {
        return made(Some(project), start);
    }
    let configured = starts::of_configuration(folder)?;
    made(Some(first), configured.ok_or(InitError::NoStart { manifest: first.manifest })?)
}

/// Plan for a folder that has only the configuration of a client.
fn plan_of_list(file: &str, version: &str) -> Plan {
    let found = format!("Found {file}, which lists servers: the workflow audits all of them.");
    let command = format!("mcp-compat audit {file}");
    let last = [format!("npx --yes mcp-compat@{version} audit {file}")];
    let files = vec![workflow(None, "", &last, &[])];
    Plan { found, files, audit: command.clone(), command, takes_package: false, to_fill_in: None }
}

/// Returns `mcp-compat.toml` for a server.
fn repository_file(start: &Start) -> NewFile {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let (program, args) = start.words.split_first().map_or(("", &[][..]), |(program, args)| (program.as_str(), args));
    let args: Vec<String> = args.iter().map(|word| quoted(word)).collect();
    let mut text = format!(
        "# The server of this repository, as `mcp-compat audit` starts it. `mcp-compat schema config` prints the JSON Schema\n\
         # of this file.\n\
         [servers.server]\ncommand = {}\nargs = [{}]\n",
        quoted(program),
        args.join(", ")
    );
    if let Some(cwd) = &start.cwd {
        text += &format!("cwd = {}\n", quoted(cwd));
    }
    if !start.env.is_empty() {
        text += "\n[servers.server.env]\n";
        for (name, value) in &start.env {
            text += &format!("{} = {}\n", quoted(name), quoted(value));
        }
    }
    NewFile { path: REPOSITORY_FILE.to_owned(), text }
}

fn plan_of(folder: &Path, project: Option<&Project>, start: Start, version: &str) -> Plan {
    let found = match project {
        Some(Project { manifest, language, .. }) => format!("Found {manifest}: a project in {language}."),
        None => {
            "No file here shows the language of the server: the workflow audits the command that you gave.".to_owned()
        }
    };
    let start = start.without_secrets();
    let variables = start.variables();
    let build = project.and_then(|project| project.build);
    let all = |lines: &[Option<&str>]| lines.iter().copied().flatten().collect::<Vec<_>>().join(" && ");
    let test = project.and_then(|project| project.test.as_ref()).filter(|_| !start.needs_file());
    let Some(test) = test else {
        let last = [format!("npx --yes mcp-compat@{version} audit")];
        let files = vec![repository_file(&start), workflow(project, AUDIT_HINT, &last, &variables)];
        let command = all(&[build, Some("mcp-compat audit")]);
        let to_fill_in = (!variables.is_empty()).then(|| to_set(&variables));
        return Plan { found, files, command: command.clone(), audit: command, takes_package: false, to_fill_in };
    };
    let Test { file, baseline, text, calls, run, install_in_workflow, .. } = test;
    let audit = |words: &[String]| format!("mcp-compat audit -- {}", line(words));
    let comment = audit(&start.words).replace(char::is_control, " ");
    let text = text.replace("BASELINE", baseline);
    // The command may have any words, also those that are replaced.
    let (head, tail) = text.split_once("AUDIT").unwrap_or(("", &text));
    let server = start.in_test.clone().unwrap_or_else(|| (test.server)(&start.words));
    let text = format!("{head}{comment}{}", tail.replace("SERVER", &server));
    let known = format!(
        "# What is known to break, and why. This command rewrites the file from what the test finds:\n\
         # MCP_COMPAT_BASELINE=update {run}\n"
    );
    let install = install_in_workflow.map(|it| it.replace("VERSION", version));
    let last: Vec<String> = install.into_iter().chain([(*run).to_owned()]).collect();
    let files = vec![
        NewFile { path: (*baseline).to_owned(), text: known },
        NewFile { path: (*file).to_owned(), text },
        workflow(project, "", &last, &[]),
    ];
    let (add, run) = (line_here(folder, &test.add.replace("VERSION", version)), line_here(folder, run));
    let mut words = start.words;
    words.iter_mut().take(1).for_each(|program| *program = program_here(folder, program));
    let audit = all(&[build, Some(&audit(&words))]);
    let to_fill_in = format!("The test fails for every tool that it cannot call: fill in {calls} in {file}.");
    let command = all(&[Some(&add), build, Some(&run)]);
    Plan { found, files, command, audit, takes_package: true, to_fill_in: Some(to_fill_in) }
}

/// Returns what to do about the variables.
fn to_set(variables: &[String]) -> String {
    let renamed = variables.iter().map(|name| (name, secret(name))).filter(|(name, secret)| *name != secret);
    let renamed: Vec<String> = renamed.map(|(name, secret)| format!("{secret} for {name}")).collect();
    let mut sentences = format!(
        "{REPOSITORY_FILE} has variables in place of values that may be secret: {}. Set them here, and as secrets of \
         the repository on GitHub.",
        variables.join(", ")
    );
    if !renamed.is_empty() {
        let renamed = renamed.join(", ");
        sentences += &format!(" GitHub reserves names that begin with GITHUB_: use {renamed} there.");
    }
    sentences
}

/// Returns the secret on GitHub for a variable. GitHub reserves the names that begin with `GITHUB_`.
fn secret(variable: &str) -> String {
    let is_reserved = variable.to_ascii_uppercase().starts_with("GITHUB_");
    if is_reserved { format!("MCP_{variable}") } else { variable.to_owned() }
}

/// Hint in a workflow that audits the server without a test.
const AUDIT_HINT: &str = " If a tool of the server has to be called with arguments,\n\
    # `mcp-compat audit --write-calls calls.json` makes a file for them; name it as `calls` in mcp-compat.toml.";

/// Returns the workflow, whose last steps are the given shell lines. The last one gets the variables.
fn workflow(project: Option<&Project>, hint: &str, last: &[String], variables: &[String]) -> NewFile {
    let mut text = format!(
        "# Made by `mcp-compat init`. Finds which clients this server breaks.{hint}\n\
         name: mcp-compat\n\
         on: [push, pull_request]\n\
         permissions:\n  contents: read\n\
         jobs:\n  audit:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: {CHECKOUT}\n"
    );
    if let Some(Project { tools, install, build, .. }) = project {
        text += tools;
        for line in [Some(*install), *build].into_iter().flatten() {
            text += &format!("      - run: {line}\n");
        }
    }
    for line in last {
        text += &format!("      - run: {}\n", scalar(line));
    }
    if !variables.is_empty() {
        text += "        env:\n";
    }
    for name in variables {
        text += &format!("          {name}: ${{{{ secrets.{} }}}}\n", secret(name));
    }
    NewFile { path: WORKFLOW.to_owned(), text }
}

/// Returns the line that a shell reads as these words.
fn line(words: &[String]) -> String {
    let words = words.iter().map(String::as_str);
    // Only a NUL cannot be quoted, and no command has one.
    shlex::try_join(words.clone()).unwrap_or_else(|_| words.collect::<Vec<_>>().join(" ").replace('\0', ""))
}

/// Returns a shell line as a YAML scalar.
fn scalar(line: &str) -> String {
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
        assert_eq!(scalar("npm ci"), "npm ci");
        assert_eq!(scalar("node 'my server.js' {url}"), "'node ''my server.js'' {url}'");
        assert_eq!(scalar("node 'a\n      - run: b'"), r#""node 'a\n      - run: b'""#);
    }
}
