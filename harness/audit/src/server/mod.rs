//! The audit of a server that does not know mcp-compat: its defects, and what each client loses with it.
//!
//! ```text
//! Target ─ probe ─> ObservedServer   the tools at each revision, and the answers to calls
//!        ─ play ──> Played           each tool to each client
//!        ─ judge ─> Audited          rules of the specification on the real sessions (findings),
//!                                    rules of the audit across sessions (checks),
//!                                    and each fix, played to every client (changes)
//! ```
//!
//! The server takes part in a few sessions only. A stand-in that says the same is then played to every client, in
//! memory or, if it is a real client, over HTTP. The audit marks tools that were not called or that failed, and claims
//! nothing about their results.

mod accepting_releases;
mod arguments;
mod assemble;
mod audit_rule;
mod audit_time;
mod call_skeleton;
mod calls;
mod changes;
mod checks;
mod client_choices;
mod clients;
mod discover_answer;
mod early_notifications;
mod evidence;
mod failing_revisions;
mod findings;
mod handshake;
mod host_limits;
mod hosts;
mod list_members;
mod losses;
mod lost_elsewhere;
mod members;
mod observed;
mod outage;
mod own_arguments;
mod probing;
mod profile_differences;
mod refused_offers;
mod refused_result;
mod remedies;
mod replay;
mod results;
mod session_results;
mod session_rules;
mod snapshot;
mod unlisted_tool;
mod unmarked_failure;
mod unstable_tools;
mod unusable_result;
mod value_checks;
mod variations;

use mcp_compat_mocks::server::UnknownServer;
use mcp_compat_model::Cell;
use mcp_compat_model::audit::{Audit, CutShort};
use mcp_compat_model::record::Record;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::glob::{BadGlob, SelectError};

use crate::probe::{EndedEarly, ProbeError, ProbeTimeouts, Target};
use audit_time::AuditTime;
use changes::FixTrials;
use clients::AuditClients;
use observed::ObservedServer;
use probing::AuditRun;
use profile_differences::profile_differences;
use replay::{Played, Replayer};

pub use accepting_releases::{SupportQuestion, accepting_releases};
pub use audit_rule::{AUDIT_RULES, AuditRule};
pub use call_skeleton::{CallSkeleton, call_skeleton};
pub use calls::{AskedCall, AuditOptions, CallsError, MOST_TOOLS};
pub use hosts::views_of_hosts;
pub use probing::Progress;
pub use replay::{OnCell, ReplayScenarios};

#[derive(Clone, Debug)]
pub struct Audited {
    pub audit: Audit,
    /// The cells behind it: each tool with each client.
    pub record: Record,
    /// Every possible cell, of all tools with all clients.
    pub matrix: Vec<Cell>,
    /// The tools about which support data tells more.
    pub support_questions: Vec<SupportQuestion>,
    /// Answers of the server, as scenarios.
    pub replayed: ReplayScenarios,
}

/// Reason why there is no audit. A defect of the server is not an error: the audit reports it.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error(transparent)]
    Select(#[from] SelectError),
    #[error("`{tool}` is marked destructive. mcp-compat never calls such tools: remove it from the calls")]
    Destructive { tool: String },
    #[error(
        "`{tool}` is named more than once among the calls, with different arguments: each tool is called in one way. \
         A call that has to fail is given once, as in `--expect-error {tool}=JSON`"
    )]
    CalledInTwoWays { tool: String },
    #[error("the arguments given for `{tool}` cannot be used: {problem}")]
    Arguments { tool: String, problem: String },
    #[error("no real client can be played: {0}")]
    NoRealClient(String),
    #[error(transparent)]
    StandIn(#[from] UnknownServer),
    #[error("the audit was interrupted before the tools were listed")]
    Interrupted,
    #[error(transparent)]
    Host(#[from] HarnessError),
}

impl From<BadGlob> for AuditError {
    fn from(bad: BadGlob) -> Self {
        SelectError::from(bad).into()
    }
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

/// Audits a server. Calls `notice` before each step, and `on_cell` with each cell that was played and its evidence. A
/// cell may be played more than once: the last play counts.
///
/// # Errors
/// When the server cannot be probed, offers no tools, or the options cannot be followed.
pub async fn audit(
    target: Target,
    options: &AuditOptions,
    timeouts: ProbeTimeouts,
    mut notice: impl FnMut(Progress),
    on_cell: &mut OnCell<'_>,
) -> Result<Audited, AuditError> {
    let time = AuditTime::of(timeouts.audit);
    let replayer = Replayer::new(options.stop.child_token(), target.transport());
    let run = AuditRun { options, timeouts, time, replayer };
    let phases = async {
        let clients = run.unless_interrupted(AuditClients::start(options, &run.replayer.environment)).await??;
        let observed = run.probe(target, &mut notice).await?;
        let played = run.play(&observed, &clients, &mut notice, on_cell).await?;
        run.judge(&observed, played, clients).await
    };
    let audited = time.bound(&run.replayer.stop, phases).await;
    run.replayer.environment.close().await;
    audited
}

impl AuditRun<'_> {
    /// Plays each tool to each client that is counted, and to the profiles that real clients replace.
    async fn play(
        &self,
        observed: &ObservedServer,
        clients: &AuditClients,
        notice: &mut impl FnMut(Progress),
        on_cell: &mut OnCell<'_>,
    ) -> Result<Played, AuditError> {
        let server = replay::stand_in(&observed.server_id(), &observed.probed.revisions().collect::<Vec<_>>())?;
        let judging = self.time.judging(self.options.stop.clone());
        notice(Progress::Replaying(observed.planned.len(), clients.counted.len()));
        let (scenarios, not_replayable) = observed.replay_scenarios(&judging);
        // Tools without a scenario, for want of time, are in no planned cell.
        let all_are_planned = !judging.is_over();
        let mut record = self.replayer.replay(&scenarios, &clients.counted, &server, None, on_cell).await?;
        record.complete &= all_are_planned;
        let mut played = Played { server, scenarios, not_replayable, record, profile_differences: Vec::new(), judging };
        played.profile_differences = profile_differences(&played, &observed.ids, clients, &self.replayer).await?;
        losses::mark(&mut played.record, observed, &clients.counted);
        Ok(played)
    }

    /// Judges the sessions and the cells, and tries the changes to make.
    async fn judge(
        &self,
        observed: &ObservedServer,
        played: Played,
        clients: AuditClients,
    ) -> Result<Audited, AuditError> {
        let stop = &self.replayer.stop;
        let mut audit = assemble::audit(observed, &played, &clients.counted);
        if played.judging.is_over() {
            stop.cancel();
        }
        // The effect of a change is not known if clients were left out.
        if !stop.is_cancelled() {
            let trials = FixTrials {
                audit: &audit,
                snapshots: &observed.snapshots,
                fails_at: &observed.confirmed,
                clients: &clients.counted,
                server: &played.server,
                replayer: &self.replayer,
            };
            let found = trials.changes(&played.scenarios).await?;
            if !stop.is_cancelled() {
                (audit.changes, audit.together) = found;
            }
        }
        audit.cut_short = self.cut_short(&audit, observed);
        (audit.profile_differences, audit.not_started) = (played.profile_differences, clients.not_started);
        let mut record = played.record;
        assemble::skip_unseen(&mut record, &audit.tools);
        let matrix = replay::matrix(observed.ids.values(), &clients::all(self.options), played.server.id());
        let support_questions = accepting_releases::support_questions(&audit, &observed.snapshots);
        Ok(Audited { audit, record, matrix, support_questions, replayed: played.scenarios })
    }

    /// Counts what the audit left out; `None` if it is complete.
    fn cut_short(&self, audit: &Audit, observed: &ObservedServer) -> Option<CutShort> {
        let mut sessions = observed.probed.spoken.iter().chain(observed.sessions.all());
        let is_late = sessions.any(|session| session.cut_short == Some(EndedEarly::TimeOver));
        let is_interrupted = self.options.stop.is_cancelled();
        (is_late || self.replayer.stop.is_cancelled()).then(|| CutShort {
            after_ms: (!is_interrupted).then(|| self.time.whole_ms()),
            not_called: observed.out_of_time().count(),
            not_played: audit.tools.iter().map(|tool| tool.not_played).sum(),
            not_checked: audit.tools.iter().filter(|tool| tool.unchecked).count(),
        })
    }
}
