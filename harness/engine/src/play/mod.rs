//! Playing one cell: start the server, start the client, tap the wire, note what was seen.

mod in_memory;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use mcp_compat_drive::{
    CommandEnd, HostFailure, Limits, StdioServer, StdioServerError, Tap, plain_link, run_client, tapped_link,
};
use mcp_compat_mocks::client::{ClientSpec, play_http, play_stream};
use mcp_compat_mocks::server::{Playbook, ServerSpec, serve_playbook};
use mcp_compat_model::contract::{Deadlines, Job, JobStep, Script, ServerAddress};
use mcp_compat_model::observation::{End, Observation};
use mcp_compat_model::transcript::{Event, StopStage, Transcript};
use mcp_compat_model::{Role, Transport};
use mcp_compat_scenario::Scenario;
use tokio::time::{Instant, sleep, timeout};

use crate::adapters::Started;
use crate::canary;
use crate::command::{self, ClientCommand, Deeds};
use crate::company::Manner;
use crate::hosts::{GRACE, Hosts};
use crate::in_process::{ClientProgram, ServerAt};
use crate::observe::{adapter_failed, answered, hosting_failed, with_last_words};
use crate::peer::{Peer, Start};
use crate::run::Patience;

/// One cell about to be played.
struct Play<'a> {
    hosts: &'a Hosts,
    scenario: &'a Scenario,
    client: &'a Peer,
    server: &'a Peer,
    script: Arc<Script>,
    /// Whether the script is this cell's alone.
    unique: bool,
    steps: Vec<JobStep>,
    patience: Patience,
    tap: Tap,
    /// The adapters that it needs.
    started: Started,
    /// Whether an adapter's process was lost that others may have brought down.
    lost: AtomicBool,
    /// How the client ended, where it is only a command.
    command: OnceLock<CommandEnd>,
}

impl Hosts {
    /// Plays a cell, recorded by the tap; or by another one, where it has to be played again. Whatever the peers do,
    /// something comes back in bounded time.
    pub(crate) async fn play(
        &self,
        scenario: &Scenario,
        client: &Peer,
        server: &Peer,
        transport: Transport,
        patience: Patience,
        tap: Tap,
    ) -> (Transcript, Observation) {
        let limits = tap.limits();
        let (transcript, seen) = self.play_once(scenario, client, server, transport, patience, tap).await;
        let Some(command) = client.command().filter(|_| command::is_lost_at_the_list(&seen)) else {
            return (transcript, seen);
        };
        let beside = command::beside(scenario, command.calls());
        let (again, _) = self.play_once(&beside, client, server, transport, patience, Tap::new(limits)).await;
        let survives = Deeds::read(&again, command.calls()).called;
        (transcript, command::with_neighbour(seen, scenario, command.calls(), survives))
    }

    async fn play_once(
        &self,
        scenario: &Scenario,
        client: &Peer,
        server: &Peer,
        transport: Transport,
        patience: Patience,
        tap: Tap,
    ) -> (Transcript, Observation) {
        let visit = self.companies.visit(client, server, transport, Manner::Together).await;
        let (seen, lost) = self.attempt(scenario, client, server, transport, patience, &tap).await;
        if !lost {
            return seen;
        }
        let had_company = visit.had_company();
        drop(visit);
        let _alone = self.companies.visit(client, server, transport, Manner::Alone).await;
        self.reassure(client, server, transport, patience).await;
        match had_company {
            true => {
                let again = Tap::new(tap.limits());
                self.attempt(scenario, client, server, transport, patience, &again).await.0
            }
            false => seen,
        }
    }

    /// Starts the adapters that a cell needs, unless they are there. It takes what it takes, before the cell's time begins.
    async fn started(&self, client: &Peer, server: &Peer, transport: Transport, patience: Patience) -> Started {
        let mut started = Started::default();
        if let Start::ClientAdapter(launch) = client.start() {
            let launch = self.logged(client.id(), Role::Client, launch);
            started.client = Some(self.adapters.client(client.id(), &launch, patience.start()).await);
        }
        if let (Start::ServerAdapter { http: Some(launch), .. }, Transport::Http) = (server.start(), transport) {
            let launch = self.logged(server.id(), Role::Server, launch);
            started.server = Some(self.adapters.server(server.id(), &launch, patience.start()).await);
        }
        started
    }

    /// Has the adapters of a cell show that they still answer, so that a process which they lost is held against what that
    /// was doing, not against them.
    async fn reassure(&self, client: &Peer, server: &Peer, transport: Transport, patience: Patience) {
        let started = self.started(client, server, transport, patience).await;
        if let Some(Ok(adapter)) = started.client
            && let Err(failure) = adapter.probe(patience.step).await
        {
            tracing::debug!(client = %client.id(), %failure, "a client adapter does not come round");
        }
        let Some(Ok(adapter)) = started.server else { return };
        let path = self.fresh_path();
        match adapter.host(&path, Script::without_tools("reassurance"), patience.step).await {
            Ok(_) => {
                self.adapters.answered(server.id()).await;
                // That it does not let go of nothing is found out by the cell that follows.
                let _ = adapter.unhost(&path, patience.step).await;
            }
            Err(HostFailure::Unsupported { .. }) => self.adapters.answered(server.id()).await,
            Err(failure) => tracing::debug!(server = %server.id(), %failure, "a server adapter does not come round"),
        }
    }

    /// Plays a cell once, and tells whether a process was lost that it may have shared with others.
    async fn attempt(
        &self,
        scenario: &Scenario,
        client: &Peer,
        server: &Peer,
        transport: Transport,
        patience: Patience,
        tap: &Tap,
    ) -> ((Transcript, Observation), bool) {
        let nest = canary::is_wanted(scenario).then(|| self.canary.nest(tap.clone()));
        let script = match &nest {
            Some(nest) => match nest.filled_in(&scenario.script()) {
                Ok(script) => script,
                Err(error) => return ((tap.finish(), harness_failed(error.to_string())), false),
            },
            None => scenario.script(),
        };
        let (script, steps) = (Arc::new(script), scenario.job_steps());
        // A client's adapter that does not answer in the time of the cell is found out, and ended, by who waits for it;
        // before and after that a server's adapter takes up the script and lets go of it.
        let limit = patience.cell(steps.len() + 3);
        let unique = nest.is_some() || client.command().is_some();
        let started = self.started(client, server, transport, patience).await;
        let (lost, tap_of_play) = (AtomicBool::new(false), tap.clone());
        let play = Play {
            hosts: self,
            scenario,
            client,
            server,
            script,
            unique,
            steps,
            patience,
            tap: tap_of_play,
            started,
            lost,
            command: OnceLock::new(),
        };
        let played = async {
            match transport {
                Transport::Memory => play.in_memory().await,
                Transport::Stdio => play.over_stdio().await,
                Transport::Http => play.over_http().await,
            }
        };
        let observation = timeout(limit, played).await.unwrap_or_else(|_| Observation {
            negotiated: None,
            steps: Vec::new(),
            end: End::TimedOut { waiting_for: Role::Client, what: format!("the cell, within {limit:?}") },
        });
        let transcript = tap.finish();
        let observation = match (client.command(), play.command.into_inner()) {
            (Some(command), Some(end)) => command::observed(scenario, command.calls(), &transcript, &end),
            (_, _) => observation,
        };
        ((transcript, observation), play.lost.into_inner())
    }
}

impl Play<'_> {
    async fn over_stdio(&self) -> Observation {
        match self.client.start() {
            Start::MockClient(client) => self.mock_client_over_stdio(client).await,
            Start::ClientAdapter(_) => self.client_adapter_over_stdio().await,
            Start::ClientCommand(_) => unplayable("a client that is only a command connects over HTTP"),
            Start::OwnClient(_) => unplayable("a client of this process starts no server"),
            Start::MockServer(_) | Start::ServerAdapter { .. } | Start::OwnServer(_) => {
                unplayable("a server was planned as the client")
            }
        }
    }

    async fn mock_client_over_stdio(&self, client: &ClientSpec) -> Observation {
        let (up, down) = plain_link();
        let play = play_stream(client, up.reader, up.writer, &self.steps, self.deadlines());
        let (answer, server_end) = tokio::join!(play, self.serve_stream(down.reader, down.writer));
        let seen = answered(answer, self.steps.len());
        Observation { end: server_end.unwrap_or(seen.end), ..seen }
    }

    async fn client_adapter_over_stdio(&self) -> Observation {
        let command = match self.hosts.relay().await {
            Ok(command) => command,
            Err(error) => return harness_failed(error.to_string()),
        };
        let mut ticket = match self.hosts.relays.expect() {
            Ok(ticket) => ticket,
            Err(error) => return harness_failed(error.to_string()),
        };
        let address = ServerAddress::Stdio { command, env: ticket.env().clone() };
        let job = self.job(address);
        tokio::pin!(job);
        // A client may start its server more than once, say to find out which era it speaks. The last session counts.
        let (mut session, mut end) = (None, None);
        let bereft = sleep(self.patience.step);
        tokio::pin!(bereft);
        let seen = loop {
            tokio::select! {
                seen = &mut job => break seen,
                (read, write) = ticket.accept(), if session.is_none() => {
                    end = None;
                    session = Some(Box::pin(self.serve_stream(read, write)));
                }
                ended = async { session.as_mut()?.await }, if session.is_some() => {
                    session = None;
                    end = ended;
                    bereft.as_mut().reset(Instant::now() + self.patience.step);
                }
                // The client is told by the end of the stream; what it makes of that is not waited for long.
                () = &mut bereft, if end.is_some() => break ended(End::Answered {}),
            }
        };
        // The client may be quicker to say what it saw than the server is to end.
        if let Some(open) = session {
            end = timeout(4 * GRACE, open).await.ok().flatten();
        }
        Observation { end: end.unwrap_or(seen.end), ..seen }
    }

    /// Serves one session over a byte stream. Gives an end where it was the server that ended the session.
    async fn serve_stream<R, W>(&self, read: R, write: W) -> Option<End>
    where
        R: tokio::io::AsyncRead + Unpin + Send,
        W: tokio::io::AsyncWrite + Unpin + Send,
    {
        let launch = match self.server.start() {
            Start::MockServer(server) => match self.hosts.programs.mock_server(&server.id) {
                Some(launch) => launch,
                None => return self.serve_in_process(server, read, write).await,
            },
            Start::ServerAdapter { stdio: Some(launch), .. } => launch.clone(),
            Start::ServerAdapter { stdio: None, .. }
            | Start::MockClient(_)
            | Start::ClientAdapter(_)
            | Start::OwnClient(_)
            | Start::OwnServer(_)
            | Start::ClientCommand(_) => return Some(unplayable("the server has no stdio command").end),
        };
        let launch = self.hosts.logged(self.server.id(), Role::Server, &launch);
        let mut server = match StdioServer::spawn(&launch, &self.script, Limits::default()) {
            Ok(server) => server,
            Err(StdioServerError::NotStarted(error)) => {
                return Some(End::NotStarted { who: Role::Server, why: error.to_string() });
            }
            Err(error @ StdioServerError::Script(_)) => return Some(End::HarnessFailed { why: error.to_string() }),
        };
        let (Some(stdin), Some(stdout)) = (server.process.take_stdin(), server.process.take_stdout()) else {
            return Some(End::HarnessFailed { why: "a new process has no standard streams".to_owned() });
        };
        let first = tapped_link(self.tap.clone(), (read, write), (stdout, stdin), GRACE).await;
        let stage = server.process.stop(GRACE).await;
        if stage != StopStage::InputClosed {
            self.tap.event(Role::Server, Event::Stopped { stage });
        }
        let exit = server.process.wait().await;
        self.tap.event(Role::Server, Event::Exited { how: exit.to_string() });
        if exit.says_unsupported() {
            return Some(End::Unsupported { by: Role::Server, reason: server.process.log_tail() });
        }
        // How a server ends after its client has gone is its own affair.
        let how = || with_last_words(exit.to_string(), &server.process.log_tail());
        (first == Role::Server).then(|| End::Crashed { who: Role::Server, how: how() })
    }

    async fn serve_in_process<R, W>(&self, server: &ServerSpec, read: R, write: W) -> Option<End>
    where
        R: tokio::io::AsyncRead + Unpin + Send,
        W: tokio::io::AsyncWrite + Unpin + Send,
    {
        let playbook = match self.playbook(server) {
            Ok(playbook) => playbook,
            Err(observation) => return Some(observation.end),
        };
        let (up, down) = plain_link();
        let link = tapped_link(self.tap.clone(), (read, write), (up.reader, up.writer), GRACE);
        let (_, _) = tokio::join!(serve_playbook(&playbook, down.reader, down.writer), link);
        None
    }

    async fn over_http(&self) -> Observation {
        match self.server.start() {
            Start::MockServer(server) => {
                let playbook = match self.playbook(server) {
                    Ok(playbook) => playbook,
                    Err(observation) => return observation,
                };
                let path = self.hosts.fresh_path();
                if let Err(error) = self.hosts.mocks.host_playbook(&path, playbook) {
                    return harness_failed(error.to_string());
                }
                let observation = self.through_proxy(&format!("{}{path}", self.hosts.mocks.base_url())).await;
                self.hosts.mocks.unhost(&path);
                observation
            }
            Start::ServerAdapter { http: Some(_), .. } => {
                let adapter = match &self.started.server {
                    Some(Ok(adapter)) => adapter,
                    Some(Err(failure)) => return adapter_failed(Role::Server, failure),
                    None => return unplayable("the server has not been started"),
                };
                let path = self.hosts.fresh_path();
                let script = Script::clone(&self.script);
                let url = match adapter.host(&path, script, self.patience.step).await {
                    Ok(url) => url,
                    Err(failure) => {
                        if matches!(failure, HostFailure::Unsupported { .. }) {
                            self.hosts.adapters.answered(self.server.id()).await;
                        }
                        self.lose_if(!adapter.is_alive());
                        return hosting_failed(&failure);
                    }
                };
                self.hosts.adapters.answered(self.server.id()).await;
                let observation = self.through_proxy(&url).await;
                match adapter.unhost(&path, self.patience.step).await {
                    Ok(()) => {}
                    Err(failure) if !adapter.is_alive() => {
                        self.lose_if(true);
                        return ended(End::Crashed { who: Role::Server, how: failure.to_string() });
                    }
                    Err(failure) => tracing::debug!(%failure, "a server adapter does not let go of a script"),
                }
                observation
            }
            Start::ServerAdapter { http: None, .. }
            | Start::MockClient(_)
            | Start::ClientAdapter(_)
            | Start::OwnClient(_)
            | Start::OwnServer(_)
            | Start::ClientCommand(_) => unplayable("the server has no HTTP command"),
        }
    }

    async fn through_proxy(&self, upstream: &str) -> Observation {
        let route = match self.hosts.proxy.route(upstream, self.tap.clone()) {
            Ok(route) => route,
            Err(error) => return harness_failed(error.to_string()),
        };
        match self.client.start() {
            Start::MockClient(client) => {
                let play = play_http(client, &self.hosts.http, route.url(), &self.steps, self.deadlines());
                answered(play.await, self.steps.len())
            }
            Start::ClientAdapter(_) => self.job(ServerAddress::Http { url: route.url().to_owned() }).await,
            Start::ClientCommand(command) => self.command(command, route.url()).await,
            Start::OwnClient(client) => self.own_client(client, ServerAt::Url(route.url().to_owned())).await,
            Start::MockServer(_) | Start::ServerAdapter { .. } | Start::OwnServer(_) => {
                unplayable("a server was planned as the client")
            }
        }
    }

    /// Has the client adapter play the steps.
    async fn job(&self, server: ServerAddress) -> Observation {
        let adapter = match &self.started.client {
            Some(Ok(adapter)) => adapter,
            Some(Err(failure)) => return adapter_failed(Role::Client, failure),
            None => return unplayable("the client has not been started"),
        };
        let job = Job {
            id: 0,
            scenario: self.scenario.id.to_string(),
            server,
            mode: self.client.record().mode,
            steps: self.steps.clone(),
            deadlines: self.deadlines(),
        };
        match adapter.play(job, self.patience.cell(self.steps.len())).await {
            Ok(answer) => answered(answer, self.steps.len()),
            Err(failure) => {
                self.lose_if(failure.is_of_the_process());
                adapter_failed(Role::Client, &failure)
            }
        }
    }

    async fn own_client(&self, client: &ClientProgram, server: ServerAt) -> Observation {
        match client.play(server, self.steps.clone(), self.deadlines()).await {
            Ok(answer) => answered(answer, self.steps.len()),
            Err(end) => ended(end),
        }
    }

    /// Runs a client that is only a command to its end. What it saw is made out once the whole wire is known.
    async fn command(&self, command: &ClientCommand, url: &str) -> Observation {
        let launch = command.launch(url, self.server.offered().max());
        let launch = self.hosts.logged(self.client.id(), Role::Client, &launch);
        match run_client(&launch, &self.tap, self.patience.cell(self.steps.len())).await {
            Ok(end) => {
                let words = end.words.replace(url, command::URL);
                let _ = self.command.set(CommandEnd { words, ..end });
                ended(End::Answered {})
            }
            Err(error) => ended(End::NotStarted { who: Role::Client, why: error.to_string() }),
        }
    }

    fn lose_if(&self, lost: bool) {
        self.lost.fetch_or(lost, Ordering::Relaxed);
    }

    fn playbook(&self, server: &ServerSpec) -> Result<Arc<Playbook>, Observation> {
        let playbook = match self.unique {
            true => Playbook::new(server.clone(), Arc::clone(&self.script)).map(Arc::new),
            false => self.hosts.playbook(&self.scenario.id, server, &self.script),
        };
        playbook.map_err(|error| harness_failed(error.to_string()))
    }

    fn deadlines(&self) -> Deadlines {
        let step_ms = u64::try_from(self.patience.step.as_millis()).unwrap_or(u64::MAX);
        Deadlines { connect_ms: step_ms, step_ms }
    }
}

fn ended(end: End) -> Observation {
    Observation { negotiated: None, steps: Vec::new(), end }
}

fn harness_failed(why: String) -> Observation {
    ended(End::HarnessFailed { why })
}

/// The plan only makes cells whose peers have what the transport needs; if it does not, that is our mistake.
fn unplayable(why: &str) -> Observation {
    harness_failed(format!("the plan made a cell that cannot be played: {why}"))
}
