//! The server that a command is about, as it is given on the command line: a command, or an address.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args as ClapArgs;
use mcp_compat_audit::probe::{ProbeTimeouts, Target};
use mcp_compat_drive::Launch;

use crate::inputs::quantities::duration;

/// A server that knows nothing of us.
#[derive(Debug, ClapArgs)]
pub(crate) struct TargetArgs {
    /// The address of a server over HTTP, in place of a command
    #[arg(long, value_name = "URL", conflicts_with = "command", help_heading = "The server")]
    pub(crate) url: Option<String>,
    /// A header for every request; it is not recorded
    #[arg(long, value_name = "NAME: VALUE", requires = "url", conflicts_with = "command", help_heading = "The server")]
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
    /// Where the server is.
    ///
    /// # Errors
    /// When neither a command nor an address is given, or a header or a variable is none.
    pub(crate) fn target(&self) -> Result<Target> {
        if let Some(url) = &self.url {
            let headers = self.header.iter().map(|header| name_and_value(header)).collect::<Result<_>>()?;
            return Ok(Target::Url { url: url.clone(), headers });
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

    /// How long it may take.
    pub(crate) fn timeouts(&self) -> ProbeTimeouts {
        let usual = ProbeTimeouts::default();
        ProbeTimeouts { start: self.start_timeout, step: self.timeout.unwrap_or(usual.step), ..usual }
    }
}

/// A header as it is given on the command line.
///
/// # Errors
/// When it has no colon.
pub(crate) fn name_and_value(header: &str) -> Result<(String, String)> {
    // The header may hold a secret: it is not repeated.
    let (name, value) = header.split_once(':').context("--header: expected a name and a value, as in 'Name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
