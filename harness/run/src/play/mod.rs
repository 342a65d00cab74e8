//! Plays one cell: starts the server and the client, taps the wire, and notes what the client's user got.
//!
//! ```text
//! play ─ try_cell ─ play_once ─ lease, attempt (in_memory | over_stdio | over_http) ─> Transcript, Observation
//!   │        │          └─ again with an exclusive lease, if an adapter was lost while other cells used it
//!   │        └─ for a black-box client: a control, if the outcome rests on its exit status
//!   └─ again, if a timeout is doubtful
//! ```

mod attempt;
mod in_memory;
mod over_http;
mod over_stdio;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use mcp_compat_drive::{HostFailure, Tap};
use mcp_compat_model::observation::{End, Observation};
use mcp_compat_model::peer_contract::Script;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::{Role, Transport};
use mcp_compat_scenario::Scenario;
use tokio::time::timeout;

use crate::adapter_lease::Access;
use crate::adapters::Started;
use crate::black_box::{self, ClientCommand, ControlResult, WireActivity};
use crate::canary::{self, CanaryRoute};
use crate::doubt::is_doubtful;
use crate::environment::{HarnessError, RunEnvironment};
use crate::idleness::Watch;
use crate::observe::words_of;
use crate::peer::{ClientPeer, ClientStart, ServerPeer, ServerStart};
use crate::timeouts::Timeouts;

use attempt::{Attempt, harness_failed};

/// Two peers, the transport between them, and how long they may take.
#[derive(Clone, Copy)]
pub(crate) struct Pairing<'a> {
    pub(crate) client: &'a ClientPeer,
    pub(crate) server: &'a ServerPeer,
    pub(crate) transport: Transport,
    pub(crate) timeouts: Timeouts,
}

/// What came of playing a cell.
pub(crate) struct Tried {
    pub(crate) transcript: Transcript,
    pub(crate) observation: Observation,
    /// Whether it timed out, and it is not known that it would have without other work on the machine.
    pub(crate) is_doubtful: bool,
}

impl RunEnvironment {
    /// Plays a cell, and plays it again where the load of the machine may be the cause of a timeout. Whatever the peers
    /// do, it returns in bounded time.
    pub async fn play(
        &self,
        scenario: &Scenario,
        client: &ClientPeer,
        server: &ServerPeer,
        transport: Transport,
        timeouts: Timeouts,
        tap: Tap,
    ) -> (Transcript, Observation) {
        let limits = tap.limits();
        let pairing = Pairing { client, server, transport, timeouts };
        let mut tried = self.try_cell(scenario, pairing, tap).await;
        for timeouts in [timeouts, timeouts.patient()] {
            if tried.is_doubtful {
                let tap = Tap::new(limits);
                tried = Box::pin(self.try_cell(scenario, Pairing { timeouts, ..pairing }, tap)).await;
            }
        }
        (tried.transcript, tried.observation)
    }

    /// Plays a cell and records it by the tap, or by a new tap if another cell may have disturbed it. Whatever the peers
    /// do, it returns in bounded time.
    pub(crate) async fn try_cell(&self, scenario: &Scenario, pairing: Pairing<'_>, tap: Tap) -> Tried {
        let Pairing { client, server, .. } = pairing;
        let limits = tap.limits();
        let tried = self.play_once(scenario, pairing, tap).await;
        let Some(calls) = client.black_box_command().map(ClientCommand::calls) else { return tried };
        let Tried { transcript, observation: seen, is_doubtful } = tried;
        if is_doubtful {
            return Tried { transcript, observation: seen, is_doubtful };
        }
        let play = async |scenario: &Scenario| {
            let again = Box::pin(self.play_once(scenario, pairing, Tap::new(limits))).await;
            (WireActivity::read(&again.transcript, calls), again.observation)
        };
        let seen = match black_box::is_lost_at_the_list(&seen) {
            true => {
                let (activity, _) = play(&black_box::with_plain_tool(scenario, calls)).await;
                black_box::narrowed_to_the_tool(seen, scenario, calls, activity.called)
            }
            false => seen,
        };
        let activity = WireActivity::read(&transcript, calls);
        let Some(inference) = black_box::control_needed(scenario, calls, &activity, &seen) else {
            return Tried { transcript, observation: seen, is_doubtful };
        };
        let control = inference.control();
        let played = async {
            let (activity, seen) = play(&black_box::control(scenario, calls, control)).await;
            ControlResult::read(&activity, &seen)
        };
        let result = self.exit_status_controls.result(client.id(), server.id(), control, played).await;
        Tried { transcript, observation: black_box::after_control(seen, inference, result, calls), is_doubtful }
    }

    /// Plays a cell. If an adapter was lost while another cell used it, plays the cell again with an exclusive lease.
    async fn play_once(&self, scenario: &Scenario, pairing: Pairing<'_>, tap: Tap) -> Tried {
        let Pairing { client, server, transport, .. } = pairing;
        let lease = self.leases.acquire(client, server, transport, Access::Shared).await;
        let (seen, lost) = self.attempt(scenario, pairing, &tap).await;
        if !lost {
            return seen;
        }
        let was_shared = lease.was_shared();
        drop(lease);
        let _exclusive = self.leases.acquire(client, server, transport, Access::Exclusive).await;
        self.check_adapters(pairing).await;
        match was_shared {
            true => self.attempt(scenario, pairing, &Tap::new(tap.limits())).await.0,
            false => seen,
        }
    }

    /// Starts the adapters that a cell needs, unless they run already. The time that it takes does not count for the cell.
    async fn started(&self, pairing: Pairing<'_>) -> Started {
        let Pairing { client, server, transport, timeouts } = pairing;
        let mut started = Started::default();
        if let ClientStart::Adapter(launch) = client.start() {
            let launch = self.logged(client.id(), Role::Client, launch);
            started.client = Some(self.adapters.client(client.id(), &launch, timeouts.start()).await);
        }
        if let (ServerStart::Adapter { http: Some(launch), .. }, Transport::Http) = (server.start(), transport) {
            let launch = self.logged(server.id(), Role::Server, launch);
            started.server = Some(self.adapters.server(server.id(), &launch, timeouts.start()).await);
        }
        started
    }

    /// Starts the adapter of a client, unless it runs already, and has it answer a probe. A client without an adapter
    /// needs no start.
    ///
    /// # Errors
    /// When the adapter cannot be started, or does not answer the probe as the contract says: why, with its last words.
    pub async fn start_client(&self, client: &ClientPeer, timeouts: Timeouts) -> Result<(), String> {
        let ClientStart::Adapter(launch) = client.start() else { return Ok(()) };
        let launch = self.logged(client.id(), Role::Client, launch);
        match self.adapters.client(client.id(), &launch, timeouts.start()).await {
            Ok(_) => Ok(()),
            Err(failure) => Err(words_of(&failure)),
        }
    }

    /// Has the adapters of a cell answer a plain job. A process that was lost then counts against the job that it was
    /// doing, and not against the adapter.
    async fn check_adapters(&self, pairing: Pairing<'_>) {
        let Pairing { client, server, timeouts, .. } = pairing;
        let started = self.started(pairing).await;
        if let Some(Ok(adapter)) = started.client
            && let Err(failure) = adapter.probe(timeouts.step).await
        {
            tracing::debug!(client = %client.id(), %failure, "a client adapter does not recover");
        }
        let Some(Ok(adapter)) = started.server else { return };
        let path = self.fresh_path();
        match adapter.host(&path, Script::without_tools("reassurance"), timeouts.step).await {
            Ok(_) => {
                self.adapters.answered(server.id()).await;
                // If the adapter does not let go of the script, the cell that follows finds out.
                let _ = adapter.unhost(&path, timeouts.step).await;
            }
            Err(HostFailure::Unsupported { .. }) => self.adapters.answered(server.id()).await,
            Err(failure) => tracing::debug!(server = %server.id(), %failure, "a server adapter does not recover"),
        }
    }

    /// A route of the canary, if the scenario names it.
    async fn canary_route(&self, scenario: &Scenario, tap: &Tap) -> Result<Option<CanaryRoute>, HarnessError> {
        match canary::is_wanted(scenario) {
            true => Ok(Some(self.canary().await?.route(tap.clone()))),
            false => Ok(None),
        }
    }

    /// Plays a cell once. Also returns whether a process was lost that the cell may have shared with others.
    async fn attempt(&self, scenario: &Scenario, pairing: Pairing<'_>, tap: &Tap) -> (Tried, bool) {
        let Pairing { client, server, transport, timeouts } = pairing;
        let certain = |transcript, observation| Tried { transcript, observation, is_doubtful: false };
        let failed = |why: String| (certain(tap.finish(), harness_failed(why)), false);
        let route = match self.canary_route(scenario, tap).await {
            Ok(route) => route,
            Err(error) => return failed(error.to_string()),
        };
        let script = match &route {
            Some(route) => match route.filled_in(&scenario.script()) {
                Ok(script) => script,
                Err(error) => return failed(error.to_string()),
            },
            None => scenario.script(),
        };
        let (script, steps) = (Arc::new(script), scenario.job_steps());
        // The client side ends a client adapter that does not answer in the time of the cell. A server adapter takes up
        // the script before that time, and lets go of it afterwards.
        let limit = timeouts.cell(steps.len() + 3);
        let attempt = Attempt {
            environment: self,
            scenario,
            client,
            server,
            script,
            has_canary: route.is_some(),
            steps,
            timeouts,
            tap: tap.clone(),
            started: self.started(pairing).await,
            lost: AtomicBool::new(false),
            command: OnceLock::new(),
        };
        let played = async {
            match transport {
                Transport::Memory => attempt.in_memory().await,
                Transport::Stdio => attempt.over_stdio().await,
                Transport::Http => attempt.over_http().await,
            }
        };
        let watch = Watch::over(tap, client, server);
        let (observation, idle) = watch.during(timeout(limit, played)).await;
        let lasted = tap.elapsed();
        let observation = observation.unwrap_or_else(|_| Observation {
            negotiated: None,
            steps: Vec::new(),
            end: End::TimedOut { waiting_for: Role::Client, what: format!("the cell, within {limit:?}") },
        });
        let transcript = tap.finish();
        if let Some(why) = route.and_then(|route| route.failure()) {
            return (certain(transcript, harness_failed(why)), attempt.lost.into_inner());
        }
        let observation = match (client.black_box_command(), attempt.command.into_inner()) {
            (Some(command), Some(end)) => black_box::observed(scenario, command.calls(), &transcript, &end),
            (_, _) => observation,
        };
        let is_doubtful = is_doubtful(&observation, &transcript, &idle, lasted);
        (Tried { transcript, observation, is_doubtful }, attempt.lost.into_inner())
    }
}
