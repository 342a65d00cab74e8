//! The server that a command is about, as it is given on the command line: a command, or an address.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args as ClapArgs;
use mcp_compat_audit::probe::{ProbeTimeouts, Target};
use mcp_compat_drive::Launch;

use crate::values::duration;

/// A server that knows nothing of us.
#[derive(Debug, ClapArgs)]
pub(crate) struct TargetArgs {
    /// The server's address, where it is served over HTTP
    #[arg(long, value_name = "URL", conflicts_with = "command", help_heading = "The server")]
    pub(crate) url: Option<String>,
    /// A header that every request to it gets; it is recorded nowhere
    #[arg(long, value_name = "NAME: VALUE", requires = "url", help_heading = "The server")]
    header: Vec<String>,
    /// A variable of its environment, beside those of this process
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "url", help_heading = "The server")]
    env: Vec<String>,
    /// How long it may take to start and to answer for the first time
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = duration, help_heading = "The server")]
    start_timeout: Duration,
    /// How long each list, call or other step may take [default: 30s, with --client 5s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "The server")]
    pub(crate) timeout: Option<Duration>,
    /// The server's command, where it speaks over its standard streams
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
            bail!("say which server: -- COMMAND, or --url URL");
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
        ProbeTimeouts { start: self.start_timeout, step: self.timeout.unwrap_or(ProbeTimeouts::default().step) }
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
