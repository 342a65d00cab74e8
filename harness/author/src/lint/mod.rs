//! What is wrong with scenarios that load: mistakes that only the schema, the mocks and the other scenarios show.
//!
//! ```text
//! Placed ─┬─ clash     the id is taken
//!         ├─ meaning   the answer does not do what `means` says          by the judge's schemas
//!         ├─ stance    addresses and sentences
//!         └─ stage     played in memory ─┬─ reach    nobody gets what is expected
//!                                        └─ telling  nothing, or nothing new, is shown
//! ```
//!
//! An error says what cannot be true, a warning what may be meant so. All of them are told at once, each at its place
//! in the file.

mod clash;
mod meaning;
mod reach;
mod stage;
mod stance;
mod telling;

use std::collections::BTreeSet;

use mcp_compat_inclusion::Schemas;
use mcp_compat_model::ScenarioId;
use mcp_compat_scenario::{Diagnostics, Placed};

use mcp_compat_run::hosts::HostError;
use mcp_compat_run::run::Stop;

/// Looks for mistakes in scenarios that have loaded. `taken` are the ids of a corpus that they are to be played beside.
///
/// # Errors
/// When the harness cannot do its own part.
pub async fn lint(set: &[Placed], taken: &BTreeSet<ScenarioId>, stop: Stop) -> Result<Diagnostics, HostError> {
    let schemas = Schemas::default();
    let mut found = clashes(set, taken);
    for (placed, mistakes) in stance::doubts(set) {
        found.extend(placed.told(mistakes));
    }
    let played = stage::play(&distinct(set), stop).await?;
    for placed in set {
        let (mistaken, mistakes): (BTreeSet<usize>, _) = meaning::mistakes(placed, &schemas).into_iter().unzip();
        found.extend(placed.told(mistakes));
        let sightings = played.sightings(&placed.scenario.id);
        found.extend(placed.told(reach::mistakes(placed, sightings, &mistaken, &schemas)));
    }
    for (placed, mistake) in telling::doubts(set, &played) {
        found.extend(placed.told(vec![mistake]));
    }
    Ok(found)
}

/// The scenarios whose id is `taken`, or that of another one.
#[must_use]
pub fn clashes(set: &[Placed], taken: &BTreeSet<ScenarioId>) -> Diagnostics {
    let mut found = Diagnostics::default();
    for (placed, mistake) in clash::clashes(set, taken) {
        found.extend(placed.told(vec![mistake]));
    }
    found
}

/// The scenarios, the first of each id.
fn distinct(set: &[Placed]) -> Vec<&Placed> {
    let mut seen = BTreeSet::new();
    set.iter().filter(|placed| seen.insert(&placed.scenario.id)).collect()
}
