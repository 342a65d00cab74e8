//! Everything that was observed of a server, sorted by tool.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use mcp_compat_author::capture::{CapturedCall, CapturedTool};
use mcp_compat_judge::wire::message::messages;
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_model::{PeerId, Revision, ScenarioId};

use super::audit_time::JudgingTime;
use super::calls::{CallPlan, Planned};
use super::client_choices::RefusedChoice;
use super::failing_revisions::{Confirmed, FailedCall, failed_calls};
use super::handshake::Handshakes;
use super::list_members::ListMembers;
use super::refused_offers::RefusedOffers;
use super::replay::ReplayScenarios;
use super::session_results::SessionResults;
use super::snapshot::{MOST_VALUES_TOGETHER, ToolSnapshot, each_alike};
use super::unlisted_tool::UnlistedTool;
use crate::probe::{EndedEarly, ProbeSession, ProbedServer, StyledSession};

#[derive(Default)]
pub(super) struct CallSessions {
    /// One for each revision, with the steps that were asked for, and more after one that the server ended.
    pub(super) called: Vec<(ProbeSession, Vec<JobStep>)>,
    /// The session in which tools that claim to change nothing were called again.
    pub(super) again: Option<ProbeSession>,
    /// True if the user ended the audit before the calls were made.
    is_interrupted: bool,
}

impl CallSessions {
    pub(super) fn new(called: Vec<(ProbeSession, Vec<JobStep>)>, again: Option<ProbeSession>) -> Self {
        Self { called, again, is_interrupted: false }
    }

    /// None, because the user ended the audit.
    pub(super) fn interrupted() -> Self {
        Self { is_interrupted: true, ..Self::default() }
    }

    /// Reason why not all calls were begun, if that is so.
    fn cut_short(&self) -> Option<EndedEarly> {
        let of_session = || self.called.iter().find_map(|(session, _)| session.cut_short);
        if self.is_interrupted { Some(EndedEarly::Interrupted) } else { of_session() }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &ProbeSession> {
        self.called.iter().map(|(session, _)| session).chain(&self.again)
    }
}

pub(super) struct ObservedServer {
    pub(super) probed: ProbedServer,
    pub(super) planned: Vec<Planned>,
    /// Names of the tools that are not audited.
    pub(super) passed_over: Vec<String>,
    /// Most tools that are audited, if the server lists more and none were selected.
    pub(super) tool_limit: Option<usize>,
    /// The scenario of each audited tool, by the tool's name.
    pub(super) ids: BTreeMap<String, ScenarioId>,
    pub(super) sessions: CallSessions,
    /// The tools whose call was begun at any revision.
    begun: HashSet<String>,
    /// The calls that were answered with the id of no open request, by tool and revision.
    pub(super) misaddressed: BTreeSet<(String, Revision)>,
    /// The calls that fail at some revisions by the revision.
    pub(super) confirmed: Confirmed,
    /// Each tool at each revision, oldest first, by the tool's name.
    pub(super) snapshots: BTreeMap<String, Vec<ToolSnapshot>>,
    /// The calls that were made again, by tool, and at which revision.
    pub(super) again: BTreeMap<String, (CapturedCall, Revision)>,
    /// Findings of the audit about the results that open sessions.
    pub(super) handshake_findings: Vec<AuditFinding>,
    /// Sessions as real clients open them.
    pub(super) styled: Vec<StyledSession>,
    /// Findings about these sessions.
    pub(super) choice_findings: Vec<AuditFinding>,
    /// The revisions at which `initialize` is refused.
    pub(super) refused_offers: Option<RefusedOffers>,
    /// The choices of real clients that cost them the session.
    pub(super) refused_choices: Vec<RefusedChoice>,
    /// Findings about variations of what clients send, by tool.
    pub(super) varied: BTreeMap<Option<String>, Vec<AuditFinding>>,
    /// Answer of the server to a call of a tool that it does not list, where that had to be asked.
    pub(super) unlisted: Option<UnlistedTool>,
}

impl ObservedServer {
    /// Sorts what was observed in sessions by tool.
    pub(super) fn new(probed: ProbedServer, tools: &[CapturedTool], plan: CallPlan, sessions: CallSessions) -> Self {
        let CallPlan { planned, passed_over, tool_limit } = plan;
        let ids = scenario_ids(tools);
        let (snapshots, again) = (BTreeMap::new(), BTreeMap::new());
        let begun = sessions.called.iter().flat_map(|(session, steps)| called_in(session, steps)).collect();
        let misaddressed = sessions
            .called
            .iter()
            .flat_map(|(session, _)| session.misaddressed.iter().map(|tool| (tool.clone(), session.revision)));
        let misaddressed = misaddressed.collect();
        let (confirmed, unlisted, handshake_findings) = (Confirmed::new(), None, Vec::new());
        let mut observed = Self {
            refused_offers: RefusedOffers::of(&probed),
            probed,
            planned,
            passed_over,
            tool_limit,
            ids,
            sessions,
            begun,
            misaddressed,
            confirmed,
            snapshots,
            again,
            handshake_findings,
            styled: Vec::new(),
            choice_findings: Vec::new(),
            refused_choices: Vec::new(),
            varied: BTreeMap::new(),
            unlisted,
        };
        observed.collect();
        observed
    }

    /// Reason why a call of the tool was begun at no revision, if that is so.
    pub(super) fn why_not_begun(&self, tool: &str) -> Option<EndedEarly> {
        self.sessions.cut_short().filter(|_| !self.begun.contains(tool))
    }

    /// The planned calls that were begun at no revision because the audit ended.
    pub(super) fn out_of_time(&self) -> impl Iterator<Item = &Planned> {
        let is_out = |planned: &&Planned| match self.why_not_begun(&planned.name) {
            Some(EndedEarly::TimeOver | EndedEarly::Interrupted) => planned.step().is_some(),
            Some(EndedEarly::TooManyBytes) | None => false,
        };
        self.planned.iter().filter(is_out)
    }

    fn collect(&mut self) {
        // Calls are moved, since their answers may be long.
        if let Some(session) = &mut self.sessions.again {
            let revision = session.revision;
            let calls = std::mem::take(&mut session.calls).into_iter();
            self.again = calls.map(|call| (call.tool.clone(), (call, revision))).collect();
        }
        let handshakes = Handshakes::of(&self.probed.spoken);
        self.handshake_findings = handshakes.findings();
        for listed in &self.probed.spoken {
            let called = self.sessions.called.iter_mut().map(|(session, _)| session);
            let mut calls: HashMap<String, CapturedCall> = HashMap::new();
            // A call belongs to the list of the session in which it was made.
            let mut first = None;
            for session in called.filter(|session| session.revision == listed.revision) {
                for call in std::mem::take(&mut session.calls) {
                    calls.entry(call.tool.clone()).or_insert(call);
                }
                first.get_or_insert(&*session);
            }
            let session = first.unwrap_or(listed);
            let tools = first_of(session.tools.iter().chain(&listed.tools).map(|tool| (tool.name.as_str(), tool)));
            let messages = messages(&session.transcript);
            let list = ListMembers::of(&SessionResults::new(session, &messages), session.revision);
            let handshake = handshakes.at(listed.revision);
            for (place, planned) in self.planned.iter().enumerate() {
                let Some(tool) = tools.get(planned.name.as_str()).copied() else { continue };
                let call = calls.remove(&planned.name);
                // A list without an end takes clients long, and loses them every tool: one tool shows it.
                let list = match &session.leads_back {
                    Some(cursor) if place == 0 => Some(ListMembers::leading_back(list.as_deref(), cursor)),
                    Some(_) | None => list.clone(),
                };
                let handshake = handshake.clone();
                let snapshot = ToolSnapshot { revision: listed.revision, tool: tool.clone(), call, list, handshake };
                self.snapshots.entry(planned.name.clone()).or_default().push(snapshot);
            }
        }
    }

    /// The calls of a tool that failed at some revisions alone.
    pub(super) fn failed_calls(&self, tool: &str) -> Vec<FailedCall<'_>> {
        failed_calls(self.snapshots.get(tool).map(Vec::as_slice).unwrap_or_default(), &self.confirmed)
    }

    /// The replay scenarios by revision, and why some tools have none. Once the time is over, further tools have none
    /// either, without a reason.
    pub(super) fn replay_scenarios(&self, judging: &JudgingTime) -> (ReplayScenarios, BTreeMap<String, String>) {
        let (mut scenarios, mut not_replayable) = (ReplayScenarios::new(), BTreeMap::new());
        let of_tool = |planned: &Planned| {
            if judging.is_over() {
                return None;
            }
            let (id, snapshots) = (self.ids.get(&planned.name)?, self.snapshots.get(&planned.name)?);
            Some(each_alike(snapshots, |snapshot| {
                snapshot.replay_scenario(id).map(|scenario| (Arc::new(scenario), snapshot.values_of_answer()))
            }))
        };
        let mut left = MOST_VALUES_TOGETHER;
        for planned in &self.planned {
            let made = of_tool(planned).unwrap_or_default();
            let values = made.iter().filter_map(|(_, made)| Some(made.as_ref().ok()?.1)).max().unwrap_or_default();
            if values > left {
                let why = format!(
                    "its answer and those of the tools before it have more than {MOST_VALUES_TOGETHER} values together, and no \
                     more are replayed"
                );
                not_replayable.insert(planned.name.clone(), why);
                continue;
            }
            left -= values;
            for (snapshot, made) in made {
                match made {
                    Ok((scenario, _)) => scenarios.entry(snapshot.revision).or_default().push(scenario),
                    Err(why) => {
                        not_replayable.insert(planned.name.clone(), why.problem);
                    }
                }
            }
        }
        (scenarios, not_replayable)
    }

    /// The id of the server as a peer: its own name, without the characters that an id cannot hold.
    pub(super) fn server_id(&self) -> PeerId {
        let allowed = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let name: String = self.probed.server.name.chars().take(60).map(allowed).collect();
        let name = if name.is_empty() { "server".to_owned() } else { name };
        PeerId::new(name).unwrap_or_else(|error| unreachable!("every character is allowed: {error}"))
    }
}

/// The tools whose call was begun in a session.
fn called_in<'s>(session: &'s ProbeSession, steps: &'s [JobStep]) -> impl Iterator<Item = String> + 's {
    let begun = if session.cut_short.is_some() { session.observation.steps.len() } else { steps.len() };
    steps.iter().take(begun).filter_map(|step| match step {
        JobStep::Call { tool, .. } => Some(tool.clone()),
        JobStep::List {} | JobStep::Evolve { .. } => None,
    })
}

/// The first of those that share a name.
fn first_of<'n, T>(named: impl Iterator<Item = (&'n str, T)>) -> HashMap<&'n str, T> {
    let mut first = HashMap::new();
    for (name, value) in named {
        first.entry(name).or_insert(value);
    }
    first
}

/// The id of each tool's scenario: the tool's name in lower-case words, with a number where two names give the same
/// words.
fn scenario_ids(tools: &[CapturedTool]) -> BTreeMap<String, ScenarioId> {
    let mut ids: BTreeMap<String, ScenarioId> = BTreeMap::new();
    let mut taken: HashSet<ScenarioId> = HashSet::new();
    // The first number that may be free for the same words.
    let mut numbers: HashMap<String, u32> = HashMap::new();
    for CapturedTool { name, .. } in tools {
        let mut words = String::new();
        for c in name.chars().take(60) {
            match c.to_ascii_lowercase() {
                c @ ('a'..='z' | '0'..='9') => words.push(c),
                _ if words.is_empty() || words.ends_with('-') => {}
                _ => words.push('-'),
            }
        }
        let words = words.trim_end_matches('-');
        let words = if words.is_empty() { "unnamed" } else { words };
        let next = numbers.entry(words.to_owned()).or_insert(1);
        let candidates = (*next..).map(|number| match number {
            1 => (number, format!("tool/{words}")),
            _ => (number, format!("tool/{words}-{number}")),
        });
        let fresh = candidates
            .filter_map(|(number, candidate)| Some((number, ScenarioId::new(candidate).ok()?)))
            .find(|(_, candidate)| taken.insert(candidate.clone()));
        if let Some((number, id)) = fresh {
            *next = number.saturating_add(1);
            ids.insert(name.clone(), id);
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_has_a_scenario_of_its_own_whatever_it_is_called() {
        let tool = |name: &str| CapturedTool { name: name.to_owned(), definition: String::new() };
        let names = ["get_sum", "get-sum", "GetSum", "日本", "💥", "_a_"];
        let ids = scenario_ids(&names.map(tool));
        let told: Vec<&str> = names.iter().map(|name| ids[*name].as_str()).collect();
        assert_eq!(told, ["tool/get-sum", "tool/get-sum-2", "tool/getsum", "tool/unnamed", "tool/unnamed-2", "tool/a"]);
    }
}
