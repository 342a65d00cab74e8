//! `hosts`: what the model of each host reads of what servers send.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use mcp_compat_fleet::{Installation, PeersFolder};
use mcp_compat_host::Isolation;
use mcp_compat_model::Transport;
use mcp_compat_reports::hosts::{KINDS, render};
use mcp_compat_run::plan::Coverage;
use mcp_compat_run::request::Request;
use mcp_compat_run::store::Store;
use tokio_util::sync::CancellationToken;

use crate::exit::{ENDING, Exit, HarnessFailed};
use crate::inputs::corpus::{Corpus, Embedded};
use crate::inputs::peer_selection::{BuiltInPeers, Install, PeerSelection, Wanted};
use crate::inputs::peers_folder;
use crate::inputs::quantities::duration;
use crate::install_progress::InstallProgress;
use crate::output::eprintln;
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
    let folder = peers_folder::need(args.peers.as_deref())?;
    let client = installed(&folder, &args.hosts)?;
    if client.is_empty() {
        let known: Vec<&str> = folder.hosts().iter().map(|host| host.installation.id().as_str()).collect();
        eprintln!(
            "No such host is installed. `mcp-compat peers install HOST` installs one of these, and `mcp-compat peers install \
             --hosts` all of them: {}",
            known.join(", ")
        );
        return Ok(Exit::Breaks);
    }
    if Isolation::permitted() == Isolation::Proxies {
        eprintln!(
            "The hosts are not isolated: this system permits no network of their own. They may reach the network, and what \
             they then do is not comparable."
        );
    }
    let server = [SERVER.to_owned()];
    let wanted = Wanted {
        client: &client,
        command: None,
        server: &server,
        peers: args.peers.as_deref(),
        no_peers: false,
        fleet: false,
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
        ..Request::default()
    };
    let run = request.prepare(&peers.peers, &corpus.scenarios, None)?;
    let mut store = Store::open(&args.record).context("nothing was run")?;
    let record = mcp_compat_run::run::run(run, &mut [&mut store, &mut progress], stop.clone()).await?;
    store.close(&record).context(HarnessFailed("keeping the run"))?;
    reports
        .write(|format, style| {
            if format == Format::Json {
                return Ok(serde_json::to_string_pretty(&record)? + "\n");
            }
            Ok(render(&record, style))
        })
        .context(HarnessFailed("writing the table"))?;
    Ok(if stop.is_cancelled() && !record.complete { Exit::Interrupted } else { Exit::Success })
}

/// The ids of the hosts that are installed and wanted.
fn installed(folder: &PeersFolder, wanted: &[String]) -> Result<Vec<String>> {
    let beyond = folder.beyond();
    let listed = folder.hosts().iter().map(|member| &member.installation);
    let fleet = folder.fleet().iter().map(|member| &member.installation);
    let hosts: Vec<&Installation> =
        listed.clone().chain(fleet).chain(&beyond).filter(|it| it.manifest().host.is_some()).collect();
    let is_wanted = |host: &&&Installation| {
        let id = host.id().as_str();
        wanted.is_empty() || wanted.iter().any(|name| id == name || host.manifest().name() == name)
    };
    let mut ids: Vec<String> = hosts
        .iter()
        .filter(is_wanted)
        .filter(|host| host.is_ready().unwrap_or_default())
        .map(|host| host.id().to_string())
        .collect();
    ids.sort();
    ids.dedup();
    Ok(ids)
}
