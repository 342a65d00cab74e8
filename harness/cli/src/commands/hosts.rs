//! `hosts`: what the model of each host reads of what servers send.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use mcp_compat_model::Transport;
use mcp_compat_reports::hosts::{KINDS, Offers, render};
use mcp_compat_run::events::Event;
use mcp_compat_run::plan::Coverage;
use mcp_compat_run::request::Request;
use mcp_compat_run::store::Store;
use tokio_util::sync::CancellationToken;

use crate::exit::{ENDING, Exit, HarnessFailed};
use crate::inputs::corpus::{Corpus, Embedded};
use crate::inputs::installed_hosts::installed_hosts;
use crate::inputs::measured_hosts::measured_hosts;
use crate::inputs::peer_selection::{BuiltInPeers, Install, PeerSelection, Wanted};
use crate::inputs::quantities::duration;
use crate::install_progress::InstallProgress;
use crate::progress::Progress;
use crate::report_output::{Format, FormatOrFile, OutputArgs, ShortFormats};
use crate::runtime::{Threads, cancellable, own_programs};
use crate::values::{DEFAULT_OUT, records};

const HOW: &str = "\
Hosts such as Codex and Gemini CLI hand the results of tools to a model. Each is
started with a scripted model on this machine, so that what it sends to the
model can be read. No key, no account and no network is used: where the system
permits it, a host gets a network of its own with nothing in it.

Examples:
  mcp-compat peers install continue@1.5.47
  mcp-compat hosts
  mcp-compat hosts codex gemini-cli

Exit status: 0 the table is complete, 1 no such host is installed, 2 the input
is wrong, 130 interrupted.";

/// Formats of `hosts`.
const FORMATS: [Format; 2] = [Format::Terminal, Format::Json];

/// The server that hosts are started with: it speaks every revision.
const SERVER: &str = "mock/dual";

/// Number of hosts that run at the same time. They are large, and have deadlines of their own.
const AT_ONCE: usize = 2;

#[derive(Debug, Args)]
#[command(after_help = HOW, mut_arg("format", |arg| arg.value_parser(FormatOrFile(&FORMATS))))]
pub(crate) struct HostsArgs {
    /// Hosts, by their names or releases [default: those that are installed]
    #[arg(value_name = "HOST")]
    hosts: Vec<String>,
    /// The folder of the SDK releases [default: `peers`, here or above]
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// Time limit of each step, of which the start of a host is one
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    timeout: Duration,
    /// Folder of the record [default: .mcp-compat, target/mcp-compat]
    #[arg(
        long, value_name = "DIR", default_value = DEFAULT_OUT, hide_default_value = true, value_parser = records()
    )]
    record: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    short: ShortFormats,
}

pub(crate) fn execute(args: &HostsArgs) -> Result<Exit> {
    let progress = Progress::default();
    let printer = progress.printer();
    let announce = move || printer.say(ENDING);
    let exit = cancellable(Threads::PerCore, announce, |stop| run(args, progress, stop))?;
    Ok(exit.unwrap_or(Exit::Interrupted))
}

async fn run(args: &HostsArgs, mut progress: Progress, stop: CancellationToken) -> Result<Exit> {
    let reports = args.output.reports(args.short, &[])?;
    let measured = if args.hosts.is_empty() { measured_hosts(args.peers.as_deref())? } else { Vec::new() };
    let hosts = installed_hosts(args.peers.as_deref(), &args.hosts)?;
    if hosts.is_empty() {
        return Ok(Exit::Breaks);
    }
    let client: Vec<String> = hosts.iter().map(|host| host.id().to_string()).collect();
    let server = [SERVER.to_owned()];
    let wanted = Wanted {
        client: &client,
        command: None,
        server: &server,
        peers: args.peers.as_deref(),
        no_peers: false,
        fleet: false,
        has_baseline: false,
        built_in: BuiltInPeers::Mocks,
        install: Install::OnlyNamed,
    };
    let peers = PeerSelection::resolve(&wanted, &stop, &InstallProgress::default()).await?;
    let scenarios: Vec<String> = KINDS.iter().map(|kind| kind.scenario.to_owned()).collect();
    let corpus = Corpus::gather(&[], Embedded::Played, &[])?;
    let request = Request {
        scenarios,
        clients: peers.clients.clone(),
        servers: peers.servers.clone(),
        transports: vec![Transport::Stdio],
        coverage: Coverage::Full,
        step_timeout: Some(args.timeout),
        started: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        programs: own_programs()?,
        logs: Some(Store::logs(&args.record)),
        jobs: Some(AT_ONCE),
        ..Request::default()
    };
    let run = request.prepare(&peers.peers, &corpus.scenarios, None)?;
    let mut store = Store::open(&args.record).context("nothing was run")?;
    let mut offers = Offers::default();
    let mut watch = |event: Event<'_>| {
        if let Event::Recorded { cell, evidence } = event {
            offers.add(&cell.id, &evidence.observation.steps);
        }
    };
    let record = mcp_compat_run::run::run(run, &mut [&mut store, &mut progress, &mut watch], stop.clone()).await?;
    store.close(&record).context(HarnessFailed("keeping the run"))?;
    reports
        .write(|format, style| {
            if format == Format::Json {
                return Ok(serde_json::to_string_pretty(&record)? + "\n");
            }
            Ok(render(&record, &offers, &measured, style))
        })
        .context(HarnessFailed("writing the table"))?;
    Ok(if stop.is_cancelled() && !record.complete { Exit::Interrupted } else { Exit::Success })
}
