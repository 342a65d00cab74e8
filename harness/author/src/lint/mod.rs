//! Checks scenarios that load for mistakes that only the schema, the mocks and the other scenarios show.
//!
//! ```text
//! Placed ─┬─ duplicate_ids   another file, or the corpus, has the id
//!         ├─ meaning         the result does not agree with `means`
//!         ├─ prose           addresses and sentences
//!         ├─ cost            the file is too large to be played here, by all mocks or at all
//!         └─ mock_runs       played in memory ─┬─ expectation   no mock gets what is expected
//!                                              └─ redundancy    the scenario shows nothing, or nothing new
//! ```
//!
//! An error is something that cannot be right; a warning may be intended. All of them are reported at once, each at its
//! place in the file.

mod cost;
mod expectation;
pub(crate) mod meaning;
mod mock_runs;
mod prose;
mod redundancy;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_model::ScenarioId;
use mcp_compat_scenario::{Diagnostics, Placed, Scenario};
use mcp_compat_schema::inclusion::Schemas;

use mcp_compat_run::environment::HarnessError;
use tokio_util::sync::CancellationToken;

use cost::{Playable, PlayedBy};
use mock_runs::Mocks;
use redundancy::Trace;

/// Number of scenarios that are played before what happened is forgotten: of each, hundreds of cells.
const AT_ONCE: usize = 64;

/// Looks for mistakes in scenarios that have loaded. `taken` are the ids of a corpus that they are to be played beside.
pub async fn lint(
    set: &[Placed],
    taken: &BTreeSet<ScenarioId>,
    stop: CancellationToken,
) -> Result<Diagnostics, HarnessError> {
    let schemas = Schemas::default();
    let mut found = clashes(set, taken);
    for (placed, mistakes) in prose::warnings(set) {
        found.extend(placed.diagnostics(mistakes));
    }
    let (affordable, too_large) = cost::affordable(set);
    for (placed, mistake) in too_large {
        found.extend(placed.diagnostics(vec![mistake]));
    }
    let mocks = Mocks::new(stop).await?;
    let (mut traces, mut seen) = (Vec::new(), BTreeSet::new());
    for some in affordable.chunks(AT_ONCE) {
        // Another scenario of the same id is not played: the id has to change.
        let is_first: Vec<bool> = some.iter().map(|(placed, _)| seen.insert(&placed.scenario.id)).collect();
        let first = some.iter().zip(&is_first).filter(|(_, is_first)| **is_first).map(|(playable, _)| *playable);
        let (by_every, by_plain): (Vec<_>, Vec<_>) = first.partition(|(_, by)| *by == PlayedBy::Every);
        let played = mocks.play(scenarios(&by_every), scenarios(&by_plain)).await?;
        for (&(placed, played_by), is_first) in some.iter().zip(is_first) {
            let (mut mistaken, mistakes): (BTreeSet<usize>, _) =
                meaning::mistakes(placed, &schemas).into_iter().unzip();
            // What the server keeps to itself, nobody can get.
            let lost = meaning::lost_at_the_server(placed);
            mistaken.extend(&lost);
            found.extend(placed.diagnostics(mistakes));
            if !is_first {
                continue;
            }
            let runs = played.runs(&placed.scenario.id);
            found.extend(placed.diagnostics(expectation::mistakes(placed, runs, &mistaken, &schemas)));
            if played_by == PlayedBy::Every && lost.is_empty() {
                traces.push((placed, Trace::of(placed, &played)));
            }
        }
    }
    for (placed, mistake) in redundancy::warnings(&traces, mocks.trivial()) {
        found.extend(placed.diagnostics(vec![mistake]));
    }
    Ok(found)
}

/// Returns the scenarios whose id is `taken`, or that of another one.
pub fn clashes(set: &[Placed], taken: &BTreeSet<ScenarioId>) -> Diagnostics {
    let mut first = BTreeMap::<&ScenarioId, &Placed>::new();
    let mut found = Diagnostics::default();
    for placed in set {
        let id = &placed.scenario.id;
        let mistake = placed.mistake(&placed.places.scenario, format!("there is already a scenario `{id}`"));
        let mistake = if taken.contains(id) {
            Some(mistake.label("a built-in scenario has that id"))
        } else {
            first.insert(id, placed).map(|other| mistake.label(format!("another one is in {}", other.path)))
        };
        let help = "the id is the path below the folder: rename this file, or the folder that it is in";
        if let Some(mistake) = mistake {
            found.extend(placed.diagnostics(vec![mistake.help(help)]));
        }
    }
    found
}

fn scenarios(set: &[Playable<'_>]) -> Vec<Arc<Scenario>> {
    set.iter().map(|(placed, _)| Arc::new(placed.scenario.clone())).collect()
}
