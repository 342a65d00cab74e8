//! Pairs of scenarios of two runs: by id, and by content where one was renamed.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::{Record, ScenarioRecord};

/// The scenarios that both runs have.
#[derive(Debug)]
pub(crate) struct Scenarios<'r> {
    /// From the scenario of the later run to that of the earlier one.
    to_before: BTreeMap<&'r ScenarioId, &'r ScenarioId>,
    to_after: BTreeMap<&'r ScenarioId, &'r ScenarioId>,
    /// Scenarios of the later run that are not what they were.
    rewritten: BTreeSet<&'r ScenarioId>,
}

impl<'r> Scenarios<'r> {
    pub(crate) fn of(before: &'r Record, after: &'r Record) -> Self {
        let ids = |record: &'r Record| -> BTreeMap<&'r ScenarioId, &'r ScenarioRecord> {
            record.scenarios.iter().map(|scenario| (&scenario.id, scenario)).collect()
        };
        let (old, new) = (ids(before), ids(after));
        let mut to_before: BTreeMap<_, _> =
            new.keys().filter(|id| old.contains_key(*id)).map(|id| (*id, *id)).collect();
        let same_corpus = before.corpus == after.corpus;
        // The name went into the digests of earlier versions, so all of them differ although the corpus is the same.
        let common = to_before.keys().filter_map(|id| old[*id].digest.as_ref().zip(new[*id].digest.as_ref()));
        let differ: Vec<bool> = common.map(|(old, new)| old != new).collect();
        let are_of_two_versions = same_corpus && differ.len() > 1 && differ.iter().all(|differs| *differs);
        let is_rewritten = |id: &ScenarioId| match (&old[id].digest, &new[id].digest) {
            (Some(old), Some(new)) => old != new && !are_of_two_versions,
            // A record of an earlier version has no digests.
            (None, _) | (_, None) => !same_corpus,
        };
        let rewritten = to_before.keys().copied().filter(|id| is_rewritten(id)).collect();
        for (digest, id) in by_digest(&new, &old) {
            if let Some(renamed) = by_digest(&old, &new).get(digest) {
                to_before.insert(id, renamed);
            }
        }
        let to_after = to_before.iter().map(|(new, old)| (*old, *new)).collect();
        Self { to_before, to_after, rewritten }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.to_before.is_empty()
    }

    /// Id in the earlier run of a scenario of the later one.
    pub(crate) fn before(&self, id: &ScenarioId) -> Option<&'r ScenarioId> {
        self.to_before.get(id).copied()
    }

    /// Id in the later run of a scenario of the earlier one.
    pub(crate) fn after(&self, id: &ScenarioId) -> Option<&'r ScenarioId> {
        self.to_after.get(id).copied()
    }

    /// Returns whether a scenario of the later run is not what it was.
    pub(crate) fn is_rewritten(&self, id: &ScenarioId) -> bool {
        self.rewritten.contains(id)
    }
}

type ById<'r> = BTreeMap<&'r ScenarioId, &'r ScenarioRecord>;

/// The scenarios that only one of the runs has, by the digests that only one of them has.
fn by_digest<'r>(these: &ById<'r>, others: &ById<'r>) -> BTreeMap<&'r str, &'r ScenarioId> {
    let mut found = BTreeMap::<&str, Option<&ScenarioId>>::new();
    for (id, scenario) in these.iter().filter(|(id, _)| !others.contains_key(*id)) {
        if let Some(digest) = &scenario.digest {
            found.entry(digest).and_modify(|twice| *twice = None).or_insert(Some(id));
        }
    }
    found.into_iter().filter_map(|(digest, id)| Some((digest, id?))).collect()
}
