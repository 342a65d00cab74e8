//! Plays one cell: starts the server and the client, taps the wire, and notes what the client's user got.
//!
//! ```text
//! play ─ beside_others ─ try_cell ─ play_once ─ lease, attempt (in_memory | over_stdio | over_http)
//!   │          │            │          └─ again with an exclusive lease, if an adapter was lost while others used it
//!   │          │            └─ for a black-box client: a control, if the outcome rests on its exit status
//!   │          └─ a second time in quiet processes, as soon as it is silent for long
//!   └─ alone, in processes of its own and with more time, if a timeout is doubtful
//! ```

mod attempt;
mod connections;
mod in_memory;
mod over_http;
mod over_stdio;

use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mcp_compat_drive::{HostFailure, Tap};
use mcp_compat_model::observation::{End, Observation};
use mcp_compat_model::peer_contract::Script;
use mcp_compat_model::transcript::{Event, Transcript};
use mcp_compat_model::{Role, Transport};
use mcp_compat_scenario::Scenario;
use tokio::sync::SetOnce;
use tokio::time::{sleep, timeout};

use crate::adapter_lease::Access;
use crate::adapters::Started;
use crate::black_box::{self, ClientCommand, ControlResult, WireActivity};
use crate::canary::{self, CanaryRoute};
use crate::cores;
use crate::doubt::{Doubt, is_doubtful, stopped_waiting};
use crate::environment::{HarnessError, RunEnvironment};
use crate::idleness::{Alarm, Watch};
use crate::observe::{ended, words_of};
use crate::peer::{ClientPeer, ClientStart, ServerPeer, ServerStart};
use crate::pool::Pool;
use crate::timeouts::Timeouts;

use attempt::{Attempt, harness_failed};

/// For a cell that plays in no other processes when it is silent.
const UNHEARD: Alarm<'static> = &|| ();

/// Two peers, the transport between them, and how long they may take in which processes.
#[derive(Clone, Copy)]
pub(crate) struct Pairing<'a> {
    pub(crate) client: &'a ClientPeer,
    pub(crate) server: &'a ServerPeer,
    pub(crate) transport: Transport,
    pub(crate) timeouts: Timeouts,
    pub(crate) pool: &'a Pool,
    /// Whether they play in processes of their own, and with more time.
    pub(crate) alone: bool,
}

/// What came of playing a cell.
pub(crate) struct Tried {
    pub(crate) transcript: Transcript,
    pub(crate) observation: Observation,
    /// Why it is not known that it would have timed out without other work on the machine, if it did.
    pub(crate) doubt: Option<Doubt>,
}

impl Tried {
    /// Whether it timed out, and it is not known that it would have without other work on the machine.
    pub(crate) const fn is_doubtful(&self) -> bool {
        self.doubt.is_some()
    }
}

/// What is said of a cell that could not be played to its end because of other programs.
const TOO_BUSY: &str = "the machine was too busy: the processes of this cell waited for a processor longer than they ran. \
                        Play it again when less is running";

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
        let pairing = Pairing { client, server, transport, timeouts, pool: &self.pools.shared, alone: false };
        let mut tried = self.play_beside_others(scenario, pairing, tap).await;
        if tried.is_doubtful() {
            tried = Box::pin(self.play_alone(scenario, pairing, Tap::new(limits))).await;
        }
        (tried.transcript, tried.observation)
    }

    /// Plays a cell in processes that other cells use, too. If it is silent for long and they are at work, it also plays in
    /// quiet ones. What can be believed first counts.
    pub(crate) async fn play_beside_others(&self, scenario: &Scenario, pairing: Pairing<'_>, tap: Tap) -> Tried {
        let (limits, is_silent) = (tap.limits(), SetOnce::new());
        let alarm = || drop(is_silent.set(()));
        let first = self.try_cell(scenario, pairing, tap, &alarm);
        let again = Pairing { pool: &self.pools.quiet, ..pairing };
        let second = async {
            is_silent.wait().await;
            tracing::debug!(scenario = %scenario.id, client = %pairing.client.id(), "plays in quiet processes");
            self.try_cell(scenario, again, Tap::new(limits), UNHEARD).await
        };
        let (mut first, mut second) = (pin!(first), Box::pin(second));
        tokio::select! {
            tried = &mut first => match tried.is_doubtful() && is_silent.initialized() {
                true => second.await,
                false => tried,
            },
            tried = &mut second => match tried.is_doubtful() {
                true => first.await,
                false => tried,
            },
        }
    }

    /// Plays a cell in processes of its own, and with more time. A server over stdio that is still at work and does not
    /// answer the first message is being loaded, so it gets even more. An adapter over HTTP has had its own time to start.
    /// Whoever was kept from work gets the time that others had. If the processes together still ran for less than a step
    /// may take on a quiet machine, in each silence, nobody is blamed.
    pub(crate) async fn play_alone(&self, scenario: &Scenario, pairing: Pairing<'_>, tap: Tap) -> Tried {
        tracing::debug!(scenario = %scenario.id, client = %pairing.client.id(), "plays alone");
        let (limits, usual, pool) = (tap.limits(), pairing.timeouts, self.pools.for_one());
        let pairing = Pairing { pool: &pool, timeouts: usual.patient(), alone: true, ..pairing };
        let mut tried = self.try_cell(scenario, pairing, tap, UNHEARD).await;
        let starts = pairing.transport == Transport::Stdio;
        let loads = starts && tried.is_doubtful() && was_silent_at_first(&tried.transcript);
        // The limits that are long enough on a quiet machine.
        let quiet = if loads { usual.while_it_loads() } else { pairing.timeouts };
        let starved = |tried: &Tried| tried.doubt.and_then(|doubt| doubt.starved_below(quiet.step));
        let longer = match starved(&tried) {
            Some(time) => Some(quiet.while_others_run(usual, time)),
            None => loads.then_some(quiet),
        };
        if let Some(timeouts) = longer {
            let pairing = Pairing { timeouts, ..pairing };
            tried = self.try_cell(scenario, pairing, Tap::new(limits), UNHEARD).await;
        }
        self.pools.close_one(pool).await;
        if starved(&tried).is_some() {
            tried.observation = harness_failed(TOO_BUSY.to_owned());
        }
        tried
    }

    /// Plays a cell and records it by the tap, or by a new tap if another cell may have disturbed it. Whatever the peers
    /// do, it returns in bounded time.
    async fn try_cell(&self, scenario: &Scenario, pairing: Pairing<'_>, tap: Tap, alarm: Alarm<'_>) -> Tried {
        let Pairing { client, server, .. } = pairing;
        let limits = tap.limits();
        let tried = self.play_once(scenario, pairing, tap, alarm).await;
        let Some(calls) = client.black_box_command().map(ClientCommand::calls) else { return tried };
        let Tried { transcript, observation: seen, doubt } = tried;
        if doubt.is_some() {
            return Tried { transcript, observation: seen, doubt };
        }
        let play = async |scenario: &Scenario| {
            let again = Box::pin(self.play_once(scenario, pairing, Tap::new(limits), UNHEARD)).await;
            (WireActivity::read(&again.transcript, calls), again)
        };
        let (seen, doubt) = match black_box::is_lost_at_the_list(&seen) {
            true => {
                let (activity, again) = play(&black_box::with_plain_tool(scenario, calls)).await;
                let doubt = again.doubt.filter(|_| !activity.called);
                (black_box::narrowed_to_the_tool(seen, scenario, calls, activity.called), doubt)
            }
            false => (seen, None),
        };
        let activity = WireActivity::read(&transcript, calls);
        let Some(inference) = black_box::control_needed(scenario, calls, &activity, &seen) else {
            return Tried { transcript, observation: seen, doubt };
        };
        let control = inference.control();
        let played = async {
            let (activity, again) = play(&black_box::control(scenario, calls, control)).await;
            let result = ControlResult::read(&activity, &again.observation);
            match again.doubt {
                // Alone, it was given the time that it needs.
                None => Ok(result),
                Some(Doubt::AtWork) if pairing.alone => Ok(result),
                Some(doubt) => Err((result, doubt)),
            }
        };
        let (result, doubted) = match self.exit_status_controls.result(client.id(), server.id(), control, played).await
        {
            Ok(result) => (result, None),
            Err((result, doubt)) => (result, Some(doubt)),
        };
        let observation = black_box::after_control(seen, inference, result, calls);
        Tried { transcript, observation, doubt: doubt.or(doubted) }
    }

    /// Plays a cell. If an adapter was lost while another cell used it, plays the cell again with an exclusive lease.
    async fn play_once(&self, scenario: &Scenario, pairing: Pairing<'_>, tap: Tap, alarm: Alarm<'_>) -> Tried {
        let Pairing { client, server, transport, pool, .. } = pairing;
        let lease = pool.leases.acquire(client, server, transport, Access::Shared).await;
        // In processes that no other cell uses it would go the same way again.
        let if_shared = || {
            if lease.was_shared() {
                alarm();
            }
        };
        let (seen, lost) = self.attempt(scenario, pairing, &tap, &if_shared).await;
        if !lost {
            return seen;
        }
        let was_shared = lease.was_shared();
        drop(lease);
        let _exclusive = pool.leases.acquire(client, server, transport, Access::Exclusive).await;
        self.check_adapters(pairing).await;
        match was_shared {
            true => self.attempt(scenario, pairing, &Tap::new(tap.limits()), UNHEARD).await.0,
            false => seen,
        }
    }

    /// Starts the adapters that a cell needs, unless they run already. The time that it takes does not count for the cell.
    async fn started(&self, pairing: Pairing<'_>) -> Started {
        let Pairing { client, server, transport, timeouts, pool, .. } = pairing;
        let mut started = Started::default();
        if let ClientStart::Adapter(launch) = client.start() {
            let launch = self.logged(client.id(), Role::Client, launch);
            started.client = Some(pool.adapters.client(client.id(), &launch, timeouts.start()).await);
        }
        if let (ServerStart::Adapter { http: Some(launch), .. }, Transport::Http) = (server.start(), transport) {
            let launch = self.logged(server.id(), Role::Server, launch);
            started.server = Some(pool.adapters.server(server.id(), &launch, timeouts.start()).await);
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
        match self.pools.shared.adapters.client(client.id(), &launch, timeouts.start()).await {
            Ok(_) => Ok(()),
            Err(failure) => Err(words_of(&failure)),
        }
    }

    /// Has the adapters of a cell answer a plain job. A process that was lost then counts against the job that it was
    /// doing, and not against the adapter.
    async fn check_adapters(&self, pairing: Pairing<'_>) {
        let Pairing { client, server, timeouts, pool, .. } = pairing;
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
                pool.adapters.answered(server.id()).await;
                // If the adapter does not let go of the script, the cell that follows finds out.
                let _ = adapter.unhost(&path, timeouts.step).await;
            }
            Err(HostFailure::Unsupported { .. }) => pool.adapters.answered(server.id()).await,
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
    async fn attempt(&self, scenario: &Scenario, pairing: Pairing<'_>, tap: &Tap, alarm: Alarm<'_>) -> (Tried, bool) {
        let Pairing { client, server, transport, timeouts, pool, .. } = pairing;
        let certain = |transcript, observation| Tried { transcript, observation, doubt: None };
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
            pool,
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
        let watch = Watch::over(tap, client, server, alarm);
        // Long enough for a client to give up on a server that sends nothing but noise.
        let played = while_recorded(tap, timeouts.cell(2), played);
        let (observation, watched) = watch.during(timeout(limit, played)).await;
        let observation = observation.unwrap_or_else(|_| Observation {
            negotiated: None,
            steps: Vec::new(),
            end: End::TimedOut { waiting_for: Role::Client, what: format!("the cell, within {limit:?}") },
        });
        let transcript = tap.finish();
        if let Some(why) = route.and_then(|route| route.failure()) {
            return (certain(transcript, harness_failed(why)), attempt.lost.into_inner());
        }
        let observation = match (client.black_box_command(), attempt.command.get()) {
            (Some(command), Some(end)) => black_box::observed(scenario, command.calls(), &transcript, end),
            (_, _) => observation,
        };
        // How a command waits is not judged. Elsewhere than on Linux nobody can be seen to be idle.
        let may_stop = cfg!(target_os = "linux") && client.black_box_command().is_none();
        let is_doubtful = !attempt.has_paused_clock()
            && (is_doubtful(&observation, &transcript, &watched) || may_stop && stopped_waiting(&transcript, &watched));
        let doubt = is_doubtful.then(|| Doubt::about(&transcript, &watched, cores()));
        (Tried { transcript, observation, doubt }, attempt.lost.into_inner())
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

/// Whether the server said nothing while the client waited for its first answer. What it says after the client has gone on
/// without the answer comes too late.
fn was_silent_at_first(transcript: &Transcript) -> bool {
    let messages = transcript.entries.iter().filter(|entry| matches!(entry.event, Event::Message { .. }));
    messages.take(2).all(|entry| entry.from == Role::Client)
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
