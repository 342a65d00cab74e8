//! The class of a pair of cells.

use mcp_compat_model::diff::{Class, Fate, Obstacle};
use mcp_compat_model::verdict::{Fault, Rating};

/// A pair of cells, with what else decides its class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'f> {
    pub(crate) before: &'f Fate,
    pub(crate) after: &'f Fate,
    /// What came of a repeat of the later cell.
    pub(crate) repeat: Option<&'f Fate>,
    /// Whether one of the peers is another one than before.
    pub(crate) has_moved: bool,
    /// Whether the scenario is another one.
    pub(crate) is_rewritten: bool,
    /// Whether mcp-compat is the same version.
    pub(crate) same_tool: bool,
    /// Whether both verdicts are of the same judge.
    pub(crate) same_judge: bool,
}

/// The class, and for cells that cannot be compared the reason.
pub(crate) fn class(pair: &Pair<'_>) -> (Class, Option<Obstacle>) {
    let Pair { before, after, .. } = pair;
    let is_harness = |fate: &Fate| fate.fault == Some(Fault::Harness);
    let differs = |repeat: &Fate| !repeat.is_like(after);
    if pair.is_rewritten {
        (Class::NotComparable, Some(Obstacle::Scenario {}))
    } else if before.is_like(after) {
        (Class::Same, None)
    } else if is_harness(before) || is_harness(after) {
        (Class::Spurious, None)
    } else if !pair.same_judge {
        (Class::NotComparable, Some(Obstacle::Judge {}))
    } else if before.flaky || after.flaky || pair.repeat.is_some_and(differs) {
        (Class::Flaky, None)
    } else if !pair.same_tool && !pair.has_moved {
        (Class::NotComparable, Some(Obstacle::Harness {}))
    } else {
        (moved(before.rating, after.rating), None)
    }
}

/// How a rating compares with another one. What is skipped is neither better nor worse.
fn moved(before: Rating, after: Rating) -> Class {
    let rank = |rating: Rating| match rating {
        Rating::Works => Some(0),
        Rating::Degraded => Some(1),
        Rating::Breaks => Some(2),
        Rating::Skipped => None,
    };
    match (rank(before), rank(after)) {
        (Some(before), Some(after)) if after > before => Class::Worse,
        (Some(before), Some(after)) if after < before => Class::Better,
        (_, _) => Class::Changed,
    }
}
