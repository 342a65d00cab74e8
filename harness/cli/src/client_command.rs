//! The arguments that make a client of a command: `--client-command`, `--client-name` and `--calls`.

use anyhow::{Context as _, Result, bail};
use clap::Args;
use mcp_compat_model::PeerId;
use mcp_compat_run::black_box::{ClientCommand, SUITE_TOOL};
use mcp_compat_run::peer::ClientPeer;

/// What the client is called.
const DEFAULT_NAME: &str = "command";

/// A client that is only a command, as arguments describe it.
#[derive(Clone, Debug, Args)]
pub(crate) struct CommandArgs {
    /// Play the client that this command starts; {url} is the server's address
    #[arg(long, value_name = "CMD")]
    client_command: Option<String>,
    /// The name of that client in reports
    #[arg(long, value_name = "ID", default_value = DEFAULT_NAME, requires = "client_command")]
    client_name: String,
    /// The tool that the client calls
    #[arg(long, value_name = "TOOL", default_value = SUITE_TOOL, requires = "client_command")]
    calls: String,
}

impl CommandArgs {
    /// Returns whether there is a command.
    pub(crate) fn is_given(&self) -> bool {
        self.client_command.is_some()
    }

    /// The client, if there is a command.
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
