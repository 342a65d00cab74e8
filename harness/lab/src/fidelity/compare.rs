//! Compares the outcomes of two peers cell by cell. Pure.

use std::collections::BTreeMap;

use mcp_compat_model::fidelity::{Difference, Fared, Side, StepDifference};
use mcp_compat_model::record::LeftOut;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Cell, PeerId, Role, Transport};
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::Step;

use super::fates::{Fate, Fates};
use super::request::{Contest, Request};
use mcp_compat_run::peer::Peer;

/// A contest, counterpart by counterpart.
pub(super) fn sides<'r>(
    contest: &'r Contest,
    request: &'r Request,
    fates: &'r Fates<'_>,
) -> impl Iterator<Item = Side> + 'r {
    contest.counterparts.iter().map(|counterpart| side(contest, counterpart, request, fates))
}

/// The cells of a contest in which the two part, of the profile and of the real peer.
pub(super) fn unequal(contest: &Contest, request: &Request, fates: &Fates<'_>) -> Vec<Cell> {
    let Contest { profile, real, counterparts, .. } = contest;
    let role = profile.record().role;
    let mut unequal = Vec::new();
    for (counterpart, scenario) in counterparts.iter().flat_map(|peer| request.corpus.iter().map(move |s| (peer, s))) {
        for transport in request.transports_of(contest) {
            let [one, other] = [profile, real].map(|peer| cell(scenario, role, peer.id(), counterpart.id(), transport));
            if let (Some(fate), Some(truth)) = (fates.of(&one), fates.of(&other))
                && truth.declined_by != Some(role)
                && fate.declined_by != Some(role)
                && difference(scenario, transport, fate, truth).is_some()
            {
                unequal.extend([one, other]);
            }
        }
    }
    unequal
}

fn side(contest: &Contest, counterpart: &Peer, request: &Request, fates: &Fates<'_>) -> Side {
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
            let fate = |peer: &PeerId| fates.of(&cell(scenario, role, peer, counterpart.id(), transport));
            let (one, other) = match (fate(profile.id()), fate(real.id())) {
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
            let honest = fate(contest.honest.id()).filter(|honest| honest.declined_by != Some(role));
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
    side.not_compared = not_compared.into_iter().map(|(reason, cells)| LeftOut { reason, cells }).collect();
    side
}

fn cell(scenario: &Scenario, role: Role, peer: &PeerId, counterpart: &PeerId, transport: Transport) -> Cell {
    let (client, server) = match role {
        Role::Client => (peer, counterpart),
        Role::Server => (counterpart, peer),
    };
    Cell { scenario: scenario.id.clone(), client: client.clone(), server: server.clone(), transport }
}

/// How a cell differs; `None` if it does not.
fn difference(scenario: &Scenario, transport: Transport, profile: &Fate, real: &Fate) -> Option<Difference> {
    let step = step_difference(scenario, profile, real);
    let no_session = [profile, real].iter().all(|fate| fate.record.outcome == Outcome::Unreachable);
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

/// The first step that came to two outcomes.
fn step_difference(scenario: &Scenario, profile: &Fate, real: &Fate) -> Option<StepDifference> {
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

fn fared(fate: &Fate) -> Fared {
    let record = &fate.record;
    Fared { negotiated: record.negotiated, outcome: record.outcome, reason: record.reason.clone() }
}

/// Adds a difference, to one of the same scenario where it is the same but for the transport.
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
