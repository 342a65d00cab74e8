//! Results that ask for input, on the page on multi round-trip requests: how far they keep a value from coming.

use super::Gap::Unplayed;
use super::Judged::{ByRules, Not};
use super::Whom::{Client, Server};
use super::{Statement, must};
use crate::rules::RevisionRange;

const MODERN: RevisionRange = RevisionRange::MODERN;

pub(super) const STATEMENTS: &[Statement] = &[
    must(
        Server,
        MODERN,
        "2026-07-28/basic/patterns/mrtr#supported-requests",
        "answer no other requests than calls, prompts and reads with a result that asks for input",
        ByRules(&["input-required-where-allowed"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
        "ask for something, or give a state to send back, in a result that asks for input",
        ByRules(&["input-required-asks"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
        "ask only for what the client has declared that it can give",
        ByRules(&["input-requests-declared"]),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/basic/patterns/mrtr#client-requirements-basic-workflow",
        "send the state back as it came, with the inputs, under another id",
        Not(Unplayed, "No mock client gives input, and no scenario asks for any."),
    ),
];
