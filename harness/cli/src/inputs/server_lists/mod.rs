//! Reads the servers that a file lists: the configuration of a client, a `server.json` of the MCP registry, or
//! `mcp-compat.toml`.
//!
//! ```text
//! .mcp.json, mcp.json, ... ─ jsonc ─> client_config ─┐
//! server.json              ─ jsonc ─> registry       ├─ variables ─> ServerList
//! mcp-compat.toml          ────────── repository     ┘
//! ```
//!
//! A mistake in one entry is part of the list: the other entries are read.

mod client_config;
mod entry;
mod jsonc;
mod registry;
mod repository;
mod variables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use mcp_compat_audit::probe::Target;
use mcp_compat_drive::files::input_file;
use mcp_compat_json::Json;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_run::redact::KnownSecrets;

use crate::fail_on::FailOn;
use entry::Fields;

pub use repository::{FILE as REPOSITORY_FILE, schema as repository_schema};
pub use variables::{covered, expanded_header, is_public, is_variable, variables_in};

/// Client configurations that are read if no file is named, in this order.
const CLIENT_FILES: [&str; 3] = [".mcp.json", ".vscode/mcp.json", "mcp.json"];

/// The servers of a file, in its order.
#[derive(Debug)]
pub struct ServerList {
    /// The path of the file, as it was given.
    pub read_from: PathBuf,
    pub servers: Vec<ListedServer>,
    /// True if tools that are marked read-only are called without being asked for: the file is made for mcp-compat.
    pub may_call: bool,
}

/// A server of a list.
#[derive(Debug)]
pub struct ListedServer {
    /// Its name in the file.
    pub name: String,
    pub entry: Entry,
    /// Severity at which its audit fails, also if there is none because of a mistake.
    pub fail_on: Option<FailOn>,
}

/// Content of an entry.
#[derive(Debug)]
pub enum Entry {
    Server(Box<ServerEntry>),
    /// The file turns the server off.
    Disabled,
    /// The entry cannot be used, for this reason.
    Mistake(String),
}

impl Entry {
    /// Returns the settings of a server.
    pub fn settings(&self) -> Option<&Settings> {
        match self {
            Self::Server(entry) => Some(&entry.settings),
            Self::Disabled | Self::Mistake(_) => None,
        }
    }
}

/// A server that can be audited.
#[derive(Debug)]
pub struct ServerEntry {
    pub target: Target,
    /// Values of variables that were expanded.
    pub secrets: KnownSecrets,
    pub settings: Settings,
}

/// Settings for the audit of one server. Paths are relative to this process.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The file with the calls of its tools.
    pub calls: Option<PathBuf>,
    /// The file of its known breaks.
    pub baseline: Option<PathBuf>,
    pub fail_on: Option<FailOn>,
    pub expect_errors: Vec<String>,
    pub allow_uncalled: Vec<String>,
}

/// Returns whether a word on the command line is a file that lists servers, by its name.
pub fn is_list(word: &str) -> bool {
    Path::new(word).extension().is_some_and(|end| end.eq_ignore_ascii_case("json"))
        || Path::new(word).file_name().is_some_and(|name| name == REPOSITORY_FILE)
}

/// Returns the file that lists the servers of a folder: `mcp-compat.toml` here or above, up to the root of the
/// repository, or the configuration of a client here.
pub fn find(folder: &Path) -> Option<PathBuf> {
    let whole = folder.canonicalize().ok();
    let of_repository = || {
        let root = whole.as_ref()?.ancestors().position(|folder| folder.join(".git").exists())?;
        let depth =
            whole.as_ref()?.ancestors().take(root + 1).position(|folder| folder.join(REPOSITORY_FILE).is_file())?;
        Some((0..depth).fold(PathBuf::new(), |above, _| above.join("..")).join(REPOSITORY_FILE))
    };
    // Outside of a repository, a folder above may be anybody's.
    let here = || Some(PathBuf::from(REPOSITORY_FILE)).filter(|file| folder.join(file).is_file());
    if let Some(file) = of_repository().or_else(here) {
        return Some(file);
    }
    CLIENT_FILES.iter().map(PathBuf::from).find(|file| folder.join(file).is_file())
}

/// Reads a list. Variables are those of this process.
///
/// # Errors
/// If the file cannot be read, is malformed, or lists no servers.
pub fn read(path: &Path) -> Result<ServerList> {
    let shown = neutralised(&path.display().to_string());
    let text = input_file::read_named(path).with_context(|| format!("cannot read the servers in {shown}"))?;
    let environment = |name: &str| std::env::var(name).ok();
    of_text(path, &text, &environment).with_context(|| format!("cannot use {shown}"))
}

/// A server that a client's configuration starts, as it is written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredCommand {
    pub name: String,
    /// The program and its arguments.
    pub words: Vec<String>,
    pub env: Vec<(String, String)>,
    pub cwd: Option<String>,
}

/// Returns the configuration of a client in a folder, if there is one, with the servers that it starts.
///
/// # Errors
/// If the file or one of its entries is malformed.
pub fn configured_commands(folder: &Path) -> Result<Option<(&'static str, Vec<ConfiguredCommand>)>> {
    let Some(file) = CLIENT_FILES.into_iter().find(|file| folder.join(file).is_file()) else { return Ok(None) };
    let text = input_file::read_named(&folder.join(file)).with_context(|| format!("cannot read {file}"))?;
    let mut commands = Vec::new();
    for (name, fields) in of_json(&text).with_context(|| format!("cannot use {file}"))?.entries {
        let Fields { command, args, env, cwd, is_disabled, .. } = fields
            .map_err(|why| anyhow!("cannot use {file}, server {:?}: {}", neutralised(&name), neutralised(&why)))?;
        if let Some(command) = command.filter(|_| !is_disabled) {
            commands.push(ConfiguredCommand { name, words: [vec![command], args].concat(), env, cwd });
        }
    }
    Ok(Some((file, commands)))
}

fn of_text(path: &Path, text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<ServerList> {
    let folder = project_folder(path);
    let is_toml = path.extension().is_some_and(|end| end == "toml");
    let fields = if is_toml { repository::read(text, &folder)? } else { of_json(text)? };
    let Listed { entries, inputs } = fields;
    if entries.is_empty() {
        bail!("it lists no servers");
    }
    let servers = entries.into_iter().map(|(name, entry)| {
        let fail_on = entry.as_ref().ok().and_then(|fields| fields.settings.fail_on);
        let entry = entry.and_then(|fields| fields.resolved(&folder, &inputs, environment));
        let entry = entry.unwrap_or_else(|mistake| Entry::Mistake(neutralised(&mistake)));
        ListedServer { name, entry, fail_on }
    });
    Ok(ServerList { read_from: path.to_owned(), servers: servers.collect(), may_call: is_toml })
}

/// The entries of a file before variables are expanded.
struct Listed {
    /// Names with entries, or what is wrong with them.
    entries: Vec<(String, Result<Fields, String>)>,
    /// The inputs of VS Code, each with its default.
    inputs: BTreeMap<String, Option<String>>,
}

fn of_json(text: &str) -> Result<Listed> {
    let json = jsonc::parse(text)?;
    if let Some(servers) = client_config::servers(&json) {
        return client_config::read(&json, servers);
    }
    if let Some(server) = registry::server(&json) {
        return Ok(registry::read(server));
    }
    if matches!(&json, Json::Object(_)) {
        bail!(
            "it has none of `mcpServers`, `servers`, `packages` and `remotes`. A file with the arguments of calls is given \
             with --calls"
        );
    }
    bail!("expected an object with `mcpServers` or `servers`, not a JSON value of type {}", json.kind())
}

/// Returns the folder of the project that a file belongs to: its own, or the one above for those of editors.
fn project_folder(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_of_editor = folder.file_name().is_some_and(|name| name == ".vscode" || name == ".cursor");
    let folder = if is_of_editor { folder.parent().unwrap_or(Path::new("")) } else { folder };
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() }
}

#[cfg(test)]
mod tests;
