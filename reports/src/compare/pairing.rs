//! Pairs of peers and of scenarios of two runs that are compared.
//!
//! A peer is compared with itself, and the newest release of a line with the newest one of the other run. A line is a
//! family with the API of the server and the negotiation mode. A line without a mode is continued by those with one:
//! `typescript@1.32.2` by `typescript@2.4.0+auto`. A scenario is compared with the one of the same id, or with the one
//! of the same content if it was renamed.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::record::{CellRecord, Record, ScenarioRecord};
use mcp_compat_model::{Mode, PeerId, Role, ScenarioId};

/// Pairs of peers that are compared, on one side of the cells.
#[derive(Debug, Default)]
pub(crate) struct Partners<'r> {
    before: BTreeMap<&'r PeerId, BTreeSet<&'r PeerId>>,
    after: BTreeMap<&'r PeerId, BTreeSet<&'r PeerId>>,
}

/// Peer that is to be compared with another one, whatever their names are.
pub(crate) type Given<'r> = (Role, &'r PeerId, &'r PeerId);

impl<'r> Partners<'r> {
    pub(crate) fn of(role: Role, before: &'r [CellRecord], after: &'r [CellRecord], given: &[Given<'r>]) -> Self {
        let peers = |cells: &'r [CellRecord]| cells.iter().map(|cell| peer(cell, role)).collect::<BTreeSet<_>>();
        let (old, new) = (peers(before), peers(after));
        let mut partners = Self::default();
        for both in old.intersection(&new) {
            partners.join(both, both);
        }
        for (_, base, head) in given.iter().filter(|(of, ..)| *of == role) {
            partners.join(base, head);
        }
        let (old, new) = (newest(&old), newest(&new));
        for (line, release) in &new {
            for continued in continued(line, &new, &old) {
                partners.join(old[&continued], release);
            }
        }
        partners
    }

    fn join(&mut self, before: &'r PeerId, after: &'r PeerId) {
        self.before.entry(after).or_default().insert(before);
        self.after.entry(before).or_default().insert(after);
    }

    /// Peers of the earlier run with which a peer of the later one is compared.
    pub(crate) fn before(&self, after: &PeerId) -> impl Iterator<Item = &'r PeerId> {
        self.before.get(after).into_iter().flatten().copied()
    }

    /// Returns whether a peer of the earlier run is compared with another.
    pub(crate) fn has_after(&self, before: &PeerId) -> bool {
        self.after.contains_key(before)
    }

    /// Returns whether a peer of the later run is compared with another.
    pub(crate) fn has_before(&self, after: &PeerId) -> bool {
        self.before.contains_key(after)
    }
}

pub(crate) fn peer(cell: &CellRecord, role: Role) -> &PeerId {
    match role {
        Role::Client => &cell.client,
        Role::Server => &cell.server,
    }
}

/// Family, API of its servers, and mode.
type Line<'r> = (&'r str, Option<&'r str>, Option<Mode>);

fn newest<'r>(peers: &BTreeSet<&'r PeerId>) -> BTreeMap<Line<'r>, &'r PeerId> {
    let mut newest = BTreeMap::<Line<'r>, &PeerId>::new();
    for peer in peers {
        let Some((family, version)) = peer.release() else { continue };
        let best = newest.entry((family, peer.flavour(), peer.mode())).or_insert(peer);
        if best.version().is_some_and(|best| version > best) {
            *best = peer;
        }
    }
    newest
}

/// Lines of the earlier run that a line of the later one continues: the same one, or else those of the family with a
/// mode if it has none, and the one without a mode if it has one.
fn continued<'r>(
    line: &Line<'r>,
    new: &BTreeMap<Line<'r>, &'r PeerId>,
    old: &BTreeMap<Line<'r>, &'r PeerId>,
) -> Vec<Line<'r>> {
    if old.contains_key(line) {
        return vec![*line];
    }
    let (family, flavour, mode) = line;
    let is_continued = |(of, with, other): &&Line<'r>| {
        (of, with) == (family, flavour) && other.is_some() != mode.is_some() && !new.contains_key(&(*of, *with, *other))
    };
    old.keys().filter(is_continued).copied().collect()
}

/// Scenarios that both runs have.
#[derive(Debug)]
pub(crate) struct Scenarios<'r> {
    /// Scenario of the earlier run for each of the later one.
    to_before: BTreeMap<&'r ScenarioId, &'r ScenarioId>,
    to_after: BTreeMap<&'r ScenarioId, &'r ScenarioId>,
    /// Scenarios of the later run that changed.
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
        // The digests of earlier versions include the name, so all of them differ although the corpus is the same.
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

    /// Returns whether a scenario of the later run changed.
    pub(crate) fn is_rewritten(&self, id: &ScenarioId) -> bool {
        self.rewritten.contains(id)
    }
}

type ById<'r> = BTreeMap<&'r ScenarioId, &'r ScenarioRecord>;

/// Scenarios that only one of the runs has, by unique digests.
fn by_digest<'r>(these: &ById<'r>, others: &ById<'r>) -> BTreeMap<&'r str, &'r ScenarioId> {
    let mut found = BTreeMap::<&str, Option<&ScenarioId>>::new();
    for (id, scenario) in these.iter().filter(|(id, _)| !others.contains_key(*id)) {
        if let Some(digest) = &scenario.digest {
            found.entry(digest).and_modify(|twice| *twice = None).or_insert(Some(id));
        }
    }
    found.into_iter().filter_map(|(digest, id)| Some((digest, id?))).collect()
}
