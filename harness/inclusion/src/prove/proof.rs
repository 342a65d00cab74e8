//! What a proof comes to: nothing more to show, or what could not be shown and where.

use crate::dialect::Dialect;
use crate::document::Node;

/// What could not be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// Where in the document of the goal.
    pub(crate) pointer: String,
    pub(crate) why: String,
}

pub(crate) type Proof = Result<(), Doubt>;

/// What was not shown, and where.
pub(super) fn doubt(goal: &Node<'_>, keyword: Option<&str>, why: &str) -> Proof {
    let pointer = keyword.map_or_else(|| goal.pointer.to_string(), |keyword| goal.place(keyword));
    Err(Doubt { pointer, why: why.to_owned() })
}

/// Whether a dialect is one in which a keyword of 2020-12 counts.
pub(super) const fn is_2020(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Draft202012)
}
