//! Comparison of a cell with its counterpart in an earlier run.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Class of the comparison of a cell with its counterpart in the earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The rating is worse.
    Worse,
    /// The rating is better.
    Better,
    /// The rating is the same, but the outcome, the fault, the cause or the damage is another one.
    Changed,
    /// Nothing that matters changed.
    Same,
    /// The earlier run did not have the scenario. Never a regression.
    New,
    /// The later run does not have the scenario.
    Gone,
    /// A peer of the cell is new.
    PeerAdded,
    /// A peer of the cell is gone.
    PeerGone,
    /// The two cannot be compared: the scenario or mcp-compat changed, or one run did not play the cell.
    NotComparable,
    /// A repeat came out differently, or the cell is known to be flaky.
    Flaky,
    /// mcp-compat or the set-up failed on one side.
    Spurious,
}

impl Class {
    /// Every class, the most important first.
    pub const ALL: [Self; 11] = [
        Self::Worse,
        Self::Better,
        Self::Changed,
        Self::Same,
        Self::New,
        Self::Gone,
        Self::PeerAdded,
        Self::PeerGone,
        Self::NotComparable,
        Self::Flaky,
        Self::Spurious,
    ];

    /// The name used in files and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Better => "better",
            Self::Changed => "changed",
            Self::Same => "same",
            Self::New => "new",
            Self::Gone => "gone",
            Self::PeerAdded => "peer-added",
            Self::PeerGone => "peer-gone",
            Self::NotComparable => "not-comparable",
            Self::Flaky => "flaky",
            Self::Spurious => "spurious",
        }
    }

    /// Returns true if both runs have the cell, and its verdict is another one: worse, better or changed.
    #[must_use]
    pub const fn is_change(self) -> bool {
        matches!(self, Self::Worse | Self::Better | Self::Changed)
    }

    /// The class with the runs exchanged.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        match self {
            Self::Worse => Self::Better,
            Self::Better => Self::Worse,
            Self::New => Self::Gone,
            Self::Gone => Self::New,
            Self::PeerAdded => Self::PeerGone,
            Self::PeerGone => Self::PeerAdded,
            Self::Changed | Self::Same | Self::NotComparable | Self::Flaky | Self::Spurious => self,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_name_is_the_one_in_files_and_its_mirror_image_mirrors_back() {
        for class in Class::ALL {
            assert_eq!(serde_json::to_string(&class).unwrap(), format!("\"{class}\""));
            assert_eq!(class.mirrored().mirrored(), class);
        }
    }
}
