//! The server, played to hosts: which tools their models are offered, and what they read of each result.
//!
//! A host is started once with the whole list, as its users start it, and makes every call whose result is known. If it ends
//! at a call, it is started again for the calls after that one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use mcp_compat_judge::step_outcomes;
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_model::host_view::{AnswerKind, HostResult, HostTool, HostView};
use mcp_compat_model::observation::{End, Layer, PeerError, Seen, SeenTool};
use mcp_compat_model::record::Evidence;
use mcp_compat_model::{Cell, Revision, ScenarioId, Transport};
use mcp_compat_reports::hosts::read;
use mcp_compat_run::environment::{DEFAULT_PEER_MEMORY, HarnessError};
use mcp_compat_run::events::Event;
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_run::plan::Plan;
use mcp_compat_run::programs::Programs;
use mcp_compat_run::redact::redact_text;
use mcp_compat_run::run::{IsKnown, Run, run};
use mcp_compat_run::timeouts::Timeouts;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Call, Means, Purpose, ScenarioStage, Step, Tool};
use tokio_util::sync::CancellationToken;

use super::replay::{ReplayScenarios, spoken_with, stand_in};
use super::{AuditError, Audited};

/// Number of hosts that run at the same time. They are large programs.
const AT_ONCE: usize = 2;

/// Most starts of a host: one, and one after each of the first results that end it.
const MOST_STARTS: usize = 4;

/// Limit of each step of a host, of which its start is one.
const STEP: Duration = Duration::from_secs(30);

/// Plays what an audited server said to hosts. The server itself takes no part. `programs` has the relay that hosts start in
/// its place.
///
/// # Errors
/// When the harness cannot do its own part. What a host does is never an error.
pub async fn views_of_hosts(
    audited: &Audited,
    hosts: &[ClientPeer],
    programs: &Programs,
    stop: &CancellationToken,
) -> Result<Vec<HostView>, AuditError> {
    let server = stand_in(&audited.audit.server.id, &audited.audit.spoken)?;
    let stages: Vec<Stage<'_>> = hosts
        .iter()
        .map(|host| Stage { host, server: &server, scenarios: &audited.replayed, programs, stop })
        .collect();
    let views = stream::iter(stages.iter().map(Stage::view)).buffered(AT_ONCE);
    Ok(views.collect::<Vec<_>>().await.into_iter().collect::<Result<_, _>>()?)
}

/// A host, and everything that it is played.
struct Stage<'a> {
    host: &'a ClientPeer,
    server: &'a ServerPeer,
    scenarios: &'a ReplayScenarios,
    programs: &'a Programs,
    stop: &'a CancellationToken,
}

impl Stage<'_> {
    async fn view(&self) -> Result<HostView, HarnessError> {
        let spoken: Vec<Revision> = self.server.offered().collect();
        let newest = spoken.iter().copied().max().unwrap_or(Revision::NEWEST);
        let mut revision = spoken_with(self.host, &spoken).unwrap_or(newest);
        let mut view = HostView { host: self.host.id().clone(), negotiated: None, error: None, tools: Vec::new() };
        let mut called = 0;
        for _ in 0..MOST_STARTS {
            let tools = self.scenarios.get(&revision).map(Vec::as_slice).unwrap_or_default();
            let calls: Vec<&Call> = tools.iter().filter_map(|tool| call_of(tool)).collect();
            let Some(whole) = whole_server(tools, calls.get(called..).unwrap_or_default()) else { break };
            let whole = Arc::new(whole);
            let Some((negotiated, evidence)) = self.play(&whole).await? else { break };
            // A host that negotiated another revision is played what the server said at that one.
            if let Some(other) = negotiated.filter(|it| *it != revision && self.scenarios.contains_key(it))
                && view.negotiated.is_none()
            {
                (revision, view.negotiated) = (other, Some(other));
                continue;
            }
            let seen = StartSeen::of(&whole, &evidence);
            view.negotiated = view.negotiated.or(negotiated);
            if let End::NoSession(PeerError { message, .. }) = &evidence.observation.end
                && view.tools.is_empty()
            {
                view.error = Some(excerpt(&redact_text(message)));
                break;
            }
            if view.tools.is_empty() {
                view.tools = tools.iter().filter_map(|tool| own_tool(tool)).map(|tool| seen.tool(tool)).collect();
            }
            seen.add_results(&mut view.tools);
            match seen.ended_at() {
                Some(call) if called + call + 1 < calls.len() => called += call + 1,
                Some(_) | None => break,
            }
        }
        Ok(view)
    }

    /// Plays one start of the host. `None` if it was interrupted.
    async fn play(&self, whole: &Arc<Scenario>) -> Result<Option<(Option<Revision>, Evidence)>, HarnessError> {
        let cell = Cell {
            scenario: whole.id.clone(),
            client: self.host.id().clone(),
            server: self.server.id().clone(),
            transport: Transport::Stdio,
        };
        let asked = Run {
            plan: Plan { cells: vec![cell], left_out: Vec::new(), division: None },
            scenarios: vec![Arc::clone(whole)],
            clients: vec![self.host.clone()],
            servers: vec![self.server.clone()],
            timeouts: Timeouts { step: STEP, ..Timeouts::default() },
            jobs: 1,
            started: String::new(),
            programs: Programs::clone(self.programs),
            logs: None,
            peer_memory: DEFAULT_PEER_MEMORY,
            is_known: IsKnown::default(),
        };
        let recorded = Mutex::new(None);
        let mut watch = |event: Event<'_>| {
            if let Event::Recorded { cell, evidence } = event {
                let recorded = &mut *recorded.lock().unwrap_or_else(PoisonError::into_inner);
                *recorded = Some((cell.negotiated, evidence.clone()));
            }
        };
        run(asked, &mut [&mut watch], self.stop.clone()).await?;
        Ok(recorded.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The tool that a replay scenario was made of.
fn own_tool(scenario: &Scenario) -> Option<&Tool> {
    scenario.stages.first()?.tools.first()
}

/// The call of that tool, if its result is known.
fn call_of(scenario: &Scenario) -> Option<&Call> {
    scenario.steps.iter().find_map(|step| match step {
        Step::Call(call) if call.purpose == Purpose::Subject => Some(call),
        Step::Call(_) | Step::List | Step::Evolve { .. } => None,
    })
}

/// One scenario of all tools: they are listed, and then called in order. `None` if there are none.
fn whole_server(tools: &[Arc<Scenario>], calls: &[&Call]) -> Option<Scenario> {
    let first = Scenario::clone(tools.first()?);
    let tools = tools.iter().filter_map(|tool| own_tool(tool)).cloned().collect();
    let steps = calls.iter().map(|call| Step::Call(Call::clone(call)));
    Some(Scenario {
        id: ScenarioId::new("tool/all-tools").unwrap_or(first.id),
        stages: vec![ScenarioStage { tools, notified: false }],
        steps: std::iter::once(Step::List).chain(steps).collect(),
        ..first
    })
}

/// A start of a host with a scenario of [`whole_server`].
struct StartSeen<'s> {
    offered: &'s [SeenTool],
    results: Vec<(&'s Call, &'s Seen, HostResult)>,
}

impl<'s> StartSeen<'s> {
    fn of(whole: &'s Scenario, evidence: &'s Evidence) -> Self {
        let steps = &evidence.observation.steps;
        let offered =
            steps.iter().find_map(|seen| if let Seen::Listed { tools } = seen { Some(&tools[..]) } else { None });
        let outcomes = step_outcomes(whole, &evidence.cell, &evidence.transcript, &evidence.observation);
        let results = whole.steps.iter().zip(steps).zip(outcomes).filter_map(|((step, seen), outcome)| {
            let Step::Call(call) = step else { return None };
            let answer = match call.means {
                Means::Value(_) => AnswerKind::Value,
                Means::Text(_) => AnswerKind::Text,
                Means::ToolError(_) => AnswerKind::Error,
                Means::Invalid => AnswerKind::Invalid,
            };
            Some((call, seen, HostResult { answer, outcome: outcome?, read: beginning(seen) }))
        });
        Self { offered: offered.unwrap_or_default(), results: results.collect() }
    }

    fn tool(&self, tool: &Tool) -> HostTool {
        let plain = |name: &str| name.replace(|it: char| !it.is_ascii_alphanumeric(), "_");
        let offered = self.offered.iter().find(|offered| plain(&offered.name) == plain(&tool.name));
        let refused = offered.and_then(|offered| offered.refused.clone());
        let is_searched_for = || self.results.iter().any(|(call, ..)| call.tool == tool.name);
        let is_known = offered.is_some() || is_searched_for() || self.offered.iter().all(|offered| !offered.found);
        HostTool { tool: tool.name.clone(), offered: is_known.then_some(offered.is_some()), refused, result: None }
    }

    /// Place of the call at which the host ended, among those that it was to make.
    fn ended_at(&self) -> Option<usize> {
        self.results.iter().position(|(_, seen, _)| is_end(seen))
    }

    /// Adds the results up to the call at which the host ended.
    fn add_results(&self, tools: &mut [HostTool]) {
        let last = self.ended_at().map_or(self.results.len(), |place| place + 1);
        for (call, _, result) in self.results.iter().take(last) {
            if let Some(tool) = tools.iter_mut().find(|tool| tool.tool == call.tool) {
                tool.result = Some(result.clone());
            }
        }
    }
}

/// Returns true if the host ended, or had to be ended, in place of a result.
fn is_end(seen: &Seen) -> bool {
    matches!(seen, Seen::Failed(PeerError { layer: Layer::Connect | Layer::Timeout, .. }))
}

/// The beginning of what a model reads, without what looks like a secret.
fn beginning(seen: &Seen) -> String {
    excerpt(&redact_text(&read(seen)))
}
