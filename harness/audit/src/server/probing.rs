//! First phase of an audit: sessions with the server.
//!
//! ```text
//! lists at each revision ─ plan ─ calls at each revision ─ more calls, if the first leave a doubt ─> ObservedServer
//! ```

use std::collections::{BTreeMap, BTreeSet, HashSet};

use mcp_compat_author::capture::CapturedTool;
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_model::{Revision, Transport};

use super::AuditError;
use super::audit_time::AuditTime;
use super::calls::{self, AuditOptions, CallPlan, Planned};
use super::client_choices;
use super::failing_revisions::{Confirmed, succeeded};
use super::observed::{CallSessions, ObservedServer};
use super::replay::Replayer;
use super::snapshot::ToolSnapshot;
use super::unlisted_tool::{self, UnlistedTool};
use super::variations;
use crate::probe::{Effect, ProbeError, ProbeSession, ProbeTimeouts, ProbedServer, ServerProbe, StyledSession, Target};
use tokio_util::sync::CancellationToken;

/// A step of an audit, before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It lists the tools at a revision.
    Listing(Revision),
    /// It calls this many tools at a revision.
    Calling(Revision, usize),
    /// It replays this many tools to this many clients.
    Replaying(usize, usize),
}

/// An audit that runs: its settings, for each of its phases.
pub(super) struct AuditRun<'a> {
    pub(super) options: &'a AuditOptions,
    pub(super) timeouts: ProbeTimeouts,
    pub(super) time: AuditTime,
    pub(super) replayer: Replayer,
}

impl AuditRun<'_> {
    /// Does work that is needed for any report.
    pub(super) async fn unless_interrupted<T>(&self, work: impl Future<Output = T>) -> Result<T, AuditError> {
        self.options.stop.run_until_cancelled(work).await.ok_or(AuditError::Interrupted)
    }

    /// Lists the tools of the server, and calls them.
    pub(super) async fn probe(
        &self,
        target: Target,
        notice: &mut impl FnMut(Progress),
    ) -> Result<ObservedServer, AuditError> {
        let stop = &self.options.stop;
        let probe = ServerProbe::open(target, self.timeouts).await?.until(self.time.asking_ends());
        let listed = self.unless_interrupted(probe.list(|revision| notice(Progress::Listing(revision)))).await?;
        let probed = listed?.with_tools_or_a_defect()?;
        let tools = union(&probed);
        // Where no tool is known, none can be selected.
        let plan = if tools.is_empty() { CallPlan::default() } else { calls::plan(&tools, self.options)? };
        let (called, styled) = called_and_styled(&probe, &probed, &plan.planned, stop, notice).await;
        let sessions = called.unwrap_or_else(|| Ok(CallSessions::interrupted()))?;
        let mut observed = ObservedServer::new(probed, &tools, plan, sessions);
        observed.styled = styled.unwrap_or_else(|| Ok(Vec::new()))?;
        (observed.choice_findings, observed.refused_choices) =
            client_choices::findings(&observed.styled, observed.refused_offers.as_ref());
        if !self.replayer.stop.is_cancelled()
            && let Some(revision) = unlisted_tool::unclear_at(&observed.snapshots)
        {
            notice(Progress::Calling(revision, 1));
            let called = stop.run_until_cancelled(UnlistedTool::call(&probe, revision, &tools)).await;
            observed.unlisted = called.unwrap_or(Ok(None))?;
        }
        let varied = stop.run_until_cancelled(variations::find(&probe, &observed)).await;
        observed.varied = varied.unwrap_or_else(|| Ok(variations::Found::new()))?;
        let confirmed = stop.run_until_cancelled(confirmed(&probe, &observed)).await;
        observed.confirmed = confirmed.unwrap_or_else(|| Ok(Confirmed::new()))?;
        Ok(observed)
    }
}

/// Makes the planned calls, and opens the sessions of real clients: side by side if both change nothing.
async fn called_and_styled(
    probe: &ServerProbe,
    probed: &ProbedServer,
    planned: &[Planned],
    stop: &CancellationToken,
    notice: &mut impl FnMut(Progress),
) -> (Option<Result<CallSessions, AuditError>>, Option<Result<Vec<StyledSession>, ProbeError>>) {
    let styled = stop.run_until_cancelled(probe.in_styles(probed));
    let called = stop.run_until_cancelled(call(probe, probed, planned, notice));
    let is_harmless = planned.iter().all(Planned::changes_nothing);
    if is_harmless && probed.transport == Transport::Stdio {
        return tokio::join!(called, styled);
    }
    (called.await, styled.await)
}

/// Returns every tool that is listed at any revision, as the newest of these revisions lists it.
fn union(probed: &ProbedServer) -> Vec<CapturedTool> {
    let mut known = HashSet::new();
    let all = probed.spoken.iter().rev().flat_map(|session| &session.tools);
    all.filter(|tool| known.insert(&tool.name)).cloned().collect()
}

/// Makes the planned calls at each revision, and repeats at the newest those of tools that claim to change nothing.
async fn call(
    probe: &ServerProbe,
    probed: &ProbedServer,
    planned: &[Planned],
    notice: &mut impl FnMut(Progress),
) -> Result<CallSessions, AuditError> {
    let steps = |session: &ProbeSession, wanted: &dyn Fn(&Planned) -> bool| {
        let names: HashSet<&str> = session.tools.iter().map(|tool| tool.name.as_str()).collect();
        let listed = |planned: &&Planned| names.contains(planned.name.as_str());
        let calls = planned.iter().filter(listed).filter(|planned| wanted(planned)).filter_map(Planned::step);
        let mut steps = vec![JobStep::List {}];
        steps.extend(calls);
        // The second list shows that the server is still there.
        if steps.len() > 1 {
            steps.push(JobStep::List {});
        }
        steps
    };
    let mut asked = Vec::new();
    for session in &probed.spoken {
        let steps = steps(session, &|_| true);
        if steps.len() > 1 {
            notice(Progress::Calling(session.revision, steps.len() - 2));
            asked.push((session.revision, steps));
        }
    }
    let called = asked.len();
    if let Some(newest) = probed.newest() {
        let steps = steps(newest, &Planned::is_called_again);
        if steps.len() > 1 {
            notice(Progress::Calling(newest.revision, steps.len() - 2));
            asked.push((newest.revision, steps));
        }
    }
    let effect = if planned.iter().all(Planned::changes_nothing) { Effect::Nothing } else { Effect::Something };
    let mut played = probe.play_all(&asked, effect).await?;
    let again = if played.len() > called { played.pop() } else { None };
    let steps = asked.into_iter().map(|(_, steps)| steps);
    let called = resumed(probe, played.into_iter().zip(steps).collect()).await?;
    Ok(CallSessions::new(called, again))
}

/// Most sessions that are opened again at a revision: a server that ends at every call would be started without end.
const MOST: usize = 3;

type Asked = (ProbeSession, Vec<JobStep>);

/// Opens new sessions for the calls that a server did not receive, because it ended at the call of another tool.
/// Returns all sessions, each new one after the one that the server ended.
async fn resumed(probe: &ServerProbe, sessions: Vec<Asked>) -> Result<Vec<Asked>, ProbeError> {
    let mut all = Vec::with_capacity(sessions.len());
    for session in sessions {
        let revision: Revision = session.0.revision;
        all.push(session);
        for _ in 0..MOST {
            let Some(steps) = all.last().and_then(left) else { break };
            let next = probe.play(revision, &steps).await?;
            // A session without a call shows nothing more.
            if next.calls.is_empty() {
                break;
            }
            all.push((next, steps));
        }
    }
    Ok(all)
}

/// Steps for the calls that a session did not begin because the server had ended; `None` if there are none.
fn left((session, steps): &Asked) -> Option<Vec<JobStep>> {
    // The calls are not the reason if none was begun.
    if session.death().is_none() || session.cut_short.is_some() || session.calls.is_empty() {
        return None;
    }
    let begun: HashSet<&str> = session.calls.iter().map(|call| call.tool.as_str()).collect();
    let is_left = |step: &&JobStep| matches!(step, JobStep::Call { tool, .. } if !begun.contains(tool.as_str()));
    let calls: Vec<JobStep> = steps.iter().filter(is_left).cloned().collect();
    let list = || std::iter::once(JobStep::List {});
    (!calls.is_empty()).then(|| list().chain(calls).chain(list()).collect())
}

/// Repeats calls that fail at some revisions alone, at both revisions: an earlier call, a rate limit or chance may be
/// the reason, too. Only where no call of the audit changes anything, since a second call is no proof elsewhere.
async fn confirmed(probe: &ServerProbe, observed: &ObservedServer) -> Result<Confirmed, ProbeError> {
    if !observed.planned.iter().all(Planned::changes_nothing) {
        return Ok(Confirmed::new());
    }
    let mut failed_at: BTreeMap<Revision, Vec<&Planned>> = BTreeMap::new();
    let mut elsewhere: BTreeMap<Revision, Vec<&Planned>> = BTreeMap::new();
    for planned in &observed.planned {
        let failed = observed.failed_calls(&planned.name);
        for call in &failed {
            failed_at.entry(call.snapshot.revision).or_default().push(planned);
        }
        if let Some(call) = failed.first() {
            elsewhere.entry(call.elsewhere).or_default().push(planned);
        }
    }
    let mut fails = Confirmed::new();
    for (revision, tools) in failed_at {
        fails.extend(called(probe, observed, revision, &tools, false).await?);
    }
    let mut works = Confirmed::new();
    for (revision, tools) in elsewhere {
        works.extend(called(probe, observed, revision, &tools, true).await?);
    }
    let works: BTreeSet<&str> = works.iter().map(|(tool, _)| tool.as_str()).collect();
    fails.retain(|(tool, _)| works.contains(tool.as_str()));
    Ok(fails)
}

/// Calls these tools once more at a revision. Returns those that returned a result, or those that failed.
async fn called(
    probe: &ServerProbe,
    observed: &ObservedServer,
    revision: Revision,
    tools: &[&Planned],
    wanted: bool,
) -> Result<Confirmed, ProbeError> {
    let calls = tools.iter().filter_map(|planned| planned.step());
    let steps: Vec<JobStep> = std::iter::once(JobStep::List {}).chain(calls).collect();
    let session = probe.play(revision, &steps).await?;
    let again = session.calls.iter().filter_map(|call| {
        let snapshots = observed.snapshots.get(&call.tool)?;
        let snapshot = snapshots.iter().find(|snapshot| snapshot.revision == revision)?;
        Some(ToolSnapshot { call: Some(call.clone()), ..snapshot.clone() })
    });
    let as_wanted = again.filter(|snapshot| succeeded(snapshot) == wanted);
    Ok(as_wanted.map(|snapshot| (snapshot.tool.name, revision)).collect())
}
