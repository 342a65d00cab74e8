//! `run`: play scenarios between clients and servers, and show which pairings break.
//!
//! Everything that the user may have got wrong is looked at before anything is played: scenarios, baseline, manifests,
//! selections, and whether the record and the reports can be written.

use std::fs;
use std::path::Path;

use anstream::{eprintln, print};
use anyhow::{Context as _, Result};
use mcp_compat::install::InstallError;
use mcp_compat::plan::Coverage;
use mcp_compat::request::whole_matrix;
use mcp_compat::store::Store;
use mcp_compat::{Baseline, HostError, Programs, Request, RequestError, Stop};
use mcp_compat_model::record::Record;
use mcp_compat_reports::terminal as terminal_report;
use tokio::sync::watch;

use crate::args::{RunArgs, transports};
use crate::cast::{Cast, SetUp, Wanted};
use crate::exit::{Exit, HarnessFailed};
use crate::interrupt::{Interrupts, LAST_MOMENTS};
use crate::outputs::Outputs;
use crate::progress::Progress;
use crate::{corpus, schema_suite, terminal};

pub(crate) fn execute(args: RunArgs) -> Result<Exit> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| HostError::System { what: "threads", error })?;
    let exit = runtime.block_on(async {
        let (stop, stopped) = watch::channel(false);
        let progress = Progress::new();
        let voice = progress.voice();
        let interrupted = Interrupts::listen()?.twice(stop, move |line| voice.say(line));
        tokio::select! {
            exit = run(args, progress, stopped) => exit,
            () = interrupted => Ok(Exit::Interrupted),
        }
    });
    // Whatever still runs is dropped here, and a peer's process group ends when its process is dropped.
    runtime.shutdown_timeout(LAST_MOMENTS);
    exit
}

async fn run(args: RunArgs, mut progress: Progress, stop: Stop) -> Result<Exit> {
    let started = jiff::Timestamp::now();
    let suite = args.schema_suite.as_deref().map(schema_suite::read).transpose()?;
    let args = if suite.is_some() { schema_suite::with_defaults(args) } else { args };
    let corpus = match &suite {
        Some(suite) => suite.scenarios().to_vec(),
        None => corpus::load(&args.scenarios)?,
    };
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let outputs = Outputs::open(&args)?;
    let wanted = Wanted {
        client: &args.client,
        server: &args.server,
        peers: args.peers.as_deref(),
        no_peers: args.no_peers,
        set_up: SetUp::WhoeverPlays,
    };
    let cast = Cast::gather(&wanted, stop.clone()).await?;
    if *stop.borrow() {
        eprintln!("interrupted while peers were set up: nothing was played");
        return Ok(Exit::Interrupted);
    }
    if let Some(baseline) = &baseline {
        let known = if suite.is_some() { schema_suite::counterparts(&cast) } else { cast.known.clone() };
        baseline.check(&whole_matrix(&known, &corpus)).map_err(RequestError::from)?;
    }
    if !cast.complete {
        tell_missing(&cast.missing);
        eprintln!("nobody is left to play of those that were asked for");
        return Ok(Exit::Breaks);
    }
    let request = Request {
        scenarios: args.scenario.clone(),
        clients: cast.clients,
        servers: cast.servers,
        transports: transports(&args.transport),
        coverage: if suite.is_some() { Coverage::Once } else { args.coverage.into() },
        shard: args.shard,
        jobs: args.jobs.map(usize::from),
        step_timeout: Some(args.timeout),
        run_timeout: Some(args.run_timeout),
        started: started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        programs: Programs::CommandLine(std::env::current_exe().context("finding the program of this process")?),
        logs: Some(Store::logs(&args.out)),
    };
    let run = request.prepare(&cast.fleet, &corpus, None);
    let run = if suite.is_some() { run.map_err(schema_suite::of_tests)? } else { run? };
    let planned = run.plan.cells.len();
    let mut store = Store::open(&args.out).context("nothing was run")?;
    let mut record = mcp_compat::run(run, &mut [&mut store, &mut progress], stop.clone()).await?;
    if let Some(baseline) = &baseline {
        baseline.settle(&mut record);
    }
    if let Some(suite) = &suite {
        suite.note(&mut record);
    }
    // What was measured is shown even where it cannot be kept.
    let kept = store.close(&record).context(HarnessFailed("keeping the run"));
    let written = outputs.write(&record).context(HarnessFailed("writing a report"));
    print!("{}", terminal_report::render(&record, terminal::style()));
    tell_missing(&cast.missing);
    let interrupted = *stop.borrow() && !record.complete;
    if !record.complete && !interrupted {
        let played = record.cells.len();
        eprintln!("time ran out: {played} of {planned} cells were played; --run-timeout gives more");
    }
    kept.and(written)?;
    Ok(match (interrupted, is_bad_news(&record) || !cast.missing.is_empty()) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Breaks,
        (false, false) => Exit::Success,
    })
}

fn is_bad_news(record: &Record) -> bool {
    !record.complete || !record.stale.is_empty() || record.cells.iter().any(|cell| cell.is_new_break())
}

fn tell_missing(missing: &[InstallError]) {
    for reason in missing {
        eprintln!("not played: {reason}");
    }
}

fn read_baseline(path: &Path) -> Result<Baseline> {
    let text = fs::read_to_string(path).with_context(|| format!("reading the baseline {}", path.display()))?;
    Ok(Baseline::parse(&path.display().to_string(), &text)?)
}
