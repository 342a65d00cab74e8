//! An entry of a list: its fields as they are written, and the server that they describe.

use std::collections::BTreeMap;
use std::path::Path;

use mcp_compat_audit::probe::Target;
use mcp_compat_drive::Launch;
use mcp_compat_drive::files::input_file;
use mcp_compat_run::redact::KnownSecrets;

use super::variables::{Variables, is_public};
use super::{Entry, ServerEntry, Settings};

/// The fields of an entry, with variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    /// The transport, if the entry names it.
    pub(super) kind: Option<String>,
    pub(super) command: Option<String>,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    /// A file with further variables.
    pub(super) env_file: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) url: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    /// The variable with the token for the header `Authorization`.
    pub(super) bearer_token_env: Option<String>,
    pub(super) is_disabled: bool,
    pub(super) settings: Settings,
}

/// Way to the server of an entry.
enum Reached {
    ByCommand(String),
    ByUrl(String),
}

impl Fields {
    /// Returns the server that the entry describes. `folder` is that of the project.
    ///
    /// # Errors
    /// A sentence about what is wrong with the entry.
    pub(super) fn resolved(
        self,
        folder: &Path,
        inputs: &BTreeMap<String, Option<String>>,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Entry, String> {
        if self.is_disabled {
            return Ok(Entry::Disabled);
        }
        let mut variables = Variables::new(environment, folder, inputs);
        let reached = self.reached()?;
        let mut headers = self.headers;
        if let Some(variable) = self.bearer_token_env {
            headers.push(("Authorization".to_owned(), format!("Bearer ${{{variable}}}")));
        }
        let mut expand_all = |pairs: Vec<(String, String)>| -> Vec<(String, String)> {
            pairs.into_iter().map(|(name, value)| (name, variables.expand(&value))).collect()
        };
        let (headers, env) = (expand_all(headers), expand_all(self.env));
        let target = match reached {
            Reached::ByUrl(url) => Target::Url { url: variables.expand(&url), headers },
            Reached::ByCommand(command) => {
                let args: Vec<String> = self.args.iter().map(|arg| variables.expand(arg)).collect();
                let cwd = self.cwd.map(|cwd| variables.expand(&cwd));
                let of_file = self.env_file.map(|file| read_env_file(&folder.join(variables.expand(&file))));
                let cwd = cwd.map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd));
                let launch = Launch::new(variables.expand(&command)).args(args).cwd(cwd);
                // The server inherits what was used in its arguments, too: named, it is known as a secret.
                let inherited = variables.used.clone().into_iter();
                let all = inherited.chain(of_file.transpose()?.into_iter().flatten()).chain(env);
                Target::Command(all.fold(launch, |launch, (name, value)| launch.env(name, value)))
            }
        };
        if !variables.missing.is_empty() {
            return Err(variables.missing.join(", "));
        }
        // Any other variable may be a secret, whatever its name.
        let used = variables.used.iter().filter(|(name, _)| !is_public(name));
        let secrets = KnownSecrets::of_values(used.map(|(_, value)| value.as_str()));
        Ok(Entry::Server(Box::new(ServerEntry { target, secrets, settings: self.settings })))
    }

    /// Decides how the server is reached, by its type or by the field that is there.
    fn reached(&self) -> Result<Reached, String> {
        let command = || self.command.clone().filter(|command| !command.trim().is_empty()).map(Reached::ByCommand);
        let url = || self.url.clone().filter(|url| !url.trim().is_empty()).map(Reached::ByUrl);
        match self.kind.as_deref() {
            Some("stdio" | "local") => command().ok_or_else(|| "it has no `command`".to_owned()),
            Some("http" | "streamable-http" | "streamableHttp" | "streamable_http" | "remote") => {
                url().ok_or_else(|| "it has no `url`".to_owned())
            }
            Some("sse") => Err("the transport HTTP+SSE is not supported. If the server speaks streamable HTTP, too, \
                                give that address with type `http`"
                .to_owned()),
            Some(other) => Err(format!("its type {other:?} is unknown: expected stdio or http")),
            None => match (command(), url()) {
                (Some(_), Some(_)) => Err("it has a `command` and a `url`: remove one, or give the `type`".to_owned()),
                (Some(reached), None) | (None, Some(reached)) => Ok(reached),
                (None, None) => Err("it has neither a `command` nor a `url`".to_owned()),
            },
        }
    }
}

/// Reads variables from a file of lines `NAME=VALUE`, with comments and quotes.
fn read_env_file(path: &Path) -> Result<Vec<(String, String)>, String> {
    let text = input_file::read_named(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let variable = |line: &str| {
        let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
        let value = value.trim();
        let unquoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        Some((name.trim().to_owned(), unquoted.unwrap_or(value).to_owned()))
    };
    Ok(lines.filter_map(variable).collect())
}
