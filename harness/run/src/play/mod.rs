//! Plays one cell: starts the server and the client, taps the wire, and notes what the client's user got.
//!
//! ```text
//! play (in adapters that other cells use) ─┬─ try_cell ─ play_once ─ lease, attempt (in_memory | over_stdio | over_http)
//! play_alone (in adapters of its own,      │     │          └─ again with an exclusive lease, if an adapter was lost
//!   with four times the time) ─────────────┘     │             while others used it
//!                                                └─ for a black-box client: the twin of a tool error, and a control, if
//!                                                   the outcome rests on its exit status
//! ```

mod attempt;
mod in_memory;
mod over_http;
mod over_stdio;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mcp_compat_drive::{CommandEnd, ContractViolation, HostFailure, Tap};
use mcp_compat_model::observation::{End, Observation};
use mcp_compat_model::peer_contract::Script;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::{Role, Transport};
use mcp_compat_scenario::Scenario;
use tokio::time::{sleep, timeout};

use crate::adapter_lease::Access;
use crate::adapters::{Adapters, Started};
use crate::black_box::{self, ClientCommand, ControlResult, Report, WireActivity};
use crate::canary::{self, CanaryRoute};
use crate::environment::{HarnessError, RunEnvironment};
use crate::observe::{ended, words_of};
use crate::peer::{ClientPeer, ClientStart, ServerPeer, ServerStart};
use crate::timeouts::{Timeouts, has_timeout, stopped_waiting};

use attempt::{Attempt, harness_failed};

/// Two peers, the transport between them, and how long they may take in which adapters.
#[derive(Clone, Copy)]
struct Pairing<'a> {
    client: &'a ClientPeer,
    server: &'a ServerPeer,
    transport: Transport,
    timeouts: Timeouts,
    adapters: &'a Adapters,
    /// True if a timeout is final, because the cell is not played again.
    is_final: bool,
}

/// Result of playing a cell.
pub(crate) struct Tried {
    pub(crate) transcript: Transcript,
    pub(crate) observation: Observation,
    /// True if it is to be played again: somebody waited in vain, on a clock that a busy machine can make pass.
    pub(crate) timed_out: bool,
    /// End of the client, if it is a black box.
    pub(crate) command: Option<CommandEnd>,
}

impl RunEnvironment {
    /// Plays a cell, and once more, alone, if it timed out. Whatever the peers do, it returns in bounded
    /// time.
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
        let mut tried = self.play_beside_others(scenario, client, server, transport, timeouts, tap).await;
        if tried.timed_out {
            tried = self.play_alone(scenario, client, server, transport, timeouts, Tap::new(limits)).await;
        }
        (tried.transcript, tried.observation)
    }

    /// Plays a cell beside others. One that timed out is to be played again [alone](Self::play_alone).
    pub(crate) async fn play_beside_others(
        &self,
        scenario: &Scenario,
        client: &ClientPeer,
        server: &ServerPeer,
        transport: Transport,
        timeouts: Timeouts,
        tap: Tap,
    ) -> Tried {
        let pairing = Pairing { client, server, transport, timeouts, adapters: &self.adapters, is_final: false };
        self.try_cell(scenario, pairing, tap).await
    }

    /// Plays a cell in adapters of its own, with four times the time.
    pub(crate) async fn play_alone(
        &self,
        scenario: &Scenario,
        client: &ClientPeer,
        server: &ServerPeer,
        transport: Transport,
        timeouts: Timeouts,
        tap: Tap,
    ) -> Tried {
        tracing::debug!(scenario = %scenario.id, client = %client.id(), "plays alone");
        let adapters = self.adapters.separate();
        let timeouts = timeouts.extended();
        let pairing = Pairing { client, server, transport, timeouts, adapters: &adapters, is_final: true };
        let tried = self.try_cell(scenario, pairing, tap).await;
        self.close_separate(adapters).await;
        Tried { timed_out: false, ..tried }
    }

    /// Plays a cell and records it by the tap, or by a new tap if another cell may have disturbed it.
    async fn try_cell(&self, scenario: &Scenario, pairing: Pairing<'_>, tap: Tap) -> Tried {
        let Pairing { client, server, is_final, .. } = pairing;
        let limits = tap.limits();
        let tried = self.play_once(scenario, pairing, tap).await;
        let Some(calls) = client.black_box_command().map(ClientCommand::calls) else { return tried };
        if tried.timed_out && !is_final {
            return tried;
        }
        let Tried { transcript, observation: seen, mut timed_out, command } = tried;
        let play = async |scenario: &Scenario| {
            let again = Box::pin(self.play_once(scenario, pairing, Tap::new(limits))).await;
            (WireActivity::read(&again.transcript, calls), again)
        };
        let seen = if black_box::is_lost_at_the_list(&seen) {
            let (activity, again) = play(&black_box::with_plain_tool(scenario, calls)).await;
            timed_out |= again.timed_out && !activity.called;
            black_box::narrowed_to_the_tool(seen, scenario, calls, activity.called)
        } else {
            seen
        };
        let activity = WireActivity::read(&transcript, calls);
        let twin =
            command.as_ref().and_then(|end| Some((end, black_box::twin(scenario, calls, &activity, &seen, end)?)));
        let seen = match twin {
            Some((end, twin)) => match play(&twin).await.1.command {
                Some(of_twin) => black_box::after_twin(seen, scenario, calls, end, &of_twin),
                None => seen,
            },
            None => seen,
        };
        let Some(inference) = black_box::control_needed(scenario, calls, &activity, &seen) else {
            return Tried { transcript, observation: seen, timed_out, command };
        };
        let control = inference.control();
        let played = async {
            let (activity, again) = play(&black_box::control(scenario, calls, control)).await;
            let result = ControlResult::read(&activity, &again.observation);
            if again.timed_out && !is_final { Err(result) } else { Ok(result) }
        };
        let result = match self.exit_status_controls.result(client.id(), server.id(), control, played).await {
            Ok(result) => result,
            Err(result) => {
                timed_out = true;
                result
            }
        };
        let observation = black_box::after_control(seen, inference, result, calls);
        Tried { transcript, observation, timed_out, command }
    }

    /// Plays a cell. If an adapter was lost while another cell used it, plays the cell again with an exclusive lease.
    async fn play_once(&self, scenario: &Scenario, pairing: Pairing<'_>, tap: Tap) -> Tried {
        let Pairing { client, server, transport, adapters, .. } = pairing;
        let lease = adapters.leases.acquire(client, server, transport, Access::Shared).await;
        let (seen, lost) = self.attempt(scenario, pairing, &tap).await;
        if !lost {
            return seen;
        }
        let was_shared = lease.was_shared();
        drop(lease);
        let _exclusive = adapters.leases.acquire(client, server, transport, Access::Exclusive).await;
        self.check_adapters(pairing).await;
        if was_shared { self.attempt(scenario, pairing, &Tap::new(tap.limits())).await.0 } else { seen }
    }

    /// Starts the adapters that a cell needs, unless they run already. The time that it takes does not count for the cell.
    async fn started(&self, pairing: Pairing<'_>) -> Started {
        let Pairing { client, server, transport, timeouts, adapters, .. } = pairing;
        let mut started = Started::default();
        if let ClientStart::Adapter(launch) = client.start() {
            let launch = self.logged(client.id(), Role::Client, launch);
            started.client = Some(adapters.client(client.id(), &launch, timeouts.start()).await);
        }
        if let (ServerStart::Adapter { http: Some(launch), .. }, Transport::Http) = (server.start(), transport) {
            let launch = self.logged(server.id(), Role::Server, launch);
            started.server = Some(adapters.server(server.id(), &launch, timeouts.start()).await);
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

    /// Lets the adapters of a cell answer a plain job. A process that was lost then counts against the job that it was
    /// doing, and not against the adapter.
    async fn check_adapters(&self, pairing: Pairing<'_>) {
        let Pairing { client, server, timeouts, adapters, .. } = pairing;
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
                adapters.answered(server.id()).await;
                // If the adapter does not let go of the script, the cell that follows finds out.
                let _ = adapter.unhost(&path, timeouts.step).await;
            }
            Err(HostFailure::Unsupported { .. }) => adapters.answered(server.id()).await,
            Err(failure) => tracing::debug!(server = %server.id(), %failure, "a server adapter does not recover"),
        }
    }

    /// A route of the canary, if the scenario names it.
    async fn canary_route(&self, scenario: &Scenario, tap: &Tap) -> Result<Option<CanaryRoute>, HarnessError> {
        if canary::is_wanted(scenario) { Ok(Some(self.canary().await?.route(tap.clone()))) } else { Ok(None) }
    }

    /// Plays a cell once. Also returns whether a process was lost that the cell may have shared with others.
    async fn attempt(&self, scenario: &Scenario, pairing: Pairing<'_>, tap: &Tap) -> (Tried, bool) {
        let Pairing { client, server, transport, timeouts, adapters, .. } = pairing;
        let certain = |transcript, observation| Tried { transcript, observation, timed_out: false, command: None };
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
            adapters,
            scenario,
            client,
            server,
            transport,
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
        // Long enough for a client to give up on a server that sends nothing but noise.
        let played = while_recorded(tap, timeouts.cell(2), played);
        let observation = timeout(limit, played).await.unwrap_or_else(|_| Observation {
            negotiated: None,
            steps: Vec::new(),
            end: End::TimedOut { waiting_for: Role::Client, what: format!("the check, within {limit:?}") },
        });
        let transcript = tap.finish();
        if let Some(why) = route.and_then(|route| route.failure()) {
            return (certain(transcript, harness_failed(why)), attempt.lost.into_inner());
        }
        let observation = match (client.black_box_command(), attempt.command.get()) {
            (Some(command), Some(end)) => {
                let report = Report::read(&end.output).and_then(|report| {
                    report.map_err(|why| self.note_violation(client.id(), ContractViolation::Report { why })).ok()
                });
                black_box::observed(scenario, command.calls(), &transcript, end, report.as_ref())
            }
            (_, _) => observation,
        };
        // How a command waits is not judged.
        let gave_up = client.black_box_command().is_none() && stopped_waiting(&transcript);
        let timed_out = !attempt.has_paused_clock() && (has_timeout(&observation) || gave_up);
        let command = attempt.command.get().cloned();
        (Tried { transcript, observation, timed_out, command }, attempt.lost.into_inner())
    }
}

/// Plays as long as what both sides say is recorded, and for `grace` after that of one side is too much. A cell that is not
/// recorded whole is not judged, and peers that send more and more may go on for hours.
async fn while_recorded(tap: &Tap, grace: Duration, play: impl Future<Output = Observation>) -> Observation {
    let too_much = async {
        tap.filled().await;
        sleep(grace).await;
    };
    tokio::select! {
        biased;
        seen = play => seen,
        () = too_much => ended(End::Answered {}),
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use mcp_compat_drive::Limits;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_session_that_is_no_longer_recorded_ends_soon() {
        let grace = Duration::from_secs(5);
        let tap = Tap::new(Limits { cell_bytes: 1_000, ..Limits::default() });
        let recorded = timeout(Duration::from_secs(3_600), while_recorded(&tap, grace, pending()));
        assert!(recorded.await.is_err(), "nobody ends what is recorded");
        tap.message(Role::Server, &[b'0'; 1_000], None);
        let after = |time| async move {
            sleep(time).await;
            harness_failed("it ended by itself".to_owned())
        };
        let ended_by_itself = after(Duration::ZERO).await;
        assert_eq!(while_recorded(&tap, grace, after(grace / 2)).await, ended_by_itself);
        assert_eq!(while_recorded(&tap, grace, after(grace * 2)).await, ended(End::Answered {}));
    }
}
