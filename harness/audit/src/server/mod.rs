//! The audit of a server that does not know mcp-compat: its defects, and what each client loses with it.
//!
//! ```text
//! Target ─ probe ─> the tools at each revision
//!        ─ calls ─> which tools are called, and with which arguments
//!        ─ probe ─> ObservedServer: what the tools answer
//!              ├─ findings   the rules of the specification, on the real sessions   ┐
//!              ├─ checks     the rules of the audit, across sessions                ├─> Audit
//!              └─ snapshot ─ replay   each tool to each client ─> Record ─ changes  ┘
//!                                     and again with each fix applied
//! ```
//!
//! The server takes part in a few sessions only. A stand-in that says the same is then played to every client, in memory
//! or, if it is a real client, over HTTP.
//! The audit marks tools that were not called or that failed, and claims nothing about their results.

mod alike;
mod arguments;
mod asked_call;
mod assemble;
mod audit_rule;
mod audit_time;
mod call_state;
mod calls;
mod changes;
mod checks;
mod clients;
mod confirmed_calls;
mod error;
mod failing_revisions;
mod findings;
mod formats;
mod judging_time;
mod list_members;
mod loss;
mod lost_calls;
mod members;
mod more_eras;
mod null_values;
mod observed;
mod opening;
mod openings;
mod profile_differences;
mod remedies;
mod replay;
mod results;
mod resumed;
mod schema_checks;
mod session_results;
mod snapshot;
mod takers;
mod text_findings;
mod text_of_value;
mod unlisted_tool;
mod value_checks;
mod wrong_members;

use std::collections::HashSet;

use mcp_compat_capture::CapturedTool;
use mcp_compat_model::audit::Audit;
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_model::record::Record;
use mcp_compat_model::{Cell, Revision};

use crate::probe::{Effect, ProbeSession, ProbeTimeouts, ProbedServer, ServerProbe, Target};
use audit_time::AuditTime;
use calls::Planned;
use clients::AuditClients;
use failing_revisions::Confirmed;
use observed::{CallSessions, ObservedServer};
use profile_differences::profile_differences;
use replay::{Pace, Replayer};
use unlisted_tool::UnlistedTool;

pub use asked_call::{AskedCall, CallsError};
pub use audit_rule::{AUDIT_RULES, AuditRule};
pub use calls::{AuditOptions, MOST_TOOLS};
pub use error::AuditError;
pub use replay::OnCell;
pub use takers::{SupportQuestion, takers};

/// The result of an audit.
#[derive(Clone, Debug)]
pub struct Audited {
    /// The audit.
    pub audit: Audit,
    /// The cells behind it: each tool with each client.
    pub record: Record,
    /// Every possible cell, of all tools with all clients.
    pub matrix: Vec<Cell>,
    /// The tools about which support data tells more.
    pub support_questions: Vec<SupportQuestion>,
}

impl AuditOptions {
    /// Checks what can be checked before the server is started.
    ///
    /// # Errors
    /// When a glob over clients is not valid or matches no client, or real clients are asked for and there are none.
    pub fn check(&self) -> Result<(), AuditError> {
        clients::selected(self).map(drop)
    }
}

/// What an audit is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It lists the tools at a revision.
    Listing(Revision),
    /// It calls this many tools at a revision.
    Calling(Revision, usize),
    /// It replays this many tools to this many clients.
    Replaying(usize, usize),
}

/// Audits a server. Calls `notice` before each step.
///
/// # Errors
/// When the server cannot be probed, offers no tools, or the options cannot be followed.
pub async fn audit(
    target: Target,
    options: &AuditOptions,
    timeouts: ProbeTimeouts,
    notice: impl FnMut(Progress),
) -> Result<Audited, AuditError> {
    audit_with_evidence(target, options, timeouts, notice, &mut |_, _, _| {}).await
}

/// Like [`audit`]; calls `on_cell` with each cell that was played and its evidence. A cell may be played more than once:
/// the last play counts.
///
/// # Errors
/// As those of [`audit`].
pub async fn audit_with_evidence(
    target: Target,
    options: &AuditOptions,
    timeouts: ProbeTimeouts,
    mut notice: impl FnMut(Progress),
    on_cell: &mut OnCell<'_>,
) -> Result<Audited, AuditError> {
    let replayer = Replayer::new(options.stop.child_token());
    let time = AuditTime::of(timeouts.audit);
    let work = played(target, options, (timeouts, time), &mut notice, on_cell, &replayer);
    let audited = time.bound(&replayer.stop, work).await;
    replayer.environment.close().await;
    audited
}

/// The audit, in the environment of the replayer.
async fn played(
    target: Target,
    options: &AuditOptions,
    (timeouts, time): (ProbeTimeouts, AuditTime),
    notice: &mut impl FnMut(Progress),
    on_cell: &mut OnCell<'_>,
    replayer: &Replayer,
) -> Result<Audited, AuditError> {
    let started = options.stop.run_until_cancelled(AuditClients::start(options, &replayer.environment)).await;
    let clients = started.ok_or(AuditError::Interrupted)??;
    let probe = ServerProbe::open(target, timeouts).await?.until(time.asking_ends());
    let listed = options.stop.run_until_cancelled(probe.list(|revision| notice(Progress::Listing(revision)))).await;
    let probed = listed.ok_or(AuditError::Interrupted)??.with_tools()?;
    let tools = union(&probed);
    let plan = calls::plan(&tools, options)?;
    let called = options.stop.run_until_cancelled(call(&probe, &probed, &plan.planned, notice)).await;
    let sessions = called.unwrap_or_else(|| Ok(CallSessions::interrupted()))?;
    let mut observed = ObservedServer::new(probed, &tools, plan, sessions);
    if !replayer.stop.is_cancelled()
        && let Some(revision) = unlisted_tool::unclear_at(&observed.snapshots)
    {
        notice(Progress::Calling(revision, 1));
        let called = options.stop.run_until_cancelled(UnlistedTool::call(&probe, revision, &tools)).await;
        observed.unlisted = called.unwrap_or(Ok(None))?;
    }
    let confirmed = options.stop.run_until_cancelled(confirmed_calls::confirmed(&probe, &observed)).await;
    observed.confirmed = confirmed.unwrap_or_else(|| Ok(Confirmed::new()))?;
    let server = replay::stand_in(&observed.server_id(), &observed.probed.revisions().collect::<Vec<_>>())?;
    let judging = time.judging(options.stop.clone());
    notice(Progress::Replaying(observed.planned.len(), clients.counted.len()));
    let (scenarios, not_replayable) = observed.replay_scenarios(&judging);
    // Of what there was no time to make a scenario, no cell is planned.
    let all_are_planned = !judging.is_over();
    let mut record = replayer.replay(&scenarios, &clients.counted, &server, Pace::default(), on_cell).await?;
    record.complete &= all_are_planned;
    let differences =
        profile_differences(&mut record, &scenarios, &observed.ids, &clients, &server, replayer, on_cell).await?;
    lost_calls::mark(&mut record, &observed);
    let mut audit = assemble::audit(&observed, (&scenarios, &not_replayable), &record, &clients.counted, &judging);
    (audit.profile_differences, audit.not_started) = (differences, clients.not_started);
    if judging.is_over() {
        replayer.stop.cancel();
    }
    // What a change frees is not known if clients were left out.
    if !replayer.stop.is_cancelled() {
        let found =
            changes::changes(&audit, &scenarios, &observed.snapshots, &clients.counted, &server, replayer).await?;
        if !replayer.stop.is_cancelled() {
            (audit.changes, audit.together) = found;
        }
    }
    audit.cut_short = time.left_out(&audit, &observed, (&replayer.stop, &options.stop));
    assemble::skip_unseen(&mut record, &audit.tools);
    let matrix = replay::matrix(observed.ids.values(), &clients::all(options), server.id());
    let support_questions = takers::support_questions(&audit, &observed.snapshots);
    Ok(Audited { audit, record, matrix, support_questions })
}

/// Every tool that is listed at any revision, as the newest of these revisions lists it.
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
    let called = resumed::resumed(probe, played.into_iter().zip(steps).collect()).await?;
    Ok(CallSessions::new(called, again))
}
