//! `audit --client`: what any client program does with servers of each revision and downgrade, told from the wire.

use std::time::Duration;

use anstream::print;
use anyhow::{Context as _, Result, bail};
use clap::Parser as _;
use mcp_compat::client_audit::{ClientAuditError, client_audit};
use mcp_compat::{ClientCommand, HostError, Programs, Request};
use mcp_compat_reports::client_audit as report;
use tokio::sync::watch;

use crate::args::{Args, Command};
use crate::commands::run;
use crate::exit::{Exit, HarnessFailed};
use crate::interrupt::{Interrupts, LAST_MOMENTS};
use crate::peers_folder::is_manifest;
use crate::progress::Progress;
use crate::terminal;

/// How long each step may take, unless it is said.
pub(super) const TIMEOUT: Duration = Duration::from_secs(5);

/// What is asked of `audit --client`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClientAudit<'a> {
    /// The client's command, or a peer.toml alone.
    pub(super) command: &'a [String],
    /// The tool that it calls.
    pub(super) calls: &'a str,
    /// How long a step may take.
    pub(super) timeout: Duration,
    /// As JSON.
    pub(super) json: bool,
    /// As a page in Markdown.
    pub(super) markdown: bool,
}

pub(super) fn execute(asked: ClientAudit<'_>) -> Result<Exit> {
    let [program, rest @ ..] = asked.command else {
        bail!("say which client: audit --client -- COMMAND {{url}}, where {{url}} becomes the server's address");
    };
    if rest.is_empty() && is_manifest(program) {
        return by_contract(program, asked);
    }
    let command = ClientCommand::words(asked.command.iter().cloned()).calling(asked.calls);
    let limits = Request {
        step_timeout: Some(asked.timeout),
        programs: Programs::CommandLine(std::env::current_exe().context("finding the program of this process")?),
        ..Request::default()
    };
    let runtime = tokio::runtime::Runtime::new().map_err(|error| HostError::System { what: "threads", error })?;
    let looked = runtime.block_on(async {
        let (stop, stopped) = watch::channel(false);
        let mut progress = Progress::new();
        let voice = progress.voice();
        let interrupted = Interrupts::listen()?.twice(stop, move |line| voice.say(line));
        tokio::select! {
            looked = client_audit(&command, limits, &mut progress, stopped) => anyhow::Ok(Some(looked)),
            () = interrupted => Ok(None),
        }
    });
    runtime.shutdown_timeout(LAST_MOMENTS);
    let Some(looked) = looked? else { return Ok(Exit::Interrupted) };
    let audit = looked.map_err(|error| match error {
        ClientAuditError::Host(error) => error.into(),
        error @ (ClientAuditError::Corpus(_)
        | ClientAuditError::Request(_)
        | ClientAuditError::NeverConnected { .. }) => anyhow::Error::new(error),
    })?;
    print!(
        "{}",
        match (asked.json, asked.markdown) {
            (true, _) => format!("{}\n", serde_json::to_string_pretty(&audit).context(HarnessFailed("writing JSON"))?),
            (false, true) => report::markdown(&audit),
            (false, false) => report::terminal(&audit, terminal::style()),
        }
    );
    Ok(match (audit.complete, audit.is_the_clients()) {
        (false, _) => Exit::Interrupted,
        (true, true) => Exit::Breaks,
        (true, false) => Exit::Success,
    })
}

/// Of a client that follows the adapter contract everything can be known: that is what a run tells.
fn by_contract(manifest: &str, asked: ClientAudit<'_>) -> Result<Exit> {
    if asked.json || asked.markdown {
        bail!("{manifest} is played as `run` plays it: see the reports of `mcp-compat run --client {manifest}`");
    }
    let args = Args::try_parse_from(["mcp-compat", "run", "--no-peers", "--client", manifest])?;
    let Command::Run(run) = args.command else { unreachable!("`run` is what was parsed") };
    run::execute(*run)
}
