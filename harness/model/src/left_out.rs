//! Cells that a run does not play.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason of those that a run was to play, and ended before.
pub const ENDED_EARLY: &str = "the run ended before they were played";

/// Pairings that were not played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// The reason, in a line.
    pub reason: String,
    /// Number of cells.
    pub cells: u64,
}

impl LeftOut {
    /// Cells that a run was to play, and ended before; `None` if it ended after all of them.
    #[must_use]
    pub fn by_an_early_end(cells: u64) -> Option<Self> {
        (cells > 0).then(|| Self { reason: ENDED_EARLY.to_owned(), cells })
    }
}
