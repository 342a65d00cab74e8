//! `run`: play scenarios between clients and servers, and show which pairings break.

use std::fs;
use std::path::{Path, PathBuf};

use anstream::{eprintln, print};
use anyhow::{Context as _, anyhow};
use mcp_compat::install::{InstallError, Installation, Progress as SetupStep};
use mcp_compat::manifest::ManifestError;
use mcp_compat::store::Store;
use mcp_compat::{Baseline, Fleet, HostError, Observer, Peer, Programs, Request, fleet};
use mcp_compat_model::record::Record;
use mcp_compat_reports::{junit, markdown, terminal as terminal_report};
use tokio::sync::watch;

use crate::args::{RunArgs, transports};
use crate::exit::Exit;
use crate::progress::{Progress, SetupProgress};
use crate::{corpus, terminal};

pub(crate) fn execute(args: RunArgs) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| HostError::Socket { what: "the runtime", error })?;
    runtime.block_on(run(args))
}

async fn run(args: RunArgs) -> anyhow::Result<Exit> {
    let started = jiff::Timestamp::now();
    // Everything that the user may have got wrong is looked at before anything is built or played.
    let corpus = corpus::load(&args.scenarios)?;
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let (mut fleet, missing) = fleet(&args).await?;
    let (clients, servers) = (named(&args.client, &mut fleet).await?, named(&args.server, &mut fleet).await?);
    let request = Request {
        scenarios: args.scenario.clone(),
        clients,
        servers,
        transports: transports(&args.transport),
        coverage: args.coverage.into(),
        shard: args.shard,
        jobs: args.jobs.map(usize::from),
        step_timeout: Some(args.timeout),
        run_timeout: Some(args.run_timeout),
        started: started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        programs: Programs::CommandLine(std::env::current_exe().context("finding the program of this process")?),
    };
    let run = request.prepare(&fleet, &corpus, baseline.as_ref())?;
    let mut store = Store::open(&args.out)?;
    let mut progress = Progress::new();
    let (stop, stopped) = watch::channel(false);
    let interrupt = tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            let _ = stop.send(true);
        }
        stop.closed().await;
    });
    let observers: &mut [&mut dyn Observer] = &mut [&mut store, &mut progress];
    let mut record = mcp_compat::run(run, observers, stopped.clone()).await?;
    let interrupted = *stopped.borrow();
    interrupt.abort();
    if let Some(baseline) = &baseline {
        baseline.settle(&mut record);
    }
    store.close(&record)?;
    report(&args, &record)?;
    for reason in &missing {
        eprintln!("not played: {reason}");
    }
    let broken = !record.stale.is_empty() || record.cells.iter().any(|cell| cell.is_new_break());
    Ok(match (interrupted, broken || !record.complete || !missing.is_empty()) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Breaks,
        (false, false) => Exit::Success,
    })
}

/// The mocks, and the real peers as far as they could be set up; why the others could not.
async fn fleet(args: &RunArgs) -> anyhow::Result<(Fleet, Vec<InstallError>)> {
    let mut fleet = Fleet::mocks();
    let mut missing = Vec::new();
    if args.no_peers {
        return Ok((fleet, missing));
    }
    let here = std::env::current_dir().context("finding the current folder")?;
    let Some(folder) = args.peers.clone().or_else(|| fleet::find_peers_folder(&here)) else {
        eprintln!("no folder `peers` here or above: playing the mocks alone (--peers names one)");
        return Ok((fleet, missing));
    };
    for installation in installations(&folder)? {
        match install(&installation).await {
            Ok(()) => fleet.extend(Peer::from_installation(&installation)),
            Err(error) => missing.push(error),
        }
    }
    Ok((fleet, missing))
}

/// The real peers below a folder, as `list` shows them too.
pub(crate) fn installations(folder: &Path) -> Result<Vec<Installation>, ManifestError> {
    let found = fleet::installations(folder, &mcp_compat::install::kept_folder())?;
    Ok(found)
}

async fn install(installation: &Installation) -> Result<(), InstallError> {
    let id = installation.manifest.id.clone();
    let mut progress = SetupProgress::new();
    let outcome = installation
        .install(|step| match step {
            SetupStep::Started => progress.started(id.as_str()),
            SetupStep::Line(line) => progress.line(&line),
            SetupStep::Done => {}
        })
        .await;
    progress.ended();
    outcome
}

/// Puts the peers of manifests among the selected into the fleet, and names them in their place.
async fn named(selected: &[String], fleet: &mut Fleet) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for name in selected {
        if !name.ends_with(".toml") {
            names.push(name.clone());
            continue;
        }
        let path = PathBuf::from(name);
        let installation = Installation::of_manifest(&path, &mcp_compat::install::kept_folder())?;
        install(&installation).await?;
        let id = installation.manifest.id.to_string();
        let already = |peer: &Peer| peer.id().without_mode() == id;
        if !fleet.clients.iter().any(already) && !fleet.servers.iter().any(already) {
            fleet.extend(Peer::from_installation(&installation));
        }
        names.push(format!("{id}*"));
    }
    Ok(names)
}

fn read_baseline(path: &Path) -> anyhow::Result<Baseline> {
    let text = fs::read_to_string(path).with_context(|| format!("reading the baseline {}", path.display()))?;
    Ok(Baseline::parse(&path.display().to_string(), &text)?)
}

fn report(args: &RunArgs, record: &Record) -> anyhow::Result<()> {
    print!("{}", terminal_report::render(record, terminal::style()));
    if let Some(path) = &args.junit {
        write(path, &junit::render(record).map_err(|error| anyhow!("writing JUnit: {error}"))?)?;
    }
    if let Some(path) = &args.markdown {
        write(path, &markdown::render(record))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("writing the report {}", path.display()))
}

