//! How JSON Schema is used, in the page on the base protocol. 2025-06-18 says nothing about it.

use super::Gap::{Host, Open, Unplayed};
use super::Judged::{ByRules, ByVerdict, Not};
use super::Whom::{Both, Server};
use super::{SINCE_2025_11_25, Statement, must, should};
use crate::rules::RevisionRange;

const MODERN: RevisionRange = RevisionRange::MODERN;

pub(super) const STATEMENTS: &[Statement] = &[
    must(
        Both,
        SINCE_2025_11_25,
        "2026-07-28/basic/index#schema-dialect",
        "support JSON Schema 2020-12, also where a schema names no dialect",
        ByRules(&["client-supports-2020-12"]),
    ),
    should(
        Both,
        SINCE_2025_11_25,
        "2026-07-28/basic/index#schema-dialect",
        "write schemas in 2020-12",
        Not(Open, "Another dialect is allowed; what a client makes of it shows in the outcome."),
    ),
    should(
        Both,
        SINCE_2025_11_25,
        "2026-07-28/basic/index#implementation-requirements",
        "document which other dialects it supports",
        Not(Host, "Documentation is not on the wire."),
    ),
    must(
        Both,
        SINCE_2025_11_25,
        "2026-07-28/basic/index#implementation-requirements",
        "validate by the dialect that a schema names, or else by 2020-12",
        ByRules(&["client-validates", "client-supports-2020-12"]),
    ),
    must(
        Both,
        SINCE_2025_11_25,
        "2026-07-28/basic/index#implementation-requirements",
        "answer a dialect that it does not support with an error that says so",
        ByRules(&["client-tells-unknown-dialect"]),
    ),
    must(
        Server,
        SINCE_2025_11_25,
        "2026-07-28/basic/index#schema-validation",
        "declare schemas that are valid by their dialect",
        ByRules(&["output-schema-valid"]),
    ),
    must(
        Both,
        MODERN,
        "2026-07-28/basic/index#ref-resolution",
        "not fetch a `$ref` from the network by itself",
        ByRules(&["references-not-fetched"]),
    ),
    must(
        Both,
        MODERN,
        "2026-07-28/basic/index#ref-resolution",
        "leave a mode that fetches references off until somebody turns it on",
        ByRules(&["references-not-fetched"]),
    ),
    should(
        Both,
        MODERN,
        "2026-07-28/basic/index#ref-resolution",
        "fetch, where that is turned on, only from allowed hosts, with limits, and log it",
        Not(Unplayed, "Peers are played as they are by default."),
    ),
    should(
        Both,
        MODERN,
        "2026-07-28/basic/index#ref-resolution",
        "refuse a schema with an external `$ref` that it does not resolve, instead of letting everything through",
        ByRules(&["client-refuses-unresolved-reference"]),
    ),
    should(
        Both,
        MODERN,
        "2026-07-28/basic/index#composition-keyword-resource-use",
        "bound the depth, the number of subschemas or the time that a validation takes",
        ByVerdict(
            "A client that a schema keeps busy is `hung`, and one that a deep schema ends is `crashed`; which bound it has does not show.",
        ),
    ),
];
