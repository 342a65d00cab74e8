//! What changed between two runs. `diff --json` prints a [`Diff`]; the site shows it as "what changed".
//!
//! ```text
//! Record, Record ── mcp_compat_diff::diff ──> Diff: classes, changes, and groups of changes with one cause
//! ```
//!
//! A [`Change`] compares a cell of the later run with its counterpart: the cell of the same scenario and transport with
//! the same releases, or else with the newest releases of the same families. Cells that are the same are only counted.

mod change;
mod class;
mod group;
mod side;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use change::{Change, Fate, Move, Obstacle, Which};
pub use class::Class;
pub use group::{Bisection, Group};
pub use side::Side;

/// The version of the format of a [`Diff`]. Additions keep it; anything else raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// What changed between two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Diff {
    /// [`SCHEMA_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// The earlier run.
    pub before: Side,
    /// The later run.
    pub after: Side,
    /// Whether both runs were played by the same version of mcp-compat and judged by the same judge, if need be anew.
    pub same_harness: bool,
    /// How many comparisons there are of each class. Classes without any are absent.
    pub counts: BTreeMap<Class, u64>,
    /// Changes with one cause: the worst class first, then the one with the most changes.
    pub groups: Vec<Group>,
    /// Every comparison whose class is not `same`, in the order of the cells.
    pub changes: Vec<Change>,
}

impl Diff {
    /// How many comparisons are of a class.
    #[must_use]
    pub fn count(&self, class: Class) -> u64 {
        self.counts.get(&class).copied().unwrap_or_default()
    }

    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether something is worse that no baseline knows of.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.changes.iter().any(Change::is_news)
    }

    /// Whether something is a regression.
    #[must_use]
    pub fn has_regression(&self) -> bool {
        self.changes.iter().any(|change| change.regression)
    }

    /// How many cells were compared: those that both runs have a counterpart of.
    #[must_use]
    pub fn compared(&self) -> u64 {
        let classes = [Class::Worse, Class::Better, Class::Changed, Class::Same, Class::Flaky, Class::Spurious];
        classes.into_iter().map(|class| self.count(class)).sum()
    }
}
