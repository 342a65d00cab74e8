//! Fidelity over pairs of a schema and a value: finds the pairs that a profile and the real peer treat differently, and
//! reduces them.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::fidelity::{Difference, Fidelity};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{PeerId, ScenarioId};
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::events::Observer;
use tokio_util::sync::CancellationToken;

use super::{Request, fidelity};
use crate::generated::{Pair, smaller};

/// Number of differences that are reduced; most of the others have the same cause.
const REDUCED: usize = 24;

/// Largest number of parts that are removed from a pair.
const ROUNDS: usize = 24;

/// Pair that the two peers treat differently.
#[derive(Clone, Debug, PartialEq)]
pub struct Disagreement {
    pub pair: Pair,
    pub kind: Kind,
}

/// Kind of a difference. Two differences of one kind count as the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    pub profile: PeerId,
    /// Outcome for the user of the profile.
    pub emulated: Outcome,
    /// Outcome for the user of the real peer.
    pub real: Outcome,
    /// Number of the first step that differs, from 1.
    pub step: Option<u32>,
}

/// Compares the peers of the request by pairs, which replace its corpus.
///
/// # Errors
/// When the harness cannot do its own part.
pub async fn differential(
    mut request: Request,
    pairs: &[Pair],
    observer: &mut dyn Observer,
    stop: CancellationToken,
) -> Result<(Fidelity, Vec<Disagreement>), HarnessError> {
    let ids: BTreeMap<ScenarioId, &Pair> =
        pairs.iter().enumerate().filter_map(|(number, pair)| Some((id("pair", number)?, pair))).collect();
    request.corpus = ids.iter().map(|(id, pair)| pair.scenario(id.clone())).collect();
    let found = fidelity(&request, observer, stop.clone()).await?;
    let mut active: Vec<Disagreement> = kinds(&found)
        .into_iter()
        .filter_map(|(id, kind)| Some(Disagreement { pair: (*ids.get(&id)?).clone(), kind }))
        .take(REDUCED)
        .collect();
    let mut reduced = Vec::new();
    for _ in 0..ROUNDS {
        if active.is_empty() || stop.is_cancelled() {
            break;
        }
        let mut candidates = BTreeMap::<ScenarioId, (usize, Pair)>::new();
        for (place, disagreement) in active.iter().enumerate() {
            let of = smaller(&disagreement.pair).into_iter().enumerate();
            let named = of.filter_map(|(number, pair)| Some((id(&format!("part-{place}"), number)?, (place, pair))));
            candidates.extend(named);
        }
        request.corpus = candidates.iter().map(|(id, (_, pair))| pair.scenario(id.clone())).collect();
        let found = kinds(&fidelity(&request, observer, stop.clone()).await?);
        let mut still = Vec::new();
        for (place, disagreement) in active.into_iter().enumerate() {
            let differs = candidates.iter().find(|(id, (of, _))| {
                *of == place && found.iter().any(|(differing, kind)| differing == *id && *kind == disagreement.kind)
            });
            match differs {
                Some((_, (_, pair))) => still.push(Disagreement { pair: pair.clone(), ..disagreement }),
                None => reduced.push(disagreement),
            }
        }
        active = still;
    }
    reduced.extend(active);
    Ok((found, distinct(reduced)))
}

/// Returns the id of a scenario. Leading zeros keep the ids in the order of the pairs.
fn id(name: &str, number: usize) -> Option<ScenarioId> {
    ScenarioId::new(format!("generated/{name}[{number:06}]")).ok()
}

/// Returns the kind of each difference with its scenario.
fn kinds(found: &Fidelity) -> Vec<(ScenarioId, Kind)> {
    let of = |profile: &PeerId, difference: &Difference| Kind {
        profile: profile.clone(),
        emulated: difference.profile.outcome,
        real: difference.real.outcome,
        step: difference.step.as_ref().map(|step| step.number),
    };
    let all = found.sides.iter().flat_map(|side| side.differences.iter().map(move |difference| (side, difference)));
    all.map(|(side, difference)| (difference.scenario.clone(), of(&side.profile, difference))).collect()
}

/// Removes duplicates: different pairs may be reduced to the same one.
fn distinct(all: Vec<Disagreement>) -> Vec<Disagreement> {
    let mut seen = BTreeSet::new();
    let key = |one: &Disagreement| (one.kind.clone(), one.pair.schema.to_string(), one.pair.value.to_string());
    all.into_iter().filter(|one| seen.insert(key(one))).collect()
}
