//! A client and the varied servers that it is played with, over HTTP or over standard streams.

use std::convert::Infallible;
use std::io;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use mcp_compat_drive::{CommandEnd, Launch, Limits, RelayHub, RelayTicket, Tap, run_client};
use mcp_compat_mocks::server::varied::{Behaviour, Exchange, VariedLines, VariedServer};
use mcp_compat_model::{Revision, Transport};
use mcp_compat_run::black_box::{ClientCommand, SERVER, ServerPlace, URL};
use mcp_compat_run::request::{Request, default_jobs};
use tokio_util::sync::CancellationToken;

use super::played::{self, Played};
use super::row::Row;
use super::rows_of_results;
use super::verdict;
use super::{STEP, STEPS};

/// A client and where its servers are.
pub(super) struct Stage<'a> {
    pub(super) command: &'a ClientCommand,
    servers: Servers,
    pub(super) time_limit: Duration,
    /// Time limit of a client whose call is given up.
    pub(super) give_up: Duration,
    pub(super) jobs: usize,
    pub(super) base: fn(&mut Behaviour),
    stop: CancellationToken,
}

/// Way of a client to its servers.
enum Servers {
    Http(VariedServer),
    /// The client starts a relay with this command.
    Stdio {
        hub: RelayHub,
        relay: Vec<String>,
    },
}

impl<'a> Stage<'a> {
    pub(super) async fn of(
        command: &'a ClientCommand,
        limits: &Request,
        stop: CancellationToken,
    ) -> io::Result<Stage<'a>> {
        let servers = match command.transport() {
            Transport::Http | Transport::Memory => Servers::Http(VariedServer::bind().await?),
            Transport::Stdio => Servers::Stdio {
                hub: RelayHub::start().await.map_err(io::Error::other)?,
                relay: limits.programs.relay().await.map_err(io::Error::other)?,
            },
        };
        Ok(Stage {
            command,
            servers,
            time_limit: limits.step_timeout.unwrap_or(STEP) * STEPS,
            give_up: verdict::GIVE_UP,
            jobs: limits.jobs.unwrap_or_else(default_jobs),
            base: |_| {},
            stop,
        })
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Starts the client with a server of its own. `None` if it could not be started, or the audit is to stop.
    pub(super) async fn client(&self, rows: &[&'static Row], limit: Duration) -> Option<Played> {
        if self.stop.is_cancelled() {
            return None;
        }
        let mut behaviour = Behaviour::plain(self.command.calls());
        rows_of_results::plain(&mut behaviour);
        (self.base)(&mut behaviour);
        rows.iter().for_each(|row| (row.change)(&mut behaviour));
        let (texts, tools) = (played::texts(&behaviour), played::tools(&behaviour));
        let is_in_events = matches!(self.servers, Servers::Http(_)) && behaviour.answers_in_events();
        let began = Instant::now();
        let (end, exchanges) = match &self.servers {
            Servers::Http(server) => self.over_http(server, behaviour, limit).await?,
            Servers::Stdio { hub, relay } => self.over_stdio(hub, relay, behaviour, limit).await?,
        };
        Some(Played { exchanges, end, is_in_events, texts, tools, began, took: began.elapsed() })
    }

    async fn over_http(
        &self,
        server: &VariedServer,
        behaviour: Behaviour,
        limit: Duration,
    ) -> Option<(CommandEnd, Vec<Exchange>)> {
        let url = server.host(behaviour);
        let end = self.run(&self.launch(ServerPlace::Url(&url)), limit).await?;
        Some((without(end, &url, URL), server.exchanges(&url)))
    }

    async fn over_stdio(
        &self,
        hub: &RelayHub,
        relay: &[String],
        behaviour: Behaviour,
        limit: Duration,
    ) -> Option<(CommandEnd, Vec<Exchange>)> {
        let mut ticket = hub.expect().ok()?;
        let lines = (behaviour.log_lines > 0).then(|| behaviour.log_lines.to_string());
        let words: Vec<String> = relay.iter().cloned().chain(ticket.arguments()).chain(lines).collect();
        let [_, token] = ticket.arguments();
        let server = VariedLines::new(behaviour);
        let launch = self.launch(ServerPlace::Command(&words));
        let end = tokio::select! {
            end = self.run(&launch, limit) => end?,
            never = serve(&server, &mut ticket) => match never {},
        };
        Some((without(end, &token, SERVER), server.exchanges()))
    }

    fn launch(&self, place: ServerPlace<'_>) -> Launch {
        self.command.launch(place, Some(Revision::NEWEST_LEGACY))
    }

    async fn run(&self, launch: &Launch, limit: Duration) -> Option<CommandEnd> {
        let tap = Tap::new(Limits::default());
        tokio::select! {
            end = run_client(launch, &tap, limit) => end.ok(),
            () = self.stop.cancelled() => None,
        }
    }
}

/// Serves every session that a client opens.
async fn serve(server: &VariedLines, ticket: &mut RelayTicket) -> Infallible {
    let mut sessions = FuturesUnordered::new();
    loop {
        tokio::select! {
            (read, write) = ticket.accept() => sessions.push(server.serve(read, write)),
            // A session that fails ends as one that the client closes.
            Some(_) = sessions.next(), if !sessions.is_empty() => {}
        }
    }
}

/// The end of a client, in whose words a placeholder stands for what is other in each run.
fn without(end: CommandEnd, varies: &str, placeholder: &str) -> CommandEnd {
    let plain = |text: &str| text.replace(varies, placeholder);
    CommandEnd { words: plain(&end.words), output: plain(&end.output), ..end }
}
