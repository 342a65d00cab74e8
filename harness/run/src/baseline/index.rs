//! The cells of a run by their ids, so that a pattern is compared only with the ids that begin as it does; or, if these are
//! many, each of its parts with the scenarios, clients, servers and transports that there are.

use std::cell::OnceCell;

use mcp_compat_model::PeerId;
use mcp_compat_model::record::CellRecord;

use super::id_parts::IdParts;
use crate::glob::Glob;

/// Up to how many ids a pattern is compared with one by one.
const FEW: usize = 2_000;

/// Cells in the order of their ids.
pub(super) struct Index<'c> {
    sorted: Vec<Indexed<'c>>,
    /// Made when a pattern is first compared with many.
    parts: OnceCell<Option<IdParts<'c>>>,
}

/// A cell, and its place among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Indexed<'c> {
    pub(super) id: &'c str,
    pub(super) peers: [&'c PeerId; 2],
    pub(super) place: usize,
}

impl<'c> Index<'c> {
    /// Cells in their order: the id, the client and the server of each.
    pub(super) fn new(cells: impl IntoIterator<Item = (&'c str, [&'c PeerId; 2])>) -> Self {
        let cells = cells.into_iter().enumerate();
        cells.map(|(place, (id, peers))| Indexed { id, peers, place }).collect()
    }

    pub(super) fn of(cells: &'c [CellRecord], is_meant: impl Fn(&CellRecord) -> bool) -> Self {
        let meant = cells.iter().enumerate().filter(|(_, cell)| is_meant(cell));
        meant
            .map(|(place, cell)| Indexed { id: cell.id.as_str(), peers: [&cell.client, &cell.server], place })
            .collect()
    }

    /// The cells that a pattern selects, in their order.
    pub(super) fn selected_by(&self, glob: &Glob) -> Vec<Indexed<'c>> {
        let mut selected: Vec<_> = self.select(glob).collect();
        selected.sort_unstable_by_key(|cell| cell.place);
        selected
    }

    /// The cells that a pattern selects, by their ids, one after the other as they are asked for.
    pub(super) fn select<'s>(&'s self, glob: &'s Glob) -> Box<dyn Iterator<Item = Indexed<'c>> + 's> {
        let beginning = glob.beginning();
        let from = self.sorted.partition_point(|cell| cell.id < beginning);
        let near = self.sorted[from..].partition_point(|cell| cell.id.starts_with(beginning));
        let near = from..from + near;
        let by_parts = if near.len() > FEW { self.parts().and_then(|parts| parts.selector(glob)) } else { None };
        match by_parts {
            Some(selector) => {
                Box::new(near.filter(move |place| selector.selects(*place)).map(|place| self.sorted[place]))
            }
            None => Box::new(self.sorted[near].iter().filter(|cell| glob.matches(cell.id)).copied()),
        }
    }

    fn parts(&self) -> Option<&IdParts<'c>> {
        self.parts.get_or_init(|| IdParts::of(self.sorted.iter().map(|cell| cell.id))).as_ref()
    }
}

impl<'c> FromIterator<Indexed<'c>> for Index<'c> {
    fn from_iter<I: IntoIterator<Item = Indexed<'c>>>(cells: I) -> Self {
        let mut sorted: Vec<_> = cells.into_iter().collect();
        sorted.sort_unstable_by_key(|cell| (cell.id, cell.place));
        Self { sorted, parts: OnceCell::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_selects_what_it_matches_in_the_order_of_the_cells() {
        let peer = PeerId::new("mock/dual").unwrap();
        let ids =
            ["b/x::c+auto::s::http", "a/x::c::s::http", "a/x[1]::c::s::http", "a/x::c::s::stdio", "é::c::s::http"];
        let index = Index::new(ids.iter().map(|id| (*id, [&peer, &peer])));
        let patterns = [
            "*",
            "a/x*",
            "a/{x,y}::*",
            "a/x::c::s::http",
            "a/x[1]::?::*",
            "b/x::c",
            "é::*",
            "?::*",
            "",
            "z",
            "{a,b}/*",
        ];
        for pattern in patterns {
            let glob = Glob::new(pattern).unwrap();
            let selected: Vec<&str> = index.selected_by(&glob).iter().map(|cell| cell.id).collect();
            let matching: Vec<&str> = ids.into_iter().filter(|id| glob.matches(id)).collect();
            assert_eq!(selected, matching, "{pattern}");
        }
    }
}
