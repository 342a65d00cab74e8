//! Playing one cell: start the server, start the client, tap the wire, note what was seen.

mod in_memory;
mod over_http;
mod over_stdio;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use mcp_compat_drive::{CommandEnd, HostFailure, Tap};
use mcp_compat_mocks::server::{CompiledScript, ServerSpec};
use mcp_compat_model::observation::{End, Observation};
use mcp_compat_model::peer_contract::{Deadlines, Job, JobStep, Script, ServerAddress};
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::{Role, Transport};
use mcp_compat_scenario::Scenario;
use tokio::time::timeout;

use crate::adapters::Started;
use crate::canary;
use crate::command::{self, ClientCommand, Deeds, Shown};
use crate::company::Manner;
use crate::hosts::Hosts;
use crate::in_process::{ClientProgram, ServerAt};
use crate::observe::{adapter_failed, answered};
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
    pub async fn play(
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
        let Some(calls) = client.command().map(ClientCommand::calls) else { return (transcript, seen) };
        let play = async |scenario: &Scenario| {
            let (again, seen) =
                Box::pin(self.play_once(scenario, client, server, transport, patience, Tap::new(limits))).await;
            (Deeds::read(&again, calls), seen)
        };
        let seen = match command::is_lost_at_the_list(&seen) {
            true => {
                let (beside, _) = play(&command::beside(scenario, calls)).await;
                command::with_neighbour(seen, scenario, calls, beside.called)
            }
            false => seen,
        };
        let Some(doubt) = command::doubt(scenario, calls, &Deeds::read(&transcript, calls), &seen) else {
            return (transcript, seen);
        };
        let control = doubt.control();
        let played = async {
            let (deeds, seen) = play(&command::control(scenario, calls, control)).await;
            Shown::read(&deeds, &seen)
        };
        let shown = self.calibrations.shown(client.id(), server.id(), control, played).await;
        (transcript, command::settled(seen, doubt, shown, calls))
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

    fn lose_if(&self, lost: bool) {
        self.lost.fetch_or(lost, Ordering::Relaxed);
    }

    fn compiled_script(&self, server: &ServerSpec) -> Result<Arc<CompiledScript>, Observation> {
        let compiled_script = match self.unique {
            true => CompiledScript::new(server.clone(), Arc::clone(&self.script)).map(Arc::new),
            false => self.hosts.scripts.compiled(server, &self.script),
        };
        compiled_script.map_err(|error| harness_failed(error.to_string()))
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
