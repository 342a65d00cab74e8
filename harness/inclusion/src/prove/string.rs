//! Strings: lengths, and patterns where they are the same.

use super::proof::{Proof, doubt};
use crate::case::Case;
use crate::dialect::Dialect;
use crate::document::Node;

/// Shows a keyword of a goal for strings.
pub(super) fn keyword(case: &Case<'_>, goal: &Node<'_>, keyword: &str) -> Proof {
    let unshown = |why: &str| doubt(goal, Some(keyword), why);
    match keyword {
        "minLength"
            if goal.count(keyword) != Some(0)
                && goal.count(keyword).is_none_or(|least| case.most("minLength") < Some(least)) =>
        {
            unshown("the string may be shorter")
        }
        "maxLength"
            if goal.count(keyword).is_none_or(|most| case.least("maxLength").is_none_or(|known| known > most)) =>
        {
            unshown("the string may be longer")
        }
        // That one pattern implies another is not decided, only that they are the same.
        "pattern" => unshown("the string may not match"),
        // In 2020-12 they are annotations.
        "contentEncoding" | "contentMediaType" if goal.dialect() == Dialect::Draft7 => {
            unshown("the content may be of another kind")
        }
        _ => Ok(()),
    }
}

/// Whether no string can be that long and that short.
pub(super) fn contradicts(case: &Case<'_>) -> bool {
    matches!((case.most("minLength"), case.least("maxLength")), (Some(least), Some(most)) if least > most)
}
