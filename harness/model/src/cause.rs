//! Distinct breaks: cells that break for one cause are told once.

use std::collections::BTreeMap;

use crate::record::CellRecord;
use crate::verdict::Rating;

/// Cells that break or degrade for one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause<'a> {
    /// The cause in short.
    pub signature: &'a str,
    /// The cell that stands for all: the first by id.
    pub example: &'a CellRecord,
    /// All of its cells, by id.
    pub cells: Vec<&'a CellRecord>,
}

impl Cause<'_> {
    /// Whether nobody is told of the damage.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.cells.iter().any(|cell| cell.silent)
    }

    /// How many of the cells no baseline knows of.
    #[must_use]
    pub fn new_breaks(&self) -> usize {
        self.cells.iter().filter(|cell| cell.is_new_break()).count()
    }

    /// The distinct values that `of` takes over the cells, in order.
    pub fn distinct<T: Ord>(&self, of: impl Fn(&CellRecord) -> T) -> Vec<T> {
        let mut values: Vec<T> = self.cells.iter().map(|cell| of(cell)).collect();
        values.sort();
        values.dedup();
        values
    }
}

/// The distinct causes for which cells have `rating`: those that nobody is told of first, then by how much they
/// destroy, then by how many cells they have.
#[must_use]
pub fn causes(cells: &[CellRecord], rating: Rating) -> Vec<Cause<'_>> {
    let mut by_signature = BTreeMap::<&str, Vec<&CellRecord>>::new();
    for cell in cells.iter().filter(|cell| cell.rating == rating) {
        by_signature.entry(cell.signature.as_deref().unwrap_or_default()).or_default().push(cell);
    }
    let mut causes: Vec<Cause<'_>> = by_signature
        .into_iter()
        .filter_map(|(signature, mut cells)| {
            cells.sort_by(|a, b| a.id.cmp(&b.id));
            Some(Cause { signature, example: *cells.first()?, cells })
        })
        .collect();
    causes.sort_by_key(|cause| {
        let worst = cause.cells.iter().filter_map(|cell| cell.blast_radius).max();
        (std::cmp::Reverse((cause.is_silent(), worst, cause.cells.len())), cause.signature)
    });
    causes
}
