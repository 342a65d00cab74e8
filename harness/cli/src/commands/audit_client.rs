//! `audit-client`: judge any client program by its messages to servers of each revision and behaviour.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use mcp_compat_audit::client_audit::{AuditedClient, client_audit};
use mcp_compat_reports::client_audit as report;
use mcp_compat_run::baseline_file::BaselineFile;
use mcp_compat_run::black_box::{ClientCommand, SUITE_TOOL};
use mcp_compat_run::request::Request;

use crate::commands::run::{self, RunArgs};
use crate::exit::{ENDING, Exit};
use crate::fail_on::FailOn;
use crate::inputs::peers_folder::is_manifest;
use crate::inputs::quantities::duration;
use crate::output::{eprintln, json_text};
use crate::progress::{Progress, Unit};
use crate::report_output::{Format, FormatOrFile, OutputArgs, Reports, ShortFormats};
use crate::runtime::{Threads, cancellable, own_programs};

const HOW: &str = "\
The command is started once for each of several servers, as the official
conformance suite does. {url} stands for the server's address; without it, the
address is the last argument. {server} stands for the command of a server over
stdio, for a client that starts its server itself. In place of a command, a
peer.toml describes a client with an adapter.

The client may print what its user got, as one line of JSON:
{\"structured\": …, \"content\": […], \"isError\": false}. The last such line
counts, and a member that is absent is not reported.

Exit status: 0 nothing as bad as --fail-on was found; 1 something was, the
client never calls its tool, or the baseline no longer holds; 2 nothing could be
audited.

Examples:
  mcp-compat audit-client -- npx tsx client.ts {url}
  mcp-compat audit-client --calls add -- python client.py {url}
  mcp-compat audit-client -- python client.py --stdio {server}
  mcp-compat audit-client --format markdown --out client.md -- ./my-client";

/// Formats of `audit-client`.
const FORMATS: [Format; 3] = [Format::Terminal, Format::Markdown, Format::Json];

#[derive(Debug, Args)]
#[command(after_help = HOW, mut_arg("format", |arg| arg.value_parser(FormatOrFile(&FORMATS))))]
pub(crate) struct AuditClientArgs {
    /// The tool that the client calls
    #[arg(long, value_name = "TOOL", default_value = SUITE_TOOL)]
    calls: String,
    /// What ends with status 1: error, loss (an error, or a warning about something that is lost), warning, note, never
    /// [default: error]
    #[arg(long, value_name = "SEVERITY", value_enum, hide_possible_values = true)]
    fail_on: Option<FailOn>,
    /// The file of known breaks; MCP_COMPAT_BASELINE=update rewrites it
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Time limit of each step
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    timeout: Duration,
    /// The command as one text, as the official conformance suite takes it, in place of the words after `--`
    #[arg(long, value_name = "CMD", conflicts_with = "words")]
    command: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    short: ShortFormats,
    /// The command that starts the client
    #[arg(last = true, value_name = "COMMAND")]
    words: Vec<String>,
}

/// Returns the words of the command that starts the client.
fn words(args: &AuditClientArgs) -> Result<Vec<String>> {
    let Some(line) = &args.command else { return Ok(args.words.clone()) };
    shlex::split(line).with_context(|| format!("--command {line:?} has a quote that is not closed"))
}

pub(crate) fn execute(args: &AuditClientArgs) -> Result<Exit> {
    let words = words(args)?;
    let [program, rest @ ..] = &words[..] else {
        bail!("name the client: audit-client -- COMMAND {{url}}, where {{url}} stands for the server's address");
    };
    let reports = args.output.reports(args.short, args.baseline.as_slice())?;
    if rest.is_empty() && is_manifest(program) {
        if args.baseline.is_some() || args.fail_on.is_some() {
            bail!(
                "{program} has an adapter, so `run` tests it, and --fail-on is not for it: use `mcp-compat run --client \
                 {program}`, which takes --baseline"
            );
        }
        return by_contract(program, &reports);
    }
    let baseline = args.baseline.as_deref().map(BaselineFile::open).transpose()?;
    let command = ClientCommand::words(words.iter().cloned()).calling(&args.calls);
    let limits = Request { step_timeout: Some(args.timeout), programs: own_programs()?, ..Request::default() };
    let mut progress = Progress::of(Unit::Probes);
    let printer = progress.printer();
    let audited = cancellable(
        Threads::PerCore,
        move || printer.say(ENDING),
        async |stop| {
            let audited = client_audit(&command, limits, baseline.as_ref(), &mut progress, stop.clone()).await;
            Ok((audited, stop.is_cancelled()))
        },
    )?;
    let Some((audited, is_interrupted)) = audited else { return Ok(Exit::Interrupted) };
    let AuditedClient { audit, renewal } = audited?;
    if let Some(renewal) = &renewal {
        eprintln!("the baseline: {renewal}");
    }
    reports.write(|format, style| {
        Ok(match format {
            Format::Json => json_text(&audit)?,
            Format::Markdown => report::markdown(&audit),
            // The command has no other.
            Format::Terminal | Format::Junit | Format::Github | Format::Baseline | Format::Html | Format::Site => {
                report::terminal(&audit, style)
            }
        })
    })?;
    Ok(match (audit.complete, is_interrupted) {
        (false, true) => Exit::Interrupted,
        // Time ran out.
        (false, false) => Exit::Breaks,
        (true, _) if args.fail_on.unwrap_or_default().fails_client(&audit) => Exit::Breaks,
        (true, _) => Exit::Success,
    })
}

/// Plays a client that follows the peer contract as `run` does, because it reports its results itself.
fn by_contract(manifest: &str, reports: &Reports) -> Result<Exit> {
    if !reports.are_printed_alone() {
        bail!("{manifest} has an adapter, so `run` tests it: see the reports of `mcp-compat run --client {manifest}`");
    }
    run::execute(RunArgs::of_client(manifest))
}
