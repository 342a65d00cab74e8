//! How pairs fare, and sums over peers that stand for one release.

use std::collections::BTreeMap;

use mcp_compat_model::record::CellRecord;
use mcp_compat_reports::view::{Matrix, Tally};

use crate::names::product;

/// How many pairs fared how: by their worst cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PairTotals {
    pub(crate) works: usize,
    pub(crate) degraded: usize,
    pub(crate) breaks: usize,
    pub(crate) unsupported: usize,
}

impl PairTotals {
    pub(crate) fn of(matrix: &Matrix<'_>) -> Self {
        let mut totals = Self::default();
        for tally in matrix.tallies() {
            let place = match tally {
                Tally { breaks: 1.., .. } => &mut totals.breaks,
                Tally { degraded: 1.., .. } => &mut totals.degraded,
                Tally { works: 1.., .. } => &mut totals.works,
                Tally { .. } => &mut totals.unsupported,
            };
            *place += 1;
        }
        totals
    }

    pub(crate) fn all(self) -> usize {
        self.works + self.degraded + self.breaks + self.unsupported
    }
}

/// Tallies by release: over modes and flavours.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByProduct(BTreeMap<(String, String), Tally>);

impl ByProduct {
    pub(crate) fn of<'a>(cells: impl Iterator<Item = &'a CellRecord>) -> Self {
        let mut by_id = BTreeMap::<_, Tally>::new();
        for cell in cells {
            by_id.entry((&cell.client, &cell.server)).or_default().add(cell);
        }
        let mut tallies = BTreeMap::<_, Tally>::new();
        for ((client, server), tally) in by_id {
            tallies.entry((product(client), product(server))).or_default().join(tally);
        }
        Self(tallies)
    }

    pub(crate) fn tally(&self, client: &str, server: &str) -> Option<Tally> {
        self.0.get(&(client.to_owned(), server.to_owned())).copied()
    }
}
