//! `run`: play scenarios between clients and servers, and show which pairings break.
//!
//! Everything that the user may have got wrong is looked at before anything is played: scenarios, baseline, manifests,
//! selections, and whether the record and the reports can be written.

use anstream::{eprintln, print};
use anyhow::{Context as _, Result, bail};
use mcp_compat::baseline_file::{VARIABLE, is_renewal_wanted};
use mcp_compat::fleet::InstallError;
use mcp_compat::plan::Coverage;
use mcp_compat::request::whole_matrix;
use mcp_compat::schema_suite::SchemaSuite;
use mcp_compat::store::Store;
use mcp_compat::{ClientCommand, HostError, Peer, Programs, Request, Stop};
use mcp_compat_model::PeerId;
use mcp_compat_model::record::Record;
use mcp_compat_reports::terminal as terminal_report;
use tokio::sync::watch;

use crate::args::{RunArgs, transports};
use crate::cast::{Cast, SetUp, Wanted};
use crate::commands::watch::Watch;
use crate::corpus::{Corpus, Embedded};
use crate::exit::{Exit, HarnessFailed};
use crate::interrupt::{Interrupts, LAST_MOMENTS};
use crate::known_breaks::{KnownBreaks, Unchecked};
use crate::outputs::Outputs;
use crate::progress::Progress;
use crate::setting_up::reasons;
use crate::{schema_suite, terminal};

pub(crate) fn execute(args: RunArgs) -> Result<Exit> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| HostError::System { what: "threads", error })?;
    let exit = runtime.block_on(async {
        let (stop, stopped) = watch::channel(false);
        let progress = Progress::new();
        let (voice, stays) = (progress.voice(), args.watch);
        let say = move |line: &str| voice.say(if stays { "ending the watch" } else { line });
        let interrupted = Interrupts::listen()?.twice(stop, say);
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
    let args = if args.schema_suite.is_some() { schema_suite::with_defaults(args) } else { args };
    if args.watch && args.scenarios.is_empty() {
        bail!("--watch has nothing to watch: give the folder or the file with your scenarios as --scenarios DIR");
    }
    match (is_renewal_wanted()?, &args.baseline) {
        (true, None) => bail!("{VARIABLE} is set, and there is no --baseline FILE that could be made anew"),
        (true, Some(_)) if args.watch => {
            bail!("a watch holds each round against the baseline and does not make it anew: take {VARIABLE} away");
        }
        (true, Some(_)) | (false, _) => {}
    }
    let Some(ready) = Ready::make(&args, stop.clone()).await? else { return Ok(Exit::Interrupted) };
    if !ready.cast.complete {
        tell_missing(&ready.cast.missing);
        eprintln!("nobody is left to play of those that were asked for");
        return Ok(Exit::Breaks);
    }
    if args.watch {
        return Watch::new(args, ready)?.go_on(stop).await;
    }
    let Ready { suite, corpus, baseline, outputs, cast } = ready;
    let run = request(&args, &cast)?.prepare(&cast.fleet, &corpus.scenarios, None);
    let run = if suite.is_some() { run.map_err(schema_suite::of_tests)? } else { run? };
    let planned = run.plan.cells.len();
    let mut store = Store::open(&args.out).context("nothing was run")?;
    let mut record = mcp_compat::run(run, &mut [&mut store, &mut progress], stop.clone()).await?;
    corpus.mark(&mut record);
    let settled = baseline.map(|known| known.settle(&mut record)).transpose();
    if let Some(suite) = &suite {
        suite.note(&mut record);
    }
    // What was measured is shown even where it cannot be kept.
    let kept = store.close(&record).context(HarnessFailed("keeping the run"));
    let written = outputs.write(&record).context(HarnessFailed("writing a report"));
    print!("{}", terminal_report::render(&record, terminal::style()));
    tell_missing(&cast.missing);
    let interrupted = *stop.borrow() && !record.complete;
    if !interrupted {
        tell_time_ran_out(&record, planned);
    }
    kept.and(written)?;
    if let Some(renewal) = settled.context(HarnessFailed("keeping the baseline"))?.flatten() {
        eprintln!("the baseline: {renewal}");
    }
    Ok(match (interrupted, is_bad_news(&record) || !cast.missing.is_empty()) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Breaks,
        (false, false) => Exit::Success,
    })
}

/// Everything that a run is made from, looked at and found usable.
pub(super) struct Ready {
    /// What the scenarios are tests of, if they are.
    suite: Option<SchemaSuite>,
    pub(super) corpus: Corpus,
    pub(super) baseline: Option<KnownBreaks>,
    pub(super) outputs: Outputs,
    pub(super) cast: Cast,
}

impl Ready {
    /// Nothing, if `stop` said so before all peers were set up.
    async fn make(args: &RunArgs, stop: Stop) -> Result<Option<Self>> {
        let suite = args.schema_suite.as_deref().map(schema_suite::read).transpose()?;
        let corpus = match &suite {
            Some(suite) => Corpus::of(suite.scenarios().to_vec()),
            None => gather(args)?,
        };
        let baseline = args.baseline.as_deref().map(|path| Unchecked::open(path, &corpus.scenarios)).transpose()?;
        let outputs = Outputs::open(args)?;
        let command = client_command(args)?;
        let cast = Cast::gather(&wanted(args, command.as_ref()), stop.clone()).await?;
        if *stop.borrow() {
            eprintln!("interrupted while peers were set up: nothing was played");
            return Ok(None);
        }
        let matrix = || {
            let known = if suite.is_some() { schema_suite::counterparts(&cast) } else { cast.known.clone() };
            whole_matrix(&known, &corpus.scenarios)
        };
        let baseline = baseline.map(|baseline| baseline.checked(matrix)).transpose()?;
        Ok(Some(Self { suite, corpus, baseline, outputs, cast }))
    }
}

/// The scenarios that the arguments name.
pub(super) fn gather(args: &RunArgs) -> Result<Corpus> {
    Corpus::gather(&args.scenarios, if args.no_corpus { Embedded::LeftOut } else { Embedded::Played })
}

/// The peers that the arguments name.
pub(super) fn wanted<'a>(args: &'a RunArgs, command: Option<&'a Peer>) -> Wanted<'a> {
    Wanted {
        client: &args.client,
        command,
        server: &args.server,
        peers: args.peers.as_deref(),
        no_peers: args.no_peers,
        set_up: SetUp::WhoeverPlays,
    }
}

/// The client that is only a command, if there is one.
pub(super) fn client_command(args: &RunArgs) -> Result<Option<Peer>> {
    let Some(line) = args.client_command.as_deref() else { return Ok(None) };
    if line.trim().is_empty() {
        bail!("--client-command is empty: give the command that starts the client");
    }
    let id = PeerId::new(&args.client_name).context("the name of a client, as --client-name gives it")?;
    if id.is_ours() {
        bail!("--client-name {id} is the name of a mock: choose another");
    }
    Ok(Some(Peer::unadapted_client(id, ClientCommand::shell(line).calling(&args.calls))))
}

/// What the arguments ask for.
pub(super) fn request(args: &RunArgs, cast: &Cast) -> Result<Request> {
    Ok(Request {
        scenarios: args.scenario.clone(),
        clients: cast.clients.clone(),
        servers: cast.servers.clone(),
        transports: transports(&args.transport),
        coverage: if args.schema_suite.is_some() { Coverage::Once } else { args.coverage.into() },
        shard: args.shard,
        jobs: args.jobs.map(usize::from),
        step_timeout: Some(args.timeout),
        run_timeout: Some(args.run_timeout),
        started: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        programs: Programs::CommandLine(std::env::current_exe().context("finding the program of this process")?),
        logs: Some(Store::logs(&args.out)),
    })
}

/// Says how far a run came that was not ended by the user.
pub(super) fn tell_time_ran_out(record: &Record, planned: usize) {
    if !record.complete {
        let played = record.cells.len();
        eprintln!("time ran out: {played} of {planned} cells were played; --run-timeout gives more");
    }
}

fn is_bad_news(record: &Record) -> bool {
    !record.complete || !record.stale.is_empty() || record.cells.iter().any(|cell| cell.is_new_break())
}

pub(super) fn tell_missing(missing: &[InstallError]) {
    for reason in reasons(&missing.iter().collect::<Vec<_>>()) {
        eprintln!("not played: {reason}");
    }
}
