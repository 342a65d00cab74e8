//! `_meta`, in the page on the base protocol.

use super::Gap::{Inside, Open, Unplayed};
use super::Judged::{ByRules, Not};
use super::Whom::{Both, Client, Server};
use super::{SINCE_2025_11_25, Statement, must, should};
use crate::rules::RevisionRange;

const STRUCTURED: RevisionRange = RevisionRange::STRUCTURED;
const MODERN: RevisionRange = RevisionRange::MODERN;

pub(super) const STATEMENTS: &[Statement] = &[
    must(
        Both,
        STRUCTURED,
        "2026-07-28/basic/index#meta",
        "assume nothing about the values of reserved keys",
        Not(Inside, "What a peer assumes does not show."),
    ),
    must(
        Both,
        STRUCTURED,
        "2026-07-28/basic/index#meta",
        "form the prefix of a key as dotted labels and a slash",
        ByRules(&["server-meta-keys", "client-meta-keys"]),
    ),
    must(
        Both,
        STRUCTURED,
        "2026-07-28/basic/index#meta",
        "begin and end the name in a key with a letter or digit",
        ByRules(&["server-meta-keys", "client-meta-keys"]),
    ),
    should(
        Both,
        SINCE_2025_11_25,
        "2026-07-28/basic/index#meta",
        "make the prefix of a domain, read backwards",
        Not(Open, "Whether `a.b/` is a domain read backwards cannot be told."),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/basic/index#meta",
        "put its revision and its capabilities into every request",
        ByRules(&["request-meta"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/index#meta",
        "refuse a request without them with -32602",
        ByRules(&["malformed-request-refused"]),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/basic/index#meta",
        "name itself in every request, unless it is told not to",
        Not(Open, "The wire does not show what it was told."),
    ),
    should(
        Server,
        MODERN,
        "2026-07-28/basic/index#meta",
        "name itself in every result, unless it is told not to",
        Not(Open, "The wire does not show what it was told."),
    ),
    should(
        Both,
        MODERN,
        "2026-07-28/basic/index#meta",
        "not change what it does by what the other calls itself",
        Not(Unplayed, "Every mock has one name."),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/index#meta",
        "not rely on a capability that the client has not declared, and refuse with -32021 what needs one",
        ByRules(&["input-requests-declared"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/index#meta",
        "put the id of the subscription into each of its notifications",
        ByRules(&["subscription-id-carried"]),
    ),
    must(
        Both,
        MODERN,
        "2026-07-28/basic/index#meta",
        "write trace context in the forms of the W3C",
        Not(Unplayed, "Nothing that is played traces."),
    ),
];
