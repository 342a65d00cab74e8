//! Which revision is spoken: the handshake of the legacy era, the versioning of the modern one, and `server/discover`.

use super::Gap::{Open, Unplayed};
use super::Judged::{ByRules, ByVerdict, Not};
use super::Whom::{Both, Client, Server};
use super::{Statement, must, should};
use crate::rules::RevisionRange;

const MODERN: RevisionRange = RevisionRange::MODERN;
const OBJECTS: RevisionRange = RevisionRange::OBJECTS;

pub(super) const STATEMENTS: &[Statement] = &[
    must(
        Client,
        OBJECTS,
        "2025-11-25/basic/lifecycle#initialization",
        "open with `initialize`, and say when it is ready",
        ByRules(&["initialized-is-told"]),
    ),
    must(
        Server,
        OBJECTS,
        "2025-11-25/basic/lifecycle#initialization",
        "answer `initialize` with a revision and its capabilities",
        ByRules(&["initialize-names-a-handshake-revision", "tools-capability-declared"]),
    ),
    should(
        Client,
        OBJECTS,
        "2025-11-25/basic/lifecycle#initialization",
        "request nothing but a ping before `initialize` is answered",
        ByRules(&["initialized-is-told"]),
    ),
    must(
        Client,
        OBJECTS,
        "2025-11-25/basic/lifecycle#version-negotiation",
        "ask for a revision that it supports, and should ask for its newest",
        Not(Open, "What a client supports besides is not on the wire."),
    ),
    must(
        Server,
        OBJECTS,
        "2025-11-25/basic/lifecycle#version-negotiation",
        "answer with the revision asked for if it supports it, and else with another, which should be its newest",
        Not(Open, "What a server supports besides is not on the wire."),
    ),
    should(
        Client,
        OBJECTS,
        "2025-11-25/basic/lifecycle#version-negotiation",
        "leave a server that names a revision which it does not support",
        ByRules(&["client-leaves-unknown-revision"]),
    ),
    must(
        Both,
        OBJECTS,
        "2025-11-25/basic/lifecycle#operation",
        "keep to the negotiated revision",
        ByRules(&["structured-content-object", "output-schema-object-root", "content-blocks"]),
    ),
    must(
        Both,
        OBJECTS,
        "2025-11-25/basic/lifecycle#operation",
        "use only capabilities that were negotiated",
        ByRules(&["tools-capability-declared", "logging-capability-declared"]),
    ),
    should(
        Both,
        OBJECTS,
        "2025-11-25/basic/lifecycle#timeouts",
        "end a request that takes too long, whatever progress it makes",
        ByVerdict("A call that is neither answered nor ended is `hung`."),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/versioning#protocol-version-negotiation",
        "refuse a revision that it does not implement with an error that lists those it does",
        ByRules(&["refused-version-names-others"]),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/basic/versioning#protocol-version-negotiation",
        "choose a revision from that list and try again, or tell its user",
        ByRules(&["client-speaks-a-listed-revision"]),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/versioning#protocol-version-negotiation",
        "implement `server/discover`",
        ByRules(&["discover-answered"]),
    ),
    must(
        Both,
        MODERN,
        "2026-07-28/basic/versioning#extension-negotiation",
        "name extensions by prefixed keys, and do without one that the other lacks",
        Not(Unplayed, "Nothing that is played has an extension."),
    ),
    must(
        Server,
        MODERN,
        "2026-07-28/basic/versioning#terminology",
        "not name a revision without a handshake in a handshake",
        ByRules(&["initialize-names-a-handshake-revision"]),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions",
        "remember of which era a server is",
        Not(Unplayed, "A cell has one session."),
    ),
    should(
        Server,
        MODERN,
        "2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions",
        "name its revisions when it refuses `initialize`, if all of them are modern",
        Not(Open, "What else a server that refuses a handshake supports is not on the wire."),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/server/discover#when-to-call",
        "ask `server/discover` first over stdio, if it speaks both eras",
        ByRules(&["probe-comes-first"]),
    ),
    must(
        Client,
        MODERN,
        "2026-07-28/basic/transports/stdio#backward-compatibility",
        "fall back to `initialize` whatever the code is that refuses the probe",
        ByVerdict(
            "A client that stays away is `unreachable` by its own fault, and the reason says that it did not fall back.",
        ),
    ),
    should(
        Client,
        MODERN,
        "2026-07-28/basic/transports/streamable-http#backward-compatibility",
        "look into a refusal with status 400 before it falls back",
        ByVerdict("A client that falls back in vain is `unreachable`, and the reason names what each side offered."),
    ),
];
