//! Scenarios that show nothing, or nothing that another one does not show: no mock tells them apart.

use std::collections::BTreeMap;

use mcp_compat_model::PeerId;
use mcp_compat_scenario::{Diagnostic, Placed};

use super::mock_runs::{Kill, MockRuns};
use crate::selftest::{Essence, essence};

/// What a scenario comes to with every pair of mocks.
type Trace<'p> = (&'p str, Vec<&'p Kill>, BTreeMap<(&'p PeerId, &'p PeerId), Essence<'p>>);

/// The scenarios that prove nothing, and those that no mock distinguishes from another one.
pub(super) fn warnings<'s>(set: &[&'s Placed], played: &MockRuns) -> Vec<(&'s Placed, Diagnostic)> {
    let mut known: BTreeMap<Trace<'_>, &Placed> = BTreeMap::new();
    let mut warnings = Vec::new();
    for &placed in set {
        let id = &placed.scenario.id;
        let kills = played.kills(id);
        if kills.is_subset(played.trivial()) {
            warnings.push((placed, idle(placed)));
            continue;
        }
        let trace = played.runs(id).iter().map(|run| {
            let cell = &run.record;
            ((&cell.client, &cell.server), essence(cell))
        });
        let other = *known.entry((id.class(), kills.iter().collect(), trace.collect())).or_insert(placed);
        if other.scenario.id != *id {
            warnings.push((placed, twin(placed, other)));
        }
    }
    warnings
}

fn idle(placed: &Placed) -> Diagnostic {
    let mistake = placed.mistake(&placed.places.scenario, format!("`{}` proves nothing", placed.scenario.id));
    mistake
        .label("no mock that is wrong on purpose is noticed, but those that anything notices")
        .help("let a tool return a value whose loss can be seen, or give it a `control`")
}

fn twin(placed: &Placed, other: &Placed) -> Diagnostic {
    let (id, twin) = (&placed.scenario.id, &other.scenario.id);
    let mistake =
        placed.mistake(&placed.places.scenario, format!("no mock distinguishes `{id}` from `{twin}`")).warning();
    mistake
        .label("both have the same outcome with every pair of mocks")
        .help("keep both only if real clients or servers distinguish them")
}
