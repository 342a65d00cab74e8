//! Scenarios that show nothing, or nothing that another one does not show: no mock tells them apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use mcp_compat_scenario::{Diagnostic, Placed};

use super::mock_runs::{Kill, MockRuns};
use crate::selftest::essence;

/// Outcomes of a scenario with the mocks.
pub(super) struct Trace {
    kills: BTreeSet<Kill>,
    cells: String,
}

impl Trace {
    /// Returns the trace of a scenario that every mock has played.
    pub(super) fn of(placed: &Placed, played: &MockRuns) -> Self {
        let id = &placed.scenario.id;
        let mut cells = String::new();
        for run in played.runs(id) {
            let cell = &run.record;
            let _ = writeln!(cells, "{} {} {:?}", cell.client, cell.server, essence(cell));
        }
        Self { kills: played.kills(id), cells }
    }
}

/// The scenarios that prove nothing, and those that no mock distinguishes from another one.
pub(super) fn warnings<'s>(traces: &[(&'s Placed, Trace)], trivial: &BTreeSet<Kill>) -> Vec<(&'s Placed, Diagnostic)> {
    let mut known = BTreeMap::new();
    let mut warnings = Vec::new();
    for (placed, Trace { kills, cells }) in traces {
        if kills.is_subset(trivial) {
            warnings.push((*placed, idle(placed)));
            continue;
        }
        let id = &placed.scenario.id;
        let other = *known.entry((id.class(), kills, cells)).or_insert(placed);
        if other.scenario.id != *id {
            warnings.push((*placed, twin(placed, other)));
        }
    }
    warnings
}

fn idle(placed: &Placed) -> Diagnostic {
    let mistake = placed.mistake(&placed.places.scenario, format!("`{}` proves nothing", placed.scenario.id));
    mistake
        .label("of the mocks with a deliberate bug, it detects only those that every scenario detects")
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
