//! Changes between two runs. `diff --json` prints a [`Diff`]; the site shows it as "what changed".
//!
//! ```text
//! Record, Record ── mcp_compat_reports::compare::diff ──> Diff: classes, changes, and groups of changes with one cause
//! ```
//!
//! A [`Change`] compares a cell of the later run with its counterpart: the cell of the same scenario and transport with
//! the same releases, or else with the newest releases of the same families. Cells that are the same are only counted.

mod change;
mod class;
mod group;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{PeerId, ScenarioId, Transport};

pub(crate) use change::is_one_cause;
pub use change::{Change, Fate, Move, Obstacle, Which};
pub use class::Class;
pub use group::{Bisection, Group, Side};

/// The version of the format of a [`Diff`]. Additions keep it; anything else raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// Name of a cell of the later run.
pub type Name<'d> = (&'d ScenarioId, &'d PeerId, &'d PeerId, Transport);

/// Changes between two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Diff {
    /// [`SCHEMA_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// The earlier run.
    pub before: Side,
    /// The later run.
    pub after: Side,
    /// True if both runs were played by the same version of mcp-compat and judged by the same judge, if need be anew.
    pub same_harness: bool,
    /// Number of comparisons of each class. Classes without any are absent.
    pub counts: BTreeMap<Class, u64>,
    /// Changes with one cause: the worst class first, then the one with the most changes.
    pub groups: Vec<Group>,
    /// Every comparison whose class is not `same`, in the order of the cells.
    pub changes: Vec<Change>,
    /// Number of changes that are not listed here. The counts have them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub left_out: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(number: &u64) -> bool {
    *number == 0
}

impl Diff {
    /// Number of comparisons of a class.
    #[must_use]
    pub fn count(&self, class: Class) -> u64 {
        self.counts.get(&class).copied().unwrap_or_default()
    }

    /// The class of each cell of the later run that is not the same. Where a cell is compared with two, the worse one counts.
    #[must_use]
    pub fn classes(&self) -> BTreeMap<Name<'_>, Class> {
        let mut classes = BTreeMap::new();
        for change in &self.changes {
            let Some(fate) = &change.after else { continue };
            let name = (&change.scenario, &fate.client, &fate.server, change.transport);
            classes
                .entry(name)
                .and_modify(|class: &mut Class| *class = change.class.min(*class))
                .or_insert(change.class);
        }
        classes
    }

    /// The same with at most so many changes, and only those of the classes that are `told`. The counts stay whole, and a group
    /// is left out with the last of its changes.
    #[must_use]
    pub fn shortened(&self, most: usize, told: impl Fn(Class) -> bool) -> Self {
        let kept: Vec<usize> =
            (0..self.changes.len()).filter(|place| told(self.changes[*place].class)).take(most).collect();
        let places: BTreeMap<u32, u32> =
            kept.iter().zip(0..).filter_map(|(old, new)| Some((u32::try_from(*old).ok()?, new))).collect();
        let groups = self.groups.iter().filter_map(|group| {
            let changes: Vec<u32> = group.changes.iter().filter_map(|place| places.get(place).copied()).collect();
            let example = places.get(&group.example).or(changes.first()).copied()?;
            Some(Group { changes, example, ..group.clone() })
        });
        Self {
            changes: kept.iter().map(|place| self.changes[*place].clone()).collect(),
            groups: groups.collect(),
            left_out: (self.changes.len() - kept.len()) as u64,
            schema_version: self.schema_version,
            before: self.before.clone(),
            after: self.after.clone(),
            same_harness: self.same_harness,
            counts: self.counts.clone(),
        }
    }

    /// Returns true if nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns true if something is worse that no baseline knows of.
    #[must_use]
    pub fn is_worse(&self) -> bool {
        self.changes.iter().any(Change::is_news)
    }

    /// Returns true if something is a regression.
    #[must_use]
    pub fn has_regression(&self) -> bool {
        self.changes.iter().any(|change| change.regression)
    }

    /// Number of cells that were compared: those that both runs have a counterpart of.
    #[must_use]
    pub fn compared(&self) -> u64 {
        let classes = [Class::Worse, Class::Better, Class::Changed, Class::Same, Class::Flaky, Class::Spurious];
        classes.into_iter().map(|class| self.count(class)).sum()
    }
}
