//! Ids that are taken: two files of the given folders, or a file beside the embedded corpus.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::ScenarioId;
use mcp_compat_scenario::{Diagnostic, Placed};

/// The scenarios whose id another file, or the corpus, already has.
pub(super) fn clashes<'s>(set: &'s [Placed], taken: &BTreeSet<ScenarioId>) -> Vec<(&'s Placed, Diagnostic)> {
    let mut first = BTreeMap::<&ScenarioId, &Placed>::new();
    let mut clashes = Vec::new();
    for placed in set {
        let id = &placed.scenario.id;
        let mistake = placed.mistake(&placed.places.scenario, format!("there is already a scenario `{id}`"));
        let mistake = if taken.contains(id) {
            Some(mistake.label("the embedded corpus has one of that id"))
        } else {
            first.insert(id, placed).map(|other| mistake.label(format!("another one is in {}", other.path)))
        };
        let help = "the id is the path below the folder: rename this file, or the folder that it is in";
        clashes.extend(mistake.map(|mistake| (placed, mistake.help(help))));
    }
    clashes
}
