//! Arguments and values that several commands share: the folder of a record, transports, a server, and a client that is
//! only a command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use mcp_compat_audit::probe::{ProbeTimeouts, Target};
use mcp_compat_drive::Launch;
use mcp_compat_drive::files::records_folder;
use mcp_compat_model::{PeerId, Transport};
use mcp_compat_run::black_box::{ClientCommand, SUITE_TOOL};
use mcp_compat_run::peer::ClientPeer;
use mcp_compat_run::store::FILES;

use crate::inputs::quantities::duration;
use crate::inputs::server_lists::expanded_header;

/// Default folder of the record of `run`, as help shows it. [`records`] turns it into a path.
pub(crate) const DEFAULT_OUT: &str = ".mcp-compat or target/mcp-compat";

/// Parser for the folder of a record.
pub(crate) fn records() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(record_folder)
}

/// Returns the folder of a record that was given, or the default.
pub(crate) fn record_folder(given: OsString) -> PathBuf {
    if given == DEFAULT_OUT { records_folder(Path::new("")) } else { given.into() }
}

/// Returns the files of a run, of which the folder or a file is given.
pub(crate) fn files_of_run(record: &Path) -> Vec<PathBuf> {
    let is_in_folder = record.file_name().is_some_and(|name| FILES.iter().any(|file| name == *file));
    let folder = record.parent().filter(|_| is_in_folder).unwrap_or(record);
    FILES.iter().map(|name| folder.join(name)).chain([record.to_owned()]).collect()
}

/// Returns the path of a run for commands that a report suggests; `None` if it is in the default folder.
pub(crate) fn named_run(record: &Path) -> Option<String> {
    let folder = if record.ends_with("run.json") { record.parent().unwrap_or(record) } else { record };
    (folder != record_folder(DEFAULT_OUT.into())).then(|| folder.display().to_string())
}

/// Returns the transports with these names, which clap has checked.
pub fn transports(names: &[String]) -> Vec<Transport> {
    Transport::ALL.into_iter().filter(|transport| names.iter().any(|name| name == transport.as_str())).collect()
}

/// Arguments for a server without an adapter.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// The address of a server over HTTP, in place of a command
    #[arg(long, value_name = "URL", conflicts_with = "command", help_heading = "The server")]
    pub(crate) url: Option<String>,
    /// A header for every request; it is not recorded. $NAME and ${NAME} stand for variables of the environment
    #[arg(long, value_name = "NAME: VALUE", conflicts_with = "command", help_heading = "The server")]
    header: Vec<String>,
    /// A variable for the server's environment; it is not recorded
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "url", help_heading = "The server")]
    env: Vec<String>,
    /// How long the server may take to start and give its first answer
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = duration, help_heading = "The server")]
    start_timeout: Duration,
    /// How long each list or call may take [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "The server")]
    pub(crate) timeout: Option<Duration>,
    /// The command that starts the server over stdio
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

impl TargetArgs {
    /// Returns the command or address of the server.
    ///
    /// # Errors
    /// When neither is given, or a header or variable is malformed.
    pub(crate) fn target(&self) -> Result<Target> {
        if let Some(url) = &self.url {
            return Ok(Target::Url { url: url.clone(), headers: self.headers()? });
        }
        let Some((program, arguments)) = self.command.split_first() else {
            bail!("name the server: -- COMMAND, or --url URL");
        };
        let mut launch = Launch::new(program).args(arguments);
        for variable in &self.env {
            // The value may be a secret: it is not repeated.
            let (name, value) = variable.split_once('=').context("--env: expected NAME=VALUE")?;
            launch = launch.env(name, value);
        }
        Ok(Target::Command(launch))
    }

    /// Returns the headers for a server over HTTP, with variables expanded.
    ///
    /// # Errors
    /// When a header is malformed, or a variable is not set.
    pub(crate) fn headers(&self) -> Result<Vec<(String, String)>> {
        self.header.iter().map(|header| name_and_value(header)).collect()
    }

    /// Checks that no option is given that the entries of a file have themselves.
    ///
    /// # Errors
    /// If one is.
    pub(crate) fn check_for_list(&self) -> Result<()> {
        if !self.header.is_empty() || !self.env.is_empty() {
            bail!(
                "--header and --env are for a server that the command line names: write them into the entry of the file"
            );
        }
        Ok(())
    }

    /// Returns whether a command or an address is given.
    pub(crate) fn is_given(&self) -> bool {
        self.url.is_some() || !self.command.is_empty()
    }

    /// Returns the time limits for the server.
    pub(crate) fn timeouts(&self) -> ProbeTimeouts {
        let usual = ProbeTimeouts::default();
        ProbeTimeouts { start: self.start_timeout, step: self.timeout.unwrap_or(usual.step), ..usual }
    }
}

/// Splits a header of the command line into its name and value, with variables expanded.
pub(crate) fn name_and_value(header: &str) -> Result<(String, String)> {
    // The header may hold a secret: it is not repeated.
    let (name, value) = header.split_once(':').context("--header: expected a name and a value, as in 'Name: value'")?;
    let environment = |name: &str| std::env::var(name).ok();
    let value =
        expanded_header(value.trim(), &environment).with_context(|| format!("--header '{}: …'", name.trim()))?;
    Ok((name.trim().to_owned(), value))
}

/// Default name of the client in reports.
const DEFAULT_CLIENT: &str = "command";

/// A client that is only a command, as arguments describe it.
#[derive(Clone, Debug, Args)]
pub(crate) struct CommandArgs {
    /// Test the client that this command starts; {url} is the server's address
    #[arg(long, value_name = "CMD", visible_alias = "command")]
    client_command: Option<String>,
    /// The name of that client in reports
    #[arg(long, value_name = "ID", default_value = DEFAULT_CLIENT, requires = "client_command")]
    client_name: String,
    /// The tool that the client calls
    #[arg(long, value_name = "TOOL", default_value = SUITE_TOOL, requires = "client_command")]
    calls: String,
}

impl CommandArgs {
    pub(crate) fn is_given(&self) -> bool {
        self.client_command.is_some()
    }

    /// Returns the client, if there is a command.
    ///
    /// # Errors
    /// When the command is empty, or the name is not one for a client of one's own.
    pub(crate) fn client(&self) -> Result<Option<ClientPeer>> {
        let Some(line) = self.client_command.as_deref() else { return Ok(None) };
        if line.trim().is_empty() {
            bail!("--client-command is empty: give the command that starts the client");
        }
        let id = PeerId::new(&self.client_name).context("the name of a client, as --client-name gives it")?;
        if id.is_built_in() {
            bail!("--client-name {id} is the name of a mock: choose another");
        }
        Ok(Some(ClientPeer::black_box(id, ClientCommand::shell(line).calling(&self.calls))))
    }
}
