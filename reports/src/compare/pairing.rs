//! Pairs of peers of two runs that are compared.
//!
//! A peer is compared with itself, and the newest release of a line with the newest one that the other run has. A line is a
//! family with the API that a server is written with and the negotiation mode. A line without a mode is continued by
//! those with one: `typescript@1.32.2` by `typescript@2.4.0+auto`.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::{Mode, PeerId, Role};

/// Pairs of peers that are compared, on one side of the cells.
#[derive(Debug, Default)]
pub(crate) struct Partners<'r> {
    before: BTreeMap<&'r PeerId, BTreeSet<&'r PeerId>>,
    after: BTreeMap<&'r PeerId, BTreeSet<&'r PeerId>>,
}

/// A peer that is to be compared with another one, whatever they are called.
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

/// The peer of a cell in a role.
pub(crate) fn peer(cell: &CellRecord, role: Role) -> &PeerId {
    match role {
        Role::Client => &cell.client,
        Role::Server => &cell.server,
    }
}

/// A family, the API that its servers are written with, and the mode.
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

/// The lines of the earlier run that a line of the later one continues: the same one, or else those of the family with a
/// mode where it has none, and the one without where it has one.
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
