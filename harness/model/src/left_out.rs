//! What a run does not play.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pairings that were not played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Why, in a line.
    pub reason: String,
    /// How many cells that is.
    pub cells: u64,
}
