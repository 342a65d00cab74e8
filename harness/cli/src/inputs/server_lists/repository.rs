//! `mcp-compat.toml`: the servers of a repository, and how they are audited.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use mcp_compat_model::invisible_chars::neutralised;
use schemars::{JsonSchema, Schema, schema_for};
use serde::Deserialize;

use super::entry::Fields;
use super::{Listed, Settings};
use crate::fail_on::FailOn;

/// Name of the file.
pub const FILE: &str = "mcp-compat.toml";

/// The servers of a repository, and how `mcp-compat audit` audits them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "mcp-compat.toml")]
struct RepositoryFile {
    /// Severity at which an audit fails, unless the server has its own.
    #[serde(default)]
    fail_on: Option<FailOn>,
    /// The servers, by name.
    #[serde(default)]
    servers: BTreeMap<String, ServerTable>,
}

/// A server: a command over standard streams, or an address over HTTP. Texts may have variables, as in `${TOKEN}` and
/// `${PORT:-8080}`. Paths are relative to the folder of the file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ServerTable {
    /// The program that starts the server.
    #[serde(default)]
    command: Option<String>,
    /// Its arguments.
    #[serde(default)]
    args: Vec<String>,
    /// Variables for its environment.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The folder in which it is started; that of this file if absent.
    #[serde(default)]
    cwd: Option<String>,
    /// The address of a server over HTTP, in place of a command.
    #[serde(default)]
    url: Option<String>,
    /// Headers for every request.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// The environment variable that holds the bearer token for the header `Authorization`.
    #[serde(default)]
    bearer_token_env: Option<String>,
    /// True to skip the server.
    #[serde(default)]
    disabled: bool,
    /// The file with the arguments of its tools, as `--calls` reads it.
    #[serde(default)]
    calls: Option<PathBuf>,
    /// The file of its known breaks. Other breaks fail.
    #[serde(default)]
    baseline: Option<PathBuf>,
    /// Severity at which its audit fails.
    #[serde(default)]
    fail_on: Option<FailOn>,
    /// Tools whose call has to fail, as TOOL or TOOL={…}.
    #[serde(default)]
    expect_errors: Vec<String>,
    /// Tools that need not be called, as globs. If there are any, all others have to be called.
    #[serde(default)]
    allow_uncalled: Vec<String>,
}

/// Reads the file. `folder` is its folder.
///
/// # Errors
/// If it is not TOML, or has an unknown key, with the place.
pub(super) fn read(text: &str, folder: &Path) -> Result<Listed> {
    let RepositoryFile { fail_on, servers } = toml::from_str(text).map_err(|error| anyhow!("{error}"))?;
    check_baselines(&servers, folder)?;
    let entry = |(name, table): (String, ServerTable)| (name, Ok(fields(table, fail_on, folder)));
    Ok(Listed { entries: servers.into_iter().map(entry).collect(), inputs: BTreeMap::new() })
}

/// Checks that no two servers have the same baseline: each would rewrite it with what it loses alone.
fn check_baselines(servers: &BTreeMap<String, ServerTable>, folder: &Path) -> Result<()> {
    let mut owners: BTreeMap<PathBuf, &str> = BTreeMap::new();
    for (name, table) in servers.iter().filter(|(_, table)| !table.disabled) {
        let Some(baseline) = &table.baseline else { continue };
        let path = folder.join(baseline);
        let path = path.canonicalize().unwrap_or(path);
        if let Some(other) = owners.insert(path, name) {
            let [other, name, file] = [other, name, &baseline.display().to_string()].map(neutralised);
            bail!("the servers `{other}` and `{name}` have the same baseline, {file}: give each a file of its own");
        }
    }
    Ok(())
}

fn fields(table: ServerTable, fail_on: Option<FailOn>, folder: &Path) -> Fields {
    let here = |path: PathBuf| if folder == Path::new(".") { path } else { folder.join(path) };
    let settings = Settings {
        calls: table.calls.map(here),
        baseline: table.baseline.map(here),
        fail_on: table.fail_on.or(fail_on),
        expect_errors: table.expect_errors,
        allow_uncalled: table.allow_uncalled,
    };
    Fields {
        kind: None,
        command: table.command,
        args: table.args,
        env: table.env.into_iter().collect(),
        env_file: None,
        cwd: table.cwd,
        url: table.url,
        headers: table.headers.into_iter().collect(),
        bearer_token_env: table.bearer_token_env,
        is_disabled: table.disabled,
        settings,
    }
}

/// Returns the JSON Schema of the file.
pub fn schema() -> Schema {
    schema_for!(RepositoryFile)
}
