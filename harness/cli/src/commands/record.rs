//! `record`: pass messages between any client and any server, and write a scenario file from them.
//!
//! ```text
//! client ── our standard streams, or our HTTP address ──> server
//!                         └─ tap ─> Keeper: the file, written anew soon after each answered call
//! ```
//!
//! Standard output belongs to the client. Messages to the user go to standard error.

use std::io::{stdin, stdout};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use clap::Args as ClapArgs;
use mcp_compat_author::recording::{self, Recorded, Uncalled};
use mcp_compat_drive::{Exit as ServerExit, HttpProxy, Launch, Limits, PeerProcess, Tap, forward};
use mcp_compat_model::Role;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::transcript::{Entry, Event, Transcript};
use mcp_compat_run::redact::secrets_of_headers;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::exit::{Exit, HarnessFailed};
use crate::inputs::scenario_file::ScenarioFile;
use crate::output::{eprintln, println};
use crate::runtime::{Threads, cancellable};
use crate::signals;
use crate::values::name_and_value;

const EXAMPLES: &str = "\
In the configuration of your client, replace the command of the server by the
whole line, or its address by the one that record prints. Headers are never
recorded. Values that look like secrets are masked, but read the file before you
share it.

Examples:
  mcp-compat record -o my-bug.toml -- node server.js
  mcp-compat record -o my-bug.toml --url http://127.0.0.1:3000/mcp";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RecordArgs {
    /// The file to write; its name becomes the id of the scenario
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The address of a server over HTTP, in place of a command; record until Ctrl-C
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    url: Option<String>,
    /// A header for every request; it is not recorded
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    header: Vec<String>,
    /// Also write the tools that were not called, each with a result made up from its schema
    #[arg(long)]
    uncalled: bool,
    /// The command that starts the server over stdio
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Size limits of the recording. Larger messages are passed on, but not recorded.
const LIMITS: Limits = Limits { message_bytes: 16 << 20, cell_bytes: 32 << 20, stderr_bytes: 0 };

/// Time limit for a server to end by itself after its client has closed the connection.
const GRACE: Duration = Duration::from_secs(2);

/// Pause before the file is made again if it did not change, as a multiple of the time that making it took. The session
/// has priority.
const PAUSE: u32 = 10;

/// Number of masked places that are listed.
const PLACES: usize = 10;

pub(crate) fn execute(args: RecordArgs) -> anyhow::Result<Exit> {
    if args.url.is_none() && args.command.is_empty() {
        bail!("name the server to record: -- COMMAND, or --url URL");
    }
    let headers: Vec<_> = args.header.iter().map(|header| name_and_value(header)).collect::<Result<_, _>>()?;
    let file = ScenarioFile::claim(&args.output)?;
    let uncalled = if args.uncalled { Uncalled::Placeholder } else { Uncalled::Omitted };
    let keeper = Keeper::new(file, uncalled, secrets_of_headers(&headers));
    // One thread passes the bytes on, another makes the file.
    let kept = cancellable(Threads::One, || {}, |stop| record(&args, &headers, keeper, stop))?;
    let Some((keeper, server)) = kept else { return Ok(Exit::Interrupted) };
    let exit = keeper.report().unwrap_or_else(Exit::from_error);
    // The client regards this program as its server, so the status is that of the server.
    match server.and_then(|end| Some((end, end.shell_status()?))) {
        None | Some((_, 0)) => Ok(exit),
        Some((end, status)) => {
            eprintln!("mcp-compat: the server ended with {end}");
            Ok(Exit::OfServer(status))
        }
    }
}

async fn record(
    args: &RecordArgs,
    headers: &[(String, String)],
    keeper: Keeper,
    stop: CancellationToken,
) -> anyhow::Result<(Keeper, Option<ServerExit>)> {
    let (tap, news) = Tap::followed(LIMITS);
    match &args.url {
        Some(url) => {
            let proxy = HttpProxy::start().await.context("cannot open a port of 127.0.0.1")?;
            let route = proxy.route_with(url, headers, tap.clone())?;
            println!("{}", route.url());
            eprintln!("mcp-compat: recording what passes through {}; Ctrl-C ends it", route.url());
            let (keeper, ()) = follow(stop.cancelled(), &tap, news, keeper).await?;
            Ok((keeper, None))
        }
        None => {
            let (program, arguments) = args.command.split_first().context("there is no command")?;
            let launch = Launch::new(program).args(arguments).shared_stderr();
            let server = PeerProcess::spawn(&launch, LIMITS.stderr_bytes)?;
            let streams = (stdin().as_fd().try_clone_to_owned(), stdout().as_fd().try_clone_to_owned());
            let streams =
                (streams.0.context("cannot take standard input")?, streams.1.context("cannot take standard output")?);
            let signalled = async {
                stop.cancelled().await;
                signals::last()
            };
            let session = forward(&tap, streams, server, signalled, GRACE);
            let (keeper, exit) = follow(session, &tap, news, keeper).await?;
            Ok((keeper, Some(exit.context(HarnessFailed("forwarding"))?)))
        }
    }
}

/// Keeps the file up to date until the session ends.
async fn follow<End>(
    session: impl Future<Output = End>,
    tap: &Tap,
    mut news: watch::Receiver<usize>,
    mut keeper: Keeper,
) -> anyhow::Result<(Keeper, End)> {
    let mut session = pin!(session);
    let mut over = None;
    let mut due = Instant::now();
    loop {
        if over.is_none() {
            let more = async {
                sleep_until(due).await;
                // The sender is the tap, which outlives this loop.
                let _ = news.changed().await;
            };
            tokio::select! {
                end = &mut session => over = Some(end),
                () = more => {}
            }
        }
        let entries = tap.since(keeper.transcript.entries.len());
        if entries.is_empty()
            && let Some(end) = over
        {
            return Ok((keeper, end));
        }
        let (begun, written) = (Instant::now(), keeper.written);
        let mut taking = pin!(tokio::task::spawn_blocking(move || keeper.take(entries)));
        // Bytes are passed on while the file is made.
        let taken = loop {
            tokio::select! {
                taken = &mut taking => break taken,
                end = &mut session, if over.is_none() => over = Some(end),
            }
        };
        keeper = taken.context(HarnessFailed("making the scenario"))?;
        if keeper.written == written {
            due = Instant::now() + begun.elapsed() * PAUSE;
        }
    }
}

/// Recording so far, and the file made of it.
struct Keeper {
    file: ScenarioFile,
    uncalled: Uncalled,
    transcript: Transcript,
    recorded: Option<Recorded>,
    text: String,
    /// Number of times that the file was written.
    written: u64,
    /// The values of the headers that the user gave.
    secrets: Vec<String>,
    /// First error of writing the file.
    failed: Option<anyhow::Error>,
}

impl Keeper {
    fn new(file: ScenarioFile, uncalled: Uncalled, secrets: Vec<String>) -> Self {
        Self {
            file,
            uncalled,
            transcript: Transcript::default(),
            recorded: None,
            text: String::new(),
            written: 0,
            secrets,
            failed: None,
        }
    }

    /// Adds entries to the recording, and writes the file again if it changes.
    fn take(mut self, entries: Vec<Entry>) -> Self {
        let news = entries.iter().any(may_end_a_call);
        self.transcript.entries.extend(entries);
        let full = self.recorded.as_ref().is_some_and(|recorded| recorded.calls >= recording::CALLS);
        if news && !full {
            let recorded = recording::read(&self.transcript, self.uncalled, &self.secrets);
            if let Some(draft) = &recorded.draft {
                let written = self.file.text(draft);
                if written.text != self.text {
                    // A failure does not end the session of the user.
                    match self.file.write(&written) {
                        Ok(()) => {
                            self.text = written.text;
                            self.written += 1;
                        }
                        Err(error) => self.failed = self.failed.or(Some(error)),
                    }
                }
            }
            self.recorded = Some(recorded);
        }
        self
    }

    /// Prints what was recorded, and the commands to run next.
    fn report(mut self) -> anyhow::Result<Exit> {
        if let Some(failed) = self.failed.take() {
            let failed = failed.context(HarnessFailed("writing what was recorded"));
            return Err(failed.context("the session went on, but the recording is incomplete"));
        }
        let nothing = || anyhow!("no message passed between client and server: so there is nothing to record");
        let recorded = self.recorded.as_ref().ok_or_else(nothing)?;
        if recorded.draft.is_none() {
            return Err(without_calls(recorded));
        }
        let made_of = match recorded.calls - recorded.omitted {
            0 => "tools that were not called".to_owned(),
            1 => "1 call".to_owned(),
            calls => format!("{calls} calls"),
        };
        eprintln!("mcp-compat: {} was made of {made_of}", self.file.path().display());
        if !recorded.masked.is_empty() {
            eprintln!("masked, as secrets:");
            recorded.masked.iter().take(PLACES).for_each(|masked| eprintln!("  {}", neutralised(&masked.place)));
            if recorded.masked.len() > PLACES {
                eprintln!("  and {} more", recorded.masked.len() - PLACES);
            }
        }
        let mut left_out = recorded.left_out.clone();
        if recorded.calls >= recording::CALLS {
            // The file was not rewritten after its last call.
            left_out = recording::read(&self.transcript, self.uncalled, &self.secrets).left_out;
        }
        let is_overflow = |entry: &&Entry| matches!(entry.event, Event::Overflow { .. });
        if let Some(Entry { event: Event::Overflow { limit, .. }, .. }) =
            self.transcript.entries.iter().find(is_overflow)
        {
            left_out
                .push(format!("what was sent after the first {} MB; it was passed on, but not recorded", limit >> 20));
        }
        if !left_out.is_empty() {
            eprintln!("not in it:");
            left_out.iter().for_each(|line| eprintln!("  {}", neutralised(line)));
        }
        eprintln!("write into it why it matters and where it was reported, then run\n{}", self.file.next_steps()?);
        Ok(Exit::Success)
    }
}

/// Returns whether an entry may complete a call.
fn may_end_a_call(entry: &Entry) -> bool {
    match &entry.event {
        Event::Message { .. } | Event::Overflow { .. } => entry.from == Role::Server,
        Event::Closed {} | Event::Exited { .. } | Event::Head { .. } => true,
        Event::Fetched { .. } | Event::Stopped { .. } => false,
    }
}

fn without_calls(recorded: &Recorded) -> anyhow::Error {
    let listed = match &recorded.listed[..] {
        [] => String::new(),
        [only] => format!("; it listed `{only}`"),
        [first, rest @ ..] => format!("; it listed `{first}` and {} more", rest.len()),
    };
    let left_out: String = recorded.left_out.iter().map(|line| format!("; {line}")).collect();
    let (listed, left_out) = (neutralised(&listed), neutralised(&left_out));
    anyhow!(
        "the recording saw no call of a tool that was answered{listed}{left_out}: nothing was written. \
         Where a client fails before it calls, `--uncalled` takes the tools that it listed"
    )
}
