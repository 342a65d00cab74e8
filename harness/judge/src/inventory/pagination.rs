//! The page on pagination.

use super::Gap::Unplayed;
use super::Judged::{ByRules, Not};
use super::Whom::{Client, Server};
use super::{Statement, must, should};
use crate::rules::RevisionRange;

const STRUCTURED: RevisionRange = RevisionRange::STRUCTURED;
const MODERN: RevisionRange = RevisionRange::MODERN;
const OBJECTS: RevisionRange = RevisionRange::OBJECTS;

pub(super) const STATEMENTS: &[Statement] = &[
    must(
        Client,
        STRUCTURED,
        "2026-07-28/server/utilities/pagination#pagination-model",
        "assume no size of a page",
        ByRules(&["client-lists-every-page"]),
    ),
    should(
        Server,
        STRUCTURED,
        "2026-07-28/server/utilities/pagination#implementation-guidelines",
        "give cursors that stay valid",
        Not(Unplayed, "No client goes back to a cursor."),
    ),
    should(
        Client,
        STRUCTURED,
        "2026-07-28/server/utilities/pagination#implementation-guidelines",
        "take a missing `nextCursor` for the end, and a list with or without pages",
        ByRules(&["client-lists-every-page"]),
    ),
    must(
        Client,
        STRUCTURED,
        "2026-07-28/server/utilities/pagination#implementation-guidelines",
        "neither read nor change a cursor",
        ByRules(&["cursor-as-given"]),
    ),
    must(
        Client,
        OBJECTS,
        "2025-11-25/server/utilities/pagination#implementation-guidelines",
        "not keep cursors from one session to another",
        Not(Unplayed, "A cell has one session."),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/server/utilities/pagination#implementation-guidelines",
        "not take an empty cursor for the end",
        ByRules(&["empty-cursor-leads-on"]),
    ),
    should(
        Server,
        STRUCTURED,
        "2026-07-28/server/utilities/pagination#error-handling",
        "refuse an invalid cursor with -32602",
        Not(Unplayed, "No client makes up a cursor."),
    ),
];
