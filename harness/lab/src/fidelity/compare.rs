//! Collects the outcomes of cells, and compares those of two peers cell by cell.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_compat_judge::step_outcomes;
use mcp_compat_model::fidelity::{Difference, Fared, Side, StepDifference};
use mcp_compat_model::observation::End;
use mcp_compat_model::record::{CellRecord, Evidence, NotPlayedCells};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Cell, PeerId, Role, ScenarioId, Transport};
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::Step;

use super::request::{Contest, Request};
use mcp_compat_run::events::{Event, Observer};
use mcp_compat_run::peer::Peer;

#[derive(Clone, Debug)]
pub(super) struct CellOutcome {
    pub(super) record: CellRecord,
    /// Outcomes of the steps that were played.
    pub(super) steps: Vec<Option<Outcome>>,
    /// The role of the peer that declined to play the cell.
    pub(super) declined_by: Option<Role>,
}

/// Outcomes of the cells; the latest one if a cell is played again.
#[derive(Debug)]
pub(super) struct CellOutcomes<'s> {
    scenarios: BTreeMap<&'s ScenarioId, &'s Scenario>,
    outcomes: BTreeMap<Cell, CellOutcome>,
}

impl<'s> CellOutcomes<'s> {
    pub(super) fn new(corpus: &'s [Arc<Scenario>]) -> Self {
        let scenarios = corpus.iter().map(|scenario| (&scenario.id, scenario.as_ref())).collect();
        Self { scenarios, outcomes: BTreeMap::new() }
    }

    pub(super) fn of(&self, cell: &Cell) -> Option<&CellOutcome> {
        self.outcomes.get(cell)
    }
}

impl Observer for CellOutcomes<'_> {
    fn notice(&mut self, event: Event<'_>) {
        let Event::Recorded { cell: record, evidence } = event else { return };
        let Evidence { cell, transcript, observation, .. } = evidence;
        // If messages are too long to be kept whole, both peers are judged by the part that is kept.
        let steps = self.scenarios.get(&cell.scenario);
        let steps = steps.map(|scenario| step_outcomes(scenario, cell, transcript, observation)).unwrap_or_default();
        let declined_by = match &observation.end {
            End::Unsupported { by, .. } => Some(*by),
            End::Answered {}
            | End::NoSession(_)
            | End::TimedOut { .. }
            | End::Crashed { .. }
            | End::NotStarted { .. }
            | End::HarnessFailed { .. } => None,
        };
        self.outcomes.insert(cell.clone(), CellOutcome { record: record.clone(), steps, declined_by });
    }
}

/// Compares the two peers of a contest, with each counterpart.
pub(super) fn sides<'r>(
    contest: &'r Contest,
    request: &'r Request,
    outcomes: &'r CellOutcomes<'_>,
) -> impl Iterator<Item = Side> + 'r {
    contest.counterparts.iter().map(|counterpart| side(contest, counterpart, request, outcomes))
}

/// Returns the cells of a contest in which the two peers differ, those of the profile and those of the real peer.
pub(super) fn unequal(contest: &Contest, request: &Request, outcomes: &CellOutcomes<'_>) -> Vec<Cell> {
    let Contest { profile, real, counterparts, .. } = contest;
    let role = profile.record().role;
    let mut unequal = Vec::new();
    for (counterpart, scenario) in counterparts.iter().flat_map(|peer| request.corpus.iter().map(move |s| (peer, s))) {
        for transport in request.transports_of(contest) {
            let [one, other] = [profile, real].map(|peer| cell(scenario, role, peer.id(), counterpart.id(), transport));
            if let (Some(outcome), Some(truth)) = (outcomes.of(&one), outcomes.of(&other))
                && truth.declined_by != Some(role)
                && outcome.declined_by != Some(role)
                && difference(scenario, transport, outcome, truth).is_some()
            {
                unequal.extend([one, other]);
            }
        }
    }
    unequal
}

fn side(contest: &Contest, counterpart: &Peer, request: &Request, outcomes: &CellOutcomes<'_>) -> Side {
    let Contest { profile, real, .. } = contest;
    let role = profile.record().role;
    let mut side = Side {
        role,
        profile: profile.id().clone(),
        real: real.id().clone(),
        counterpart: counterpart.id().clone(),
        transports: Vec::new(),
        cells: 0,
        equal: 0,
        same_outcome: 0,
        deviating: 0,
        followed: 0,
        differences: Vec::new(),
        not_compared: Vec::new(),
    };
    let mut not_compared = BTreeMap::<String, u64>::new();
    for scenario in &request.corpus {
        for transport in request.transports_of(contest) {
            let outcome = |peer: &PeerId| outcomes.of(&cell(scenario, role, peer, counterpart.id(), transport));
            let (one, other) = match (outcome(profile.id()), outcome(real.id())) {
                (Some(one), Some(other)) => (one, other),
                // Not planned for either of them, or the run ended before.
                (None, None) => continue,
                (Some(_), None) | (None, Some(_)) => {
                    *not_compared.entry("only one of the two was played".to_owned()).or_default() += 1;
                    continue;
                }
            };
            if other.declined_by == Some(role) {
                *not_compared.entry(format!("the adapter of {} cannot play them", real.id())).or_default() += 1;
                continue;
            }
            if one.declined_by == Some(role) {
                *not_compared.entry(format!("{} cannot play them", profile.id())).or_default() += 1;
                continue;
            }
            if !side.transports.contains(&transport) {
                side.transports.push(transport);
            }
            side.cells += 1;
            side.same_outcome += u64::from(one.record.outcome == other.record.outcome);
            let honest = outcome(contest.honest.id()).filter(|honest| honest.declined_by != Some(role));
            let deviates = honest.is_some_and(|honest| difference(scenario, transport, honest, other).is_some());
            side.deviating += u64::from(deviates);
            match difference(scenario, transport, one, other) {
                None => {
                    side.equal += 1;
                    side.followed += u64::from(deviates);
                }
                Some(difference) => add(&mut side.differences, difference),
            }
        }
    }
    side.not_compared = not_compared.into_iter().map(|(reason, cells)| NotPlayedCells { reason, cells }).collect();
    side
}

fn cell(scenario: &Scenario, role: Role, peer: &PeerId, counterpart: &PeerId, transport: Transport) -> Cell {
    let (client, server) = match role {
        Role::Client => (peer, counterpart),
        Role::Server => (counterpart, peer),
    };
    Cell { scenario: scenario.id.clone(), client: client.clone(), server: server.clone(), transport }
}

/// Returns the difference between the two peers in a cell, if there is one.
fn difference(
    scenario: &Scenario,
    transport: Transport,
    profile: &CellOutcome,
    real: &CellOutcome,
) -> Option<Difference> {
    let step = step_difference(scenario, profile, real);
    let no_session = [profile, real].iter().all(|outcome| outcome.record.outcome == Outcome::Unreachable);
    let same_revision = no_session || profile.record.negotiated == real.record.negotiated;
    if step.is_none() && same_revision && profile.record.outcome == real.record.outcome {
        return None;
    }
    Some(Difference {
        scenario: scenario.id.clone(),
        transports: vec![transport],
        step,
        profile: fared(profile),
        real: fared(real),
    })
}

/// Returns the first step with different outcomes.
fn step_difference(scenario: &Scenario, profile: &CellOutcome, real: &CellOutcome) -> Option<StepDifference> {
    let pairs = profile.steps.iter().zip(&real.steps).zip(&scenario.steps);
    let (place, ((one, other), step)) = pairs.enumerate().find(|(_, ((one, other), _))| one != other)?;
    let what = match step {
        Step::List => "list".to_owned(),
        Step::Call(call) => format!("call {}", call.tool),
        Step::Evolve { .. } => "evolve".to_owned(),
    };
    let number = u32::try_from(place + 1).unwrap_or(u32::MAX);
    Some(StepDifference { number, what, profile: *one, real: *other })
}

fn fared(outcome: &CellOutcome) -> Fared {
    let record = &outcome.record;
    Fared { negotiated: record.negotiated, outcome: record.outcome, reason: record.reason.clone() }
}

/// Adds a difference, or only its transport if the same difference is in the list.
fn add(differences: &mut Vec<Difference>, difference: Difference) {
    let alike = |other: &&mut Difference| {
        let fared = |fared: &Fared| (fared.negotiated, fared.outcome);
        other.scenario == difference.scenario
            && other.step == difference.step
            && fared(&other.profile) == fared(&difference.profile)
            && fared(&other.real) == fared(&difference.real)
    };
    match differences.iter_mut().find(alike) {
        Some(other) => other.transports.extend(difference.transports),
        None => differences.push(difference),
    }
}
