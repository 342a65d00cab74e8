//! One property of all cells: its distinct values, and for each cell the number of its value.

use std::hash::Hash;

use mcp_compat_model::run_verdicts::Numbered;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::CompactError;

/// One property of all cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Column<T> {
    /// The distinct values, in the order in which cells have them first.
    pub values: Vec<T>,
    /// For each cell, the place of its value among the values.
    pub cells: Vec<u32>,
}

impl<T: Clone + Eq + Hash> Column<T> {
    /// The column of these values, one for each cell.
    ///
    /// # Errors
    /// If there are more values than numbers.
    pub(super) fn of(all: impl IntoIterator<Item = T>) -> Result<Self, CompactError> {
        let mut numbered = Numbered::default();
        let cells: Vec<u32> = all.into_iter().map(|value| numbered.of(&value)).collect();
        let values = numbered.values();
        // A number is 32 bits.
        u32::try_from(values.len()).map_err(|_| CompactError::TooLarge("values"))?;
        Ok(Self { values, cells })
    }
}

impl<T: Serialize> Column<T> {
    /// The value of a cell. `name` is that of the column.
    ///
    /// # Errors
    /// If the cell has no value, or one that does not exist.
    pub(super) fn get(&self, cell: usize, name: &'static str) -> Result<&T, CompactError> {
        let number = *self.cells.get(cell).ok_or(CompactError::Short { column: name, cell })?;
        self.values.get(number as usize).ok_or(CompactError::NoValue { column: name, cell, number })
    }

    /// The place of that value among the values.
    ///
    /// # Errors
    /// As those of [`get`](Self::get).
    pub(super) fn number(&self, cell: usize, name: &'static str) -> Result<u32, CompactError> {
        self.get(cell, name)?;
        self.cells.get(cell).copied().ok_or(CompactError::Short { column: name, cell })
    }

    /// How many bytes the values have as JSON if they are written once for each cell.
    pub(super) fn written_out(&self) -> u64 {
        let sizes: Vec<u64> = self.values.iter().map(size).collect();
        let of_cell = |number: &u32| sizes.get(*number as usize).copied().unwrap_or_default();
        self.cells.iter().map(of_cell).fold(0, u64::saturating_add)
    }
}

/// How many bytes a value has as JSON.
pub(super) fn size(value: &impl Serialize) -> u64 {
    serde_json::to_vec(value).map_or(u64::MAX, |text| text.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_there_once_and_each_cell_has_its_own() {
        let column = Column::of(["a", "b", "a"]).unwrap();
        assert_eq!((column.values.as_slice(), column.cells.as_slice()), (&["a", "b"][..], &[0, 1, 0][..]));
        assert_eq!((column.get(2, "x").unwrap(), column.written_out()), (&"a", 9));
    }

    #[test]
    fn a_cell_without_a_value_is_an_error_that_names_it() {
        let column = Column { values: vec!["a"], cells: vec![0, 7] };
        assert_eq!(column.get(1, "reason").unwrap_err().to_string(), "cell 2 has the reason 7, which does not exist");
        assert_eq!(column.get(2, "reason").unwrap_err().to_string(), "cell 3 has no reason");
    }
}
