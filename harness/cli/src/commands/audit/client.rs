//! `audit --client`: judge any client program by its messages to servers of each revision and downgrade.

use std::time::Duration;

use anyhow::{Result, bail};
use mcp_compat_audit::client_audit::{ClientAuditError, client_audit};
use mcp_compat_reports::client_audit as report;
use mcp_compat_run::black_box::ClientCommand;
use mcp_compat_run::request::Request;

use crate::commands::run::{self, RunArgs};
use crate::exit::{ENDING, Exit};
use crate::inputs::peers_folder::is_manifest;
use crate::output::{json_text, print};
use crate::progress::{Progress, Unit};
use crate::runtime::{Threads, cancellable, own_programs};
use crate::terminal;

/// Default time limit for each step.
pub(super) const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug)]
pub(super) struct ClientAudit<'a> {
    /// The client's command, or a peer.toml alone.
    pub(super) command: &'a [String],
    pub(super) calls: &'a str,
    /// Time limit for a step.
    pub(super) timeout: Duration,
    pub(super) json: bool,
    pub(super) markdown: bool,
}

pub(super) fn execute(asked: ClientAudit<'_>) -> Result<Exit> {
    let [program, rest @ ..] = asked.command else {
        bail!("name the client: audit --client -- COMMAND {{url}}, where {{url}} stands for the server's address");
    };
    if rest.is_empty() && is_manifest(program) {
        return by_contract(program, asked);
    }
    let command = ClientCommand::words(asked.command.iter().cloned()).calling(asked.calls);
    let limits = Request { step_timeout: Some(asked.timeout), programs: own_programs()?, ..Request::default() };
    let mut progress = Progress::of(Unit::Probes);
    let printer = progress.printer();
    let audited = cancellable(
        Threads::PerCore,
        move || printer.say(ENDING),
        async |stop| {
            let audited = client_audit(&command, limits, &mut progress, stop.clone()).await;
            Ok((audited, stop.is_cancelled()))
        },
    )?;
    let Some((audited, is_interrupted)) = audited else { return Ok(Exit::Interrupted) };
    let audit = audited.map_err(|error| match error {
        ClientAuditError::Host(error) => error.into(),
        error @ (ClientAuditError::Corpus(_)
        | ClientAuditError::Request(_)
        | ClientAuditError::NeverConnected { .. }
        | ClientAuditError::NeverEnded { .. }) => anyhow::Error::new(error),
    })?;
    print!(
        "{}",
        match (asked.json, asked.markdown) {
            (true, _) => json_text(&audit)?,
            (false, true) => report::markdown(&audit),
            (false, false) => report::terminal(&audit, terminal::style()),
        }
    );
    Ok(match (audit.complete, is_interrupted) {
        (false, true) => Exit::Interrupted,
        // Time ran out.
        (false, false) => Exit::Breaks,
        (true, _) if audit.is_the_clients() => Exit::Breaks,
        (true, _) => Exit::Success,
    })
}

/// Plays a client that follows the peer contract as `run` does, because it reports its results itself.
fn by_contract(manifest: &str, asked: ClientAudit<'_>) -> Result<Exit> {
    if asked.json || asked.markdown {
        bail!("{manifest} is played as `run` plays it: see the reports of `mcp-compat run --client {manifest}`");
    }
    run::execute(RunArgs::of_client(manifest))
}
