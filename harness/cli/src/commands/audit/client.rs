//! `audit --client`: judge any client program by its messages to servers of each revision and downgrade.

use std::time::Duration;

use anyhow::{Result, bail};
use mcp_compat_audit::client_audit::client_audit;
use mcp_compat_reports::client_audit as report;
use mcp_compat_run::black_box::{ClientCommand, SUITE_TOOL};
use mcp_compat_run::request::Request;

use super::args::AuditArgs;
use crate::commands::run::{self, RunArgs};
use crate::exit::{ENDING, Exit};
use crate::formats::Format;
use crate::inputs::peers_folder::is_manifest;
use crate::output::json_text;
use crate::progress::{Progress, Unit};
use crate::runtime::{Threads, cancellable, own_programs};

/// Default time limit for each step.
const TIMEOUT: Duration = Duration::from_secs(5);

pub(super) fn execute(args: &AuditArgs) -> Result<Exit> {
    let words = &args.server.command;
    let [program, rest @ ..] = &words[..] else {
        bail!("name the client: audit --client -- COMMAND {{url}}, where {{url}} stands for the server's address");
    };
    if rest.is_empty() && is_manifest(program) {
        return by_contract(program, args);
    }
    let calls = args.calls.as_deref().unwrap_or(SUITE_TOOL);
    let command = ClientCommand::words(words.iter().cloned()).calling(calls);
    let limits = Request {
        step_timeout: Some(args.server.timeout.unwrap_or(TIMEOUT)),
        programs: own_programs()?,
        ..Request::default()
    };
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
    let audit = audited?;
    args.report.write(|format, style| {
        Ok(match format {
            Format::Json => json_text(&audit)?,
            Format::Markdown => report::markdown(&audit),
            Format::Terminal | Format::Junit | Format::Github => report::terminal(&audit, style),
        })
    })?;
    Ok(match (audit.complete, is_interrupted) {
        (false, true) => Exit::Interrupted,
        // Time ran out.
        (false, false) => Exit::Breaks,
        (true, _) if audit.is_the_clients() => Exit::Breaks,
        (true, _) => Exit::Success,
    })
}

/// Plays a client that follows the peer contract as `run` does, because it reports its results itself.
fn by_contract(manifest: &str, args: &AuditArgs) -> Result<Exit> {
    if args.report.asks_for(Format::Json) || args.report.asks_for(Format::Markdown) {
        bail!("{manifest} is played as `run` plays it: see the reports of `mcp-compat run --client {manifest}`");
    }
    run::execute(RunArgs::of_client(manifest))
}
