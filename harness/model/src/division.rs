//! A run that is divided among machines, and which parts of it a record holds.
//!
//! The cells of a plan go to the parts in turn: the first to part 1, the second to part 2, and after the last part comes
//! the first again. So every part has some of each scenario and of each peer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::NotPlayedCells;

/// Parts of a divided run that a record holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Division {
    /// Into how many parts the plan is divided.
    pub of: u16,
    /// Parts that are held, from 1, in order.
    pub parts: Vec<u16>,
    /// Number of cells of the whole plan.
    pub cells: u64,
    /// The digest of the whole plan: of the ids of its cells.
    pub plan: String,
}

impl Division {
    /// Part that the cell at a place of the plan belongs to.
    #[must_use]
    pub fn part_of(&self, place: u64) -> u16 {
        // A remainder is less than what it is of.
        u16::try_from(place % u64::from(self.of.max(1))).unwrap_or_default() + 1
    }

    /// Number of cells of a part.
    #[must_use]
    pub fn cells_of(&self, part: u16) -> u64 {
        let of = u64::from(self.of.max(1));
        let before = u64::from(part.saturating_sub(1));
        self.cells.saturating_sub(before).div_ceil(of)
    }

    /// Number of cells of the parts that are held.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(self.cells_of(*part)))
    }

    /// The parts that are not held.
    pub fn missing(&self) -> impl Iterator<Item = u16> {
        (1..=self.of).filter(|part| !self.parts.contains(part))
    }

    /// The cells of the parts that are not held, as what a record leaves out.
    #[must_use]
    pub fn elsewhere(&self) -> NotPlayedCells {
        let reason = format!("the other shards of {} play them", self.of);
        NotPlayedCells { reason, cells: self.cells.saturating_sub(self.held()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn division(of: u16, cells: u64, parts: &[u16]) -> Division {
        Division { of, parts: parts.to_vec(), cells, plan: String::new() }
    }

    #[test]
    fn the_parts_are_the_whole_and_differ_by_one_cell_at_most() {
        for of in 1..6 {
            for cells in 0..20 {
                let all = division(of, cells, &(1..=of).collect::<Vec<_>>());
                let counted = |part| (0..cells).filter(|place| all.part_of(*place) == part).count() as u64;
                let sizes: Vec<u64> = (1..=of).map(|part| all.cells_of(part)).collect();
                assert_eq!(sizes, (1..=of).map(counted).collect::<Vec<_>>(), "{cells} in {of}");
                assert_eq!((all.held(), all.elsewhere().cells, all.missing().count()), (cells, 0, 0));
            }
        }
    }

    #[test]
    fn what_is_not_held_is_counted() {
        let some = division(4, 10, &[1, 3]);
        assert_eq!((some.held(), some.elsewhere().cells), (5, 5));
        assert_eq!(some.missing().collect::<Vec<_>>(), [2, 4]);
    }
}
