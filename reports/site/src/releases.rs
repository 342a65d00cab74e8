//! Releases: a peer with all its modes and server flavours, and its cells on either side.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::PeerId;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::Fault;

use crate::names::product;

/// The cells of a release, on either side.
pub(crate) struct Release<'a> {
    /// Its name.
    pub(crate) product: String,
    /// The ids that it has: with modes and flavours.
    pub(crate) ids: BTreeSet<&'a PeerId>,
    /// Its cells as client.
    pub(crate) as_client: Vec<&'a CellRecord>,
    /// Its cells as server.
    pub(crate) as_server: Vec<&'a CellRecord>,
}

/// Every release, by name.
pub(crate) fn releases(record: &Record) -> BTreeMap<String, Release<'_>> {
    let mut names = BTreeMap::<&PeerId, String>::new();
    let mut releases = BTreeMap::<String, Release<'_>>::new();
    for cell in &record.cells {
        for (id, is_client) in [(&cell.client, true), (&cell.server, false)] {
            let name = names.entry(id).or_insert_with(|| product(id));
            if !releases.contains_key(name) {
                let (ids, as_client, as_server) = Default::default();
                releases.insert(name.clone(), Release { product: name.clone(), ids, as_client, as_server });
            }
            let Some(release) = releases.get_mut(name) else { continue };
            release.ids.insert(id);
            if is_client { release.as_client.push(cell) } else { release.as_server.push(cell) }
        }
    }
    releases
}

impl<'a> Release<'a> {
    /// All of its cells.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &'a CellRecord> {
        // A release that meets itself has the cell on both sides: it counts once.
        let own: BTreeSet<_> = self.ids.iter().copied().collect();
        let others = self.as_server.iter().copied().filter(move |cell| !own.contains(&cell.client));
        self.as_client.iter().copied().chain(others)
    }

    /// Whether it is a part of mcp-compat.
    pub(crate) fn is_built_in(&self) -> bool {
        self.ids.iter().all(|id| id.is_built_in())
    }

    /// Whether it is one of the two.
    pub(crate) fn is_of(&self, cell: &CellRecord) -> bool {
        self.ids.contains(&cell.client) || self.ids.contains(&cell.server)
    }

    /// Whether the release has to fix what a cell shows.
    pub(crate) fn is_at_fault(&self, cell: &CellRecord) -> bool {
        match cell.fault {
            Some(Fault::Client) => self.ids.contains(&cell.client),
            Some(Fault::Server) => self.ids.contains(&cell.server),
            Some(Fault::Both) => true,
            Some(Fault::Spec | Fault::Harness) | None => false,
        }
    }
}
